// SPDX-License-Identifier: MIT
// What a replay plan says about due times and windows.

#ifndef SLO_RUN_REPLAY_SCHEDULE_HPP
#define SLO_RUN_REPLAY_SCHEDULE_HPP

#include <slo/record/round_summary.hpp>
#include <slo/record/route_load.hpp>
#include <slo/run/replay_plan.hpp>
#include <slo/stats/schedule.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace slo::run {

/// The due times of one segment: of the whole run, or of one round where each drains before the next. `rows`
/// are in order of time. Throws UsageError for a schedule beyond all bounds.
inline stats::Schedule make_schedule(const ReplayPlan& plan, const std::vector<record::LoadedRow>& rows)
{
    if (plan.mode == ReplayMode::rounds)
        return stats::Schedule::round(plan.target_qps, plan.round_duration_s);
    if (plan.mode == ReplayMode::continuous)
        return stats::Schedule::constant(plan.target_qps, plan.round_duration_s, plan.max_rounds.value_or(1));
    std::vector<std::int64_t> moments_ns;
    moments_ns.reserve(rows.size());
    for (const auto& row : rows)
        moments_ns.push_back(row.ts_ns);
    return stats::Schedule::trace(std::move(moments_ns), plan.round_duration_s, plan.max_rounds);
}

/// Rows that a run of this plan sends; nothing when it goes on as long as there are rows.
inline std::optional<std::size_t> rows_needed(const ReplayPlan& plan)
{
    if (plan.mode == ReplayMode::timestamp || !plan.max_rounds)
        return std::nullopt;
    const auto each = make_schedule(plan, {}).size();
    return plan.mode == ReplayMode::continuous ? each : each * static_cast<std::size_t>(*plan.max_rounds);
}

/// A window with all that the plan alone says of it.
inline record::RoundWindow make_window(const ReplayPlan& plan, int number, double start_s, double duration_s)
{
    record::RoundWindow window;
    window.number = number;
    window.start_s = start_s;
    window.duration_s = duration_s;
    window.continuous = plan.mode != ReplayMode::rounds;
    if (plan.mode != ReplayMode::timestamp)
        window.target_qps = plan.target_qps;
    window.model = plan.request.model;
    window.e2e_slo_s = plan.e2e_slo_s;
    window.ttft_slo_ms = plan.ttft_slo_ms;
    window.tpot_slo_ms = plan.tpot_slo_ms;
    return window;
}

/// The smallest latency SLO of the plan in seconds, if it has one.
inline std::optional<double> smallest_slo_s(const ReplayPlan& plan)
{
    auto smallest = plan.e2e_slo_s;
    if (plan.ttft_slo_ms && !(smallest && *smallest < *plan.ttft_slo_ms / 1000))
        smallest = *plan.ttft_slo_ms / 1000;
    return smallest;
}

} // namespace slo::run

#endif
