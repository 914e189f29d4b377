// SPDX-License-Identifier: MIT
#include <slo/stats/tolerance.hpp>

#define BOOST_TEST_MODULE stats_tolerance
#include <boost/test/unit_test.hpp>

namespace tt = boost::test_tools;

BOOST_AUTO_TEST_CASE(published_factors)
{
    // By the non-central t in the NIST/SEMATECH e-Handbook 7.2.6.3; the tables of Odeh and Owen (1980).
    BOOST_TEST(slo::stats::tolerance_factor(43, 0.10, 0.99) == 1.8740, tt::tolerance(1e-4));
    BOOST_TEST(slo::stats::tolerance_factor(10, 0.05, 0.95) == 2.911, tt::tolerance(1e-3));
    BOOST_TEST(slo::stats::tolerance_factor(30, 0.05, 0.95) == 2.220, tt::tolerance(1e-3));
    BOOST_TEST(slo::stats::tolerance_factor(30, 0.01, 0.95) == 3.064, tt::tolerance(1e-3));
    BOOST_TEST(slo::stats::tolerance_factor(5, 0.10, 0.90) == 2.742, tt::tolerance(1e-3));
}

BOOST_AUTO_TEST_CASE(more_values_need_less)
{
    double last = 1e9;
    for (const double n : {2, 4, 8, 16, 32, 64, 1000}) {
        const double factor = slo::stats::tolerance_factor(n, 0.02, 0.98);
        BOOST_TEST(factor < last);
        BOOST_TEST(factor > slo::stats::normal_quantile(0.98));
        last = factor;
    }
}
