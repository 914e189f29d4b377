// SPDX-License-Identifier: MIT
// The export of AIPerf (profile_export_aiperf.json) and of its predecessor GenAI-Perf.

#ifndef SLO_ARTIFACT_FOREIGN_AIPERF_HPP
#define SLO_ARTIFACT_FOREIGN_AIPERF_HPP

#include <slo/artifact/foreign_result.hpp>
#include <slo/base/json.hpp>

#include <array>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace slo::artifact {

namespace detail {

// Each metric of the export is {"unit", "avg", "p50", …}; a single figure has its value in avg, and older
// exports have it bare.
class AiperfFields {
public:
    AiperfFields(const ForeignFields& fields, ForeignMetrics& metrics) : fields_(fields), metrics_(metrics) {}

    json::object latency(std::string_view key) const
    {
        auto block = unknown_latency();
        const auto* stats = object_at(fields_.raw(), key);
        const auto scale = stats ? ms_per_unit(*stats, key) : std::nullopt;
        if (!scale)
            return block;
        const ForeignFields of(*stats, fields_.name());
        const auto put = [&](const char* figure, std::initializer_list<std::string_view> names) {
            if (const auto value = of.figure(names))
                block[figure] = *value * *scale;
        };
        put("mean", {"avg", "mean"});
        put("p50", {"p50", "median"});
        put("p90", {"p90"});
        put("p95", {"p95"});
        put("p99", {"p99"});
        return block;
    }

    std::optional<double> scalar(std::initializer_list<std::string_view> keys) const
    {
        for (const auto key : keys) {
            if (const auto* stats = object_at(fields_.raw(), key)) {
                const ForeignFields of(*stats, fields_.name());
                if (const auto value = of.figure({"avg", "mean"}))
                    return value;
            } else if (const auto value = fields_.figure({key})) {
                return value;
            }
        }
        return std::nullopt;
    }

    std::optional<std::int64_t> count(std::initializer_list<std::string_view> keys) const
    {
        const auto value = scalar(keys);
        if (value && (*value != std::floor(*value) || *value > 9e15))
            throw InputError(fields_.name(),
                             std::string(*keys.begin()) + " is no count: " + format_double(*value));
        return value ? std::optional(static_cast<std::int64_t>(*value)) : std::nullopt;
    }

private:
    // Milliseconds where no unit stands, as in exports before units.
    std::optional<double> ms_per_unit(const json::object& stats, std::string_view key) const
    {
        constexpr std::array<std::pair<std::string_view, double>, 9> units{{{"ms", 1},
                                                                            {"milliseconds", 1},
                                                                            {"s", 1000},
                                                                            {"sec", 1000},
                                                                            {"seconds", 1000},
                                                                            {"us", 1e-3},
                                                                            {"microseconds", 1e-3},
                                                                            {"ns", 1e-6},
                                                                            {"nanoseconds", 1e-6}}};
        const auto unit = string_at(stats, "unit").value_or("ms");
        for (const auto& [name, scale] : units) {
            if (name == unit)
                return scale;
        }
        metrics_.note(std::string(key) + ": its unit " + printable(unit, 40) + " is no unit of time");
        return std::nullopt;
    }

    const ForeignFields& fields_;
    ForeignMetrics& metrics_;
};

// AIPerf leaves the count of errors out where there were none, and lists the errors that there were.
inline std::optional<std::int64_t> aiperf_failed(const AiperfFields& aiperf, const json::object& raw,
                                                 bool is_aiperf)
{
    if (const auto failed = aiperf.count({"error_request_count"}))
        return failed;
    if (!is_aiperf)
        return std::nullopt;
    std::int64_t failed = 0;
    if (const auto* errors = array_at(raw, "error_summary")) {
        for (const auto& error : *errors) {
            const auto* object = error.if_object();
            failed += object ? integer_at(*object, "count").value_or(0) : 0;
        }
    }
    return failed;
}

// The mean time of a token from the means of what it is made of: of a ratio, not exact.
inline std::optional<double> mean_tpot_ms(const json::object& e2e, const json::object& ttft,
                                          std::optional<double> output_tokens)
{
    const auto end = number_at(e2e, "mean");
    const auto first = number_at(ttft, "mean");
    if (!end || !first || !output_tokens || *output_tokens <= 1 || *end < *first)
        return std::nullopt;
    return rounded((*end - *first) / (*output_tokens - 1), 2);
}

} // namespace detail

