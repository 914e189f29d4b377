// SPDX-License-Identifier: MIT
// What the windows of a run say of each objective.

#ifndef SLO_PLAN_OBJECTIVE_ROUNDS_HPP
#define SLO_PLAN_OBJECTIVE_ROUNDS_HPP

#include <slo/base/error.hpp>
#include <slo/plan/shards.hpp>
#include <slo/plan/share_test.hpp>
#include <slo/record/round.hpp>
#include <slo/stats/objective.hpp>
#include <slo/stats/sketch.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace slo::plan {

/// One window as a certain verdict sees it.
struct CertainRound {
    std::vector<ObjectiveRound> objectives; ///< one for each objective
    double requests = 0;                    ///< due
    double failed = 0;                      ///< of these, without success
    std::optional<double> level;            ///< logarithm of the median latency in seconds
    std::optional<double> mean_s;           ///< mean latency
    std::optional<double> duration_s;
    std::optional<double> completed; ///< requests that ended within the window
    std::string spoilt;              ///< why it measures nothing, in words; empty: it does
    std::optional<bool> warming_up;  ///< as single requests tell it
};

namespace detail {

// Requests of one window and how many of them missed an objective.
struct Misses {
    double requests = 0;
    double least = 0;
    double most = 0;
};

inline const std::optional<stats::QuantileSketch>& sketch_of(const record::Round& round,
                                                             stats::LatencyMetric metric)
{
    return metric == stats::LatencyMetric::e2e    ? round.latency
           : metric == stats::LatencyMetric::ttft ? round.ttft
                                                  : round.tpot_ms;
}

inline double unit_of(stats::LatencyMetric metric)
{
    return metric == stats::LatencyMetric::tpot ? 1e-3 : 1.0;
}

// An SLO that was asked for in the run, where it is this very limit.
inline const std::optional<record::Attainment>& attainment_of(const record::Round& round,
                                                              stats::LatencyMetric metric)
{
    return metric == stats::LatencyMetric::e2e    ? round.e2e_slo
           : metric == stats::LatencyMetric::ttft ? round.ttft_slo
                                                  : round.tpot_slo;
}

// Of several limits any may be missed: at least the most of one, at most the sum.
inline std::optional<Misses> misses_by_sketch(const record::Round& round, const stats::Objective& objective)
{
    if (!round.due || !round.ok)
        return std::nullopt;
    const auto ok = static_cast<double>(*round.ok);
    const double failed = static_cast<double>(*round.due) - ok;
    Misses misses{static_cast<double>(*round.due), 0, 0};
    for (const auto& limit : objective.limits) {
        const auto& sketch = sketch_of(round, limit.metric);
        if (!sketch && *round.ok > 0)
            return std::nullopt;
        const auto above =
            sketch ? sketch->above(limit.seconds / unit_of(limit.metric)) : stats::ShareBounds{};
        // The times per token are of choices; a request has as many as the mean has, and all may be late.
        const double choices = sketch && limit.metric == stats::LatencyMetric::tpot &&
                                       objective.kind == stats::Objective::Kind::goodput
                                   ? std::max(1.0, static_cast<double>(sketch->count()) / std::max(1.0, ok))
                                   : 1.0;
        misses.least = std::max(misses.least, std::ceil(static_cast<double>(above.least) / choices));
        misses.most += static_cast<double>(above.most);
        if (objective.kind == stats::Objective::Kind::percentile &&
            limit.metric == stats::LatencyMetric::tpot)
            misses.requests = failed + static_cast<double>(sketch ? sketch->count() : 0);
    }
    misses.least = std::min(misses.least + failed, misses.requests);
    misses.most = std::min(misses.most + failed, misses.requests);
    return misses;
}

inline std::optional<Misses> misses_of(const record::Round& round, const stats::Objective& objective,
                                       std::string_view text)
{
    for (const auto& count : round.objectives) {
        if (count.text == text) {
            const auto missed = static_cast<double>(count.requests - count.met);
            return Misses{static_cast<double>(count.requests), missed, missed};
        }
    }
    if (objective.kind != stats::Objective::Kind::percentile || !round.due)
        return misses_by_sketch(round, objective);
    const auto& limit = objective.limits.front();
    const auto& asked = attainment_of(round, limit.metric);
    // A latency equal to its SLO attains it there, and misses the objective here: next to never.
    if (asked && asked->limit_s == limit.seconds && limit.metric != stats::LatencyMetric::tpot) {
        const auto requests = static_cast<double>(*round.due);
        const double missed = std::round(requests * (1 - asked->percent / 100));
        return Misses{requests, missed, missed};
    }
    return misses_by_sketch(round, objective);
}

// ln(limit / percentile) over all parts of a window, of the nearest limit.
inline std::optional<double> distance_of(const Window& window, const stats::Objective& objective)
{
    // Nobody waits longer than a hundred times the limit, or it is no matter by how much.
    constexpr double farthest = 4.6;
    std::optional<double> nearest;
    for (const auto& limit : objective.limits) {
        stats::QuantileSketch all;
        double failed = 0;
        for (const auto* part : window.parts) {
            if (const auto& sketch = sketch_of(*part, limit.metric))
                all.merge(*sketch);
            else if (part->ok.value_or(1) > 0)
                return std::nullopt;
            if (part->due && part->ok)
                failed += static_cast<double>(*part->due) - static_cast<double>(*part->ok);
        }
        // Failures are infinitely late.
        const auto answered = static_cast<double>(all.count());
        const double rank = objective.share * (answered + failed) / std::max(1.0, answered);
        const bool is_known = answered > 0 && rank < 1;
        const double percentile = is_known ? all.quantile(rank).value_or(0) : 0.0;
        double distance = failed > 0 && !is_known ? -farthest : farthest;
        if (percentile > 0)
            distance = std::log(limit.seconds / (percentile * unit_of(limit.metric)));
        nearest = std::min(nearest.value_or(farthest), std::clamp(distance, -farthest, farthest));
    }
    return nearest;
}

inline std::string spoilt_by(const Window& window)
{
    if (window.client_saturated)
        return "the client was saturated: this is no measurement of the service";
    if (window.flags.contains("server_restarted"))
        return "the service was restarted during the run";
    if (window.flags.contains("route_exhausted"))
        return "the route ran out: less load than asked for was offered";
    if (!window.complete)
        return "a round is not there from every shard";
    return {};
}

inline ObjectiveRound objective_round(const Window& window, const stats::Objective& objective,
                                      const std::string& text)
{
    ObjectiveRound round;
    for (const auto* part : window.parts) {
        const auto misses = misses_of(*part, objective, text);
        if (!misses)
            throw InputError("round records", "do not say how many requests met '" + text +
                                                  "': neither counts nor a latency sketch");
        round.requests += misses->requests;
        round.missed_least += misses->least;
        round.missed_most += misses->most;
    }
    if (window.offered)
        round.surplus = *window.offered - 1;
    if (!objective.limits.empty())
        round.distance = distance_of(window, objective);
    return round;
}

} // namespace detail

