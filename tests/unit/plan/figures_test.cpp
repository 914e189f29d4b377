// SPDX-License-Identifier: MIT
#include <slo/plan/figures.hpp>

#define BOOST_TEST_MODULE plan_figures
#include <boost/test/unit_test.hpp>

using namespace slo;
using plan::VerdictOptions;
using record::Verdict;

namespace {

Verdict figures_of(std::vector<double> p50s, std::size_t tail, const VerdictOptions& options,
                   std::size_t expected_begin)
{
    Verdict verdict;
    verdict.tail_window = options.tail_window;
    verdict.per_round_p50 = std::move(p50s);
    BOOST_TEST(plan::put_figures(verdict, tail, options) == expected_begin);
    return verdict;
}

} // namespace

BOOST_AUTO_TEST_CASE(by_the_tail)
{
    VerdictOptions options;
    options.tail_window = 2;
    const auto verdict = figures_of({9, 1, 3}, 1, options, 1);
    BOOST_TEST(verdict.primary_metric == "tail");
    BOOST_TEST(verdict.avg_p50_latency_s.value() == 2);
    BOOST_TEST(verdict.tail_spread.value() == 3);
    BOOST_TEST(verdict.warmup_ratio_tail_over_tail3.value() == 2 / (13.0 / 3));
    BOOST_TEST(verdict.confidence.has_value());
    BOOST_TEST(verdict.notes.empty());
}

BOOST_AUTO_TEST_CASE(by_the_steady_window)
{
    VerdictOptions options;
    options.auto_steady = true;
    const auto verdict = figures_of({9, 2, 2, 2}, 0, options, 1);
    BOOST_TEST(verdict.primary_metric == "steady");
    BOOST_TEST(verdict.avg_p50_latency_s.value() == 2);
    BOOST_TEST(verdict.tail_avg_p50_latency_s.value() == 3.75);
    BOOST_TEST(verdict.notes.size() == 2u); // warm-up, and what decided
}

BOOST_AUTO_TEST_CASE(warmup_with_fewer_than_three_rounds)
{
    VerdictOptions options;
    options.tail_window = 2;
    const auto verdict = figures_of({10, 1}, 0, options, 0);
    BOOST_TEST(verdict.warmup_dominated); // 5.5 is more than twice the last
    BOOST_TEST(!verdict.warmup_ratio_tail_over_tail3);
    BOOST_TEST(verdict.notes.size() == 1u);
}

BOOST_AUTO_TEST_CASE(no_label_where_the_tail_is_not_full)
{
    VerdictOptions options;
    options.tail_window = 4;
    const auto verdict = figures_of({10, 1, 1}, 0, options, 0);
    BOOST_TEST(!verdict.warmup_dominated);
    BOOST_TEST(!verdict.warmup_ratio_tail_over_tail3);
}

BOOST_AUTO_TEST_CASE(zeros)
{
    const auto verdict = figures_of({0, 0, 0, 0}, 0, {}, 0);
    BOOST_TEST(!verdict.tail_spread);
    BOOST_TEST(!verdict.warmup_dominated);
    BOOST_TEST(!verdict.warmup_ratio_tail_over_tail3);
}
