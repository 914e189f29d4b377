// SPDX-License-Identifier: MIT
// The metrics that a card requires, by name: where in an artifact each may stand.

#ifndef SLO_ARTIFACT_VALIDITY_METRICS_HPP
#define SLO_ARTIFACT_VALIDITY_METRICS_HPP

#include <slo/artifact/artifact.hpp>
#include <slo/artifact/validity_evidence.hpp>
#include <slo/base/json.hpp>
#include <slo/base/text.hpp>

#include <array>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace slo::artifact {

namespace detail {

/// Paths of a metric, "|" between ways to find it, "+" between values of which all must be there; "ext."
/// stands for "extensions.".
struct MetricPaths {
    std::string_view name; ///< "metric", or "block.metric" of the card's extensions
    std::string_view paths;
};

inline constexpr std::array metric_paths{
    MetricPaths{"prefix_hit_rate", "ext.cache_stats.prefix_hit_rate|ext.cache_stats.prefix_cache_hit_rate|"
                                   "ext.cache_stats.prefix_cache_hit_rate_mean"},
    MetricPaths{"prefix_cache_hit_rate",
                "ext.cache_stats.prefix_cache_hit_rate|ext.cache_stats.prefix_cache_hit_rate_mean|"
                "ext.cache_stats.prefix_hit_rate"},
    MetricPaths{"aggregate_prefix_hit_rate",
                "ext.cache_stats.aggregate_prefix_hit_rate|ext.cache_stats.prefix_hit_rate|"
                "ext.cache_stats.prefix_cache_hit_rate"},
    MetricPaths{"kv_utilization_pct",
                "ext.cache_stats.kv_utilization_pct|ext.cache_stats.kv_utilization_pct_mean|"
                "ext.cache_stats.kv_cache_usage_pct_mean"},
    MetricPaths{"kv_utilization_timeseries", "ext.cache_stats.kv_utilization_timeseries"},
    MetricPaths{"cold_vs_warm_ttft_ratio",
                "ext.cache_stats.cold_vs_warm_ttft_ratio|ext.cache_stats.ttft_cold_warm_ratio|"
                "ext.cache_stats.ttft_cold_vs_warm_ratio|ext.distribution.cold_vs_warm_ttft_ratio"},
    MetricPaths{"ttft_cold_vs_warm_ratio",
                "ext.cache_stats.ttft_cold_vs_warm_ratio|ext.cache_stats.ttft_cold_warm_ratio|"
                "ext.cache_stats.cold_vs_warm_ttft_ratio|ext.distribution.cold_vs_warm_ttft_ratio"},
    MetricPaths{"preemption_count", "ext.cache_stats.preemption_count|ext.cache_stats.num_preemptions"},
    MetricPaths{"eviction_rate", "ext.cache_stats.eviction_rate|ext.cache_stats.evictions_per_s"},
    MetricPaths{"input_length_p50_p99",
                "ext.distribution.input_length_p50_p99|"
                "ext.distribution.input_tokens.p50+ext.distribution.input_tokens.p99"},
    MetricPaths{"output_length_p50_p99",
                "ext.distribution.output_length_p50_p99|"
                "ext.distribution.output_tokens.p50+ext.distribution.output_tokens.p99"},
    MetricPaths{"per_turn_ttft_distribution",
                "ext.distribution.per_turn_ttft_distribution|ext.per_turn_ttft_distribution|"
                "ext.per_turn.ttft_by_turn_index"},
    MetricPaths{"per_turn.ttft_by_turn_index",
                "ext.per_turn.ttft_by_turn_index|ext.distribution.per_turn_ttft_distribution"},
    MetricPaths{"input_tokens_histogram", "ext.distribution.input_tokens_histogram"},
    MetricPaths{"output_tokens_histogram", "ext.distribution.output_tokens_histogram"},
    MetricPaths{"ttft_histogram_by_concurrency", "ext.distribution.ttft_histogram_by_concurrency"},
    // Those that the classic gate looks up at the root, where nobody writes them.
    MetricPaths{"error_rate", "metrics.error_rate"},
    MetricPaths{"output_toks_per_s", "metrics.output_toks_per_s"},
    MetricPaths{"ttft_p50_p99", "metrics.ttft_ms.p50+metrics.ttft_ms.p99"},
    MetricPaths{"tpot_or_itl_p50_p99",
                "metrics.tpot_ms.p50+metrics.tpot_ms.p99|metrics.itl_ms.p50+metrics.itl_ms.p99"},
    MetricPaths{"sustained_rps_at_slo",
                "ext.throughput.sustained_rps_at_slo|ext.distribution.sustained_rps_at_slo"},
    MetricPaths{"real_vs_synthetic_split",
                "ext.augmentation_audit.real_vs_synthetic_split|ext.distribution.real_vs_synthetic_split"},
    MetricPaths{"flops_per_token_per_tier", "ext.tiers.flops_per_token_per_tier"},
    MetricPaths{"kv_cache_usage_perc_per_tier", "ext.tiers.kv_cache_usage_perc_per_tier"},
    MetricPaths{"per_tier_completion", "ext.tiers.per_tier_completion"},
    // Those of other blocks that stand elsewhere in the envelope.
    MetricPaths{"stability.drift_curve", "stability.drift_curve_path"},
    MetricPaths{"stability.thermal_event_log", "stability.thermal_events"},
    MetricPaths{"stability.ecc_delta", "hardware_errors.ecc_sbe_delta+hardware_errors.ecc_dbe_delta"},
    MetricPaths{"power.continuous_sampling", "power.power_watts.mean+power.duration_s"},
    MetricPaths{"hardware_errors.pcie_replay_delta",
                "hardware_errors.pcie_replay_delta|hardware_errors.pcie_replay_count_delta"},
    MetricPaths{"latency.itl_p95_ms", "metrics.itl_ms.p95"},
    MetricPaths{"throughput.output_tokens_per_sec", "metrics.output_toks_per_s"},
    // What the DCGM gauges are called in gpu_telemetry.
    MetricPaths{"dcgm.DCGM_FI_DEV_GPU_UTIL", "ext.gpu_telemetry.gpu_util_pct_mean"},
    MetricPaths{"dcgm.DCGM_FI_PROF_DRAM_ACTIVE", "ext.gpu_telemetry.hbm_bw_util_pct_mean"},
    MetricPaths{"dcgm.DCGM_FI_PROF_SM_ACTIVE", "ext.gpu_telemetry.sm_active_pct_mean"},
    MetricPaths{"dcgm.DCGM_FI_PROF_PIPE_TENSOR_ACTIVE", "ext.gpu_telemetry.tensor_active_pct_mean"},
    MetricPaths{"dcgm.DCGM_FI_DEV_POWER_USAGE", "ext.gpu_telemetry.power_draw_w_mean"},
    MetricPaths{"dcgm.DCGM_FI_DEV_GPU_TEMP", "ext.gpu_telemetry.temp_c_max"},
    MetricPaths{"dcgm.DCGM_FI_DEV_FB_USED", "ext.gpu_telemetry.memory_used_mib_mean"},
    MetricPaths{"dcgm.DCGM_FI_DEV_XID_ERRORS", "ext.gpu_telemetry.xid_errors"},
};

// Calls take(paths) for each way to find a metric of the table.
template <class Take>
void each_way(std::string_view name, Take&& take)
{
    for (const auto& row : metric_paths) {
        if (row.name != name)
            continue;
        for (auto ways = row.paths; !ways.empty();) {
            const auto bar = ways.find('|');
            take(ways.substr(0, bar));
            ways.remove_prefix(bar == std::string_view::npos ? ways.size() : bar + 1);
        }
    }
}

inline std::string whole_path(std::string_view path)
{
    return path.starts_with("ext.") ? "extensions" + std::string(path.substr(3)) : std::string(path);
}

// The evidence of one way to find a metric: the weakest of its values.
inline Evidence evidence_of_all(const Artifact& artifact, std::string_view paths)
{
    auto weakest = Evidence::measured;
    while (!paths.empty()) {
        const auto plus = paths.find('+');
        weakest = std::min(weakest, evidence_of(artifact, whole_path(paths.substr(0, plus))));
        paths.remove_prefix(plus == std::string_view::npos ? paths.size() : plus + 1);
    }
    return weakest;
}

inline void ask_for(std::set<std::string>& names, const std::string& block, const json::object& metrics)
{
    for (const auto& member : metrics) {
        const std::string name(member.key().data(), member.key().size());
        const auto full = block == "cache_stats" || block == "distribution" ? name : block + "." + name;
        if (const auto* word = member.value().if_string()) {
            if (lower_case({word->data(), word->size()}) == "required")
                names.insert(full);
        } else if (const auto* gauges = member.value().if_array()) { // dcgm.required_gauges
            for (const auto& gauge : *gauges) {
                if (const auto* text = gauge.if_string())
                    names.insert(block + "." + std::string(*text));
            }
        }
    }
}

} // namespace detail

