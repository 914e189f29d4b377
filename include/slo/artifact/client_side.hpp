// SPDX-License-Identifier: MIT
// What the client of a run measured, as an artifact has it.

#ifndef SLO_ARTIFACT_CLIENT_SIDE_HPP
#define SLO_ARTIFACT_CLIENT_SIDE_HPP

#include <slo/artifact/blocks.hpp>
#include <slo/base/json.hpp>
#include <slo/record/round_window.hpp>
#include <slo/stats/sample.hpp>
#include <slo/stats/sketch.hpp>

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace slo::artifact {

/// What is left out of a run before measuring.
struct WarmUp {
    std::int64_t requests = 0; ///< the first so many in the order of their due times
    int first_round = 1;       ///< and all rounds before this one
};

/// The latency block of a sample, each figure times `factor`; all null for an empty one.
inline json::object latency_block(const stats::Sample& sample, double factor)
{
    auto block = unknown_latency();
    if (const auto summary = sample.summary()) {
        block["mean"] = *sample.moments().mean() * factor;
        block["p50"] = summary->p50 * factor;
        block["p90"] = summary->p90 * factor;
        block["p95"] = summary->p95 * factor;
        block["p99"] = summary->p99 * factor;
    }
    return block;
}

/// The same of a sketch, within its relative error.
inline json::object latency_block(const stats::QuantileSketch& sketch, double factor)
{
    auto block = unknown_latency();
    if (sketch.count() == 0)
        return block;
    block["mean"] = sketch.mean() * factor;
    block["p50"] = *sketch.quantile(0.50) * factor;
    block["p90"] = *sketch.quantile(0.90) * factor;
    block["p95"] = *sketch.quantile(0.95) * factor;
    block["p99"] = *sketch.quantile(0.99) * factor;
    return block;
}

/// What is counted of the requests that are measured; absent: not known.
struct ClientCounts {
    std::optional<std::int64_t> completed;
    std::optional<std::int64_t> failed; ///< all that were due and have no success
    std::optional<double> input_tokens; ///< of the successes
    std::optional<double> output_tokens;
    std::optional<double> duration_s; ///< of the measured window
    std::optional<std::int64_t> in_flight_max;
};

/// The block `metrics` of counts and of the latency blocks ttft_ms, tpot_ms, itl_ms, e2e_ms. What is not
/// known is null.
inline json::object metrics_block(const ClientCounts& counts, const json::object& latencies)
{
    const auto rate = [&](std::optional<double> amount) -> json::value {
        if (!amount || !counts.duration_s || !(*counts.duration_s > 0))
            return nullptr;
        return *amount / *counts.duration_s;
    };
    const auto whole = [](std::optional<double> amount) -> json::value {
        return amount ? json::value(static_cast<std::int64_t>(*amount + 0.5)) : json::value(nullptr);
    };
    std::optional<double> error_rate;
    if (counts.completed && counts.failed && *counts.completed + *counts.failed > 0)
        error_rate =
            static_cast<double>(*counts.failed) / static_cast<double>(*counts.completed + *counts.failed);
    std::optional<double> total;
    if (counts.input_tokens && counts.output_tokens)
        total = *counts.input_tokens + *counts.output_tokens;
    json::object block{{"duration_s", or_null(counts.duration_s)},
                       {"completed", or_null(counts.completed)},
                       {"failed", or_null(counts.failed)},
                       {"error_rate", or_null(error_rate)}};
    for (const auto* name : {"ttft_ms", "tpot_ms", "itl_ms", "e2e_ms"}) {
        const auto* latency = find(latencies, name);
        block[name] = latency ? *latency : json::value(unknown_latency());
    }
    block["output_toks_per_s"] = rate(counts.output_tokens);
    block["request_throughput"] =
        rate(counts.completed ? std::optional(static_cast<double>(*counts.completed)) : std::nullopt);
    block["total_toks_per_s"] = rate(total);
    block["total_input_tokens"] = whole(counts.input_tokens);
    block["total_output_tokens"] = whole(counts.output_tokens);
    block["max_concurrent_requests"] = or_null(counts.in_flight_max);
    return block;
}

/// What the client's records come to.
struct ClientSide {
    ClientCounts counts;
    json::object latencies; ///< ttft_ms, tpot_ms, itl_ms, e2e_ms
    bool exact = true;      ///< false: percentiles within the relative error of a sketch
    record::LatencyBasis basis = record::LatencyBasis::due;
    std::int64_t warm_up_requests = 0; ///< left out
    std::optional<double> from_s;      ///< the measured window, since the run's start
    std::optional<double> to_s;
    json::object errors;         ///< failures by kind
    json::object finish_reasons; ///< of the successes
    json::object distribution;   ///< a block of extensions; null members: not known
    std::optional<double> cold_vs_warm_ttft_ratio;
    std::vector<std::string> notes;
};

} // namespace slo::artifact

#endif
