// SPDX-License-Identifier: MIT
#include <slo/stats/quantile.hpp>

#define BOOST_TEST_MODULE stats_quantile
#include <boost/test/unit_test.hpp>

#include <vector>

using slo::stats::interpolate;
using slo::stats::quantile_sorted;

BOOST_AUTO_TEST_CASE(positions)
{
    const std::vector<double> sample{1, 2, 4, 8};
    BOOST_TEST(quantile_sorted(sample, 0) == 1);
    BOOST_TEST(quantile_sorted(sample, 0.5) == 3);
    BOOST_TEST(quantile_sorted(sample, 1.0 / 3) == 2);
    BOOST_TEST(quantile_sorted(sample, 0.9) == 6.8, boost::test_tools::tolerance(1e-15));
    BOOST_TEST(quantile_sorted(sample, 1) == 8);
}

BOOST_AUTO_TEST_CASE(one_value_is_every_quantile)
{
    const std::vector<double> sample{7.5};
    BOOST_TEST(quantile_sorted(sample, 0) == 7.5);
    BOOST_TEST(quantile_sorted(sample, 0.99) == 7.5);
}

BOOST_AUTO_TEST_CASE(the_ends_are_met_exactly)
{
    BOOST_TEST(interpolate(1e16, 1, 1) == 1); // low + (high - low) gives 0 here
    BOOST_TEST(interpolate(0.1, 0.7, 0) == 0.1);
    BOOST_TEST(interpolate(3, 3, 0.3) == 3);
}
