// SPDX-License-Identifier: MIT
// What a window's metrics say besides cache hits: histograms, gauges, counters, speculative decoding.

#ifndef SLO_PLAN_METRICS_FIGURES_HPP
#define SLO_PLAN_METRICS_FIGURES_HPP

#include <slo/base/text.hpp>
#include <slo/plan/cache_rates.hpp>
#include <slo/plan/engine_dialect.hpp>
#include <slo/plan/metrics_window.hpp>
#include <slo/record/diff.hpp>
#include <slo/stats/bucket_quantile.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace slo::plan {

namespace detail {

// The alternatives "a|b" with a suffix each.
inline std::string with_suffix(std::string_view names, std::string_view suffix)
{
    std::string all;
    for (const auto name : split_names(names, '|'))
        all.append(all.empty() ? "" : "|").append(name).append(suffix);
    return all;
}

// A label `le` as a bound; NaN where it is none.
inline double bound_of(const record::Series& series)
{
    const auto* text = series.label("le");
    if (!text)
        return std::numeric_limits<double>::quiet_NaN();
    if (*text == "+Inf" || *text == "Inf" || *text == "inf")
        return std::numeric_limits<double>::infinity();
    return parse_double(*text).value_or(std::numeric_limits<double>::quiet_NaN());
}

// The difference of a counter that may be trusted, or nothing.
inline std::optional<double> sound_sum(const MetricsWindow& window, const Family& family,
                                       const std::string& doubt)
{
    if (family.empty() || !doubt.empty() || !why_unsound(window, family).empty())
        return std::nullopt;
    return sum_of(family);
}

inline void add_by_label(record::NamedFigures& figures, const MetricsWindow& window, const Family& family,
                         std::string_view label, const std::string& doubt)
{
    std::map<std::string, double> sums;
    for (const auto& change : family.changes) {
        const auto* value = change.series->label(label);
        sums[value ? *value : ""] += change.difference();
    }
    const bool sound = sound_sum(window, family, doubt).has_value();
    for (const auto& [value, sum] : sums)
        figures.emplace_back(value, sound ? std::optional(sum) : std::nullopt);
}

} // namespace detail

/// A histogram over the window: the differences of its buckets, summed over all series. Nothing when the
/// server has no such histogram.
inline std::optional<record::HistogramFigures>
histogram_of(const MetricsWindow& window, const MetricNames& names, const std::string& doubt)
{
    const auto buckets = window.find_first(detail::with_suffix(names.names, "_bucket"), names.rule);
    if (buckets.empty())
        return std::nullopt;
    record::HistogramFigures figures;
    figures.name = names.what;
    figures.metric = buckets.name.substr(0, buckets.name.size() - std::string_view("_bucket").size());
    figures.reason = !doubt.empty() ? doubt : why_unsound(window, buckets);
    if (!figures.reason.empty())
        return figures;
    std::vector<stats::Bucket> differences;
    for (const auto& change : buckets.changes)
        differences.push_back({detail::bound_of(*change.series), change.difference()});
    const stats::BucketHistogram histogram(std::move(differences));
    const auto count = detail::sound_sum(window, window.find(figures.metric + "_count", names.rule), doubt);
    const auto sum = detail::sound_sum(window, window.find(figures.metric + "_sum", names.rule), doubt);
    figures.count = count ? *count : histogram.count();
    if (sum && *figures.count > 0)
        figures.mean = *sum / *figures.count;
    for (std::size_t i = 0; i < record::diff_quantiles.size(); ++i)
        figures.quantiles[i] = histogram.quantile(record::diff_quantiles[i].second);
    figures.reason = histogram.reason();
    if (figures.reason.empty() && histogram.is_lower_limit(record::diff_quantiles.back().second))
        figures.reason = "p99 lies above the highest finite bucket, whose bound it shows";
    return figures;
}

/// A gauge in the second snapshot: a share as the largest over all series, anything else as their sum.
inline std::optional<double> gauge_of(const MetricsWindow& window, const MetricNames& names)
{
    const bool is_share = names.what == "kv_cache_usage";
    std::optional<double> value;
    for (const auto& change : window.find_first(names.names, names.rule).changes) {
        if (!change.after || !std::isfinite(*change.after))
            continue;
        value = !value ? *change.after : is_share ? std::max(*value, *change.after) : *value + *change.after;
    }
    return value;
}

