// SPDX-License-Identifier: MIT
// The diff record (sloutils.diff/1): what the server's metrics did between two snapshots.

#ifndef SLO_RECORD_DIFF_HPP
#define SLO_RECORD_DIFF_HPP

#include <slo/base/error.hpp>
#include <slo/base/json.hpp>

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace slo::record {

inline constexpr std::string_view diff_schema = "sloutils.diff/1";

/// What two snapshots came to: a prefix cache was found (its rate may still be null), none was, or they
/// could not be compared at all.
enum class DiffStatus { ok, no_prefix_metrics, error };

/// The name a status has in records.
constexpr std::string_view name_of(DiffStatus status) noexcept
{
    constexpr std::array<std::string_view, 3> names{"OK", "NO_PREFIX_METRICS", "ERROR"};
    return names[static_cast<std::size_t>(status)];
}

/// The exit status of prom-diff for a diff.
constexpr Exit exit_of(DiffStatus status) noexcept
{
    constexpr std::array exits{Exit::ok, Exit::undecided, Exit::error};
    return exits[static_cast<std::size_t>(status)];
}

/// Names with figures, in order.
using NamedFigures = std::vector<std::pair<std::string, std::optional<double>>>;

/// Hits of one prefix cache, in the unit its counters have (tokens or blocks).
struct CacheRate {
    std::optional<double> hit_rate; ///< hits over queries, 0 to 1
    std::optional<double> hits;     ///< as the counters differ: negative across a restart
    std::optional<double> queries;
    std::string hit_metric;
    std::string denom_metric;
    bool denom_is_total = true; ///< false: denom_metric counts misses, and queries = hits + misses
    NamedFigures by_source;     ///< rates of the kinds of hits, over all queries
    std::string reason;         ///< why there is no rate; empty where there is one
};

/// Speculative decoding in the window.
struct SpecDecode {
    std::optional<double> acceptance_rate; ///< accepted over draft tokens
    std::optional<double> accepted_tokens;
    std::optional<double> draft_tokens;
    std::optional<double> drafts;
    std::optional<double> mean_accepted_length; ///< tokens a verified draft yields: 1 + accepted / drafts
    std::vector<double> per_position;           ///< share of the drafts accepted up to there
    std::optional<double> coverage;             ///< share of the decode cycles that had a draft
    std::optional<double> tokens_per_cycle;     ///< tokens generated a decode cycle
    std::string accepted_metric;
    std::string draft_metric;
    std::string reason; ///< why there is no rate
};

/// The observations a histogram took in during the window.
struct HistogramFigures {
    std::string name;   ///< "ttft", "tpot", …
    std::string metric; ///< seconds, as every engine's latency histograms are
    std::optional<double> count;
    std::optional<double> mean;
    std::array<std::optional<double>, 4> quantiles{}; ///< p50, p90, p95, p99
    std::string reason;                               ///< why figures are missing
};

/// The quantiles of HistogramFigures.
inline constexpr std::array<std::pair<std::string_view, double>, 4> diff_quantiles{
    {{"p50", 0.5}, {"p90", 0.9}, {"p95", 0.95}, {"p99", 0.99}}};

/// One diff. Every figure that can't be known is absent.
struct Diff {
    DiffStatus status = DiffStatus::ok;
    std::string error;  ///< why status is error
    std::string engine; ///< name of the dialect, "vllm"; "unknown" where names were guessed
    CacheRate total;    ///< the local layer, all engines
    std::vector<std::pair<std::string, CacheRate>> layers;
    std::vector<std::pair<std::string, CacheRate>> per_engine;
    std::vector<std::string> prefix_metrics;
    bool reset_detected = false;
    std::optional<double> window_s;
    std::optional<SpecDecode> spec_decode;
    std::vector<HistogramFigures> histograms;
    NamedFigures gauges;   ///< as the second snapshot has them
    NamedFigures counters; ///< differences
    NamedFigures success;  ///< requests ended, by finish reason
    NamedFigures prompt_tokens_by_source;
    std::optional<double> block_tokens;   ///< tokens a block of the KV cache holds
    std::optional<double> mean_choices_n; ///< mean of the requests' parameter n
    std::vector<std::string> notes;

    /// The difference of the counter `name` ("generation_tokens"), or nothing.
    std::optional<double> counter(std::string_view name) const
    {
        for (const auto& [key, value] : counters)
            if (key == name)
                return value;
        return std::nullopt;
    }
};

namespace detail {

inline json::object figures_json(const NamedFigures& figures)
{
    json::object object;
    for (const auto& [name, value] : figures)
        object[name] = or_null(value);
    return object;
}

inline json::object rate_json(const CacheRate& rate)
{
    json::object object{{"hit_rate", or_null(rate.hit_rate)},
                        {"hits", or_null(rate.hits)},
                        {"queries", or_null(rate.queries)},
                        {"hit_metric", text_or_null(rate.hit_metric)},
                        {"denom_metric", text_or_null(rate.denom_metric)},
                        {"denom_is_total", rate.denom_is_total}};
    if (!rate.by_source.empty())
        object["by_source"] = figures_json(rate.by_source);
    if (!rate.reason.empty())
        object["reason"] = rate.reason;
    return object;
}

inline json::object rates_json(const std::vector<std::pair<std::string, CacheRate>>& rates)
{
    json::object object;
    for (const auto& [name, rate] : rates)
        object[name] = rate_json(rate);
    return object;
}

inline json::object spec_json(const SpecDecode& spec)
{
    json::object object{{"acceptance_rate", or_null(spec.acceptance_rate)},
                        {"accepted_tokens", or_null(spec.accepted_tokens)},
                        {"draft_tokens", or_null(spec.draft_tokens)},
                        {"drafts", or_null(spec.drafts)},
                        {"mean_accepted_length", or_null(spec.mean_accepted_length)},
                        {"per_position", json::array(spec.per_position.begin(), spec.per_position.end())},
                        {"coverage", or_null(spec.coverage)},
                        {"tokens_per_cycle", or_null(spec.tokens_per_cycle)},
                        {"accepted_metric", text_or_null(spec.accepted_metric)},
                        {"draft_metric", text_or_null(spec.draft_metric)}};
    if (!spec.reason.empty())
        object["reason"] = spec.reason;
    return object;
}

inline json::object histogram_json(const HistogramFigures& figures)
{
    json::object object{{"metric", figures.metric},
                        {"unit", "s"},
                        {"count", or_null(figures.count)},
                        {"mean", or_null(figures.mean)}};
    for (std::size_t i = 0; i < diff_quantiles.size(); ++i)
        object[diff_quantiles[i].first] = or_null(figures.quantiles[i]);
    if (!figures.reason.empty())
        object["reason"] = figures.reason;
    return object;
}

} // namespace detail

/// The record of a diff.
inline json::object to_record(const Diff& diff)
{
    json::object record{{"schema", json_text(diff_schema)}, {"status", json_text(name_of(diff.status))}};
    if (diff.status == DiffStatus::error) {
        record["error"] = diff.error;
        record["hit_rate"] = nullptr;
        return record;
    }
    for (const auto& member : detail::rate_json(diff.total))
        record[member.key()] = member.value();
    const json::array seen(diff.prefix_metrics.begin(), diff.prefix_metrics.end());
    record["all_prefix_metrics_seen"] = seen;
    if (diff.status == DiffStatus::no_prefix_metrics)
        record["prefix_metric_candidates"] = seen;
    record["engine"] = diff.engine;
    record["layers"] = detail::rates_json(diff.layers);
    record["per_engine"] = detail::rates_json(diff.per_engine);
    record["reset_detected"] = diff.reset_detected;
    record["window_s"] = or_null(diff.window_s);
    record["spec_decode"] = diff.spec_decode ? json::value(detail::spec_json(*diff.spec_decode)) : nullptr;
    json::object histograms;
    for (const auto& figures : diff.histograms)
        histograms[figures.name] = detail::histogram_json(figures);
    record["histograms"] = std::move(histograms);
    record["gauges"] = detail::figures_json(diff.gauges);
    auto counters = detail::figures_json(diff.counters);
    counters["success"] = detail::figures_json(diff.success);
    if (!diff.prompt_tokens_by_source.empty())
        counters["prompt_tokens_by_source"] = detail::figures_json(diff.prompt_tokens_by_source);
    record["counters"] = std::move(counters);
    record["block_tokens"] = or_null(diff.block_tokens);
    record["notes"] = json::array(diff.notes.begin(), diff.notes.end());
    return record;
}

} // namespace slo::record

#endif
