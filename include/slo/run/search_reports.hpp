// SPDX-License-Identifier: MIT
// What bisect tells of a search without running anything: the next rate alone, a summary, or a plan.

#ifndef SLO_RUN_SEARCH_REPORTS_HPP
#define SLO_RUN_SEARCH_REPORTS_HPP

#include <slo/base/clock.hpp>
#include <slo/base/error.hpp>
#include <slo/base/json.hpp>
#include <slo/base/version.hpp>
#include <slo/io/fd.hpp>
#include <slo/io/jsonl.hpp>
#include <slo/plan/search.hpp>
#include <slo/record/journal.hpp>
#include <slo/record/search.hpp>
#include <slo/record/search_log.hpp>
#include <slo/record/search_result.hpp>
#include <slo/run/probe_task.hpp>
#include <slo/run/search_options.hpp>
#include <slo/run/search_outcome.hpp>
#include <slo/run/search_plan.hpp>
#include <slo/run/search_run.hpp>

#include <unistd.h>

#include <cstddef>
#include <functional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace slo::run {

/// The probes and the result of a search, for its table.
struct SessionEnd {
    record::SearchSettings settings;
    std::vector<record::SearchProbe> probes;
    record::SearchResult result;
};

/// Where a session writes and what it tells.
struct SessionStreams {
    io::JsonlWriter& out;
    std::function<void(const std::string&)> note; ///< one line for people
    std::function<void(const SearchProgress&)> progress;
    std::function<void(const record::SearchProbe&)> probe; ///< each new probe
    std::function<void(const SessionEnd&)> end;            ///< of a search or a summary
};

namespace detail {

inline record::SearchLog read_records(const std::string& path, const SessionStreams& streams)
{
    const auto name = io::display_name(path);
    auto read = record::read_search_log(io::read_all(path, record::Journal::max_bytes), name);
    if (read.torn_bytes > 0)
        streams.note(name + ": last record cut short, left out");
    if (read.log.skipped > 0)
        streams.note(name +
                     ": objects skipped that are no search records: " + std::to_string(read.log.skipped));
    return std::move(read.log);
}

/// The earlier records of a session that does not write: --journal, else stdin where `from_stdin`.
inline record::SearchLog earlier_records(const SessionOptions& options, bool from_stdin,
                                         const SessionStreams& streams)
{
    if (!options.journal.empty() && (from_stdin || ::access(options.journal.c_str(), F_OK) == 0))
        return read_records(options.journal, streams);
    return from_stdin ? read_records("-", streams) : record::SearchLog{};
}

inline json::object start_record(const record::SearchSettings& settings, std::size_t known_probes,
                                 std::size_t confirm)
{
    auto record = record::to_record(settings);
    if (confirm > 0)
        record["confirm"] = confirm;
    record["time"] = iso8601_utc(wall_clock_s());
    record["version"] = version;
    if (known_probes > 0)
        record["resumed_probes"] = known_probes;
    return record;
}

} // namespace detail

/// Prints the next rate alone from the records so far; Exit::negative, and nothing, when the search has
/// ended.
inline Exit print_next(const SessionOptions& options, const SessionStreams& streams)
{
    const auto log = detail::earlier_records(options, true, streams);
    const auto settings = make_settings(options.search, log.settings);
    const auto search = make_search(settings, options.search, log);
    const auto decision = search->decide(log.elapsed_s);
    const auto* next = std::get_if<plan::NextProbe>(&decision);
    if (!next)
        return Exit::negative;
    streams.out.write_text(search->grid().text(next->rate) + "\n");
    return Exit::ok;
}

/// Prints the result record of the records so far.
inline Exit print_summary(const SessionOptions& options, const SessionStreams& streams)
{
    const auto log = detail::earlier_records(options, true, streams);
    const auto settings = make_settings(options.search, log.settings);
    const auto result = make_result(*make_search(settings, options.search, log), log);
    streams.out.write(to_record(result, settings));
    streams.end({settings, log.probes, result});
    return exit_of(result);
}

/// Prints what a search would do next, and runs nothing.
inline Exit print_plan(const SessionOptions& options, const SessionStreams& streams)
{
    const auto log = detail::earlier_records(options, false, streams);
    const auto settings = make_settings(options.search, log.settings);
    const auto search = make_search(settings, options.search, log);
    streams.out.write(detail::start_record(settings, log.probes.size(), search->bounds().confirm));
    streams.out.write(make_plan_record(*search, settings, log.elapsed_s));
    return Exit::ok;
}

} // namespace slo::run

#endif