/// An export of one run. AIPerf's inter_token_latency is (e2e - ttft) / (tokens - 1) of a request, which the
/// envelope calls tpot; its gaps between chunks are inter_chunk_latency. Throws InputError, also for the
/// aggregate of several runs.
inline ForeignResult aiperf_result(const json::object& raw, std::string_view name)
{
    if (const auto* metrics = object_at(raw, "metrics"); metrics && find(*metrics, "request_count_avg"))
        throw InputError(name,
                         "is an aggregate over several runs; give the profile_export_aiperf.json of one");
    const auto* records = object_at(raw, "records"); // the first releases nested their metrics
    const ForeignFields fields(records ? *records : raw, name);
    ForeignResult result;
    ForeignMetrics metrics(result, fields);
    const detail::AiperfFields aiperf(fields, metrics);
    const auto version = string_at(raw, "aiperf_version");
    const bool is_aiperf =
        version || find(raw, "schema_version") || find(raw, "error_summary") || find(raw, "was_cancelled");
    result.source_tool = !is_aiperf && find(raw, "input_config") ? "genai-perf" : "aiperf";
    result.tool_version = printable(version.value_or(""), 40);

    metrics.put("duration_s", aiperf.scalar({"benchmark_duration", "duration_s"}));
    metrics.put("completed", aiperf.count({"request_count", "completed_requests"}));
    if (metrics.number("completed"))
        metrics.put("failed", detail::aiperf_failed(aiperf, raw, is_aiperf),
                    fields.value({"error_request_count"}) ? "client" : "derived");
    metrics.put("request_throughput", aiperf.scalar({"request_throughput"}));
    metrics.put("output_toks_per_s", aiperf.scalar({"output_token_throughput"}));
    metrics.put("total_toks_per_s", aiperf.scalar({"total_token_throughput"}));
    metrics.put("total_input_tokens", aiperf.count({"total_isl", "total_input_tokens"}));
    metrics.put("total_output_tokens", aiperf.count({"total_osl", "total_output_tokens"}));

    auto ttft = aiperf.latency("time_to_first_token");
    auto e2e = aiperf.latency("request_latency");
    auto tpot = aiperf.latency("time_per_output_token");
    auto gaps = aiperf.latency("inter_chunk_latency");
    auto per_request = aiperf.latency("inter_token_latency");
    if (is_aiperf && !is_known(tpot)) {
        tpot = per_request;
        if (!is_known(gaps) && is_known(per_request))
            metrics.note("metrics.itl_ms: AIPerf's inter_token_latency, which is a mean of each request");
    }
    const bool derive_tpot = !number_at(tpot, "mean");
    if (derive_tpot)
        tpot["mean"] = or_null(detail::mean_tpot_ms(e2e, ttft, aiperf.scalar({"output_sequence_length"})));
    metrics.put_latency("ttft_ms", std::move(ttft));
    metrics.put_latency("tpot_ms", std::move(tpot), derive_tpot ? "derived" : "client");
    metrics.put_latency("itl_ms", is_known(gaps) ? std::move(gaps) : std::move(per_request));
    metrics.put_latency("e2e_ms", std::move(e2e));

    if (const auto* cancelled = find(raw, "was_cancelled"); cancelled && *cancelled == json::value(true))
        metrics.note("the run was cancelled before its end");
    if (const auto* config = object_at(raw, "input_config")) {
        const auto* load = object_at(*config, "loadgen");
        for (const char* key : {"concurrency", "request_rate", "request_count", "warmup_request_count"}) {
            if (const auto value = load ? number_at(*load, key) : std::nullopt)
                result.settings[key] = *value;
        }
    }
    for (const char* key : {"start_time", "end_time"}) {
        if (const auto text = string_at(raw, key))
            result.settings[key] = json_text(printable(*text, 60));
    }
    metrics.finish("");
    return result;
}

} // namespace slo::artifact

#endif
