// SPDX-License-Identifier: MIT
// The summaries of a run that have a distribution for each metric: those of AIPerf and guidellm.

#ifndef SLO_RECORD_SUMMARY_NESTED_HPP
#define SLO_RECORD_SUMMARY_NESTED_HPP

#include <slo/base/clock.hpp>
#include <slo/base/json.hpp>
#include <slo/record/request.hpp>
#include <slo/record/run_info.hpp>
#include <slo/record/run_totals.hpp>

#include <array>
#include <optional>
#include <utility>

namespace slo::record {

/// The file profile_export_aiperf.json, without its configuration. What cannot be known is absent.
inline json::object aiperf_summary(const RunInfo& info, const RunTotals& totals)
{
    constexpr std::array<std::pair<const char*, double>, 9> percentiles{{{"p1", 0.01},
                                                                         {"p5", 0.05},
                                                                         {"p10", 0.10},
                                                                         {"p25", 0.25},
                                                                         {"p50", 0.50},
                                                                         {"p75", 0.75},
                                                                         {"p90", 0.90},
                                                                         {"p95", 0.95},
                                                                         {"p99", 0.99}}};
    json::object summary{{"schema_version", "1.4"}};
    const auto single = [&](const char* tag, const char* unit, std::optional<double> value) {
        if (value)
            summary[tag] = json::object{{"unit", unit}, {"avg", *value}};
    };
    const auto distribution = [&](const char* tag, const char* unit, const Distribution& metric,
                                  double factor) {
        if (metric.count() == 0)
            return;
        const auto& moments = metric.moments();
        json::object figures{{"unit", unit}, {"avg", detail::times(moments.mean(), factor)}};
        for (const auto& [name, q] : percentiles)
            figures[name] = detail::times(metric.quantile(q), factor);
        figures["min"] = detail::times(moments.min(), factor);
        figures["max"] = detail::times(moments.max(), factor);
        figures["std"] = detail::times(moments.deviation(), factor);
        figures["count"] = metric.count();
        figures["sum"] = moments.sum() * factor;
        summary[tag] = std::move(figures);
    };
    const auto ok = static_cast<double>(totals.count(RequestStatus::ok));
    const double input = totals.input_tokens.moments().sum();
    const double output = totals.output_tokens.moments().sum();
    single("request_throughput", "requests/sec", totals.per_second(ok));
    distribution("request_latency", "ms", totals.latency_s, 1000);
    single("request_count", "requests", ok);
    distribution("time_to_first_token", "ms", totals.ttft_s, 1000);
    distribution("inter_token_latency", "ms", totals.tpot_ms, 1); // a mean for each answer
    distribution("inter_chunk_latency", "ms", totals.itl_ms, 1);
    single("output_token_throughput", "tokens/sec", totals.per_second(output));
    single("total_token_throughput", "tokens/sec", totals.per_second(input + output));
    distribution("output_sequence_length", "tokens", totals.output_tokens, 1);
    distribution("input_sequence_length", "tokens", totals.input_tokens, 1);
    distribution("reasoning_token_count", "tokens", totals.reasoning_tokens, 1);
    single("total_isl", "tokens", input);
    single("total_osl", "tokens", output);
    if (totals.terms.e2e_slo_s || totals.terms.ttft_slo_ms || totals.terms.tpot_slo_ms) {
        single("good_request_count", "requests", static_cast<double>(totals.met_all));
        single("goodput", "requests/sec", totals.per_second(static_cast<double>(totals.met_all)));
    }
    single("benchmark_duration", "sec", totals.duration_s());
    if (totals.not_ok() > 0)
        single("error_request_count", "requests", static_cast<double>(totals.not_ok()));
    summary["was_cancelled"] = totals.interrupted;
    json::array errors;
    for (const auto& [kind, count] : detail::errors_by_kind(totals))
        errors.push_back(json::object{
            {"error_details", {{"code", nullptr}, {"type", kind}, {"message", kind}}}, {"count", count}});
    summary["error_summary"] = std::move(errors);
    summary["start_time"] = iso8601_utc(info.start_epoch_s + totals.start_s());
    summary["end_time"] = iso8601_utc(info.start_epoch_s + totals.end_s());
    return summary;
}

/// guidellm's benchmarks.json, reduced to one benchmark and what is known of its successes. What cannot be
/// known is absent.
inline json::object guidellm_summary(const RunInfo& info, const RunTotals& totals)
{
    constexpr std::array<std::pair<const char*, double>, 11> percentiles{{{"p001", 0.001},
                                                                          {"p01", 0.01},
                                                                          {"p05", 0.05},
                                                                          {"p10", 0.10},
                                                                          {"p25", 0.25},
                                                                          {"p50", 0.50},
                                                                          {"p75", 0.75},
                                                                          {"p90", 0.90},
                                                                          {"p95", 0.95},
                                                                          {"p99", 0.99},
                                                                          {"p999", 0.999}}};
    json::object metrics;
    const auto ok = totals.count(RequestStatus::ok);
    const auto incomplete = totals.count(RequestStatus::unfinished) + totals.count(RequestStatus::not_sent);
    metrics["request_totals"] = {{"successful", ok},
                                 {"errored", totals.count(RequestStatus::failed)},
                                 {"incomplete", incomplete},
                                 {"total", totals.due}};
    const auto rate = [&](const char* name, double amount) {
        if (const auto mean = totals.per_second(amount))
            metrics[name] = {{"successful", {{"mean", *mean}}}};
    };
    const auto distribution = [&](const char* name, const Distribution& metric, double factor) {
        if (metric.count() == 0)
            return;
        const auto& moments = metric.moments();
        const double deviation = moments.deviation().value_or(0) * factor;
        json::object quantiles;
        for (const auto& [key, q] : percentiles)
            quantiles[key] = detail::times(metric.quantile(q), factor);
        metrics[name] = {{"successful",
                          {{"mean", detail::times(moments.mean(), factor)},
                           {"median", detail::times(metric.quantile(0.5), factor)},
                           {"variance", deviation * deviation},
                           {"std_dev", deviation},
                           {"min", detail::times(moments.min(), factor)},
                           {"max", detail::times(moments.max(), factor)},
                           {"count", metric.count()},
                           {"total_sum", moments.sum() * factor},
                           {"percentiles", std::move(quantiles)}}}};
    };
    const double input = totals.input_tokens.moments().sum();
    const double output = totals.output_tokens.moments().sum();
    rate("requests_per_second", static_cast<double>(ok));
    rate("request_concurrency", totals.server_latency_s.moments().sum());
    rate("prompt_tokens_per_second", input);
    rate("output_tokens_per_second", output);
    rate("tokens_per_second", input + output);
    distribution("request_latency", totals.latency_s, 1);
    if (totals.terms.basis == LatencyBasis::due)
        distribution("request_scheduled_latency", totals.latency_s, 1);
    distribution("request_dispatch_delay", totals.send_lag_s, 1);
    distribution("prompt_token_count", totals.input_tokens, 1);
    distribution("output_token_count", totals.output_tokens, 1);
    distribution("time_to_first_token_ms", totals.ttft_s, 1000);
    distribution("time_to_first_output_token_ms", totals.ttft_content_s, 1000);
    distribution("inter_token_latency_ms", totals.tpot_ms, 1); // a mean for each answer
    json::object benchmark{{"type_", "generative_benchmark"},
                           {"start_time", info.start_epoch_s + totals.start_s()},
                           {"end_time", info.start_epoch_s + totals.end_s()},
                           {"duration", totals.duration_s()},
                           {"metrics", std::move(metrics)}};
    json::array benchmarks;
    benchmarks.push_back(std::move(benchmark));
    return {{"benchmarks", std::move(benchmarks)}};
}

} // namespace slo::record

#endif
