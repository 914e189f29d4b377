// SPDX-License-Identifier: MIT
#include <slo/stats/stationarity.hpp>

#define BOOST_TEST_MODULE stats_stationarity
#include <boost/test/unit_test.hpp>

#include <slo/base/random.hpp>

#include <limits>
#include <numeric>

using namespace slo::stats;
namespace tt = boost::test_tools;

namespace {

const double inf = std::numeric_limits<double>::infinity();
const double nan_value = std::numeric_limits<double>::quiet_NaN();

// A series whose neighbours are alike, as those of a queue.
std::vector<double> autoregressive(slo::Random& random, std::size_t size, double rho)
{
    std::vector<double> series;
    double value = random.normal(0, 1 / std::sqrt(1 - rho * rho));
    for (std::size_t i = 0; i < size; ++i) {
        series.push_back(value);
        value = rho * value + random.normal(0, 1);
    }
    return series;
}

} // namespace

BOOST_AUTO_TEST_CASE(law_of_little)
{
    BOOST_TEST(littles_ratio(20, 10, 2).value() == 1);
    BOOST_TEST(littles_ratio(30, 10, 2).value() == 1.5);
    BOOST_TEST(littles_ratio(0, 10, 2).value() == 0);
    BOOST_TEST(!littles_ratio(1, 0, 2));
    BOOST_TEST(!littles_ratio(1, 10, 0));
    BOOST_TEST(!littles_ratio(-1, 10, 2));
    BOOST_TEST(!littles_ratio(1, -10, -2));
    BOOST_TEST(!littles_ratio(1, 10, inf));
    BOOST_TEST(!littles_ratio(nan_value, 10, 2));
    BOOST_TEST(!littles_ratio(1, 1e-200, 1e-200));
    BOOST_TEST(!littles_ratio(1e300, 1e-100, 1e-100));

    // Requests that overlap, counted: [0, 4), [1, 3), [2, 8) over 8 s are 12 request-seconds.
    BOOST_TEST(littles_ratio(12.0 / 8, 3.0 / 8, 4).value() == 1);
}

BOOST_AUTO_TEST_CASE(slope_of_a_textbook)
{
    // Five points (Lane, "Introduction to Statistics", regression): slope 0.425, standard error 0.305.
    const std::vector<double> values{1, 2, 1.3, 3.75, 2.25};
    const auto slope = slope_of(values, 1, 5).value();
    BOOST_TEST(slope.per_s == 0.425, tt::tolerance(1e-12));
    BOOST_TEST(slope.standard_error == 0.305, tt::tolerance(2e-3));
    BOOST_TEST(slope.degrees_of_freedom == 3);
    BOOST_TEST(slope.low(0.95) == 0.425 - 2.353363 * slope.standard_error, tt::tolerance(1e-6)); // t(3; 0.95)
    BOOST_TEST(slope.high(0.95) == 0.425 + 2.353363 * slope.standard_error, tt::tolerance(1e-6));
    // Half a second apart, the same rise is twice as steep.
    BOOST_TEST(slope_of(values, 0.5, 5)->per_s == 0.85, tt::tolerance(1e-12));
    BOOST_TEST(slope_of(values, 0.5, 5)->standard_error == 2 * slope.standard_error, tt::tolerance(1e-12));
}

BOOST_AUTO_TEST_CASE(slope_of_a_line)
{
    std::vector<double> line;
    for (int i = 0; i < 107; ++i)
        line.push_back(1e6 + 0.25 * i);
    line.front() = 1e9; // seven are left over, and left out at the beginning
    const auto slope = slope_of(line, 0.1).value();
    BOOST_TEST(slope.per_s == 2.5, tt::tolerance(1e-9));
    BOOST_TEST(slope.standard_error < 1e-9);
    BOOST_TEST(slope.degrees_of_freedom == 8);
    const auto flat = slope_of(std::vector<double>(50, 0.1), 1).value();
    BOOST_TEST(flat.per_s == 0);
    BOOST_TEST(flat.standard_error == 0);
    BOOST_TEST(flat.low(0.95) == 0);
}

BOOST_AUTO_TEST_CASE(neighbours_that_are_alike_are_no_slope)
{
    slo::Random random(19);
    int rising = 0;
    int rising_naively = 0;
    int seen = 0;
    const int runs = 1000;
    for (int run = 0; run < runs; ++run) {
        auto series = autoregressive(random, 600, 0.8);
        rising += slope_of(series, 1, 10)->low(0.95) > 0;
        rising_naively += slope_of(series, 1, 600)->low(0.95) > 0;
        for (std::size_t i = 0; i < series.size(); ++i)
            series[i] += 0.01 * static_cast<double>(i);
        seen += slope_of(series, 1, 10)->low(0.95) > 0;
    }
    BOOST_TEST(rising < 0.09 * runs);
    BOOST_TEST(rising > 0.02 * runs);
    BOOST_TEST(rising_naively > 0.2 * runs);
    BOOST_TEST(seen > 0.95 * runs);
}

