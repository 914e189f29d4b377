// SPDX-License-Identifier: MIT
// Unit test of stats/welch.hpp.

#include <slo/stats/welch.hpp>

#define BOOST_TEST_MODULE stats_welch
#include <boost/test/unit_test.hpp>

#include <vector>

using namespace slo::stats;
using Values = std::vector<double>;

BOOST_AUTO_TEST_CASE(the_interval_is_that_of_the_definition)
{
    // Student's t integrated numerically by Simpson's rule in 200,000 steps.
    const auto interval = welch_interval(Values{1, 2, 3, 4}, Values{5, 6, 9}, 0.95);
    BOOST_REQUIRE(interval);
    BOOST_TEST(interval->degrees == 3.1457603363700066, boost::test_tools::tolerance(1e-12));
    BOOST_TEST(interval->low == -0.0632913357563778, boost::test_tools::tolerance(1e-7));
    BOOST_TEST(interval->high == 8.39662466908971, boost::test_tools::tolerance(1e-9));
    BOOST_TEST(interval->has_zero());
    const auto back = welch_interval(Values{5, 6, 9}, Values{1, 2, 3, 4}, 0.95);
    BOOST_TEST(back->low == -interval->high);
    BOOST_TEST(!welch_interval(Values{1, 2, 3, 4}, Values{5, 6, 9}, 0.9)->has_zero());
}

BOOST_AUTO_TEST_CASE(values_without_spread_differ_by_what_they_differ)
{
    const auto interval = welch_interval(Values{2, 2}, Values{5, 5, 5}, 0.95);
    BOOST_REQUIRE(interval);
    BOOST_TEST(interval->low == 3);
    BOOST_TEST(interval->high == 3);
    BOOST_TEST(interval->degrees == 3);
    const auto thirds = welch_interval(Values{0.1, 0.1, 0.1}, Values{0.7, 0.7, 0.7}, 0.95);
    BOOST_TEST(thirds->low == thirds->high);
}

BOOST_AUTO_TEST_CASE(what_cannot_be_told_is_not)
{
    BOOST_TEST(!welch_interval(Values{1}, Values{1, 2}, 0.95).has_value());
    BOOST_TEST(!welch_interval(Values{1, 2}, Values{}, 0.95).has_value());
    BOOST_TEST(!welch_interval(Values{1, 2}, Values{1, 2}, 1).has_value());
    BOOST_TEST(!welch_interval(Values{1e300, -1e300}, Values{1, 2}, 0.95).has_value());
}
