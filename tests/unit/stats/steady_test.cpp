// SPDX-License-Identifier: MIT
#include <slo/stats/steady.hpp>

#define BOOST_TEST_MODULE stats_steady
#include <boost/test/unit_test.hpp>

#include <vector>

using namespace slo::stats;

namespace {

// The start of the steady window, -1 for none.
int start_of(const std::vector<double>& series, double tolerance = 0.3, int min_size = 3)
{
    const auto start = steady_start(series, tolerance, min_size);
    return start ? static_cast<int>(*start) : -1;
}

} // namespace

BOOST_AUTO_TEST_CASE(walks_back_from_the_end)
{
    BOOST_TEST(start_of({9.1, 8.4, 7.2, 6.9, 6.8, 2.1, 2.0, 1.9}) == 5);
    BOOST_TEST(start_of({2, 2, 2, 2}) == 0);
    BOOST_TEST(start_of({1, 9, 2, 2}) == -1);
    BOOST_TEST(start_of({1, 9, 2, 2}, 0.3, 2) == 2);
    BOOST_TEST(start_of({}) == -1);
}

BOOST_AUTO_TEST_CASE(the_median_drifts_with_the_window)
{
    // medians on the way back: 1.0, 1.1, 1.2, 1.35; 1.5 is 0.36 off its one, 1.9 0.58, 2.4 0.78
    BOOST_TEST(start_of({3.0, 2.4, 1.9, 1.5, 1.2, 1.0}, 0.6) == 2);
    BOOST_TEST(start_of({3.0, 2.4, 1.9, 1.5, 1.2, 1.0}, 0.4) == 3);
    BOOST_TEST(start_of({3.0, 2.4, 1.9, 1.5, 1.2, 1.0}, 0.3) == -1);
}

BOOST_AUTO_TEST_CASE(the_edge_as_doubles_have_it)
{
    BOOST_TEST(start_of({1.3, 1, 1, 1}) == 1); // (1.3 - 1) / 1 is above 0.3
    BOOST_TEST(start_of({0.7, 1, 1, 1}) == 1);
    BOOST_TEST(start_of({1.25, 1, 1, 1}, 0.25) == 0);
}

BOOST_AUTO_TEST_CASE(nothing_above_zero_is_never_extended)
{
    BOOST_TEST(start_of({1, 1, 1, 0}) == -1);
    BOOST_TEST(start_of({1, 1, 1, -1}) == -1);
    BOOST_TEST(start_of({0, 0, 0}, 0.3, 1) == 2);
}

BOOST_AUTO_TEST_CASE(medians)
{
    RunningMedian median;
    const std::vector<double> values{9, 1, 4, 2, 2, -3};
    const std::vector<double> expected{9, 5, 4, 3, 2, 2};
    for (std::size_t i = 0; i < values.size(); ++i) {
        median.add(values[i]);
        BOOST_TEST(median.value() == expected[i]);
    }
    BOOST_TEST(median.size() == 6u);
    BOOST_TEST(plain_mean(values) == 2.5);
}

BOOST_AUTO_TEST_CASE(a_million_rounds_are_no_burden)
{
    std::vector<double> series;
    for (int i = 0; i < 1'000'000; ++i)
        series.push_back(1 + 0.1 * (i % 2) + 1e-8 * i);
    BOOST_TEST(start_of(series) == 0);
}
