// SPDX-License-Identifier: MIT
#include <slo/stats/summary.hpp>

#define BOOST_TEST_MODULE stats_summary
#include <boost/test/unit_test.hpp>

#include <slo/base/random.hpp>

#include <algorithm>
#include <cmath>
#include <vector>

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

BOOST_AUTO_TEST_CASE(it_is_that_of_the_sorted_sample)
{
    slo::Random random(5);
    for (std::size_t size = 1; size < 700; ++size) {
        std::vector<double> sample;
        for (std::size_t i = 0; i < size; ++i)
            sample.push_back(size % 3 == 0 ? std::floor(10 * random.uniform()) : random.normal(0, 1));
        const auto summary = slo::stats::summarize(sample).value();
        std::sort(sample.begin(), sample.end());
        BOOST_REQUIRE_EQUAL(summary.min, sample.front());
        BOOST_REQUIRE_EQUAL(summary.p50, slo::stats::quantile_sorted(sample, 0.50));
        BOOST_REQUIRE_EQUAL(summary.p90, slo::stats::quantile_sorted(sample, 0.90));
        BOOST_REQUIRE_EQUAL(summary.p95, slo::stats::quantile_sorted(sample, 0.95));
        BOOST_REQUIRE_EQUAL(summary.p99, slo::stats::quantile_sorted(sample, 0.99));
        BOOST_REQUIRE_EQUAL(summary.max, sample.back());
    }
}
