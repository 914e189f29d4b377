// SPDX-License-Identifier: MIT
// The figures of a verdict: the means of a series of rounds, and what they rest on.

#ifndef SLO_PLAN_FIGURES_HPP
#define SLO_PLAN_FIGURES_HPP

#include <slo/base/text.hpp>
#include <slo/plan/verdict_options.hpp>
#include <slo/record/verdict.hpp>
#include <slo/stats/interval.hpp>
#include <slo/stats/steady.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace slo::plan {

namespace detail {

// A tail whose mean lies far above that of its own end still has the warm-up in it.
inline void put_warmup(record::Verdict& verdict, double tail_mean)
{
    const std::span<const double> rounds(verdict.per_round_p50);
    if (static_cast<std::int64_t>(rounds.size()) < verdict.tail_window)
        return;
    const auto last3 = rounds.last(std::min<std::size_t>(3, rounds.size()));
    const double last3_mean = stats::plain_mean(last3);
    if (last3.size() == 3 && last3_mean > 0)
        verdict.warmup_ratio_tail_over_tail3 = tail_mean / last3_mean;
    const auto ratio = verdict.warmup_ratio_tail_over_tail3;
    const double last = rounds.back();
    verdict.warmup_dominated = (ratio && *ratio > 1.5) || (last > 0 && tail_mean / last > 2.0);
    if (verdict.warmup_dominated)
        verdict.notes.push_back("warm-up dominates the tail of " + std::to_string(verdict.tail_window) +
                                ": its mean is " + format_fixed(tail_mean, 2) + " s, that of the last " +
                                std::to_string(last3.size()) + " rounds " + format_fixed(last3_mean, 2) +
                                " s" + (ratio ? " (ratio " + format_fixed(*ratio, 2) + ")" : std::string()));
}

inline std::string primary_note(const record::Verdict& verdict, const VerdictOptions& options)
{
    if (verdict.primary_metric == "steady")
        return "decided by the steady window: " + std::to_string(verdict.steady_window_size) +
               " rounds from round " + std::to_string(*verdict.steady_window_start_idx + 1) + " on, mean " +
               format_fixed(*verdict.steady_avg_p50_latency_s, 2) + " s";
    return "no steady window of " + std::to_string(options.steady_min_window) + " rounds within " +
           format_fixed(options.steady_tolerance, 2) + " of their median: decided by the tail of " +
           std::to_string(options.tail_window);
}

} // namespace detail

/// Fills in every figure from per_round_p50, whose tail begins at the index `tail` and is not empty; returns
/// where the deciding window begins. Sums run from left to right in doubles, as in existing results.
inline std::size_t put_figures(record::Verdict& verdict, std::size_t tail, const VerdictOptions& options)
{
    const std::span<const double> all(verdict.per_round_p50);
    const auto tail_rounds = all.subspan(tail);
    verdict.tail_avg_p50_latency_s = stats::plain_mean(tail_rounds);
    const auto [least, most] = std::minmax_element(tail_rounds.begin(), tail_rounds.end());
    if (*least > 0)
        verdict.tail_spread = *most / *least;
    detail::put_warmup(verdict, *verdict.tail_avg_p50_latency_s);

    const auto steady = stats::steady_start(all, options.steady_tolerance, options.steady_min_window);
    if (steady) {
        verdict.steady_window_start_idx = static_cast<std::int64_t>(*steady);
        verdict.steady_window_size = static_cast<std::int64_t>(all.size() - *steady);
        verdict.steady_avg_p50_latency_s = stats::plain_mean(all.subspan(*steady));
    }
    const bool by_steady = options.auto_steady && steady;
    const auto deciding = by_steady ? *steady : tail;
    verdict.primary_metric = by_steady ? "steady" : "tail";
    if (options.auto_steady)
        verdict.notes.push_back(detail::primary_note(verdict, options));
    const auto rounds = all.subspan(deciding);
    verdict.avg_p50_latency_s = stats::plain_mean(rounds);
    if (const auto interval = stats::mean_interval(rounds, options.confidence_level))
        verdict.confidence = record::Confidence{options.confidence_level, interval->low, interval->high,
                                                interval->effective_size};
    return deciding;
}

} // namespace slo::plan

#endif
