// SPDX-License-Identifier: MIT
// A whole search: with its journal, its service, and all that is between two probes.

#ifndef SLO_RUN_SEARCH_SESSION_HPP
#define SLO_RUN_SEARCH_SESSION_HPP

#include <slo/base/clock.hpp>
#include <slo/base/error.hpp>
#include <slo/base/json.hpp>
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
#include <slo/run/search_reports.hpp>
#include <slo/run/search_run.hpp>
#include <slo/run/served_prober.hpp>
#include <slo/run/service_keeper.hpp>

#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace slo::run {

namespace detail {

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

/// What a journal knows of this very search. Throws Error where it is that of another.
inline record::SearchLog earlier_session(const record::Journal& journal, const std::string& name,
                                         const record::SearchSettings& settings,
                                         const SessionStreams& streams)
{
    const auto& log = journal.log();
    if (log.settings) {
        const auto differs = record::difference(*log.settings, settings);
        if (!differs.empty())
            throw Error(name, "the journal of another search: " + differs);
    }
    if (journal.torn_bytes() > 0)
        streams.note(name + ": last record cut short, removed");
    return log;
}

/// True where the journal has this record already: the end of a search that nothing was added to.
inline bool is_repeated(const json::object& record, const std::optional<json::object>& known_result)
{
    return known_result && string_at(record, "event") == "result" &&
           integer_at(record, "probes") == integer_at(*known_result, "probes") &&
           string_at(record, "reason") == string_at(*known_result, "reason");
}

} // namespace detail

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
        log = detail::earlier_session(*journal, options.journal, settings, streams);
    }
    auto search = make_search(settings, options.search, log);
    const auto confirm = search->bounds().confirm;
    out.write(detail::start_record(settings, log.probes.size(), confirm));
    if (journal && (!log.settings || log.confirm != confirm))
        journal->append(detail::start_record(settings, 0, confirm));
    around.deaths = log.deaths;
    const auto on_event = [&](const std::string& what, const std::string& qps, const std::string& text) {
        keep(detail::service_record(what, parse_double(qps), text));
    };
    ServedProber prober(std::move(around), stop, keeper.get(), on_event, [&](const std::string& text) {
        streams.progress({-1, text});
    });

    SearchRun::Callbacks callbacks;
    callbacks.on_record = [&, known = log.result](const json::object& record) {
        if (detail::is_repeated(record, known))
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
