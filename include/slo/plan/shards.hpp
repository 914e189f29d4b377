// SPDX-License-Identifier: MIT
// One series of rounds from the files of several load generators that shared one run.

#ifndef SLO_PLAN_SHARDS_HPP
#define SLO_PLAN_SHARDS_HPP

#include <slo/base/error.hpp>
#include <slo/plan/run_faults.hpp>
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
    std::optional<double> offered;      ///< rate over target rate; shards have the target of the whole run
    std::optional<double> target_qps;
    std::int64_t due = 0; ///< requests, where the records say
    bool closed_loop = false;
    bool from_send = false; ///< latencies count from sending
    bool complete = true;   ///< false: some shard has no such window
    bool client_saturated = false;
    std::set<std::string, std::less<>> flags;
    std::map<std::string, std::int64_t> exceptions; ///< failures by cause
    std::vector<const record::Round*> parts;        ///< the rounds of which it is made, one a shard
};

/// True for a window that its run did not bring to its end: neither its load nor its latencies are those of a
/// whole one.
inline bool is_cut_short(const Window& window)
{
    return window.flags.contains("interrupted") || window.flags.contains("decided");
}

/// Windows that others have and this file does not.
struct ShardGap {
    std::string file;
    std::vector<std::int64_t> rounds; ///< by measurement_round; by position, from 1, where not aligned
};

/// The windows of a run, in order.
struct Series {
    std::vector<Window> windows;
    std::string merged_by; ///< "sketch", "mean", or empty for a single file
    bool aligned = true;   ///< false: shards were matched by position, having no usable measurement_round
    std::vector<ShardGap> gaps;
    std::vector<std::string> run_faults; ///< why these are not the rounds of one run, in words
};

namespace detail {

using Shards = std::vector<const record::Round*>;

// A record that says nothing of a window's outcome is none; the classic analyzer skips it too.
inline bool tells_of_window(const record::Round& round)
{
    return round.p50_latency_s || round.success_rate;
}

// A shard to which no request of a window fell has its part of that window all the same.
inline bool is_empty_part(const record::Round& round)
{
    return !tells_of_window(round) && round.due == 0;
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
            if (shard->latency)
                all.merge(*shard->latency);
        window.p50_s = all.quantile(0.5);
        if (window.p50_s)
            window.p50_parts = {*window.p50_s};
        return;
    }
    double sum = 0;
    for (const auto* shard : shards) {
        if (is_empty_part(*shard))
            continue;
        if (!shard->p50_latency_s) {
            window.p50_parts.clear();
            return;
        }
        sum += *shard->p50_latency_s;
        window.p50_parts.push_back(*shard->p50_latency_s);
    }
    if (!window.p50_parts.empty())
        window.p50_s = sum / static_cast<double>(window.p50_parts.size());
}

// Of what all shards together were to send, what they did.
inline std::optional<double> merged_offered(const Shards& shards)
{
    double target_qps = 0;
    double actual_qps = 0;
    for (const auto* shard : shards) {
        // Who counts from sending must have sent: what waits is in no latency.
        const auto& offered_qps = shard->from_send ? shard->wire_dispatch_qps : shard->actual_qps;
        if (!shard->target_qps || !offered_qps)
            return std::nullopt;
        target_qps = std::max(target_qps, *shard->target_qps);
        actual_qps += *offered_qps;
    }
    return target_qps > 0 ? std::optional(actual_qps / target_qps) : std::nullopt;
}

inline Window merge_window(const Shards& shards, std::size_t expected_shards, bool by_sketch)
{
    Window window;
    window.complete = shards.size() == expected_shards;
    if (window.complete)
        merge_latency(window, shards, by_sketch);
    window.success_rate = merged_success(shards);
    window.parts = shards;
    for (const auto* shard : shards) {
        window.client_saturated |= shard->client_saturated;
        window.closed_loop |= shard->concurrency.has_value();
        window.from_send |= shard->from_send;
        window.due += shard->due.value_or(0);
        if (shard->target_qps)
            window.target_qps = std::max(window.target_qps.value_or(0), *shard->target_qps);
        window.flags.insert(shard->flags.begin(), shard->flags.end());
        for (const auto& [cause, count] : shard->exceptions)
            window.exceptions[cause] += count;
    }
    window.offered = merged_offered(shards);
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

// The windows of all files by number, each with the files that have it.
using WindowsByFile = std::map<std::int64_t, std::map<std::size_t, const record::Round*>>;

inline WindowsByFile group_windows(const std::vector<std::vector<const record::Round*>>& files,
                                   bool by_number)
{
    WindowsByFile windows;
    for (std::size_t file = 0; file < files.size(); ++file)
        for (std::size_t i = 0; i < files[file].size(); ++i) {
            const auto* round = files[file][i];
            windows[by_number ? *round->measurement_round : static_cast<std::int64_t>(i) + 1][file] = round;
        }
    return windows;
}

inline std::vector<ShardGap> find_gaps(const std::vector<record::RoundFile>& files,
                                       const WindowsByFile& windows)
{
    std::vector<ShardGap> gaps;
    for (std::size_t file = 0; file < files.size(); ++file) {
        ShardGap gap{files[file].name, {}};
        for (const auto& [number, by_file] : windows)
            if (!by_file.contains(file))
                gap.rounds.push_back(number);
        if (!gap.rounds.empty())
            gaps.push_back(std::move(gap));
    }
    return gaps;
}

} // namespace detail

/// Merges the files of one run window by window: by `measurement_round` where every record carries one, else
/// by position, as far as the shortest file goes; what a file lacks is told. Throws InputError where
/// ShardMerge::sketch is asked for and a record of several files has no latency sketch.
inline Series merge_shards(const std::vector<record::RoundFile>& files, ShardMerge how)
{
    const bool several = files.size() > 1;
    std::vector<std::vector<const record::Round*>> windows_of(files.size());
    bool all_sketched = true;
    for (std::size_t i = 0; i < files.size(); ++i) {
        for (const auto& round : files[i].rounds) {
            const bool is_empty = several && detail::is_empty_part(round);
            if (!detail::tells_of_window(round) && !is_empty)
                continue;
            windows_of[i].push_back(&round);
            all_sketched &= is_empty || round.latency.has_value();
        }
        if (how == ShardMerge::sketch && several && !all_sketched)
            throw InputError(files[i].name, "a round has no latency sketch to merge");
    }

    Series series;
    const bool by_sketch = several && all_sketched && how != ShardMerge::mean;
    if (several)
        series.merged_by = by_sketch ? "sketch" : "mean";
    series.run_faults = find_run_faults(files);
    series.aligned = !several || detail::numbered(windows_of);
    const auto shards_of = detail::group_windows(windows_of, several && series.aligned);
    if (several)
        series.gaps = detail::find_gaps(files, shards_of);
    for (const auto& [number, by_file] : shards_of) {
        detail::Shards shards;
        for (const auto& [file, round] : by_file)
            shards.push_back(round);
        if (!series.aligned && shards.size() < files.size())
            break;
        if (std::any_of(shards.begin(), shards.end(),
                        [](auto* round) { return detail::tells_of_window(*round); }))
            series.windows.push_back(detail::merge_window(shards, files.size(), by_sketch));
    }
    return series;
}

} // namespace slo::plan

#endif
