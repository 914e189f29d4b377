// SPDX-License-Identifier: MIT
#include <slo/run/request_id.hpp>

#define BOOST_TEST_MODULE run_request_id
#include <boost/test/unit_test.hpp>

#include <set>
#include <string>

BOOST_AUTO_TEST_CASE(ids_are_version_4_uuids_and_differ)
{
    slo::run::RequestIds ids(1);
    std::set<std::string> seen;
    for (int i = 0; i < 1000; ++i) {
        const auto id = ids.next();
        BOOST_TEST(id.size() == 36U);
        for (const std::size_t dash : {8U, 13U, 18U, 23U})
            BOOST_TEST(id[dash] == '-');
        BOOST_TEST(id[14] == '4');
        BOOST_TEST((id[19] == '8' || id[19] == '9' || id[19] == 'a' || id[19] == 'b'));
        BOOST_TEST(id.find_first_not_of("0123456789abcdef-") == std::string::npos);
        BOOST_TEST(seen.insert(id).second);
    }
}

BOOST_AUTO_TEST_CASE(a_seed_gives_the_same_ids_again)
{
    slo::run::RequestIds a(7);
    slo::run::RequestIds b(7);
    slo::run::RequestIds c(8);
    const auto first = a.next();
    BOOST_TEST(first == b.next());
    BOOST_TEST(first != c.next());
}
