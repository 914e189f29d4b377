// SPDX-License-Identifier: MIT
// The verdict with a stated confidence as a rule of the study.

#ifndef SLO_TESTS_STUDY_CERTAIN_RULE_HPP
#define SLO_TESTS_STUDY_CERTAIN_RULE_HPP

#include "cell.hpp"
#include "rounds.hpp"
#include "rule.hpp"

#include <slo/plan/certain_verdict.hpp>
#include <slo/record/verdict.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace study {

/// The rounds as a verdict with confidence sees them: what round records say, without the error of sketches.
inline std::vector<plan::CertainRound> certain_rounds(const Cell& cell, double qps,
                                                      std::span<const Round> rounds)
{
    constexpr double farthest = 4.6;
    const double limit_s = cell.objective.limits.front().seconds;
    std::vector<plan::CertainRound> result;
    for (const auto& round : rounds) {
        const auto requests = static_cast<double>(round.requests());
        const auto missed = static_cast<double>(round.missed);
        plan::ObjectiveRound objective{requests, missed, missed, requests / (qps * round_s) - 1, {}};
        if (const auto percentile = quantile_of(round.limited_s, cell.objective.share))
            objective.distance = std::clamp(std::log(limit_s / *percentile), -farthest, farthest);
        plan::CertainRound seen;
        seen.objectives.push_back(objective);
        seen.requests = requests;
        if (const auto median = quantile_of(round.e2e_s, 0.5))
            seen.level = std::log(*median);
        double sum_s = 0;
        for (const double e2e_s : round.e2e_s)
            sum_s += e2e_s;
        if (requests > 0)
            seen.mean_s = sum_s / requests;
        seen.duration_s = round_s;
        seen.completed = static_cast<double>(round.completed);
        result.push_back(std::move(seen));
    }
    return result;
}

/// Sequential looks with confidence.
inline Rule certain_rule(const Cell& cell, std::vector<std::size_t> looks, double confidence,
                         stats::Spending spending = stats::Spending::pocock)
{
    plan::CertainOptions options;
    options.objectives = {cell.objective};
    options.confidence = confidence;
    options.looks = looks;
    options.spending = spending;
    const auto judge = std::make_shared<plan::CertainJudge>(options);
    const auto decide = [judge](const Cell& judged, double qps, std::span<const Round> seen) {
        const auto verdict = judge->judge(certain_rounds(judged, qps, seen), false);
        if (!verdict)
            return plan::Outcome{};
        auto outcome = outcome_of(*verdict);
        for (const auto& objective : verdict->objectives)
            if (objective.margin_error > 0)
                outcome.margins.push_back({objective.objective, objective.margin, objective.margin_error});
        return outcome;
    };
    return {"certain " + format_fixed(100 * confidence, 0) + " %", std::move(looks), decide};
}

} // namespace study

#endif
