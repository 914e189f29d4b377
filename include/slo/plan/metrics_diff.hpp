// SPDX-License-Identifier: MIT
// Two snapshots of a server's metrics into one diff.

#ifndef SLO_PLAN_METRICS_DIFF_HPP
#define SLO_PLAN_METRICS_DIFF_HPP

#include <slo/base/text.hpp>
#include <slo/plan/cache_rates.hpp>
#include <slo/plan/engine_dialect.hpp>
#include <slo/plan/metrics_figures.hpp>
#include <slo/plan/metrics_notes.hpp>
#include <slo/plan/metrics_reset.hpp>
#include <slo/plan/metrics_window.hpp>
#include <slo/record/diff.hpp>
#include <slo/record/snapshot.hpp>

#include <algorithm>
#include <initializer_list>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace slo::plan {

/// What the caller knows better than the table of engines.
struct DiffOptions {
    std::string hit_metric;   ///< counter of hits; empty: the engine's own
    std::string query_metric; ///< counter of lookups
};

namespace detail {

// Without a row for the engine its metrics are those that start as its counter of hits does.
inline std::string mark_of(const EngineDialect& dialect, const std::vector<CacheFamilies>& caches)
{
    if (!dialect.mark.empty() || caches.empty())
        return std::string(dialect.mark);
    const auto& name = caches.front().hits.name;
    return name.substr(0, std::min(name.find_first_of("_:"), name.size() - 1) + 1);
}

// A metric as its user spells it; failing that, as the server does.
inline Family find_named(const MetricsWindow& window, const std::string& name)
{
    auto family = window.find_exact(name);
    if (!family.empty())
        return family;
    return window.find(name.ends_with("_total") ? std::string_view(name).substr(0, name.size() - 6)
                                                : std::string_view(name));
}

inline std::vector<CacheFamilies> caches_of(const MetricsWindow& window, const EngineDialect& dialect,
                                            const DiffOptions& options, record::Diff& diff)
{
    if (!options.hit_metric.empty()) {
        CacheFamilies cache{"local", find_named(window, options.hit_metric),
                            find_named(window, options.query_metric), true, ""};
        if (!cache.hits.empty() && !cache.denom.empty())
            return {std::move(cache)};
        diff.total.reason = "no metric " +
                            printable(cache.hits.empty() ? options.hit_metric : options.query_metric, 120) +
                            " in the snapshots";
        return {};
    }
    auto caches = find_caches(window, dialect);
    if (caches.empty()) {
        caches = guess_cache_families(window);
        if (!caches.empty())
            diff.notes.emplace_back("the counters of the prefix cache were found by their names alone; "
                                    "--hit-metric and --query-metric name others");
    }
    return caches;
}

// Engines are told apart by the cache that the rate is of; without one by any counter.
inline EngineKey key_of(const MetricsWindow& window, const EngineDialect& dialect,
                        const std::vector<CacheFamilies>& caches)
{
    for (const auto& cache : caches) {
        if (cache.layer == "local")
            return EngineKey(cache.denom);
    }
    for (const auto& names : dialect.counters) {
        if (const auto family = window.find_first(names.names); !family.empty())
            return EngineKey(family);
    }
    return {};
}

inline std::vector<std::string> seen_metrics(const MetricsWindow& window,
                                             const std::vector<CacheFamilies>& caches)
{
    auto names = prefix_metrics_of(window);
    for (const auto& cache : caches)
        names.insert(names.end(), {cache.hits.name, cache.denom.name});
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    return names;
}

inline void judge_caches(record::Diff& diff, const MetricsWindow& window, const EngineDialect& dialect,
                         const std::vector<CacheFamilies>& caches, const EngineKey& key, const Doubts& doubts)
{
    std::string gauges;
    for (const auto name : split_names(dialect.rate_gauges, '|')) {
        if (const auto family = window.find(name); !family.empty())
            gauges += (gauges.empty() ? "" : ", ") + family.name;
    }
    if (!gauges.empty())
        gauges = "no rate is taken from " + gauges + ": the values of the gauge are " +
                 std::string(dialect.rate_gauges_are);
    for (const auto& cache : caches) {
        auto rate = rate_of(window, cache, doubts.about(""));
        if (rate.reason == "no lookups in the window" && identical(window.before(), window.after()))
            rate.reason += ": the snapshots are identical";
        if (cache.layer == "local") {
            diff.total = rate;
            diff.per_engine = rates_by_engine(window, cache, key, doubts);
        }
        diff.layers.emplace_back(cache.layer, std::move(rate));
    }
    if (caches.empty()) {
        diff.status = record::DiffStatus::no_prefix_metrics;
        if (diff.total.reason.empty())
            diff.total.reason = !gauges.empty() ? gauges
                                : window.after().series.empty()
                                    ? "the second snapshot has no metrics"
                                    : "no counters of prefix-cache hits and lookups";
    } else if (!gauges.empty()) {
        diff.notes.push_back(gauges);
    }
    if (!caches.empty() && diff.total.hit_metric.empty())
        diff.total.reason = "the only prefix cache is " + caches.front().layer;
}

} // namespace detail

