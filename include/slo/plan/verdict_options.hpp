// SPDX-License-Identifier: MIT
// What a verdict is asked for, and how that is given as text.

#ifndef SLO_PLAN_VERDICT_OPTIONS_HPP
#define SLO_PLAN_VERDICT_OPTIONS_HPP

#include <slo/base/error.hpp>
#include <slo/base/text.hpp>
#include <slo/plan/shards.hpp>

#include <cstdint>
#include <cstdlib>
#include <limits>
#include <string>

namespace slo::plan {

/// What a verdict is asked for.
struct VerdictOptions {
    std::int64_t total_rounds = 8; ///< rounds a full run has
    std::int64_t tail_window =
        4;              ///< rounds at the end that decide; 0: all, below 0: all but so many at the start
    double slo_s = 6.5; ///< NaN: nothing passes
    bool auto_steady = false; ///< decide by the steady window where there is one
    double steady_tolerance = 0.30;
    std::int64_t steady_min_window = 3;
    double min_success_pct = 99; ///< 0: the success rate does not matter
    bool ignore_client = false;  ///< judge also what the client spoilt
    ShardMerge shard_merge = ShardMerge::automatic;
    double confidence_level = 0.95; ///< 0 to 1, both exclusive
};

/// The defaults, with total_rounds, tail_window and confidence_level from SLO_TOTAL_ROUNDS, SLO_TAIL_WINDOW
/// and SLO_CONFIDENCE where these are set: so a search tells the tools below it how long its runs are. Throws
/// UsageError for one that is no number.
inline VerdictOptions verdict_options_from_environment()
{
    VerdictOptions options;
    const auto take = [](const char* name, std::int64_t& value) {
        const char* text = std::getenv(name);
        if (!text || !*text)
            return;
        const auto number = parse_integer<std::int64_t>(text);
        if (!number)
            throw UsageError(name, "'" + printable(text, 80) + "' is not a whole number");
        value = *number;
    };
    take("SLO_TOTAL_ROUNDS", options.total_rounds);
    take("SLO_TAIL_WINDOW", options.tail_window);
    if (const char* text = std::getenv("SLO_CONFIDENCE"); text && *text) {
        const auto number = parse_double(text);
        if (!number)
            throw UsageError("SLO_CONFIDENCE", "'" + printable(text, 80) + "' is not a number");
        options.confidence_level = *number;
    }
    return options;
}

/// An SLO in seconds; "nan" is one that nothing keeps. Throws UsageError.
inline double parse_slo(const std::string& text)
{
    if (text == "nan" || text == "NaN")
        return std::numeric_limits<double>::quiet_NaN();
    const auto number = parse_double(text);
    if (!number)
        throw UsageError("--slo", "'" + printable(text, 80) + "' is not a number");
    return *number;
}

/// "auto", "mean" or "sketch". Throws UsageError.
inline ShardMerge parse_shard_merge(const std::string& text)
{
    if (text == "auto")
        return ShardMerge::automatic;
    if (text == "mean")
        return ShardMerge::mean;
    if (text == "sketch")
        return ShardMerge::sketch;
    throw UsageError("--shard-merge", "'" + printable(text, 80) + "' is none of auto, mean, sketch");
}

/// Throws UsageError where a value lies outside its range.
inline void check(const VerdictOptions& options)
{
    if (!(options.min_success_pct >= 0 && options.min_success_pct <= 100))
        throw UsageError("--min-success", "a percentage lies between 0 and 100");
    if (!(options.confidence_level > 0 && options.confidence_level < 1))
        throw UsageError("--confidence", "a level lies between 0 and 1, both exclusive");
}

} // namespace slo::plan

#endif