/// What a card requires: validation.required_metrics, and each metric marked required in any block of its
/// extensions, as "block.metric" outside cache_stats and distribution. Sorted, each once.
inline std::set<std::string> required_metrics(const json::object& card)
{
    std::set<std::string> names;
    if (const auto* list = value_at(card, "validation.required_metrics"); list && list->is_array()) {
        for (const auto& name : list->get_array()) {
            if (const auto* text = name.if_string())
                names.emplace(*text);
        }
    }
    if (const auto* blocks = object_at(card, "extensions")) {
        for (const auto& block : *blocks) {
            if (const auto* metrics = block.value().if_object())
                detail::ask_for(names, std::string(block.key()), *metrics);
        }
    }
    return names;
}

/// The best evidence that an artifact has of a metric. A name without paths of its own is looked for as
/// extensions.cache_stats.NAME, extensions.distribution.NAME, extensions.NAME and NAME; workload.* is never
/// looked at: there stands what the card says.
inline Evidence metric_evidence(const Artifact& artifact, std::string_view name)
{
    auto best = Evidence::absent;
    const auto look = [&](std::string_view paths) {
        best = std::max(best, detail::evidence_of_all(artifact, paths));
    };
    detail::each_way(name, look);
    const std::string own(name);
    for (const auto* place : {"ext.cache_stats.", "ext.distribution.", "ext."})
        look(place + own);
    if (!name.starts_with("workload."))
        look(name);
    return best;
}

