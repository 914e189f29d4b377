// SPDX-License-Identifier: MIT
#include <slo/stats/quantile_interval.hpp>

#define BOOST_TEST_MODULE stats_quantile_interval
#include <boost/test/unit_test.hpp>

#include <slo/base/random.hpp>
#include <slo/stats/binomial.hpp>

#include <limits>
#include <numeric>
#include <vector>

using namespace slo::stats;
namespace tt = boost::test_tools;

namespace {

// B(k; n, q), term by term.
double at_most(int k, int n, double q)
{
    double sum = 0;
    for (int i = 0; i <= std::min(k, n); ++i)
        sum += std::exp(std::lgamma(n + 1) - std::lgamma(i + 1) - std::lgamma(n - i + 1) + i * std::log(q) +
                        (n - i) * std::log(1 - q));
    return sum;
}

} // namespace

BOOST_AUTO_TEST_CASE(table_of_the_median)
{
    // The ranks of the sign test's 95 % interval of a median, with their coverage, from textbooks' tables.
    struct Row {
        std::size_t n;
        double low;
        double high;
        double coverage;
    };
    for (const Row& row : std::vector<Row>{{6, 1, 6, 0.969},
                                           {10, 2, 9, 0.979},
                                           {20, 6, 15, 0.959},
                                           {25, 8, 18, 0.957},
                                           {50, 18, 33, 0.967}}) {
        const auto ranks = quantile_ranks(row.n, 0.5, 0.95);
        BOOST_TEST(ranks.low.value() == row.low);
        BOOST_TEST(ranks.high.value() == row.high);
        BOOST_TEST(std::abs(rank_coverage(row.low, row.high, static_cast<double>(row.n), 0.5) -
                            row.coverage) < 6e-4);
    }
    BOOST_TEST(!quantile_ranks(5, 0.5, 0.95).low);
    BOOST_TEST(!quantile_ranks(5, 0.5, 0.95).high);
    // Equality is enough: B(0; 5, 0.5) = 1/32 = (1 - 0.9375)/2.
    BOOST_TEST(quantile_ranks(5, 0.5, 0.9375).low.value() == 1);
    BOOST_TEST(quantile_ranks(5, 0.5, 0.9375).high.value() == 5);
}

BOOST_AUTO_TEST_CASE(same_as_enumeration)
{
    for (const int n : {1, 7, 30, 100, 250}) {
        for (const double q : {0.02, 0.5, 0.9, 0.99}) {
            for (const double level : {0.8, 0.95, 0.99}) {
                int low = 0; // the highest with at most (1 - level)/2 below
                while (low < n && at_most(low, n, q) <= (1 - level) / 2)
                    ++low;
                int high = 1;
                while (high <= n && at_most(high - 1, n, q) < (1 + level) / 2)
                    ++high;
                const auto ranks = quantile_ranks(static_cast<std::size_t>(n), q, level);
                BOOST_TEST(ranks.low.value_or(0) == low);
                BOOST_TEST(ranks.high.value_or(n + 1) == high);
                if (ranks.low && ranks.high) {
                    const double coverage = rank_coverage(*ranks.low, *ranks.high, n, q);
                    BOOST_TEST(coverage >= level);
                    BOOST_TEST(coverage == at_most(high - 1, n, q) - at_most(low - 1, n, q),
                               tt::tolerance(1e-9));
                }
            }
        }
    }
}

BOOST_AUTO_TEST_CASE(an_upper_limit_needs_enough_values)
{
    // The largest of n is a 95 % upper limit of the q-quantile from n = ln 0.05 / ln q on.
    for (const double q : {0.5, 0.95, 0.99}) {
        const auto n = static_cast<std::size_t>(fewest_without_violation(q, 0.05));
        BOOST_TEST(quantile_ranks(n, q, 0.90).high.value() == static_cast<double>(n));
        BOOST_TEST(!quantile_ranks(n - 1, q, 0.90).high);
    }
}

