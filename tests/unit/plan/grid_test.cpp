// SPDX-License-Identifier: MIT
// Unit test of plan/grid.hpp.

#include <slo/plan/grid.hpp>

#define BOOST_TEST_MODULE plan_grid
#include <boost/test/unit_test.hpp>

#include <string>

using slo::UsageError;
using slo::plan::divide_half_even;
using slo::plan::Grid;

BOOST_AUTO_TEST_CASE(rates_are_exact_steps)
{
    const Grid tenths(0.1);
    BOOST_TEST(tenths.steps(8.5, "low") == 85);
    BOOST_TEST(tenths.steps(5.4, "low") - tenths.steps(5.3, "low") == 1);
    BOOST_TEST(tenths.steps(1000000, "low") == 10000000);
    for (int rate = 1; rate <= 100000; ++rate)
        BOOST_REQUIRE_EQUAL(tenths.steps(tenths.qps(rate), "low"), rate);
    const Grid quarters(0.25);
    BOOST_TEST(quarters.steps(8.5, "low") == 34);
    BOOST_TEST(Grid(5).steps(1e5, "low") == 20000);
    BOOST_TEST(Grid(1e-9).steps(1e6, "low") == 1'000'000'000'000'000);
}

BOOST_AUTO_TEST_CASE(rates_print_with_the_digits_of_the_precision)
{
    const Grid tenths(0.1);
    BOOST_TEST(tenths.text(85) == "8.5");
    BOOST_TEST(tenths.text(90) == "9.0");
    BOOST_TEST(tenths.text(1) == "0.1");
    BOOST_TEST(tenths.qps(85 * 3) == 25.5);
    BOOST_TEST(Grid(1).text(9) == "9");
    BOOST_TEST(Grid(20).text(5) == "100");
    BOOST_TEST(Grid(0.25).text(3) == "0.75");
    BOOST_TEST(Grid(0.05).text(1) == "0.05");
    BOOST_TEST(Grid(1e-9).text(1) == "0.000000001");
}

BOOST_AUTO_TEST_CASE(what_is_off_the_grid_is_not_found)
{
    const Grid grid(0.3);
    BOOST_TEST(grid.find(0.9).value_or(0) == 3);
    BOOST_TEST(!grid.find(1.0));
    BOOST_TEST(!grid.find(0.9000000000000001));
    BOOST_TEST(!grid.find(0));
    BOOST_TEST(!grid.find(-0.9));
    BOOST_TEST(!grid.find(1e300));
    BOOST_TEST(!grid.find(1e-300));
    BOOST_TEST(!grid.find(std::numeric_limits<double>::quiet_NaN()));
    BOOST_TEST(!grid.find(std::numeric_limits<double>::infinity()));
}

BOOST_AUTO_TEST_CASE(refusals_name_their_subject)
{
    const auto said = [](auto&& call) -> std::string {
        try {
            call();
        } catch (const UsageError& error) {
            return error.what();
        }
        return "nothing thrown";
    };
    BOOST_TEST(said([] { Grid(0.1).steps(1.25, "low"); }) == "low: 1.25 is no multiple of the precision 0.1");
    BOOST_TEST(said([] { Grid(0.1).steps(0, "low"); }) == "low: must be above 0");
    BOOST_TEST(said([] { Grid(0.1).steps(1e7, "high"); }) == "high: must be at most 1000000");
    BOOST_TEST(said([] { Grid(0); }) == "precision: must be above 0 and at most 1000000");
    BOOST_TEST(said([] { Grid(-1); }) == "precision: must be above 0 and at most 1000000");
    BOOST_TEST(said([] { Grid(1e-10); }) == "precision: has more than 9 digits after the point");
    BOOST_TEST(said([] { Grid(1.0 / 3); }) == "precision: has more than 9 digits after the point");
}

BOOST_AUTO_TEST_CASE(halves_go_to_the_even_neighbour)
{
    BOOST_TEST(divide_half_even(25, 10) == 2);
    BOOST_TEST(divide_half_even(35, 10) == 4);
    BOOST_TEST(divide_half_even(26, 10) == 3);
    BOOST_TEST(divide_half_even(24, 10) == 2);
    BOOST_TEST(divide_half_even(1, 2) == 0);
    BOOST_TEST(divide_half_even(3, 2) == 2);
    BOOST_TEST(divide_half_even(9'000'000'000'000'000'000, 7) == 1'285'714'285'714'285'714);
}