/// The number that an artifact has for a metric, where it is a single one.
inline std::optional<double> metric_number(const Artifact& artifact, std::string_view name)
{
    std::optional<double> number;
    detail::each_way(name, [&](std::string_view paths) {
        if (!number)
            number = artifact.number(detail::whole_path(paths));
    });
    return number;
}

/// A metric of one load point, as "e2e_p90_ms_at_70_rps": the figure, and the load at which it is wanted.
struct PointMetric {
    std::string path; ///< "metrics.e2e_ms.p90"
    double load = 0;
    bool is_rate = false; ///< requests a second; else concurrent requests
};

/// Reads such a name; nothing where it is none: FIGURE_pNN_ms_at_N_rps or FIGURE_pNN_ms_at_N_concurrent.
inline std::optional<PointMetric> point_metric(std::string_view name)
{
    const auto at = name.find("_ms_at_");
    if (at == std::string_view::npos)
        return std::nullopt;
    const auto figure = name.substr(0, at);
    const auto point = name.substr(at + std::string_view("_ms_at_").size());
    const auto cut = figure.rfind('_');
    const auto unit = point.rfind('_');
    if (cut == std::string_view::npos || unit == std::string_view::npos)
        return std::nullopt;
    const auto load = parse_double(point.substr(0, unit));
    const auto what = point.substr(unit + 1);
    if (!load || (what != "rps" && what != "concurrent"))
        return std::nullopt;
    return PointMetric{"metrics." + std::string(figure.substr(0, cut)) + "_ms." +
                           std::string(figure.substr(cut + 1)),
                       *load, what == "rps"};
}

} // namespace slo::artifact

#endif
