// SPDX-License-Identifier: MIT
#include <slo/stats/summary.hpp>

#define BOOST_TEST_MODULE stats_summary
#include <boost/test/unit_test.hpp>

BOOST_AUTO_TEST_CASE(of_nothing)
{
    BOOST_TEST(!slo::stats::summarize({}));
}

BOOST_AUTO_TEST_CASE(of_an_unsorted_sample)
{
    std::vector<double> sample;
    for (int i = 100; i >= 0; --i)
        sample.push_back(i * 0.5);
    const auto summary = slo::stats::summarize(sample).value();
    BOOST_TEST(summary.min == 0);
    BOOST_TEST(summary.p50 == 25);
    BOOST_TEST(summary.p90 == 45);
    BOOST_TEST(summary.p95 == 47.5);
    BOOST_TEST(summary.p99 == 49.5);
    BOOST_TEST(summary.max == 50);
}
