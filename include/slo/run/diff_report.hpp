// SPDX-License-Identifier: MIT
// The work of prom-diff: snapshots, client records and logs from files into one record.

#ifndef SLO_RUN_DIFF_REPORT_HPP
#define SLO_RUN_DIFF_REPORT_HPP

#include <slo/base/error.hpp>
#include <slo/base/json.hpp>
#include <slo/io/jsonl.hpp>
#include <slo/io/signals.hpp>
#include <slo/net/api_key.hpp>
#include <slo/plan/client_totals.hpp>
#include <slo/plan/host_activity.hpp>
#include <slo/plan/metrics_diff.hpp>
#include <slo/plan/reconcile.hpp>
#include <slo/plan/reconcile_diff.hpp>
#include <slo/record/diff.hpp>
#include <slo/record/snapshot_file.hpp>
#include <slo/run/canary.hpp>
#include <slo/run/gpu_files.hpp>
#include <slo/run/log_files.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace slo::run {

/// What prom-diff is told.
struct DiffReportOptions {
    std::string before;
    std::string after;
    std::vector<std::string> files;  ///< BEFORE AFTER, instead of the two options
    plan::DiffOptions diff;          ///< metrics by hand
    std::vector<std::string> logs;   ///< of the engine: where there are no counters, or no snapshots
    std::vector<std::string> gpus;   ///< what else tells of the GPUs
    std::vector<std::string> rounds; ///< round or request records of the client
    double tolerance = 0.05;         ///< of the reconciliation, a share
    std::string requests_basis;      ///< empty: as a canary shows, or the engine is known to count
    std::string canary;              ///< API base to send a canary to; empty: none
    std::string model;               ///< of the canary; empty: the server's first
    std::string api_key_file;        ///< of the canary
};

/// A record, and what it makes of the exit status.
struct DiffReport {
    json::object record;
    record::DiffStatus status = record::DiffStatus::ok;
    std::string error; ///< why status is error
};

namespace detail {

// Empty: unknown, the engine decides.
inline plan::RequestsBasis basis_of(const std::string& name)
{
    using plan::RequestsBasis;
    if (name.empty())
        return RequestsBasis::unknown;
    for (const auto basis : {RequestsBasis::request, RequestsBasis::choice, RequestsBasis::choice_plus_one}) {
        if (name == plan::name_of(basis))
            return basis;
    }
    throw UsageError("--requests-basis", "must be request, choice or choice_plus_one");
}

inline plan::ClientTotals client_totals(const std::vector<std::string>& paths)
{
    plan::ClientTotals totals;
    for (const auto& path : paths) {
        io::LineReader reader(path);
        while (const auto object = io::next_object(reader))
            totals.add(*object);
    }
    return totals;
}

// A diff is worth having without its canary.
inline Canary canary_or_reason(const CanaryOptions& options, int stop_fd)
{
    try {
        return send_canary(options, stop_fd);
    } catch (const UsageError&) {
        throw;
    } catch (const Error& error) {
        Canary canary;
        canary.reason = error.what();
        return canary;
    }
}

// The canary flies after both snapshots were taken, so that it is in neither.
inline void add_reconciliation(DiffReport& report, const record::Diff& diff, const DiffReportOptions& options)
{
    plan::ReconcileOptions how{options.tolerance, plan::basis_of_engine(diff.engine), "engine"};
    if (!options.canary.empty()) {
        io::StopSignal stop;
        CanaryOptions flight;
        flight.api_base = options.canary;
        flight.model = options.model;
        flight.api_key = net::find_api_key("", options.api_key_file);
        const auto canary = canary_or_reason(flight, stop.fd());
        report.record["canary"] = to_record(canary);
        if (canary.basis != plan::RequestsBasis::unknown)
            how = {options.tolerance, canary.basis, "canary"};
    }
    if (!options.requests_basis.empty())
        how = {options.tolerance, basis_of(options.requests_basis), "option"};
    if (!options.rounds.empty())
        report.record["reconciliation"] = plan::to_record(
            plan::reconcile(client_totals(options.rounds), plan::server_totals_of(diff), how));
}

// What the logs say stands apart; where there are no counters it is the rate of the record as well. It never
// stands in for counters that started anew: the log's lines are not those of the window alone.
inline void add_logs(DiffReport& report, const plan::LogHitRate& log)
{
    auto& record = report.record;
    record["log"] = plan::to_json_object(log);
    if (report.status == record::DiffStatus::ok || !log.hit_rate)
        return;
    report.status = record::DiffStatus::ok;
    record["status"] = "OK";
    record["hit_rate"] = *log.hit_rate;
    record["hits"] = or_null(log.hits);
    record["queries"] = or_null(log.queries);
    record["hit_rate_from"] = "log";
    record["pattern"] = log.pattern;
    if (const auto reason = string_at(record, "reason"))
        record["notes"].as_array().push_back(json_text("no rate from the counters: " + std::string(*reason)));
    record.erase("reason");
}

// A log alone: of all else a diff could say there is nothing.
inline DiffReport report_log(const plan::LogHitRate& log)
{
    const auto status = log.hit_rate ? record::DiffStatus::ok : record::DiffStatus::no_prefix_metrics;
    json::object record{{"schema", json_text(record::diff_schema)}, {"status", json_text(name_of(status))}};
    for (const auto& member : plan::to_json_object(log))
        record[member.key()] = member.value();
    record["hit_rate_from"] = "log";
    return {std::move(record), status, ""};
}

} // namespace detail

