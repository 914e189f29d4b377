// SPDX-License-Identifier: MIT
#include <slo/sys/environment.hpp>

#define BOOST_TEST_MODULE sys_environment
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

using namespace slo::sys;

BOOST_AUTO_TEST_CASE(what_is_added_replaces_what_was_there)
{
    ::setenv("SLO_TEST", "old", 1);
    ::setenv("SLO_TEST_LONGER", "stays", 1);
    const auto entries = environment_with({{"SLO_TEST", "new"}, {"SLO_OTHER", "1"}, {"SLO_OTHER", "2"}});
    const auto count = [&](const std::string& entry) {
        return std::count(entries.begin(), entries.end(), entry);
    };
    BOOST_TEST(count("SLO_TEST=new") == 1);
    BOOST_TEST(count("SLO_TEST=old") == 0);
    BOOST_TEST(count("SLO_TEST_LONGER=stays") == 1);
    BOOST_TEST(count("SLO_OTHER=2") == 1);
    BOOST_TEST(count("SLO_OTHER=1") == 0);
}

BOOST_AUTO_TEST_CASE(what_is_removed_is_not_there_unless_it_is_added)
{
    ::setenv("SLO_TEST", "old", 1);
    ::setenv("SLO_TEST_LONGER", "stays", 1);
    const auto has = [](const std::vector<std::string>& entries, const std::string& entry) {
        return std::find(entries.begin(), entries.end(), entry) != entries.end();
    };
    const auto without = environment_with({}, {"SLO_TEST", "SLO_NOT_THERE"});
    BOOST_TEST(!has(without, "SLO_TEST=old"));
    BOOST_TEST(has(without, "SLO_TEST_LONGER=stays"));
    BOOST_TEST(has(environment_with({{"SLO_TEST", "new"}}, {"SLO_TEST"}), "SLO_TEST=new"));
}

BOOST_AUTO_TEST_CASE(pointers_end_in_a_null)
{
    std::vector<std::string> texts{"a", ""};
    const auto pointers = exec_pointers(texts);
    BOOST_REQUIRE(pointers.size() == 3U);
    BOOST_TEST(pointers[0] == texts[0].data());
    BOOST_TEST(pointers[1] == texts[1].data());
    BOOST_TEST(!pointers[2]);
}
