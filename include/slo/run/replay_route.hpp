// SPDX-License-Identifier: MIT
// The route of a replay, read and checked before anything is sent.

#ifndef SLO_RUN_REPLAY_ROUTE_HPP
#define SLO_RUN_REPLAY_ROUTE_HPP

#include <slo/base/error.hpp>
#include <slo/io/jsonl.hpp>
#include <slo/io/signals.hpp>
#include <slo/plan/request_body.hpp>
#include <slo/record/route_load.hpp>
#include <slo/run/replay_options.hpp>
#include <slo/run/replay_plan.hpp>
#include <slo/run/replay_schedule.hpp>

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <utility>

namespace slo::run {

/// Reads the route: rows in the order of sending, each with the body that will be sent; empty for those of
/// other shards, which only take their places in the schedule. Ends early, and checks nothing more, once a
/// signal came. Throws IoError, InputError, UsageError.
inline record::Route read_route(const ReplayPlan& plan, bool skip_bad, io::StopSignal& stop)
{
    record::RouteReader reader(io::LineReader(plan.input, stop.fd()), skip_bad);
    auto route =
        record::load_route(reader, plan.ts_unit, [&](record::RouteRow& row) -> std::optional<std::string> {
            if (!plan.sample.keeps(row.conv_id))
                return std::nullopt;
            auto body = plan::request_body(plan.request, row);
            return plan.shard.keeps(row.conv_id, row.line) ? std::move(body) : std::string();
        });
    if (stop.requested())
        return route;
    const auto name = io::display_name(plan.input);
    if (route.rows.empty())
        throw Error(name, route.left_out > 0 ? "no row is in the --sample-range" : "holds no row to replay");
    if (plan.mode == ReplayMode::timestamp && route.unit_source == record::UnitSource::unknown &&
        route.rows.front().ts_ns != route.rows.back().ts_ns)
        throw UsageError("--ts-unit",
                         "is needed: nothing tells in what unit the timestamps of " + name + " count");
    ScheduleSource(plan, route.rows).next();
    return route;
}

/// Tells `note` what people should know of the route before the run.
inline void say_what_was_read(const record::Route& route, const ReplayPlan& plan, bool verbose,
                              const std::function<void(const std::string&)>& note)
{
    const auto rows = route.rows.size();
    if (route.bad_rows > 0)
        note("malformed rows skipped: " + std::to_string(route.bad_rows) + ", the first: " + route.first_bad);
    if (verbose)
        note(std::to_string(rows) + " rows, " + std::to_string(route.left_out) +
             " outside the sample range, " + std::to_string(route.other_log_lines) +
             " log lines without a request");
    const auto needed = rows_needed(plan);
    if (needed && rows < *needed)
        note("the route has " + std::to_string(rows) + " rows, the run needs " + std::to_string(*needed) +
             ": it will end early, with status 2");
}

/// Tells `note` what people may not have meant by the options.
inline void say_what_was_asked(const ReplayOptions& options, const ReplayPlan& plan,
                               const std::function<void(const std::string&)>& note)
{
    if (plan.mode == ReplayMode::timestamp && options.target_qps)
        note("--target-qps has no effect with --replay-mode timestamp");
    if (options.tls.insecure)
        note("--insecure: whoever answers is trusted, certificates are not checked");
}

} // namespace slo::run

#endif