/// Checks the options and fills before and after from the files. Throws UsageError.
inline DiffReportOptions checked(DiffReportOptions options)
{
    if (!options.files.empty()) {
        if (!options.before.empty() || !options.after.empty())
            throw UsageError("give the snapshots either as --before and --after or as two files");
        if (options.files.size() != 2)
            throw UsageError("two snapshots are wanted: BEFORE AFTER");
        options.before = options.files[0];
        options.after = options.files[1];
    }
    const bool any = !options.before.empty() || !options.after.empty();
    if ((any || options.logs.empty()) && (options.before.empty() || options.after.empty()))
        throw UsageError("two snapshots are wanted: BEFORE AFTER");
    if (!any && !(options.rounds.empty() && options.canary.empty() && options.gpus.empty()))
        throw UsageError("--rounds, --canary and --gpu want two snapshots");
    if (options.canary.empty() && !(options.model.empty() && options.api_key_file.empty()))
        throw UsageError("--model and --api-key-file want --canary");
    std::size_t standard_inputs = (options.before == "-") + (options.after == "-");
    for (const auto* paths : {&options.logs, &options.gpus, &options.rounds})
        standard_inputs += static_cast<std::size_t>(std::count(paths->begin(), paths->end(), "-"));
    if (standard_inputs > 1)
        throw UsageError("only one file can be standard input");
    if (options.diff.hit_metric.empty() != options.diff.query_metric.empty())
        throw UsageError("--hit-metric and --query-metric want each other");
    if (!(options.tolerance >= 0 && options.tolerance <= 1))
        throw UsageError("--tolerance", "must be between 0 and 1");
    detail::basis_of(options.requests_basis);
    return options;
}

/// Reads the snapshots and what else `options` names, and makes one record of it. Throws UsageError, IoError
/// and InputError; a snapshot that can't be used is an error in the report instead.
inline DiffReport report_diff(const DiffReportOptions& options)
{
    if (options.before.empty())
        return detail::report_log(read_log_hit_rate(options.logs));
    const auto before = record::read_snapshot(options.before);
    const auto after = record::read_snapshot(options.after);
    const auto diff = plan::diff_snapshots(before, after, options.diff);
    DiffReport report{record::to_record(diff), diff.status, diff.error};
    if (diff.status == record::DiffStatus::error)
        return report;
    auto gpus = read_gpu_activity(options.gpus);
    if (options.gpus.empty()) {
        gpus.take(before);
        gpus.take(after);
    }
    if (auto hosts = plan::HostActivity(before, after).to_json_object(); !hosts.empty())
        report.record["host"] = std::move(hosts);
    if (!gpus.empty())
        report.record["gpu"] = gpus.to_json_object(diff.counter("generation_tokens"));
    detail::add_reconciliation(report, diff, options);
    if (!options.logs.empty())
        detail::add_logs(report, read_log_hit_rate(options.logs));
    return report;
}

} // namespace slo::run

#endif
