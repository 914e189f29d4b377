// SPDX-License-Identifier: MIT
// One series of rounds from the files of several load generators that shared one run.

#ifndef SLO_PLAN_SHARDS_HPP
#define SLO_PLAN_SHARDS_HPP

#include <slo/base/error.hpp>
#include <slo/record/round.hpp>
#include <slo/stats/sketch.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace slo::plan {

/// How the latencies of shards become one: by adding up their sketches, as the mean of their medians, or by
/// sketches where every shard has them.
enum class ShardMerge { automatic, mean, sketch };

/// One reporting window of a whole run.
struct Window {
    std::vector<double> p50_parts; ///< the medians whose mean is p50_s: one a shard, or one in all; seconds
    std::optional<double> p50_s;   ///< absent where nothing succeeded, or a shard has no such window
    std::optional<double> success_rate; ///< percent
    std::optional<double> offered;      ///< actual over target rate, where one generator ran alone
    bool client_saturated = false;
    std::set<std::string, std::less<>> flags;
    std::map<std::string, std::int64_t> exceptions; ///< failures by cause
};

/// The windows of a run, in order.
struct Series {
    std::vector<Window> windows;
    std::string merged_by; ///< "sketch", "mean", or empty for a single file
    bool aligned = true;   ///< false: shards were matched by position, having no usable measurement_round
};

namespace detail {

using Shards = std::vector<const record::Round*>;

// A record that says nothing of a window's outcome is none; the classic analyzer skips it too.
inline bool tells_of_window(const record::Round& round)
{
    return round.p50_latency_s || round.success_rate;
}

inline std::optional<double> merged_success(const Shards& shards)
{
    double weighted = 0;
    double due = 0;
    double sum = 0;
    std::size_t known = 0;
    bool all_weighed = true;
    for (const auto* shard : shards) {
        if (!shard->success_rate)
            continue;
        ++known;
        sum += *shard->success_rate;
        all_weighed &= shard->due.has_value();
        due += static_cast<double>(shard->due.value_or(0));
        weighted += *shard->success_rate * static_cast<double>(shard->due.value_or(0));
    }
    if (known == 0)
        return std::nullopt;
    return all_weighed && due > 0 ? weighted / due : sum / static_cast<double>(known);
}

inline void merge_latency(Window& window, const Shards& shards, bool by_sketch)
{
    if (by_sketch) {
        stats::QuantileSketch all;
        for (const auto* shard : shards)
            all.merge(*shard->latency);
        window.p50_s = all.quantile(0.5);
        if (window.p50_s)
            window.p50_parts = {*window.p50_s};
        return;
    }
    double sum = 0;
    for (const auto* shard : shards) {
        if (!shard->p50_latency_s) {
            window.p50_parts.clear();
            return;
        }
        sum += *shard->p50_latency_s;
        window.p50_parts.push_back(*shard->p50_latency_s);
    }
    window.p50_s = sum / static_cast<double>(shards.size());
}

inline Window merge_window(const Shards& shards, std::size_t expected_shards, bool by_sketch)
{
    Window window;
    if (shards.size() == expected_shards)
        merge_latency(window, shards, by_sketch);
    window.success_rate = merged_success(shards);
    for (const auto* shard : shards) {
        window.client_saturated |= shard->client_saturated;
        window.flags.insert(shard->flags.begin(), shard->flags.end());
        for (const auto& [cause, count] : shard->exceptions)
            window.exceptions[cause] += count;
    }
    const auto& first = *shards.front();
    if (expected_shards == 1 && first.target_qps && *first.target_qps > 0 && first.actual_qps)
        window.offered = *first.actual_qps / *first.target_qps;
    return window;
}

// True when every window of every file carries a number of its own.
inline bool numbered(const std::vector<std::vector<const record::Round*>>& files)
{
    return std::all_of(files.begin(), files.end(), [](const auto& rounds) {
        std::set<std::int64_t> seen;
        return std::all_of(rounds.begin(), rounds.end(), [&](const record::Round* round) {
            return round->measurement_round && seen.insert(*round->measurement_round).second;
        });
    });
}

} // namespace detail

/// Merges the files of one run window by window: by `measurement_round` where every record carries one, else
/// by position, as far as the shortest file goes. Throws InputError where ShardMerge::sketch is asked for and
/// a record of several files has no latency sketch.
inline Series merge_shards(const std::vector<record::RoundFile>& files, ShardMerge how)
{
    std::vector<std::vector<const record::Round*>> windows_of(files.size());
    bool all_sketched = true;
    for (std::size_t i = 0; i < files.size(); ++i) {
        for (const auto& round : files[i].rounds) {
            if (!detail::tells_of_window(round))
                continue;
            windows_of[i].push_back(&round);
            all_sketched &= round.latency.has_value();
        }
        if (how == ShardMerge::sketch && files.size() > 1 && !all_sketched)
            throw InputError(files[i].name, "a round has no latency sketch to merge");
    }

    Series series;
    const bool by_sketch = files.size() > 1 && all_sketched && how != ShardMerge::mean;
    if (files.size() > 1)
        series.merged_by = by_sketch ? "sketch" : "mean";
    series.aligned = files.size() == 1 || detail::numbered(windows_of);
    std::map<std::int64_t, detail::Shards> groups;
    std::size_t shortest = files.empty() ? 0 : windows_of[0].size();
    for (const auto& rounds : windows_of) {
        shortest = std::min(shortest, rounds.size());
        for (std::size_t i = 0; i < rounds.size(); ++i) {
            const bool by_number = files.size() > 1 && series.aligned;
            groups[by_number ? *rounds[i]->measurement_round : static_cast<std::int64_t>(i)].push_back(
                rounds[i]);
        }
    }
    for (const auto& [number, shards] : groups) {
        if (!series.aligned && number >= static_cast<std::int64_t>(shortest))
            break;
        series.windows.push_back(detail::merge_window(shards, files.size(), by_sketch));
    }
    return series;
}

} // namespace slo::plan

#endif
