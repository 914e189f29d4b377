// SPDX-License-Identifier: MIT
// Finds the counters of a prefix cache by their names alone, for an engine that has no row of its own.

#ifndef SLO_PLAN_PREFIX_NAMES_HPP
#define SLO_PLAN_PREFIX_NAMES_HPP

#include <slo/base/text.hpp>
#include <slo/plan/metrics_window.hpp>
#include <slo/record/snapshot.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace slo::plan {

/// The counters of one prefix cache, found by name.
struct GuessedCache {
    std::string layer;
    std::string hits;
    std::string denom; ///< counts lookups, or misses
    bool denom_is_total = true;
};

namespace detail {

enum class PrefixKind { none, hits, queries, misses };

inline bool contains_any(std::string_view text, std::initializer_list<std::string_view> words)
{
    return std::any_of(words.begin(), words.end(),
                       [text](std::string_view word) { return text.find(word) != std::string_view::npos; });
}

inline double volume(const MetricsWindow& window, const std::string& name)
{
    double sum = 0;
    for (const auto& change : window.find_exact(name).changes)
        sum += std::abs(change.difference());
    return std::isfinite(sum) ? sum : 0;
}

// No server has more of them; the pairs of hostile ones would be too many to try.
inline constexpr std::size_t max_prefix_names = 500;

// What a name says: which of the counts it is, of which cache, and what is left of it without that.
struct PrefixName {
    std::string name;
    PrefixKind kind = PrefixKind::none;
    std::string_view layer;
    std::string stem;
    bool deprecated = false; ///< has a twin without "gpu_" or "cpu_"
    double volume = 0;       ///< how far the counter moved
};

// A histogram's parts and what Prometheus libraries add are no counters of lookups.
inline bool is_part_of_another(const MetricsWindow& window, std::string_view name)
{
    using record::PromType;
    const auto type = window.type_of(name);
    if (type != PromType::untyped && type != PromType::counter)
        return true;
    if (name.ends_with("_created") || name.ends_with("_bucket"))
        return true;
    for (const std::string_view suffix : {"_sum", "_count"}) {
        if (name.ends_with(suffix) &&
            !window.find_exact(std::string(name.substr(0, name.size() - suffix.size())) + "_bucket").empty())
            return true;
    }
    return false;
}

inline std::string without_words(std::string text)
{
    constexpr std::array<std::string_view, 13> words{"queries", "lookups", "requests", "accesses", "matches",
                                                     "misses",  "query",   "lookup",   "request",  "access",
                                                     "match",   "hits",    "miss"};
    for (const auto word : words) {
        if (const auto at = text.find(word); at != std::string::npos)
            text.erase(at, word.size());
    }
    if (const auto at = text.find("hit"); at != std::string::npos)
        text.erase(at, 3);
    text.erase(std::remove(text.begin(), text.end(), '_'), text.end());
    return text;
}

inline std::optional<PrefixName> read_prefix_name(const MetricsWindow& window, std::string_view name)
{
    auto lower = lower_case(name);
    if (!contains_any(lower, {"prefix"}) || is_part_of_another(window, name))
        return std::nullopt;
    if (lower.ends_with("_total"))
        lower.resize(lower.size() - 6);
    // Ratios, breakdowns, and counts of what is no lookup.
    if (contains_any(lower, {"rate", "ratio", "perc", "usage", "per_pos", "evict", "second", "duration",
                             "latency", "bytes", "capacity"}))
        return std::nullopt;
    PrefixName result;
    result.name = name;
    if (contains_any(lower, {"miss"}))
        result.kind = PrefixKind::misses;
    else if (contains_any(lower, {"hit", "match"}))
        result.kind = PrefixKind::hits;
    else if (contains_any(lower, {"quer", "lookup", "request", "access", "total"}))
        result.kind = PrefixKind::queries;
    else
        return std::nullopt;
    if (contains_any(lower, {"external", "connector", "remote", "offload", "storage", "disk"}))
        result.layer = "external";
    else
        result.layer = contains_any(lower, {"mm_", "multimodal", "multi_modal", "image", "encoder"})
                           ? "multimodal"
                           : "local";
    for (const std::string_view unit : {"gpu_", "cpu_"}) {
        std::string twin(name);
        if (const auto at = twin.find(unit); at != std::string::npos) {
            twin.erase(at, unit.size());
            result.deprecated |= !window.find_exact(twin).empty();
        }
    }
    result.stem = without_words(lower);
    result.volume = volume(window, result.name);
    return result;
}

} // namespace detail

/// The most credible pair of counters of each layer. Counters whose names differ only in the word for what
/// they count belong together rather than others; then lookups come before misses, then what moved more;
/// the name decides the rest, so that the choice is always the same.
inline std::vector<GuessedCache> guess_caches(const MetricsWindow& window)
{
    using detail::PrefixKind;
    std::vector<detail::PrefixName> names;
    for (const auto name : window.names()) {
        auto read =
            names.size() < detail::max_prefix_names ? detail::read_prefix_name(window, name) : std::nullopt;
        if (read)
            names.push_back(std::move(*read));
    }
    std::vector<GuessedCache> caches;
    for (const std::string_view layer : {"local", "external", "multimodal"}) {
        const detail::PrefixName* best_hits = nullptr;
        const detail::PrefixName* best_denom = nullptr;
        std::tuple<bool, bool, bool, double> best{};
        for (const auto& hits : names) {
            for (const auto& denom : names) {
                if (hits.layer != layer || denom.layer != layer || hits.kind != PrefixKind::hits ||
                    denom.kind == PrefixKind::hits)
                    continue;
                const std::tuple credit(hits.stem == denom.stem, !hits.deprecated && !denom.deprecated,
                                        denom.kind == PrefixKind::queries, hits.volume + denom.volume);
                if (best_hits && credit <= best)
                    continue;
                best = credit;
                best_hits = &hits;
                best_denom = &denom;
            }
        }
        if (best_hits)
            caches.push_back({std::string(layer), best_hits->name, best_denom->name,
                              best_denom->kind == PrefixKind::queries});
    }
    return caches;
}

/// All names that speak of a prefix, sorted.
inline std::vector<std::string> prefix_metrics_of(const MetricsWindow& window)
{
    std::vector<std::string> all;
    for (const auto name : window.names()) {
        if (detail::contains_any(lower_case(name), {"prefix"}))
            all.emplace_back(name);
    }
    return all;
}

} // namespace slo::plan

#endif
