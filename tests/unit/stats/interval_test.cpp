// SPDX-License-Identifier: MIT
#include <slo/stats/interval.hpp>

#define BOOST_TEST_MODULE stats_interval
#include <boost/test/unit_test.hpp>

#include <vector>

using namespace slo::stats;

BOOST_AUTO_TEST_CASE(independent_values)
{
    // t(4; 0.975) = 2.776445, s = sqrt(2.5), both from tables; the series alternates, so nothing is
    // corrected.
    const std::vector<double> series{3, 5, 1, 4, 2};
    const auto interval = mean_interval(series, 0.95).value();
    const double half = 2.776445 * std::sqrt(2.5 / 5);
    BOOST_TEST(interval.effective_size == 5);
    BOOST_TEST(interval.low == 3 - half, boost::test_tools::tolerance(1e-6));
    BOOST_TEST(interval.high == 3 + half, boost::test_tools::tolerance(1e-6));
    BOOST_TEST(mean_interval(series, 0.99)->high > interval.high);
}

BOOST_AUTO_TEST_CASE(neighbours_that_are_alike_widen_it)
{
    const std::vector<double> rising{1, 2, 3, 4, 5, 6, 7, 8};
    // lag-1 of the series is 26.25 / 42 = 0.625, with the bias put right 0.75: n_eff = 8 · 0.25 / 1.75
    BOOST_TEST(lag1_autocorrelation(rising) == 0.75, boost::test_tools::tolerance(1e-12));
    const auto interval = mean_interval(rising, 0.95).value();
    BOOST_TEST(interval.effective_size == 8 * 0.25 / 1.75, boost::test_tools::tolerance(1e-12));
    const double half = 2.364624 * std::sqrt(6.0 / interval.effective_size); // t(7; 0.975), s² = 6
    BOOST_TEST(interval.high - 4.5 == half, boost::test_tools::tolerance(1e-6));
}

BOOST_AUTO_TEST_CASE(degenerate_series)
{
    BOOST_TEST(!mean_interval({}, 0.95));
    const std::vector<double> one{1};
    BOOST_TEST(!mean_interval(one, 0.95));
    const std::vector<double> equal{2, 2, 2};
    BOOST_TEST(mean_interval(equal, 0.95)->low == 2);
    BOOST_TEST(mean_interval(equal, 0.95)->high == 2);
    const std::vector<double> huge{1e308, -1e308, 1e308};
    BOOST_TEST(!mean_interval(huge, 0.95));
    BOOST_TEST(!mean_interval(equal, 1));
    BOOST_TEST(!mean_interval(equal, 0));
}
