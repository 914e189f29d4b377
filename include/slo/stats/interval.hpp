// SPDX-License-Identifier: MIT
// How well the mean of a few rounds is known.

#ifndef SLO_STATS_INTERVAL_HPP
#define SLO_STATS_INTERVAL_HPP

#include <boost/math/distributions/students_t.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <span>

namespace slo::stats {

/// An interval of a mean, in the unit of the sample.
struct MeanInterval {
    double low = 0;
    double high = 0;
    double effective_size = 0; ///< the number of independent values that would know the mean as well
};

/// The lag-1 autocorrelation of a series, with its bias of -1/n put right (Law and Kelton, "Simulation
/// Modeling and Analysis", ch. 9); 0 for a series of fewer than two values or without variance.
inline double lag1_autocorrelation(std::span<const double> series)
{
    const auto size = series.size();
    double mean = 0;
    for (const double value : series)
        mean += value / static_cast<double>(size);
    double variance = 0;
    double covariance = 0;
    for (std::size_t i = 0; i < size; ++i) {
        variance += (series[i] - mean) * (series[i] - mean);
        if (i > 0)
            covariance += (series[i] - mean) * (series[i - 1] - mean);
    }
    return size > 1 && variance > 0 ? covariance / variance + 1 / static_cast<double>(size) : 0.0;
}

/// The two-sided interval of the mean at `level` (0 to 1, both exclusive) by Student's t with n - 1 degrees
/// of freedom; where neighbours are alike (ρ > 0), s/√n_eff with n_eff = n (1 - ρ) / (1 + ρ), at least 1 (Law
/// and Kelton, ch. 9). Nothing below two values, or where the sample overflows.
inline std::optional<MeanInterval> mean_interval(std::span<const double> series, double level)
{
    const auto size = static_cast<double>(series.size());
    if (series.size() < 2 || !(level > 0 && level < 1))
        return std::nullopt;
    double mean = 0;
    for (const double value : series)
        mean += value / size;
    double squares = 0;
    for (const double value : series)
        squares += (value - mean) * (value - mean);
    if (!std::isfinite(squares))
        return std::nullopt;
    const double rho = std::clamp(lag1_autocorrelation(series), 0.0, 1.0);
    const double effective = std::max(1.0, size * (1 - rho) / (1 + rho));
    const boost::math::students_t distribution(size - 1);
    const double t = boost::math::quantile(boost::math::complement(distribution, (1 - level) / 2));
    const double half = t * std::sqrt(squares / (size - 1) / effective);
    return MeanInterval{mean - half, mean + half, effective};
}

} // namespace slo::stats

#endif
