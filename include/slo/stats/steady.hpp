// SPDX-License-Identifier: MIT
// The steady end of a series of rounds.

#ifndef SLO_STATS_STEADY_HPP
#define SLO_STATS_STEADY_HPP

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace slo::stats {

/// The sum from left to right, in doubles: the figures of existing results depend on this order.
inline double plain_sum(std::span<const double> values) noexcept
{
    double sum = 0;
    for (const double value : values)
        sum += value;
    return sum;
}

/// plain_sum over the number of values, of which there is at least one.
inline double plain_mean(std::span<const double> values) noexcept
{
    return plain_sum(values) / static_cast<double>(values.size());
}

/// The median of a sorted, non-empty sample; for an even size the mean of the middle two.
inline double median_sorted(std::span<const double> ascending) noexcept
{
    const auto half = ascending.size() / 2;
    return ascending.size() % 2 == 1 ? ascending[half] : (ascending[half - 1] + ascending[half]) / 2;
}

/// Where the steady end of `series` begins (an index from 0), or nothing where it is shorter than `min_size`.
/// From the last value back, a value is taken in while its distance from the median of those already in is at
/// most `tolerance` of that median; the first that is farther, or a median not above zero, ends the window.
inline std::optional<std::size_t> steady_start(std::span<const double> series, double tolerance,
                                               std::int64_t min_size)
{
    if (series.empty())
        return std::nullopt;
    auto start = series.size() - 1;
    std::vector<double> ascending{series[start]};
    while (start > 0) {
        const double median = median_sorted(ascending);
        const double next = series[start - 1];
        if (!(median > 0) || !(std::abs(next - median) / median <= tolerance))
            break;
        ascending.insert(std::upper_bound(ascending.begin(), ascending.end(), next), next);
        --start;
    }
    if (static_cast<std::int64_t>(ascending.size()) < min_size)
        return std::nullopt;
    return start;
}

} // namespace slo::stats

#endif
