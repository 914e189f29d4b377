// SPDX-License-Identifier: MIT
// From the requests of one reporting window to its round record (sloutils.round/1).

#ifndef SLO_RECORD_ROUND_SUMMARY_HPP
#define SLO_RECORD_ROUND_SUMMARY_HPP

#include <slo/base/json.hpp>
#include <slo/record/objective_count.hpp>
#include <slo/record/request.hpp>
#include <slo/record/round_window.hpp>
#include <slo/record/window_totals.hpp>
#include <slo/stats/sample.hpp>
#include <slo/stats/summary.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace slo::record {

namespace detail {

// An SLO given as a whole number of milliseconds stays an integer in the record.
inline json::value integer_if_whole(double value)
{
    if (value == std::floor(value) && std::abs(value) < 9e15)
        return static_cast<std::int64_t>(value);
    return value;
}

inline json::object metric_object(std::string_view unit, const std::optional<stats::Summary>& summary)
{
    json::object metric{{"unit", json_text(unit)}};
    const auto put = [&](const char* name, double stats::Summary::*figure) {
        metric[name] = summary ? json::value((*summary).*figure) : json::value(nullptr);
    };
    put("min", &stats::Summary::min);
    put("p50", &stats::Summary::p50);
    put("p90", &stats::Summary::p90);
    put("p95", &stats::Summary::p95);
    put("p99", &stats::Summary::p99);
    put("max", &stats::Summary::max);
    return metric;
}

inline json::value percent(std::int64_t part, std::int64_t whole)
{
    if (whole == 0)
        return nullptr;
    return 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

inline json::object client_object(const ClientHealth& client)
{
    json::object record{{"lateness_p50_s", or_null(client.lateness_p50_s)},
                        {"lateness_p99_s", or_null(client.lateness_p99_s)},
                        {"lateness_max_s", or_null(client.lateness_max_s)},
                        {"busy_pct", or_null(client.busy_pct)},
                        {"in_flight_max", client.in_flight_max},
                        {"saturated", client.saturated}};
    record["saturated_by"] = json::array(client.saturated_by.begin(), client.saturated_by.end());
    if (client.loop_stall_max_s)
        record["loop_stall_max_s"] = *client.loop_stall_max_s;
    if (client.missed)
        record["missed"] = *client.missed;
    return record;
}

inline void add_slo_fields(json::object& record, const WindowTotals& totals)
{
    const auto& terms = totals.terms();
    if (terms.e2e_slo_s) {
        record["slo_seconds"] = *terms.e2e_slo_s;
        record["slo_attainment"] = percent(totals.met_e2e, totals.due);
    }
    if (terms.ttft_slo_ms) {
        record["ttft_slo_ms"] = integer_if_whole(*terms.ttft_slo_ms);
        record["ttft_slo_attainment"] = percent(totals.met_ttft, totals.due);
    }
    if (terms.tpot_slo_ms) {
        record["tpot_slo_ms"] = integer_if_whole(*terms.tpot_slo_ms);
        record["tpot_slo_attainment"] = percent(totals.met_tpot, totals.due);
    }
    if (!totals.objectives.empty())
        record["objectives"] = to_record(totals.objectives);
}

inline json::object counts_object(const WindowTotals& totals)
{
    return {{"due", totals.due},
            {"sent", totals.sent},
            {"ok", totals.count(RequestStatus::ok)},
            {"failed", totals.count(RequestStatus::failed)},
            {"unfinished", totals.count(RequestStatus::unfinished)},
            {"not_sent", totals.count(RequestStatus::not_sent)}};
}

inline json::object errors_object(const WindowTotals& totals)
{
    json::object errors;
    for (std::size_t kind = 1; kind < error_kind_names.size(); ++kind)
        errors[error_kind_names[kind].data()] = totals.by_kind[kind];
    return errors;
}

inline void add_metrics(json::object& record, const WindowTotals& totals)
{
    json::object sketches;
    json::array estimated;
    const auto plain = [&](const char* name, const char* unit, const stats::Sample& sample) {
        record[name] = metric_object(unit, sample.summary());
        if (!sample.exact())
            estimated.emplace_back(name);
    };
    const auto sketched = [&](const char* name, const char* unit, const stats::Sample& sample) {
        plain(name, unit, sample);
        sketches[name] = sample.sketch().to_record();
    };
    const auto same = [&](const char* name, const json::value& per_minute) {
        stats::Sample sample;
        if (const auto value = as_number(&per_minute))
            sample.add(*value);
        plain(name, "tokens/min", sample);
    };
    sketched("Latency", "s", totals.latency_s);
    sketched("Server Latency", "s", totals.server_latency_s);
    sketched("Sequencer Wait", "s", totals.sequencer_wait_s);
    plain("Throughput", "tokens/s", totals.throughput);
    sketched("TTFT", "s", totals.ttft_s);
    plain("Reasoning Chars", "chars", totals.reasoning_chars);
    plain("Content Chars", "chars", totals.content_chars);
    plain("Reasoning Tokens", "tok", totals.reasoning_tokens);
    sketched("TTFT Content", "s", totals.ttft_content_s);
    sketched("TPOT", "ms", totals.tpot_values_ms);
    sketched("ITL", "ms", totals.itl_ms);
    same("Input Tokens per Minute", record["input_tokens_per_minute"]);
    same("Output Tokens per Minute", record["output_tokens_per_minute"]);
    if (!estimated.empty())
        record["sketched_percentiles"] = std::move(estimated);
    record["sketches"] = std::move(sketches);
}

} // namespace detail

/// The round record of `window`, whose requests `totals` has taken in. due = ok + failed + unfinished +
/// not_sent, and the errors add up to the last three. Percentiles are over the successes; attainments over
/// all that were due, a latency equal to its SLO meeting it; tokens per minute are those of the successes
/// over the window's minutes. `wire_dispatched` and `completed` that are absent count as none.
inline json::object round_record(const RoundWindow& window, const WindowTotals& totals)
{
    const auto per = [](double amount, double duration) {
        return duration > 0 ? json::value(amount / duration) : json::value(nullptr);
    };
    const auto qps = [&](std::int64_t requests) {
        return per(static_cast<double>(requests), window.duration_s);
    };
    const auto mean = [](const stats::Sample& tokens) {
        return tokens.empty() ? json::value(nullptr)
                              : json::value(static_cast<std::int64_t>(tokens.moments().sum() /
                                                                      static_cast<double>(tokens.size())));
    };
    const auto per_minute = [&](const stats::Sample& tokens) {
        return tokens.empty() ? json::value(nullptr) : per(tokens.moments().sum(), window.duration_s / 60);
    };
    const auto ok = totals.count(RequestStatus::ok);

    json::object record{{"schema", "sloutils.round/1"}};
    if (window.target_qps)
        record["target_qps"] = *window.target_qps;
    if (window.concurrency)
        record["concurrency"] = *window.concurrency;
    if (!window.shard.empty())
        record["shard"] = window.shard;
    record["actual_qps"] = qps(totals.due);
    record["wire_dispatch_qps"] = qps(window.wire_dispatched.value_or(0));
    record["completion_qps"] = qps(window.completed.value_or(0));
    record["measurement_round"] = window.number;
    record["continuous_qps_window"] = window.continuous;
    record["success_rate"] = detail::percent(ok, totals.due);
    record["input_tokens"] = mean(totals.input_tokens);
    record["output_tokens"] = mean(totals.output_tokens);
    record["model"] = window.model;
    record["input_tokens_per_minute"] = per_minute(totals.input_tokens);
    record["output_tokens_per_minute"] = per_minute(totals.output_tokens);
    record["latency_basis"] = json_text(name_of(totals.terms().basis));
    detail::add_slo_fields(record, totals);
    record["has_reasoning_pct"] = detail::percent(totals.with_reasoning, ok);
    record["truncated_pct"] = detail::percent(totals.truncated, ok);
    record["finish_reasons"] = totals.finish_reasons;
    record["counts"] = detail::counts_object(totals);
    record["errors"] = detail::errors_object(totals);
    record["retries"] = totals.retries;
    record["reconnects"] = totals.reconnects;
    if (window.client)
        record["client"] = detail::client_object(*window.client);
    record["flags"] = json::array(window.flags.begin(), window.flags.end());
    detail::add_metrics(record, totals);
    if (!totals.causes.empty())
        record["exceptions"] = totals.causes;
    return record;
}

/// The same over requests that are all at hand; counts those that were written to the wire and ended within
/// the window among them where the window does not say.
inline json::object summarize_round(RoundWindow window, std::span<const Request> due_in_window)
{
    const auto within = [&](std::optional<double> moment_s) {
        return moment_s && *moment_s >= window.start_s && *moment_s < window.start_s + window.duration_s;
    };
    WindowTotals totals(window);
    std::int64_t dispatched = 0;
    std::int64_t completed = 0;
    for (const auto& request : due_in_window) {
        totals.add(request);
        const bool ended = request.status == RequestStatus::ok || request.status == RequestStatus::failed;
        dispatched += within(request.sent_s);
        completed += ended && within(request.end_s);
    }
    window.wire_dispatched = window.wire_dispatched.value_or(dispatched);
    window.completed = window.completed.value_or(completed);
    return round_record(window, totals);
}

} // namespace slo::record

#endif
