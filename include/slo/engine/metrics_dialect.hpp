// SPDX-License-Identifier: MIT
// The metrics of the simulated engine, shown as one of the real engines shows its own.

#ifndef SLO_ENGINE_METRICS_DIALECT_HPP
#define SLO_ENGINE_METRICS_DIALECT_HPP

#include <slo/engine/metrics_tables.hpp>
#include <slo/engine/metrics_writer.hpp>

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace slo::engine {

/// How an engine shows its metrics. What it counts a request as differs too, and the tables follow it.
struct MetricsDialect {
    std::string_view name;
    std::span<const MetricRow> rows;
    const HistogramBounds* bounds;
    std::string_view labels; ///< of every sample; {model} stands for the model's name
    bool births = false;     ///< each counter and histogram has a twin with its time of birth
    bool process = false;    ///< shows process_start_time_seconds
    bool plain_integers = false;
    std::string_view cache_info = {}; ///< name of a gauge whose labels tell the size of blocks
};

/// All dialects; the first is the one without an option.
inline constexpr std::array<MetricsDialect, 7> metrics_dialects{{
    {"vllm", detail::vllm_rows, &vllm_bounds, "engine=\"0\",model_name=\"{model}\"", true, true, false,
     "vllm:cache_config_info"},
    {"vllm-0.6", detail::vllm_0_6_rows, &vllm_bounds, "model_name=\"{model}\"", false, true, false,
     "vllm:cache_config_info"},
    {"sglang",
     detail::sglang_rows,
     &sglang_bounds,
     "engine_type=\"unified\",model_name=\"{model}\",pp_rank=\"0\",tp_rank=\"0\"",
     false,
     false,
     false,
     {}},
    {"trtllm",
     detail::trtllm_rows,
     &vllm_bounds,
     "engine_type=\"undefined\",model_name=\"{model}\"",
     false,
     false,
     false,
     {}},
    {"lmdeploy",
     detail::lmdeploy_rows,
     &vllm_bounds,
     "engine=\"0\",model_name=\"{model}\"",
     true,
     true,
     false,
     {}},
    {"llamacpp", detail::llamacpp_rows, &vllm_bounds, "", false, false, true, {}},
    {"tgi", detail::tgi_rows, &tgi_bounds, "", false, false, true, {}},
}};

/// The dialect of that name, or nullptr.
constexpr const MetricsDialect* find_dialect(std::string_view name) noexcept
{
    for (const auto& dialect : metrics_dialects)
        if (dialect.name == name)
            return &dialect;
    return nullptr;
}

/// All metrics as Prometheus text 0.0.4. `started_s` is when the counters began, in seconds since the epoch;
/// `hidden` are patterns as matches_metric() takes them.
inline std::string render_metrics(const MetricsDialect& dialect, const MetricsSource& source,
                                  std::string_view model, double started_s,
                                  const std::vector<std::string>& hidden = {})
{
    std::string labels(dialect.labels);
    constexpr std::string_view mark = "{model}";
    if (const auto at = labels.find(mark); at != std::string::npos)
        labels.replace(at, mark.size(), escaped_label(model));
    MetricsWriter writer(
        {labels, dialect.births ? std::optional(started_s) : std::nullopt, dialect.plain_integers, hidden});
    for (const auto& row : dialect.rows) {
        if (row.histogram)
            writer.histogram(row.name, row.help, source.metrics.*row.histogram);
        else
            writer.sample(row.name, row.type, row.help, row.value(source), row.labels);
    }
    if (!dialect.cache_info.empty()) {
        const auto& limits = source.scheduler.limits();
        writer.sample(dialect.cache_info, "gauge", "The KV cache as configured.", 1,
                      "block_size=\"" + std::to_string(block_tokens) + "\",enable_prefix_caching=\"" +
                          (limits.prefix_caching ? "True" : "False") + "\",num_gpu_blocks=\"" +
                          std::to_string(limits.kv_blocks) + "\"");
    }
    auto text = writer.finish();
    if (dialect.process) {
        MetricsWriter process({{}, std::nullopt, false, hidden});
        process.sample("process_start_time_seconds", "gauge",
                       "Start of the process, seconds since the epoch.", started_s);
        text += process.finish();
    }
    return text;
}

} // namespace slo::engine

#endif