/// The diff of two snapshots of one server, the earlier first. Nothing is thrown for what they hold: what
/// can't be known is absent, with a reason.
inline record::Diff diff_snapshots(const record::Snapshot& before, const record::Snapshot& after,
                                   const DiffOptions& options = {})
{
    record::Diff diff;
    for (const auto* snapshot : {&before, &after}) {
        if (const auto reason = why_unreadable(*snapshot)) {
            diff.status = record::DiffStatus::error;
            diff.error = printable(snapshot->source, 200) + ": " + *reason;
            return diff;
        }
    }
    const MetricsWindow window(before, after);
    const auto& dialect = dialect_of(after.series.empty() ? before : after);
    diff.engine = dialect.name;
    diff.window_s = window_of(before, after);
    note_flaws(diff, before);
    note_flaws(diff, after);

    const auto caches = detail::caches_of(window, dialect, options, diff);
    diff.prefix_metrics = detail::seen_metrics(window, caches);
    const auto key = detail::key_of(window, dialect, caches);
    if (key.too_many())
        diff.notes.push_back("engines are not told apart: there seem to be more than " +
                             std::to_string(EngineKey::max_engines));
    std::set<std::string> counters;
    for (const auto& cache : caches)
        counters.insert({cache.hits.name, cache.denom.name});
    const auto doubts = find_doubts(window, detail::mark_of(dialect, caches), counters, key);
    diff.reset_detected = doubts.reset_detected;
    detail::judge_caches(diff, window, dialect, caches, key, doubts);

    const auto doubt = doubts.about("");
    for (const auto& names : dialect.histograms) {
        if (auto figures = histogram_of(window, names, doubt))
            diff.histograms.push_back(std::move(*figures));
    }
    const auto add = [](record::NamedFigures& figures, auto rows,
                        std::initializer_list<std::string_view> always, const auto& value_of) {
        for (const auto what : always) {
            const auto row =
                std::find_if(rows.begin(), rows.end(), [&](const auto& r) { return r.what == what; });
            figures.emplace_back(what, row == rows.end() ? std::nullopt : value_of(*row));
        }
    };
    add(diff.gauges, dialect.gauges, {"kv_cache_usage", "running", "waiting"},
        [&](const MetricNames& names) { return gauge_of(window, names); });
    add(diff.counters, dialect.counters, {"preemptions", "prompt_tokens", "generation_tokens"},
        [&](const MetricNames& names) { return counter_of(window, names, doubt); });
    diff.success = success_of(window, dialect, doubt);
    if (const auto family = window.find_first(dialect.tokens_by_source); !family.empty())
        detail::add_by_label(diff.prompt_tokens_by_source, window, family, "source", doubt);
    diff.spec_decode = spec_decode_of(window, dialect.spec, diff.counter("generation_tokens"), doubt);
    diff.block_tokens = block_tokens_of(window, dialect.block_tokens);
    const auto asked =
        detail::sound_sum(window, window.find_first(detail::with_suffix(dialect.choices_n, "_count")), doubt);
    const auto choices =
        detail::sound_sum(window, window.find_first(detail::with_suffix(dialect.choices_n, "_sum")), doubt);
    if (asked && choices && *asked > 0)
        diff.mean_choices_n = *choices / *asked;
    explain_choices(diff);
    return diff;
}

} // namespace slo::plan

#endif