/// A counter's difference over the window, all summands of "a+b" that are there together.
inline std::optional<double> counter_of(const MetricsWindow& window, const MetricNames& names,
                                        const std::string& doubt)
{
    std::optional<double> total;
    for (const auto name : split_names(names.names, '+')) {
        const auto family = window.find_first(name, names.rule);
        if (family.empty())
            continue;
        const auto sum = detail::sound_sum(window, family, doubt);
        if (!sum)
            return std::nullopt;
        total = total.value_or(0) + *sum;
    }
    return total;
}

/// Ended requests by reason.
inline record::NamedFigures success_of(const MetricsWindow& window, const EngineDialect& dialect,
                                       const std::string& doubt)
{
    record::NamedFigures success;
    for (const auto& names : dialect.success) {
        const auto family = window.find(names.name);
        if (family.empty())
            continue;
        if (names.label.empty())
            success.emplace_back(names.reason, detail::sound_sum(window, family, doubt));
        else
            detail::add_by_label(success, window, family, names.label, doubt);
    }
    return success;
}

/// Speculative decoding over the window; nothing when the server has none of its counters. The mean accepted
/// length is 1 + accepted / drafts, as vLLM defines it; a decode cycle yields one token and what it accepts.
inline std::optional<record::SpecDecode> spec_decode_of(const MetricsWindow& window, const SpecNames& names,
                                                        std::optional<double> generation_tokens,
                                                        const std::string& doubt)
{
    const auto accepted = window.find_first(names.accepted_tokens);
    const auto draft_tokens = window.find_first(names.draft_tokens);
    if (accepted.empty() && draft_tokens.empty())
        return std::nullopt;
    record::SpecDecode spec;
    spec.accepted_metric = accepted.name;
    spec.draft_metric = draft_tokens.name;
    if (!accepted.empty())
        spec.accepted_tokens = sum_of(accepted);
    if (!draft_tokens.empty())
        spec.draft_tokens = sum_of(draft_tokens);
    const auto drafts = window.find_first(names.drafts);
    if (!drafts.empty())
        spec.drafts = sum_of(drafts);
    spec.reason = doubt;
    for (const auto* family : {&accepted, &draft_tokens, &drafts}) {
        if (spec.reason.empty())
            spec.reason = why_unsound(window, *family);
    }
    if (spec.reason.empty() && (accepted.empty() || draft_tokens.empty()))
        spec.reason = std::string("no counter of ") + (accepted.empty() ? "accepted" : "draft") + " tokens";
    if (spec.reason.empty() && *spec.draft_tokens == 0)
        spec.reason = "nothing was drafted in the window";
    if (spec.reason.empty() && *spec.accepted_tokens > *spec.draft_tokens)
        spec.reason = "more tokens accepted than drafted";
    if (!spec.reason.empty())
        return spec;
    spec.acceptance_rate = *spec.accepted_tokens / *spec.draft_tokens;
    if (spec.drafts && *spec.drafts > 0) {
        spec.mean_accepted_length = 1 + *spec.accepted_tokens / *spec.drafts;
        std::map<long, double> positions;
        for (const auto& change : window.find_first(names.per_position).changes) {
            const auto* text = change.series->label("position");
            const auto position = text ? parse_integer<long>(*text) : std::nullopt;
            if (position && *position >= 0 && std::isfinite(change.difference()))
                positions[*position] += change.difference();
        }
        for (const auto& [position, tokens] : positions)
            spec.per_position.push_back(tokens / *spec.drafts);
    }
    if (generation_tokens && *generation_tokens > *spec.accepted_tokens) {
        const double cycles = *generation_tokens - *spec.accepted_tokens;
        spec.tokens_per_cycle = *generation_tokens / cycles;
        if (spec.drafts)
            spec.coverage = *spec.drafts / cycles;
    }
    return spec;
}

/// Tokens a block of the KV cache holds: a gauge, or a label of an info metric.
inline std::optional<double> block_tokens_of(const MetricsWindow& window, const MetricNames& names)
{
    for (const auto& change : window.find_first(names.names, names.rule).changes) {
        if (names.what.empty())
            return change.after;
        if (const auto* text = change.series->label(names.what))
            return parse_double(*text);
    }
    return std::nullopt;
}

} // namespace slo::plan

#endif
