// SPDX-License-Identifier: MIT
// How a replay ended: what people are told of it, and its exit status.

#ifndef SLO_RUN_REPLAY_END_HPP
#define SLO_RUN_REPLAY_END_HPP

#include <slo/base/error.hpp>
#include <slo/record/request.hpp>
#include <slo/record/run_totals.hpp>
#include <slo/run/replay_progress.hpp>

#include <optional>
#include <string>
#include <vector>

namespace slo::run {

/// Why a run is over.
struct ReplayEnd {
    std::string cut_short_by; ///< the flag of its last rounds: "interrupted", "runaway", "decided"
    std::optional<double> cut_short_at_s; ///< since the run's start
    bool exhausted = false;               ///< the route ended before the rounds that were asked for
    std::string first_error;              ///< what went wrong with the first request that failed
    std::string textfile_fault;           ///< what went wrong with the metrics file

    /// The word for an early end in records; empty for a run that came to its end.
    std::string stopped_by() const
    {
        return !cut_short_by.empty() ? cut_short_by : exhausted ? "route_exhausted" : "";
    }

    bool was_decided() const { return cut_short_by == "decided"; }
};

/// The lines for people. `now` is how far it came, `rounds` what they add up to.
inline std::vector<std::string> notes_of(const ReplayEnd& end, const ReplayProgress& now,
                                         const record::RunTotals& rounds, bool verbose)
{
    std::vector<std::string> notes;
    const bool all_ok = now.count(record::RequestStatus::ok) == now.due;
    if (!all_ok || verbose || !end.stopped_by().empty())
        notes.push_back(now.summary() + (end.first_error.empty() ? "" : "; the first: " + end.first_error));
    if (end.exhausted && !end.was_decided())
        notes.emplace_back("the route ended before the rounds that were asked for");
    if (!end.textfile_fault.empty())
        notes.push_back("--prom-textfile: " + end.textfile_fault);
    if (rounds.saturated_rounds > 0)
        notes.push_back("the client was the limit in " + std::to_string(rounds.saturated_rounds) + " of " +
                        std::to_string(rounds.rounds) + " rounds: see client.saturated_by");
    if (end.cut_short_by == "interrupted")
        notes.emplace_back("interrupted");
    if (end.was_decided())
        notes.emplace_back("decided: the reader of the rounds has what it needs");
    return notes;
}

/// ok: to its end, or as far as the reader of the rounds wanted; negative: to its end without a success;
/// undecided: cut short.
inline Exit status_of(const ReplayEnd& end, const ReplayProgress& now)
{
    if (end.was_decided())
        return Exit::ok;
    if (!end.stopped_by().empty())
        return Exit::undecided;
    return now.count(record::RequestStatus::ok) > 0 ? Exit::ok : Exit::negative;
}

} // namespace slo::run

#endif
