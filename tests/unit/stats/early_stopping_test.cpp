// SPDX-License-Identifier: MIT
#include <slo/stats/early_stopping.hpp>

#define BOOST_TEST_MODULE stats_early_stopping
#include <boost/test/unit_test.hpp>

#include <slo/stats/binomial.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <vector>

using namespace slo::stats;

BOOST_AUTO_TEST_CASE(minimum_counts)
{
    // Requests needed with 0, 1, 2, 5 and 10 over the limit; 64 and 662 are the minimum counts that MLPerf
    // publishes for its p90 and p99 scenarios.
    struct Row {
        double q;
        std::array<std::int64_t, 5> requests;
    };
    const std::array<std::int64_t, 5> violations{0, 1, 2, 5, 10};
    const std::vector<Row> table{{0.50, {7, 11, 14, 22, 35}},
                                 {0.90, {44, 64, 81, 127, 197}},
                                 {0.95, {90, 130, 165, 259, 398}},
                                 {0.99, {459, 662, 838, 1307, 2010}},
                                 {0.999, {4603, 6636, 8403, 13105, 20140}}};
    for (const Row& row : table) {
        for (std::size_t i = 0; i < violations.size(); ++i) {
            const auto n = row.requests[i];
            BOOST_TEST(early_stopping_requests(violations[i], row.q) == n);
            BOOST_TEST(early_stopping_violations(n, row.q).value() == violations[i]);
            const auto fewer = early_stopping_violations(n - 1, row.q);
            BOOST_TEST((violations[i] == 0 ? !fewer : fewer.value() == violations[i] - 1));
        }
    }
}

BOOST_AUTO_TEST_CASE(published_logs)
{
    // "Would discard N highest latency queries" in summaries of MLPerf runs at p90: the estimate is the value
    // below those, so t = N + 1.
    const std::vector<std::array<std::int64_t, 2>> logs{{100, 2},  {201, 9},    {659, 47},
                                                        {708, 51}, {2048, 172}, {79944, 7796}};
    for (const auto& [queries, discarded] : logs) {
        BOOST_TEST(early_stopping_violations(queries, 0.9).value() == discarded + 1);
        std::vector<double> sorted(static_cast<std::size_t>(queries));
        std::iota(sorted.begin(), sorted.end(), 1.0);
        BOOST_TEST(early_stopping_percentile(sorted, 0.9).value() ==
                   static_cast<double>(queries - discarded));
    }
}

BOOST_AUTO_TEST_CASE(same_as_the_exact_limit)
{
    // The rule is Clopper and Pearson's upper limit at alpha = 1 - confidence.
    for (const double q : {0.5, 0.9, 0.99}) {
        for (std::int64_t n = 1; n < 1500; n += 37) {
            const auto t = early_stopping_violations(n, q, 0.95);
            const auto size = static_cast<double>(n);
            const auto most = static_cast<double>(t.value_or(-1));
            BOOST_TEST((!t || upper_share(most, size, 0.05) < 1 - q));
            BOOST_TEST(upper_share(most + 1, size, 0.05) >= 1 - q);
            BOOST_TEST((t.has_value() == (n >= fewest_without_violation(q, 0.05))));
        }
    }
}

BOOST_AUTO_TEST_CASE(millions_of_requests)
{
    // The normal approximation with its skewness: n (1 - q) - z √(n q (1 - q)) + (z² - 1)(2q - 1)/6 - 1/2.
    for (const double q : {0.5, 0.9, 0.99, 0.999}) {
        for (const std::int64_t n : {1'000'000, 1'000'000'000}) {
            const auto size = static_cast<double>(n);
            const double z = 2.3263479;
            const double about =
                size * (1 - q) - z * std::sqrt(size * q * (1 - q)) + (z * z - 1) * (2 * q - 1) / 6 - 0.5;
            const auto t = early_stopping_violations(n, q).value();
            BOOST_TEST(std::abs(static_cast<double>(t) - about) < 1.5);
            BOOST_TEST(early_stopping_requests(t, q) <= n);
            BOOST_TEST((n == 1'000'000'000 || early_stopping_requests(t + 1, q) > n));
        }
    }
}

BOOST_AUTO_TEST_CASE(percentile_of_a_sample)
{
    std::vector<double> sorted(662);
    std::iota(sorted.begin(), sorted.end(), 1.0);
    BOOST_TEST(early_stopping_percentile(sorted, 0.99).value() == 662); // t = 1: the largest
    BOOST_TEST(early_stopping_percentile(sorted, 0.5).value() ==
               663 - early_stopping_violations(662, 0.5).value());
    sorted.pop_back();
    BOOST_TEST(!early_stopping_percentile(sorted, 0.99)); // t = 0: it is above all of them
    BOOST_TEST(!early_stopping_percentile({}, 0.5));
    BOOST_TEST(!early_stopping_percentile(std::span(sorted).first(400), 0.99));
}

BOOST_AUTO_TEST_CASE(what_makes_no_rule)
{
    BOOST_CHECK_THROW(early_stopping_requests(0, 1), slo::Error);
    BOOST_CHECK_THROW(early_stopping_requests(0, 0), slo::Error);
    BOOST_CHECK_THROW(early_stopping_requests(0, std::nan("")), slo::Error);
    BOOST_CHECK_THROW(early_stopping_requests(0, 0.5, 1), slo::Error);
    BOOST_CHECK_THROW(early_stopping_requests(-1, 0.5), slo::Error);
    BOOST_CHECK_THROW(early_stopping_requests(0, 1 - 1e-12), slo::Error);
    BOOST_CHECK_THROW(early_stopping_requests(2'000'000'000, 0.5), slo::Error);
    BOOST_CHECK_THROW(early_stopping_requests(INT64_MAX, 0.5), slo::Error);
    BOOST_CHECK_THROW(early_stopping_requests(999'999'999, 0.5), slo::Error);
    BOOST_CHECK_THROW(early_stopping_violations(2'000'000'000, 0.5), slo::Error);
    BOOST_TEST(!early_stopping_violations(0, 0.5));
    BOOST_TEST(!early_stopping_violations(-5, 0.5));
    BOOST_TEST(!early_stopping_violations(6, 0.5));
    BOOST_TEST(early_stopping_requests(0, 1e-9) == 1);
}
