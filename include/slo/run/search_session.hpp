// SPDX-License-Identifier: MIT
// What bisect does: a whole search with its journal, the next rate alone, a summary, or a plan.

#ifndef SLO_RUN_SEARCH_SESSION_HPP
#define SLO_RUN_SEARCH_SESSION_HPP

#include <slo/base/clock.hpp>
#include <slo/base/error.hpp>
#include <slo/base/json.hpp>
#include <slo/base/version.hpp>
#include <slo/io/fd.hpp>
#include <slo/io/jsonl.hpp>
#include <slo/io/signals.hpp>
#include <slo/io/stoppable_output.hpp>
#include <slo/record/journal.hpp>
#include <slo/record/search.hpp>
#include <slo/record/search_log.hpp>
#include <slo/record/search_result.hpp>
#include <slo/run/search_options.hpp>
#include <slo/run/search_outcome.hpp>
#include <slo/run/search_plan.hpp>
#include <slo/run/search_run.hpp>
#include <slo/run/served_prober.hpp>
#include <slo/run/service_keeper.hpp>

#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
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

/// A record of what happened to the service.
inline json::object service_record(const std::string& what, std::optional<double> qps,
                                   const std::string& text)
{
    auto record = record::search_event("service");
    record["what"] = json_text(what);
    record["qps"] = or_null(qps);
    record["reason"] = json_text(text);
    record["time"] = iso8601_utc(wall_clock_s());
    return record;
}

/// Who looks after the service; null where nobody is to.
template <class Keep>
std::unique_ptr<ServiceKeeper> make_keeper(const SessionOptions& options,
                                           const record::SearchSettings& settings, io::StopSignal& stop,
                                           const SessionStreams& streams, const Keep& keep)
{
    if (options.service.state_file.empty())
        return nullptr;
    auto service = options.service;
    service.offload = settings.offload;
    return std::make_unique<ServiceKeeper>(
        service, stop,
        ServiceKeeper::Told{streams.note,
                            [&](const std::string& text) {
                                streams.progress({-1, text});
                            },
                            [&](const std::string& what, const std::string& text) {
                                keep(service_record(what, std::nullopt, text));
                            }});
}

inline ServedProber::Settings prober_settings(const SessionOptions& options,
                                              const record::SearchSettings& settings, double tick_s)
{
    ServedProber::Settings prober;
    prober.limits = {settings.slo_s, tick_s, options.probe_timeout};
    prober.cooldown_s = options.cooldown_s;
    if (!options.reset_cache.empty())
        prober.reset.emplace(options.reset_cache, options.service.client);
    prober.retries = options.service.retries;
    return prober;
}

} // namespace detail

/// Prints the next rate alone from the records so far; Exit::negative, and nothing, when the search has
/// ended.
inline Exit print_next(const SessionOptions& options, const SessionStreams& streams)
{
    const auto log = detail::earlier_records(options, true, streams);
    const auto settings = make_settings(options.search, log.settings);
    const auto search = make_search(settings, options.search, log);
    const auto decision = search.decide(log.elapsed_s);
    const auto* next = std::get_if<plan::NextProbe>(&decision);
    if (!next)
        return Exit::negative;
    streams.out.write_text(search.grid().text(next->rate) + "\n");
    return Exit::ok;
}

/// Prints the result record of the records so far.
inline Exit print_summary(const SessionOptions& options, const SessionStreams& streams)
{
    const auto log = detail::earlier_records(options, true, streams);
    const auto settings = make_settings(options.search, log.settings);
    const auto result = make_result(make_search(settings, options.search, log), log);
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
    streams.out.write(detail::start_record(settings, log.probes.size(), search.bounds().confirm));
    streams.out.write(make_plan_record(search, settings, log.elapsed_s));
    return Exit::ok;
}

/// Runs a search to its end, or on from where its journal stands.
inline Exit run_search(const SessionOptions& options, const SessionStreams& streams)
{
    if (options.search.command.empty())
        throw UsageError("a COMMAND after -- is missing");
    const auto settings = make_settings(options.search, std::nullopt);
    make_search(settings, options.search, {});

    std::optional<record::Journal> journal;
    io::StopSignal stop;
    io::StoppableOutput out(streams.out, stop);
    const auto keep = [&](const json::object& record) {
        if (journal)
            journal->append(record);
        out.write(record);
    };
    const auto keeper = detail::make_keeper(options, settings, stop, streams, keep);
    const double report_every_s = options.report_every.value_or(settings.offload ? 1800 : 900);
    auto around = detail::prober_settings(options, settings, std::min(1.0, report_every_s));

    record::SearchLog log;
    if (!options.journal.empty()) {
        journal.emplace(options.journal);
        log = journal->log();
        if (log.settings) {
            const auto differs = record::difference(*log.settings, settings);
            if (!differs.empty())
                throw Error(options.journal, "the journal of another search: " + differs);
        }
        if (journal->torn_bytes() > 0)
            streams.note(options.journal + ": last record cut short, removed");
    }
    auto search = make_search(settings, options.search, log);
    const auto confirm = search.bounds().confirm;
    out.write(detail::start_record(settings, log.probes.size(), confirm));
    if (journal && (!log.settings || log.confirm != confirm))
        journal->append(detail::start_record(settings, 0, confirm));
    const bool ended_before = log.result.has_value();
    const auto known_probes = log.probes.size();

    around.deaths = log.deaths;
    const auto on_event = [&](const std::string& what, const std::string& qps, const std::string& text) {
        keep(detail::service_record(what, parse_double(qps), text));
    };
    ServedProber prober(std::move(around), stop, keeper.get(), on_event, [&](const std::string& text) {
        streams.progress({-1, text});
    });

    SearchRun::Callbacks callbacks;
    callbacks.on_record = [&](const json::object& record) {
        const bool repeated = ended_before && string_at(record, "event") == "result" &&
                              integer_at(record, "probes") == static_cast<std::int64_t>(known_probes);
        if (repeated)
            out.write(record);
        else
            keep(record);
    };
    callbacks.on_progress = streams.progress;
    callbacks.on_probe = streams.probe;
    callbacks.on_result = [&, earlier = log.relaunches](record::SearchResult& result) {
        if (keeper)
            result.relaunches = earlier + keeper->relaunches();
    };
    SearchRun run(std::move(search), settings, std::move(log), report_every_s, callbacks);
    const auto result = run.run(std::ref(prober));
    const auto& stopped = run.stop();
    for (const auto& line : stopped ? stopped->log_tail : std::vector<std::string>{})
        streams.note("| " + line);
    streams.end({settings, run.probes(), result});
    if (result.reason == service_died_before_any_pass)
        throw Error(options.service.state_file, "before any rate passed, " + stopped->note);
    return out.given_up() ? Exit::undecided : exit_of(result);
}

/// Does what the options ask for. Throws UsageError, InputError, IoError and Error.
inline Exit run_session(SessionOptions options, const SessionStreams& streams)
{
    resolve_budget(options.search);
    check_session(options);
    if (options.next + options.summary + options.dry_run > 1)
        throw UsageError("--next, --summary and --dry-run exclude each other");
    const bool reads = options.next || options.summary;
    if (options.journal == "-" && !reads)
        throw UsageError("--journal", "must be a file, not a stream");
    if (reads && options.journal.empty() && ::isatty(STDIN_FILENO) == 1)
        throw UsageError("no --journal given, and stdin is a terminal");
    if (options.next)
        return print_next(options, streams);
    if (options.summary)
        return print_summary(options, streams);
    return options.dry_run ? print_plan(options, streams) : run_search(options, streams);
}

} // namespace slo::run

#endif
