// SPDX-License-Identifier: MIT
// Quantiles of a sample, as numpy and pandas compute them.

#ifndef SLO_STATS_QUANTILE_HPP
#define SLO_STATS_QUANTILE_HPP

#include <cassert>
#include <cmath>
#include <cstddef>
#include <span>

namespace slo::stats {

/// The value at fraction `t` (0 to 1) of the way from `low` to `high`; counted from the nearer end, so that
/// t = 1 gives `high` exactly and the result never leaves the two (numpy's `_lerp`).
inline double interpolate(double low, double high, double t) noexcept
{
    const double difference = high - low;
    return t < 0.5 ? low + difference * t : high - difference * (1 - t);
}

/// The quantile `q` (0 to 1) of a sample in ascending order that is not empty, by linear interpolation at
/// position (n - 1) q: definition 7 of Hyndman and Fan 1996, the default of numpy and pandas.
inline double quantile_sorted(std::span<const double> ascending, double q) noexcept
{
    assert(!ascending.empty() && q >= 0 && q <= 1);
    const double position = static_cast<double>(ascending.size() - 1) * q;
    const auto index = static_cast<std::size_t>(std::floor(position));
    if (index + 1 >= ascending.size())
        return ascending.back();
    return interpolate(ascending[index], ascending[index + 1], position - std::floor(position));
}

} // namespace slo::stats

#endif
