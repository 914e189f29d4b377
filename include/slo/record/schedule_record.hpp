// SPDX-License-Identifier: MIT
// The schedule of a run as records: a header (sloutils.schedule/1), then a line a request.

#ifndef SLO_RECORD_SCHEDULE_RECORD_HPP
#define SLO_RECORD_SCHEDULE_RECORD_HPP

#include <slo/base/json.hpp>
#include <slo/stats/arrival.hpp>

#include <cstddef>
#include <optional>
#include <string_view>

namespace slo::record {

/// The leading record: by which process the requests are due. What the process does not read is null, as is
/// the number of windows where it is not known. `drains`: each round ends before the next begins, so that due
/// times count from the start of their round and not of the run.
inline json::object schedule_header(const stats::Arrival& arrival, double window_s,
                                    std::optional<int> windows, bool drains)
{
    using stats::Process;
    const auto process = arrival.process;
    const auto only_if = [](bool is_read, auto value) {
        return is_read ? json::value(value) : json::value(nullptr);
    };
    return {{"schema", "sloutils.schedule/1"},
            {"process", json_text(stats::name_of(process))},
            {"qps", only_if(process != Process::trace, arrival.qps)},
            {"end_qps", only_if(process == Process::ramp, arrival.end_qps)},
            {"burstiness", only_if(process == Process::gamma, arrival.burstiness)},
            {"seed", only_if(stats::is_random(process), arrival.seed)},
            {"speed", only_if(process == Process::trace, arrival.speed)},
            {"windows", or_null(windows)},
            {"window_s", window_s},
            {"due_from", drains ? "round" : "run"}};
}

/// One request of a schedule.
struct ScheduledRequest {
    std::size_t index = 0; ///< from 0, over the whole run
    double due_s = 0;      ///< since the start of the run, or of its round where rounds drain
    int round = 1;         ///< 1-based
    std::string_view conv_id;
    std::size_t line = 0; ///< of the route, 1-based
};

/// The record of one request of a schedule.
inline json::object to_record(const ScheduledRequest& request)
{
    return {{"i", request.index},
            {"due_s", request.due_s},
            {"round", request.round},
            {"conv_id", json_text(request.conv_id)},
            {"line", request.line}};
}

} // namespace slo::record

#endif
