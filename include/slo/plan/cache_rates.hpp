// SPDX-License-Identifier: MIT
// The hit rates of the prefix caches over a window: by layer, by engine, by where hits were found.

#ifndef SLO_PLAN_CACHE_RATES_HPP
#define SLO_PLAN_CACHE_RATES_HPP

#include <slo/plan/engine_dialect.hpp>
#include <slo/plan/metrics_reset.hpp>
#include <slo/plan/metrics_window.hpp>
#include <slo/plan/prefix_names.hpp>
#include <slo/record/diff.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace slo::plan {

/// The series of one prefix cache.
struct CacheFamilies {
    std::string layer;
    Family hits;
    Family denom;
    bool denom_is_total = true;
    std::string source_label;
};

/// The caches of a dialect that the window has both counters of, the first alternative of each layer.
inline std::vector<CacheFamilies> find_caches(const MetricsWindow& window, const EngineDialect& dialect)
{
    std::vector<CacheFamilies> caches;
    for (const auto& names : dialect.caches) {
        if (std::any_of(caches.begin(), caches.end(), [&](const auto& c) { return c.layer == names.layer; }))
            continue;
        const bool is_total = !names.queries.empty();
        auto hits = window.find(names.hits, names.hits_rule);
        auto denom = window.find(is_total ? names.queries : names.misses);
        if (!hits.empty() && !denom.empty())
            caches.push_back({std::string(names.layer), std::move(hits), std::move(denom), is_total,
                              std::string(names.source_label)});
    }
    return caches;
}

/// The same for an engine without a row.
inline std::vector<CacheFamilies> guess_cache_families(const MetricsWindow& window)
{
    std::vector<CacheFamilies> caches;
    for (const auto& guess : guess_caches(window))
        caches.push_back({guess.layer, window.find_exact(guess.hits), window.find_exact(guess.denom),
                          guess.denom_is_total, ""});
    return caches;
}

/// Why the sum over a family can't be trusted; empty when it can.
inline std::string why_unsound(const MetricsWindow& window, const Family& family)
{
    for (const auto& change : family.changes) {
        if (!std::isfinite(change.difference()))
            return describe(family.name, *change.series) + " is not a finite number";
        if (change.before && !change.after)
            return describe(family.name, *change.series) +
                   (window.after().truncated() ? " is missing in the second snapshot, whose end is cut off"
                                               : " is missing in the second snapshot");
        if (change.fell())
            return describe(family.name, *change.series) + " fell from " + format_double(*change.before) +
                   " to " + format_double(*change.after);
        if (!change.before && window.before().truncated())
            return describe(family.name, *change.series) +
                   " is missing in the first snapshot, whose end is cut off";
    }
    return "";
}

/// The sum of the differences over all series; nothing where one is not finite.
inline std::optional<double> sum_of(const Family& family)
{
    double sum = 0;
    for (const auto& change : family.changes)
        sum += change.difference();
    return std::isfinite(sum) ? std::optional(sum) : std::nullopt;
}

/// The rate of one cache from its series. `doubt` is why their differences can't be trusted, or empty.
/// Differences are summed over the series of each counter, then divided: the two need not have the same
/// labels.
inline record::CacheRate rate_of(const MetricsWindow& window, const CacheFamilies& cache, std::string doubt)
{
    record::CacheRate rate;
    rate.hit_metric = cache.hits.name;
    rate.denom_metric = cache.denom.name;
    rate.denom_is_total = cache.denom_is_total;
    rate.hits = sum_of(cache.hits);
    rate.queries = sum_of(cache.denom);
    if (rate.hits && rate.queries && !cache.denom_is_total)
        *rate.queries += *rate.hits;
    for (const auto* family : {&cache.hits, &cache.denom}) {
        if (doubt.empty())
            doubt = family->empty() ? "no such series" : why_unsound(window, *family);
    }
    if (doubt.empty() && *rate.queries == 0)
        doubt = "no lookups in the window";
    if (doubt.empty() && *rate.hits > *rate.queries)
        doubt = "more hits than lookups: " + rate.hit_metric + " and " + rate.denom_metric +
                " do not count the same";
    rate.reason = std::move(doubt);
    if (!rate.reason.empty())
        return rate;
    rate.hit_rate = *rate.hits / *rate.queries;
    std::map<std::string, double> by_source;
    for (const auto& change : cache.hits.changes) {
        const auto* source = cache.source_label.empty() ? nullptr : change.series->label(cache.source_label);
        if (source)
            by_source[*source] += change.difference();
    }
    for (const auto& [source, hits] : by_source)
        rate.by_source.emplace_back(source, hits / *rate.queries);
    return rate;
}

/// The rate of each engine; empty where the series name none.
inline std::vector<std::pair<std::string, record::CacheRate>> rates_by_engine(const MetricsWindow& window,
                                                                              const CacheFamilies& cache,
                                                                              const EngineKey& key,
                                                                              const Doubts& doubts)
{
    std::map<std::string, CacheFamilies> engines;
    const auto share_out = [&](const Family& family, Family CacheFamilies::*member) {
        for (const auto& change : family.changes) {
            const auto name = key.of(*change.series);
            if (!name.empty())
                (engines[name].*member).changes.push_back(change);
        }
    };
    share_out(cache.hits, &CacheFamilies::hits);
    share_out(cache.denom, &CacheFamilies::denom);
    std::vector<std::pair<std::string, record::CacheRate>> rates;
    for (auto& [name, own] : engines) {
        own.hits.name = cache.hits.name;
        own.denom.name = cache.denom.name;
        own.denom_is_total = cache.denom_is_total;
        own.source_label = cache.source_label;
        rates.emplace_back(name, rate_of(window, own, doubts.about(name)));
    }
    return rates;
}

} // namespace slo::plan

#endif