/// The windows of a run as a certain verdict sees them; an interrupted one is left out. The files that
/// `series` was merged from must still be there. Throws InputError where the records do not tell how many
/// requests met an objective.
inline std::vector<CertainRound> certain_rounds(const Series& series,
                                                std::span<const stats::Objective> objectives)
{
    std::vector<std::string> texts;
    for (const auto& objective : objectives)
        texts.push_back(stats::to_text(objective));
    std::vector<CertainRound> rounds;
    for (const auto& window : series.windows) {
        if (is_cut_short(window))
            continue;
        CertainRound round;
        for (std::size_t i = 0; i < objectives.size(); ++i)
            round.objectives.push_back(detail::objective_round(window, objectives[i], texts[i]));
        round.requests = static_cast<double>(window.due);
        if (window.success_rate)
            round.failed = round.requests * std::clamp(1 - *window.success_rate / 100, 0.0, 1.0);
        if (window.p50_s && *window.p50_s > 0)
            round.level = std::log(*window.p50_s);
        round.spoilt = detail::spoilt_by(window);
        if (window.parts.size() == 1)
            round.warming_up = window.parts.front()->warming_up;
        double weighted_s = 0;
        double answered = 0;
        double completed_qps = 0;
        bool all_say = !window.parts.empty();
        for (const auto* part : window.parts) {
            all_say &= part->duration_s && part->completion_qps && part->latency;
            if (part->latency) {
                const auto count = static_cast<double>(part->latency->count());
                weighted_s += count * part->latency->mean();
                answered += count;
            }
            completed_qps += part->completion_qps.value_or(0);
        }
        if (all_say && answered > 0) {
            round.duration_s = window.parts.front()->duration_s;
            round.mean_s = weighted_s / answered;
            round.completed = completed_qps * *round.duration_s;
        }
        rounds.push_back(std::move(round));
    }
    return rounds;
}

} // namespace slo::plan

#endif
