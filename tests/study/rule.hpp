// SPDX-License-Identifier: MIT
// Rules that say of the rounds of one rate whether it keeps an objective.

#ifndef SLO_TESTS_STUDY_RULE_HPP
#define SLO_TESTS_STUDY_RULE_HPP

#include "cell.hpp"
#include "rounds.hpp"

#include <slo/plan/search.hpp>
#include <slo/plan/verdict.hpp>
#include <slo/record/verdict.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace study {

/// A rule looks at the rounds after so many of them, and once more after more of them while it is undecided.
struct Rule {
    std::string name;
    std::vector<std::size_t> looks; ///< in ascending order
    /// What the rounds so far say; open where that is not enough.
    std::function<plan::Outcome(const Cell&, double qps, std::span<const Round>)> judge;

    bool looks_after(std::size_t rounds) const
    {
        return std::find(looks.begin(), looks.end(), rounds) != looks.end();
    }
};

namespace detail {

inline plan::Series series_of(const Cell& cell, double qps, std::span<const Round> rounds)
{
    plan::Series series;
    for (const auto& round : rounds) {
        plan::Window window;
        window.p50_s = quantile_of(round.limited_s, cell.objective.share);
        if (window.p50_s)
            window.p50_parts = {*window.p50_s};
        window.success_rate = 100;
        window.target_qps = qps;
        window.due = round.requests();
        series.windows.push_back(std::move(window));
    }
    return series;
}

} // namespace detail

/// What a search takes in of a verdict, save its margins and its cost.
inline plan::Outcome outcome_of(const record::Verdict& verdict)
{
    using record::VerdictStatus;
    plan::Outcome outcome;
    outcome.pass = verdict.status == VerdictStatus::pass;
    outcome.latency_s = verdict.avg_p50_latency_s;
    outcome.said = outcome.pass                               ? plan::Said::pass
                   : verdict.status == VerdictStatus::fail    ? plan::Said::fail
                   : verdict.status == VerdictStatus::invalid ? plan::Said::invalid
                                                              : plan::Said::open;
    return outcome;
}

/// True for what ends a run before its last look.
inline bool is_decided(const plan::Outcome& outcome)
{
    return outcome.said == plan::Said::pass || outcome.said == plan::Said::fail;
}

/// The classic rule: after `rounds` rounds, whether the mean over the last `tail` of them of their percentile
/// (of the latency, and the percentile, that the objective limits) is below the limit.
inline Rule classic_rule(std::size_t rounds, std::size_t tail)
{
    plan::VerdictOptions options;
    options.total_rounds = static_cast<std::int64_t>(rounds);
    options.tail_window = static_cast<std::int64_t>(tail);
    options.min_success_pct = 0;
    options.ignore_client = true;
    const auto judge = [options](const Cell& cell, double qps, std::span<const Round> seen) {
        auto how = options;
        how.slo_s = cell.objective.limits.front().seconds;
        const auto verdict = plan::judge(detail::series_of(cell, qps, seen), how);
        return outcome_of(verdict);
    };
    return {"classic " + std::to_string(rounds) + "/" + std::to_string(tail), {rounds}, judge};
}

/// Judges a cell at a rate by a fresh run that ends as soon as the rule has decided.
inline plan::Outcome judge_rate(const Cell& cell, double qps, std::uint64_t seed, const Rule& rule)
{
    plan::Outcome outcome;
    run_rounds(cell, qps, seed, rule.looks.back(), [&](std::span<const Round> rounds) {
        if (rule.looks_after(rounds.size()))
            outcome = rule.judge(cell, qps, rounds);
        outcome.rounds = static_cast<double>(rounds.size());
        return !is_decided(outcome);
    });
    return outcome;
}

} // namespace study

#endif
