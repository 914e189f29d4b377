// SPDX-License-Identifier: MIT
// How far a replay is, as figures and as a line for people.

#ifndef SLO_RUN_REPLAY_PROGRESS_HPP
#define SLO_RUN_REPLAY_PROGRESS_HPP

#include <slo/base/text.hpp>
#include <slo/record/request.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace slo::run {

/// The state of a run at one moment.
struct ReplayProgress {
    double elapsed_s = 0;
    double starts_in_s = 0;
    double planned_s = 0; ///< 0 when the end is not known; drains not counted
    int round = 0;
    std::optional<int> rounds;
    std::int64_t due = 0;
    std::array<std::int64_t, record::request_status_names.size()> ended{}; ///< by RequestStatus
    std::size_t in_flight = 0;
    std::optional<double> p50_s; ///< median latency of the last finished window

    std::int64_t count(record::RequestStatus status) const noexcept
    {
        return ended[static_cast<std::size_t>(status)];
    }

    /// Share of the run that is done, 0 to 1; negative when the end is not known.
    double fraction() const noexcept { return planned_s > 0 ? std::min(1.0, elapsed_s / planned_s) : -1; }

    /// Requests per second that ended with an answer or an error, since the start.
    double completion_qps() const noexcept
    {
        const auto completed = count(record::RequestStatus::ok) + count(record::RequestStatus::failed);
        return elapsed_s > 0 ? static_cast<double>(completed) / elapsed_s : 0;
    }

    /// "round 3/8  58 due  52 ok  1 failed  5 in flight  7.6/s  p50 0.812 s"
    std::string text() const
    {
        if (starts_in_s >= 1)
            return "starts in " + format_fixed(starts_in_s, 0) + " s";
        auto line = "round " + std::to_string(round) + (rounds ? "/" + std::to_string(*rounds) : "") + "  " +
                    std::to_string(due) + " due  " + std::to_string(count(record::RequestStatus::ok)) +
                    " ok  " + std::to_string(count(record::RequestStatus::failed)) + " failed  " +
                    std::to_string(in_flight) + " in flight  " + format_fixed(completion_qps(), 1) + "/s";
        if (p50_s)
            line += "  p50 " + format_fixed(*p50_s, 3) + " s";
        return line;
    }

    /// "240 due: 230 ok, 6 failed, 3 unfinished, 1 not sent"
    std::string summary() const
    {
        using record::RequestStatus;
        return std::to_string(due) + " due: " + std::to_string(count(RequestStatus::ok)) + " ok, " +
               std::to_string(count(RequestStatus::failed)) + " failed, " +
               std::to_string(count(RequestStatus::unfinished)) + " unfinished, " +
               std::to_string(count(RequestStatus::not_sent)) + " not sent";
    }
};

} // namespace slo::run

#endif
