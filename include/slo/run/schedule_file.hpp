// SPDX-License-Identifier: MIT
// The schedule of a run in a file, before the run.

#ifndef SLO_RUN_SCHEDULE_FILE_HPP
#define SLO_RUN_SCHEDULE_FILE_HPP

#include <slo/base/clock.hpp>
#include <slo/base/json.hpp>
#include <slo/io/jsonl.hpp>
#include <slo/record/route_load.hpp>
#include <slo/record/schedule_record.hpp>
#include <slo/run/replay_plan.hpp>
#include <slo/run/replay_schedule.hpp>
#include <slo/run/row_source.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace slo::run {

/// Writes when each request of this shard will be due: a header, then a line a request, as far as rounds and
/// rows go. Not for a closed loop. Throws IoError, UsageError.
inline void write_schedule(const std::string& path, const ReplayPlan& plan,
                           const std::vector<record::LoadedRow>& rows, std::uint64_t seed)
{
    io::JsonlWriter out(path);
    const bool drains = plan.mode == ReplayMode::rounds;
    out.write(record::schedule_header(plan.arrival, plan.round_duration_s, plan.max_rounds, drains));
    ScheduleSource schedules(plan, rows);
    RowSource source(rows, plan.shard, seed, plan.loop_route);
    std::size_t index = 0;
    std::string lines;
    for (int segment = 0; segment < (drains ? plan.max_rounds.value_or(1'000'000) : 1); ++segment) {
        const auto schedule = schedules.next();
        for (std::size_t i = 0; i < schedule.size() && !source.at_end(); ++i, ++index) {
            const auto next = source.take();
            if (!next.row)
                continue;
            const int round = segment + schedule.window_of(i) + 1;
            // As the run has it, in whole nanoseconds.
            const double due_s = to_seconds(to_ns(schedule.due_s(i)));
            lines += to_json(record::to_record(
                         record::ScheduledRequest{index, due_s, round, next.conv_id, next.row->line})) +
                     '\n';
            if (lines.size() > 65536) {
                out.write_text(lines);
                lines.clear();
            }
        }
        if (source.at_end())
            break;
    }
    out.write_text(lines);
}

} // namespace slo::run

#endif
