// SPDX-License-Identifier: MIT
// Where the rounds of a run begin to be steady, and whether they stay so.

#ifndef SLO_PLAN_STEADINESS_HPP
#define SLO_PLAN_STEADINESS_HPP

#include <slo/plan/certain_options.hpp>
#include <slo/plan/objective_rounds.hpp>
#include <slo/stats/interval.hpp>
#include <slo/stats/stationarity.hpp>
#include <slo/stats/steady.hpp>
#include <slo/stats/student.hpp>
#include <slo/stats/warm_up.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace slo::plan {

/// The number of rounds to leave out at the start, at least one of three: there the engine was empty. Those
/// that single requests show to be warming up, else by MSER over the logarithms of the rounds' medians; but
/// of more than two rounds none that is slower than most of what stays: a burst is no warm-up, and a tail
/// without its bursts is no tail.
inline std::size_t warm_up_rounds(std::span<const CertainRound> rounds, WarmUpRule rule)
{
    std::vector<double> levels;
    for (const auto& round : rounds) {
        // Where nothing was answered: as before, at the start as in the first round with an answer.
        const auto known = std::find_if(rounds.begin(), rounds.end(), [](const auto& r) { return r.level; });
        const double other = !levels.empty() ? levels.back() : known != rounds.end() ? *known->level : 0;
        levels.push_back(round.level.value_or(other));
    }
    if (levels.size() < 3)
        return 0;
    if (rule == WarmUpRule::walk_back) {
        std::vector<double> medians;
        for (const double level : levels)
            medians.push_back(std::exp(level));
        return stats::steady_start(medians, 0.30, 3).value_or(levels.size() / 2);
    }
    const auto steady = std::find_if(rounds.begin(), rounds.end(),
                                     [](const auto& round) { return !round.warming_up.value_or(false); });
    const auto told =
        std::min<std::size_t>(static_cast<std::size_t>(steady - rounds.begin()), levels.size() / 2);
    const auto cut = std::max<std::size_t>(1, rounds.front().warming_up ? told : stats::mser(levels, 1).cut);
    std::vector<double> rest(levels.begin() + static_cast<std::ptrdiff_t>(cut), levels.end());
    const auto middle = rest.begin() + static_cast<std::ptrdiff_t>(rest.size() / 2);
    std::nth_element(rest.begin(), middle, rest.end());
    for (std::size_t i = 2; i < cut; ++i)
        if (levels[i] > *middle)
            return i;
    return cut;
}

/// Which way the latency goes in a window.
enum class Trend { none, up, down };

/// A trend that is both sure (a slope that chance gives once in a thousand windows) and large (more than a
/// quarter of the level from end to end): least squares over the logarithms of the rounds' medians.
/// None below six rounds.
inline Trend trend_of(std::span<const CertainRound> rounds)
{
    std::vector<double> levels;
    for (const auto& round : rounds)
        if (round.level)
            levels.push_back(*round.level);
    const auto slope = levels.size() >= 6 ? stats::slope_of(levels, 1, levels.size()) : std::nullopt;
    if (!slope)
        return Trend::none;
    const auto count = static_cast<double>(levels.size());
    const double change = slope->per_s * count;
    const double t = stats::student_quantile(0.9995, slope->degrees_of_freedom);
    if (std::abs(change) < 0.25 || std::abs(slope->per_s) < t * slope->standard_error)
        return Trend::none;
    return change > 0 ? Trend::up : Trend::down;
}

/// True where requests pile up: from `first` on the number under way grew by more than a twelfth of all that
/// fell due, by more than half of its own mean and than chance would have it, and by more than five. A few
/// rounds show it that are too few for a trend. False where the records do not tell.
inline bool piles_up(std::span<const CertainRound> rounds, std::size_t first)
{
    double due = 0;
    double under_way = 0;
    double at_first = 0;
    double mean = 0;
    for (std::size_t i = 0; i < rounds.size(); ++i) {
        if (!rounds[i].completed)
            return false;
        if (i == first)
            at_first = under_way;
        under_way += rounds[i].requests - *rounds[i].completed;
        if (i < first)
            continue;
        due += rounds[i].requests;
        mean += under_way / static_cast<double>(rounds.size() - first);
    }
    const double grown = under_way - at_first;
    return first < rounds.size() &&
           grown > std::max({5.0, due / 12, mean / 2, 4 * std::sqrt(std::max(mean, 0.0))});
}

/// Little's law (Little 1961): the mean number of requests under way over arrival rate times mean latency,
/// and whether the two differ by more than chance explains and by more than a fifth. The number under way is
/// known at the end of each round, as what was due until then and had not ended.
struct LittlesLaw {
    double ratio = 1;
    bool holds = true;
};

/// Over the rounds from `first` on; nothing where the records do not tell.
inline std::optional<LittlesLaw> littles_law(std::span<const CertainRound> rounds, std::size_t first)
{
    double under_way = 0;
    std::vector<double> at_ends;
    double requests = 0;
    double duration_s = 0;
    double waited_s = 0;
    for (std::size_t i = 0; i < rounds.size(); ++i) {
        const auto& round = rounds[i];
        if (!round.completed || !round.mean_s || !round.duration_s)
            return std::nullopt;
        under_way += round.requests - *round.completed;
        if (i + 1 >= first)
            at_ends.push_back(under_way);
        if (i < first)
            continue;
        requests += round.requests;
        duration_s += *round.duration_s;
        waited_s += round.requests * *round.mean_s;
    }
    if (at_ends.size() < 4 || !(requests > 0) || !(duration_s > 0))
        return std::nullopt;
    double mean = 0;
    for (const double number : at_ends)
        mean += number / static_cast<double>(at_ends.size());
    const auto ratio = stats::littles_ratio(mean, requests / duration_s, waited_s / requests);
    const auto interval = stats::mean_interval(at_ends, 0.9999);
    if (!ratio || !interval)
        return std::nullopt;
    const double expected = waited_s / duration_s;
    // Less than one request is no matter, as of a service that is hardly used.
    const bool by_chance =
        std::abs(mean - expected) < 1 || (interval->low <= expected && expected <= interval->high);
    return LittlesLaw{*ratio, by_chance || std::abs(*ratio - 1) < 0.2};
}

} // namespace slo::plan

#endif