BOOST_AUTO_TEST_CASE(normal_approximation)
{
    // 1.959964 · √(1000 · 0.25) = 30.99: 469.01 and 530.99.
    const auto ranks = quantile_ranks(1000, 0.5, 0.95, RankMethod::normal);
    BOOST_TEST(ranks.low.value() == 469);
    BOOST_TEST(ranks.high.value() == 531);
    for (const double q : {0.5, 0.9, 0.99}) {
        for (const std::size_t n : {100'000, 10'000'000}) {
            const auto exact = quantile_ranks(n, q, 0.95);
            const auto normal = quantile_ranks(n, q, 0.95, RankMethod::normal);
            BOOST_TEST(std::abs(*exact.low - *normal.low) <= 2);
            BOOST_TEST(std::abs(*exact.high - *normal.high) <= 2);
        }
    }
    BOOST_TEST(!quantile_ranks(20, 0.99, 0.95, RankMethod::normal).high);
    BOOST_TEST(!quantile_ranks(20, 0.01, 0.95, RankMethod::normal).low);
}

BOOST_AUTO_TEST_CASE(a_design_effect_widens)
{
    // Four copies of each of 50 values are known as well as the 50: ranks 18 and 33 of them.
    const auto copies = quantile_ranks(200, 0.5, 0.95, RankMethod::exact, 4);
    BOOST_TEST(copies.low.value() == 72);   // the last copy of the 18th
    BOOST_TEST(copies.high.value() == 129); // the first of the 33rd
    const auto wide = quantile_ranks(10000, 0.5, 0.95, RankMethod::normal, 4);
    BOOST_TEST(wide.low.value() == 4804); // 5000 - 2 · 98.0
    BOOST_TEST(wide.high.value() == 5196);
    BOOST_TEST(!quantile_ranks(20, 0.5, 0.95, RankMethod::exact, 4).low); // 5 are too few
    BOOST_TEST(!quantile_ranks(20, 0.5, 0.95, RankMethod::exact, 4).high);
    BOOST_TEST(!quantile_ranks(20, 0.5, 0.95, RankMethod::exact, 1e9).high);
    // Never outside of the sample, whatever the effect.
    for (const double effect : {1.0, 1.3, 2.7, 9.99, 50.0}) {
        for (std::size_t n = 1; n < 300; n += 13) {
            for (const auto method : {RankMethod::exact, RankMethod::normal}) {
                const auto ranks = quantile_ranks(n, 0.9, 0.9, method, effect);
                BOOST_TEST((!ranks.low || (*ranks.low >= 1 && *ranks.low <= static_cast<double>(n))));
                BOOST_TEST((!ranks.high || (*ranks.high >= 1 && *ranks.high <= static_cast<double>(n))));
                BOOST_TEST((!ranks.low || !ranks.high || *ranks.low <= *ranks.high));
            }
        }
    }
}

BOOST_AUTO_TEST_CASE(covers_the_quantile_of_copied_values)
{
    slo::Random random(9);
    const auto apart = quantile_ranks(300, 0.9, 0.9, RankMethod::exact, 5);
    const auto together = quantile_ranks(300, 0.9, 0.9);
    int covered = 0;
    int covered_naively = 0;
    for (int run = 0; run < 4000; ++run) {
        std::vector<double> values;
        for (int i = 0; i < 60; ++i)
            values.insert(values.end(), 5, random.uniform());
        std::sort(values.begin(), values.end());
        const auto holds = [&](const QuantileRanks& ranks) {
            const auto value = [&](double rank) { return values[static_cast<std::size_t>(rank) - 1]; };
            return value(ranks.low.value()) <= 0.9 && value(ranks.high.value()) >= 0.9;
        };
        covered += holds(apart);
        covered_naively += holds(together);
    }
    BOOST_TEST(covered > 0.89 * 4000);
    BOOST_TEST(covered < 0.97 * 4000);
    BOOST_TEST(covered_naively < 0.7 * 4000);
}

BOOST_AUTO_TEST_CASE(values_of_the_sample)
{
    std::vector<double> sorted(50);
    std::iota(sorted.begin(), sorted.end(), 101.0);
    const auto interval = quantile_interval(sorted, 0.5, 0.95);
    BOOST_TEST(interval.low.value() == 118);
    BOOST_TEST(interval.high.value() == 133);
    BOOST_TEST(!quantile_interval({}, 0.5, 0.95).low);
    BOOST_TEST(!quantile_interval({}, 0.5, 0.95).high);
    BOOST_TEST(!quantile_interval({}, 0.5, 0.95, RankMethod::normal).high);
    // Requests that never ended may be the limit.
    sorted.back() = std::numeric_limits<double>::infinity();
    BOOST_TEST(quantile_interval(sorted, 0.9, 0.9).low.has_value());
}

BOOST_AUTO_TEST_CASE(what_makes_no_interval)
{
    BOOST_CHECK_THROW(quantile_ranks(10, 0, 0.95), slo::Error);
    BOOST_CHECK_THROW(quantile_ranks(10, 1, 0.95), slo::Error);
    BOOST_CHECK_THROW(quantile_ranks(10, 0.5, 1), slo::Error);
    BOOST_CHECK_THROW(quantile_ranks(10, 0.5, std::nan("")), slo::Error);
    BOOST_CHECK_THROW(quantile_ranks(10, 0.5, 0.95, RankMethod::exact, 0.5), slo::Error);
    BOOST_CHECK_THROW(quantile_ranks(10, 0.5, 0.95, RankMethod::exact, INFINITY), slo::Error);
    BOOST_CHECK_THROW(quantile_ranks(2'000'000'000, 0.5, 0.95), slo::Error);
    BOOST_TEST(quantile_ranks(1'000'000'000, 0.99, 0.95).high.has_value());
}
