// SPDX-License-Identifier: MIT
#include <slo/base/spelling.hpp>
#define BOOST_TEST_MODULE base_spelling
#include <boost/test/unit_test.hpp>

#include <array>
#include <string>
#include <string_view>

using namespace slo;

BOOST_AUTO_TEST_CASE(edit_distance_counts_letters)
{
    BOOST_TEST(edit_distance("kitten", "sitting") == 3U);
    BOOST_TEST(edit_distance("", "abc") == 3U);
    BOOST_TEST(edit_distance("same", "same") == 0U);
}

BOOST_AUTO_TEST_CASE(the_nearest_name_is_the_first_of_the_nearest)
{
    constexpr std::array<std::string_view, 3> names{"e2e", "ttft", "tpot"};
    BOOST_TEST(nearest_name("tfft", names).value_or("none") == "ttft");
    BOOST_TEST(nearest_name("tpott", names).value_or("none") == "tpot");
    BOOST_TEST(nearest_name("e2", names).value_or("none") == "e2e");
    BOOST_TEST(nearest_name("latency", names).value_or("none") == "none");
    BOOST_TEST(nearest_name("", names).value_or("none") == "none");
    BOOST_TEST(nearest_name(std::string(81, 'x'), std::array{std::string(81, 'x')}).has_value() == false);
}
