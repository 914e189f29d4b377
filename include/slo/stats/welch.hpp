// SPDX-License-Identifier: MIT
// How well the difference between two means is known, each of a few values of its own spread.

#ifndef SLO_STATS_WELCH_HPP
#define SLO_STATS_WELCH_HPP

#include <slo/stats/student.hpp>

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <utility>

namespace slo::stats {

/// The interval in which mean(b) - mean(a) lies, in the unit of the values.
struct DifferenceInterval {
    double low = 0;
    double high = 0;
    double degrees = 0; ///< of freedom of the t that it rests on

    /// True where the two may be the same.
    bool has_zero() const noexcept { return low <= 0 && high >= 0; }
};

namespace detail {

// The mean, and the square of its standard error by the unbiased variance; not finite where these are not.
inline std::pair<double, double> mean_and_squared_error(std::span<const double> values)
{
    const auto size = static_cast<double>(values.size());
    // By the distances from the first: values that are all the same have a spread of exactly 0.
    double mean = values[0], squares = 0;
    for (const double value : values)
        mean += (value - values[0]) / size;
    for (const double value : values)
        squares += (value - mean) * (value - mean);
    return {mean, squares / (size - 1) / size};
}

} // namespace detail

/// The two-sided interval of mean(b) - mean(a) at `level` (0 to 1, both exclusive), by Welch's t with the
/// degrees of freedom of Welch and Satterthwaite (Welch 1947, "The Generalization of 'Student's' Problem when
/// Several Different Population Variances are Involved"). Values are finite. Nothing where either has fewer
/// than two, or where the sample overflows.
inline std::optional<DifferenceInterval> welch_interval(std::span<const double> a, std::span<const double> b,
                                                        double level)
{
    if (a.size() < 2 || b.size() < 2 || !(level > 0 && level < 1))
        return std::nullopt;
    const auto [mean_a, error_a] = detail::mean_and_squared_error(a);
    const auto [mean_b, error_b] = detail::mean_and_squared_error(b);
    const double difference = mean_b - mean_a;
    const auto free_a = static_cast<double>(a.size() - 1), free_b = static_cast<double>(b.size() - 1);
    const double both = error_a + error_b;
    if (!std::isfinite(both * both) || !std::isfinite(difference))
        return std::nullopt;
    const double spread = error_a * error_a / free_a + error_b * error_b / free_b;
    if (!(spread > 0))
        return DifferenceInterval{difference, difference, free_a + free_b};
    // Never below the smaller sample's, whatever the rounding.
    const double degrees = std::max(std::min(free_a, free_b), both * both / spread);
    const double half = student_quantile((1 + level) / 2, degrees) * std::sqrt(both);
    return DifferenceInterval{difference - half, difference + half, degrees};
}

} // namespace slo::stats

#endif
