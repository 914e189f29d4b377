// SPDX-License-Identifier: MIT
// What a replay plan says about due times and windows.

#ifndef SLO_RUN_REPLAY_SCHEDULE_HPP
#define SLO_RUN_REPLAY_SCHEDULE_HPP

#include <slo/base/error.hpp>
#include <slo/plan/loop_ids.hpp>
#include <slo/record/round_window.hpp>
#include <slo/record/route_load.hpp>
#include <slo/run/replay_plan.hpp>
#include <slo/stats/round_schedules.hpp>
#include <slo/stats/schedule.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace slo::run {

/// The due times of a run, segment by segment: a segment is the whole run, or one round where each drains
/// before the next.
class ScheduleSource {
public:
    /// `rows` are in order of time; both must outlive it. Throws UsageError for what goes beyond all bounds.
    ScheduleSource(const ReplayPlan& plan, const std::vector<record::LoadedRow>& rows)
        : plan_(plan), rows_(rows)
    {
        if (plan.mode == ReplayMode::rounds)
            rounds_.emplace(plan.arrival, plan.round_duration_s, plan.max_rounds);
    }

    /// The schedule of the next segment. Throws UsageError.
    stats::Schedule next()
    {
        constexpr int most_windows = 1'000'000;
        const double length_s = plan_.round_duration_s;
        switch (plan_.mode) {
        case ReplayMode::rounds:
            return rounds_->next();
        case ReplayMode::continuous:
            return stats::Schedule::make(plan_.arrival, length_s, plan_.max_rounds.value_or(1));
        case ReplayMode::closed:
            return stats::Schedule::windows_only(
                length_s,
                plan_.max_rounds.value_or(static_cast<int>(std::min(1e9 / length_s, 1.0 * most_windows))));
        case ReplayMode::timestamp:
            break;
        }
        std::vector<std::int64_t> moments_ns;
        moments_ns.reserve(rows_.size());
        for (const auto& row : rows_)
            moments_ns.push_back(row.ts_ns);
        if (plan_.loop_route)
            moments_ns = plan::loop_moments(std::move(moments_ns),
                                            length_s * plan_.max_rounds.value_or(1) * plan_.arrival.speed);
        return stats::Schedule::trace(std::move(moments_ns), length_s, plan_.max_rounds, plan_.arrival.speed);
    }

private:
    const ReplayPlan& plan_;
    const std::vector<record::LoadedRow>& rows_;
    std::optional<stats::RoundSchedules> rounds_;
};

/// Rows that a run of this plan sends; nothing when it goes on as long as there are rows, or when the route
/// begins anew.
inline std::optional<std::size_t> rows_needed(const ReplayPlan& plan)
{
    if (!plan.max_rounds || plan.loop_route)
        return std::nullopt;
    if (plan.mode == ReplayMode::continuous)
        return stats::Schedule::make(plan.arrival, plan.round_duration_s, *plan.max_rounds).size();
    if (plan.mode == ReplayMode::rounds)
        return stats::RoundSchedules(plan.arrival, plan.round_duration_s, plan.max_rounds)
            .count(*plan.max_rounds);
    return std::nullopt;
}

/// By what the requests of the plan are measured.
inline record::RoundTerms terms_of(const ReplayPlan& plan)
{
    record::RoundTerms terms;
    terms.e2e_slo_s = plan.e2e_slo_s;
    terms.ttft_slo_ms = plan.ttft_slo_ms;
    terms.tpot_slo_ms = plan.tpot_slo_ms;
    terms.objectives = plan.objectives;
    terms.basis = plan.basis;
    return terms;
}

/// A window with all that the plan alone says of it.
inline record::RoundWindow make_window(const ReplayPlan& plan, int number, double start_s, double duration_s,
                                       std::optional<double> target_qps)
{
    record::RoundWindow window;
    window.number = number;
    window.start_s = start_s;
    window.duration_s = duration_s;
    window.continuous = plan.mode != ReplayMode::rounds;
    window.target_qps = target_qps;
    if (plan.mode == ReplayMode::closed)
        window.concurrency = static_cast<std::int64_t>(plan.users);
    if (!plan.shard.is_all())
        window.shard = plan.shard.text();
    window.model = plan.request.model;
    static_cast<record::RoundTerms&>(window) = terms_of(plan);
    return window;
}

} // namespace slo::run

#endif
