// SPDX-License-Identifier: MIT
// Whether a window is in a steady state: Little's law, a slope, and its first half against its second.

#ifndef SLO_STATS_STATIONARITY_HPP
#define SLO_STATS_STATIONARITY_HPP

#include <boost/math/distributions/students_t.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace slo::stats {

/// The mean number in flight over arrival rate times mean time in the system: 1 where what comes also goes
/// (Little 1961, Operations Research 9:383). Nothing where a figure is negative or not finite, or the product
/// is 0.
inline std::optional<double> littles_ratio(double mean_in_flight, double arrivals_qps, double mean_time_s)
{
    const double expected = arrivals_qps * mean_time_s;
    if (!(mean_in_flight >= 0 && arrivals_qps > 0 && mean_time_s > 0 && expected > 0 &&
          std::isfinite(expected)))
        return std::nullopt;
    const double ratio = mean_in_flight / expected;
    return std::isfinite(ratio) ? std::optional(ratio) : std::nullopt;
}

/// By how much a series rises, in its unit a second, and how well that is known.
struct Slope {
    double per_s = 0;
    double standard_error = 0; ///< of per_s, the same unit
    double degrees_of_freedom = 0;

    /// The one-sided lower limit at `level` (0 to 1, both exclusive) by Student's t; above 0 the series
    /// rises.
    double low(double level) const { return per_s - margin(level); }
    /// The one-sided upper limit at `level`; below 0 the series falls.
    double high(double level) const { return per_s + margin(level); }

private:
    double margin(double level) const
    {
        const boost::math::students_t distribution(degrees_of_freedom);
        return standard_error * boost::math::quantile(distribution, level);
    }
};

/// The slope, by ordinary least squares, of values taken every `step_s` seconds, over the means of `batches`
/// equal stretches of them: neighbouring values of a queue are alike, means of long stretches hardly (Law and
/// Kelton, "Simulation Modeling and Analysis", ch. 9; 10 to 30 batches by Schmeiser 1982). What is left over
/// is left out at the beginning. Nothing below three batches, with fewer values than batches, or where a sum
/// is not finite.
inline std::optional<Slope> slope_of(std::span<const double> values, double step_s, std::size_t batches = 10)
{
    if (batches < 3 || values.size() < batches || !(step_s > 0) || !std::isfinite(step_s))
        return std::nullopt;
    const std::size_t length = values.size() / batches;
    const auto count = static_cast<double>(batches);
    values = values.last(length * batches);
    std::vector<double> means(batches);
    double mean = 0;
    for (std::size_t i = 0; i < batches; ++i) {
        // Less the first value, so that an even series is exactly that.
        for (const double value : values.subspan(i * length, length))
            means[i] += (value - values.front()) / static_cast<double>(length);
        mean += means[i] / count;
    }
    double products = 0; // of a batch's distance from the middle with its mean's
    for (std::size_t i = 0; i < batches; ++i)
        products += (static_cast<double>(i) - (count - 1) / 2) * (means[i] - mean);
    const double distances = count * (count * count - 1) / 12;
    const double per_batch = products / distances;
    double unexplained = 0;
    for (std::size_t i = 0; i < batches; ++i) {
        const double residual = means[i] - mean - per_batch * (static_cast<double>(i) - (count - 1) / 2);
        unexplained += residual * residual;
    }
    const double batch_s = static_cast<double>(length) * step_s;
    Slope slope;
    slope.degrees_of_freedom = count - 2;
    slope.per_s = per_batch / batch_s;
    slope.standard_error = std::sqrt(unexplained / (count - 2) / distances) / batch_s;
    if (!std::isfinite(slope.per_s) || !std::isfinite(slope.standard_error))
        return std::nullopt;
    return slope;
}

/// A comparison of two samples by ranks.
struct RankSum {
    double u = 0; ///< pairs in which the value of the second sample is the larger, ties by half
    double z =
        0; ///< u less its mean over its deviation, of no difference; above 0: the second sample is larger
    double p = 1; ///< two-sided
};

/// The test of Mann and Whitney (1947) by the normal approximation, with its corrections for ties and for
/// continuity. Values may be infinite. Nothing where a sample is empty or has a NaN.
inline std::optional<RankSum> mann_whitney(std::span<const double> first, std::span<const double> second)
{
    std::vector<std::pair<double, bool>> all;
    all.reserve(first.size() + second.size());
    for (const double value : first)
        all.emplace_back(value, false);
    for (const double value : second)
        all.emplace_back(value, true);
    const auto is_nan = [](const auto& entry) { return std::isnan(entry.first); };
    if (first.empty() || second.empty() || std::any_of(all.begin(), all.end(), is_nan))
        return std::nullopt;
    std::sort(all.begin(), all.end());
    RankSum result;
    double ties = 0; // Σ t³ - t over groups of equal values
    double firsts_below = 0;
    for (auto group = all.begin(); group != all.end();) {
        double firsts = 0;
        double seconds = 0;
        auto end = group;
        for (; end != all.end() && end->first == group->first; ++end)
            (end->second ? seconds : firsts) += 1;
        result.u += seconds * (firsts_below + firsts / 2);
        firsts_below += firsts;
        const double size = firsts + seconds;
        ties += size * (size * size - 1);
        group = end;
    }
    const auto a = static_cast<double>(first.size());
    const auto b = static_cast<double>(second.size());
    const double variance = a * b / 12 * (a + b + 1 - ties / ((a + b) * (a + b - 1)));
    const double excess = result.u - a * b / 2;
    if (variance > 1e-9 * a * b) {
        result.z = std::copysign(std::max(0.0, std::abs(excess) - 0.5), excess) / std::sqrt(variance);
        result.p = std::erfc(std::abs(result.z) / std::numbers::sqrt2);
    }
    return result;
}

/// The first half of a series against the second by mann_whitney(), the middle value of an odd one left out;
/// it takes the values as independent. Nothing below two values or with a NaN in either half.
inline std::optional<RankSum> halves(std::span<const double> series)
{
    const std::size_t half = series.size() / 2;
    return mann_whitney(series.first(half), series.last(half));
}

} // namespace slo::stats

#endif