BOOST_AUTO_TEST_CASE(what_has_no_slope)
{
    const std::vector<double> ten(10, 1.0);
    BOOST_TEST(slope_of(ten, 1).has_value());
    BOOST_TEST(!slope_of(std::span(ten).first(9), 1));
    BOOST_TEST(!slope_of(ten, 1, 2));
    BOOST_TEST(!slope_of(ten, 0));
    BOOST_TEST(!slope_of(ten, inf));
    BOOST_TEST(!slope_of({}, 1));
    BOOST_TEST(!slope_of(std::vector<double>{1, 2, inf}, 1, 3));
    BOOST_TEST(!slope_of(std::vector<double>{1e308, -1e308, 1e308}, 1, 3));
}

BOOST_AUTO_TEST_CASE(ranks_of_a_textbook)
{
    // Hollander and Wolfe 1973, p. 69: 35 pairs with the first larger, 15 with the second. z = (15 - 25 +
    // 1/2)/ √(10 · 5 · 16/12).
    const std::vector<double> first{0.80, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46};
    const std::vector<double> second{1.15, 0.88, 0.90, 0.74, 1.21};
    const auto result = mann_whitney(first, second).value();
    BOOST_TEST(result.u == 15);
    BOOST_TEST(result.z == -9.5 / std::sqrt(200.0 / 3), tt::tolerance(1e-12));
    BOOST_TEST(result.p == 0.2446, tt::tolerance(1e-3));
    BOOST_TEST(mann_whitney(second, first)->u == 35);
    BOOST_TEST(mann_whitney(second, first)->z == -result.z, tt::tolerance(1e-12));
}

BOOST_AUTO_TEST_CASE(ties_worked_by_hand)
{
    // u = 8 of 9; groups of three and of two: variance 9/12 (7 - 30/30); z = (3.5 - 0.5)/√4.5 = √2.
    const std::vector<double> first{1, 2, 2};
    const std::vector<double> second{2, 3, 3};
    const auto result = mann_whitney(first, second).value();
    BOOST_TEST(result.u == 8);
    BOOST_TEST(result.z == std::sqrt(2.0), tt::tolerance(1e-12));
    BOOST_TEST(result.p == 0.1572992, tt::tolerance(1e-6)); // erfc(1)
    // All alike: nothing to tell apart.
    const auto alike = mann_whitney(std::vector<double>(50, 0.1), std::vector<double>(70, 0.1)).value();
    BOOST_TEST(alike.u == 1750);
    BOOST_TEST(alike.z == 0);
    BOOST_TEST(alike.p == 1);
}

BOOST_AUTO_TEST_CASE(variance_over_all_splits)
{
    // The correction for ties is exact: u over all choices of 4 of 9 values.
    const std::vector<double> values{1, 1, 2, 3, 3, 3, 5, 6, 6};
    double sum = 0;
    double squares = 0;
    double deviation = 0;
    int splits = 0;
    for (unsigned chosen = 0; chosen < 512; ++chosen) {
        std::vector<double> first;
        std::vector<double> second;
        for (std::size_t i = 0; i < 9; ++i)
            ((chosen >> i & 1) != 0 ? first : second).push_back(values[i]);
        if (first.size() != 4)
            continue;
        const auto result = mann_whitney(first, second).value();
        ++splits;
        sum += result.u;
        squares += (result.u - 10) * (result.u - 10);
        if (splits == 1) // the least four: the deviation that z was scaled by
            deviation = (result.u - 10 - 0.5) / result.z;
    }
    BOOST_TEST(splits == 126);
    BOOST_TEST(sum / splits == 10, tt::tolerance(1e-12));
    BOOST_TEST(std::sqrt(squares / splits) == deviation, tt::tolerance(1e-9));
}

BOOST_AUTO_TEST_CASE(halves_of_a_series)
{
    std::vector<double> series(41);
    std::iota(series.begin(), series.end(), 0.0);
    const auto rising = halves(series).value();
    BOOST_TEST(rising.u == 400); // the middle one is left out
    BOOST_TEST(rising.p < 1e-6);
    BOOST_TEST(rising.z > 0);
    series.back() = inf; // never ended
    BOOST_TEST(halves(series)->u == 400);
    BOOST_TEST(!halves({}));
    BOOST_TEST(!halves(std::vector<double>{1}));
    BOOST_TEST(halves(std::vector<double>{1, 2}).has_value());
    BOOST_TEST(!halves(std::vector<double>{1, nan_value}));

    slo::Random random(23);
    int different = 0;
    for (int run = 0; run < 2000; ++run) {
        for (double& value : series)
            value = std::floor(10 * random.uniform());
        different += halves(series)->p < 0.05;
    }
    BOOST_TEST(different < 0.065 * 2000);
    BOOST_TEST(different > 0.03 * 2000);
}
