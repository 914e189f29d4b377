// SPDX-License-Identifier: MIT
// Unit test of plan/interval_margin.hpp.

#include <slo/plan/interval_margin.hpp>

#define BOOST_TEST_MODULE plan_interval_margin
#include <boost/test/unit_test.hpp>

#include <cmath>
#include <limits>
#include <optional>

using namespace slo::plan;

BOOST_AUTO_TEST_CASE(an_interval_of_95_percent_is_3_92_standard_errors_wide)
{
    const auto margin = margin_of_interval(4, 9, 0.95, 6.0, 6);
    BOOST_REQUIRE(margin);
    BOOST_TEST(margin->estimate == 0.0);
    BOOST_TEST(margin->error == std::log(9.0 / 4.0) / 3.919928, boost::test_tools::tolerance(1e-6));
    BOOST_TEST(margin_of_interval(4, 9, 0.90, 6.0, 6)->error == std::log(9.0 / 4.0) / 3.289707,
               boost::test_tools::tolerance(1e-6));
}

BOOST_AUTO_TEST_CASE(it_is_above_0_where_the_latency_is_above_the_slo)
{
    BOOST_TEST(margin_of_interval(6, 8, 0.95, 7.0, 3.5)->estimate == std::log(2.0),
               boost::test_tools::tolerance(1e-12));
    BOOST_TEST(margin_of_interval(6, 8, 0.95, 7.0, 14)->estimate == -std::log(2.0),
               boost::test_tools::tolerance(1e-12));
}

BOOST_AUTO_TEST_CASE(without_a_figure_within_it_is_the_middle)
{
    BOOST_TEST(margin_of_interval(4, 9, 0.95, std::nullopt, 3)->estimate == std::log(2.0),
               boost::test_tools::tolerance(1e-12));
    BOOST_TEST(margin_of_interval(4, 9, 0.95, 20.0, 3)->estimate == std::log(2.0),
               boost::test_tools::tolerance(1e-12));
}

BOOST_AUTO_TEST_CASE(what_is_no_interval_has_no_margin)
{
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    constexpr double inf = std::numeric_limits<double>::infinity();
    BOOST_TEST(!margin_of_interval(0, 9, 0.95, 6.0, 6));
    BOOST_TEST(!margin_of_interval(-1, 9, 0.95, 6.0, 6));
    BOOST_TEST(!margin_of_interval(6, 6, 0.95, 6.0, 6));
    BOOST_TEST(!margin_of_interval(9, 4, 0.95, 6.0, 6));
    BOOST_TEST(!margin_of_interval(4, 9, 1, 6.0, 6));
    BOOST_TEST(!margin_of_interval(4, 9, 0, 6.0, 6));
    BOOST_TEST(!margin_of_interval(4, 9, 0.95, 6.0, 0));
    BOOST_TEST(!margin_of_interval(nan, 9, 0.95, 6.0, 6));
    BOOST_TEST(!margin_of_interval(4, inf, 0.95, 6.0, 6));
    BOOST_TEST(!margin_of_interval(4, 9, nan, 6.0, 6));
}
