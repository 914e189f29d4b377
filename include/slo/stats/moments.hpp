// SPDX-License-Identifier: MIT
// Mean and spread of values that come one by one.

#ifndef SLO_STATS_MOMENTS_HPP
#define SLO_STATS_MOMENTS_HPP

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>

namespace slo::stats {

/// Number, extremes, mean and standard deviation of a series, without its values. Sums are taken of the
/// distances from the first value, so that a narrow series far from zero keeps its digits (Chan, Golub and
/// LeVeque, "Algorithms for Computing the Sample Variance", 1983).
class Moments {
public:
    /// Takes one value in, which is finite.
    void add(double value) noexcept
    {
        if (count_ == 0)
            origin_ = value;
        const double distance = value - origin_;
        ++count_;
        sum_ += distance;
        squares_ += distance * distance;
        min_ = std::min(min_, value);
        max_ = std::max(max_, value);
    }

    /// Takes in all that `other` has seen.
    void merge(const Moments& other) noexcept
    {
        if (other.count_ == 0)
            return;
        if (count_ == 0) {
            *this = other;
            return;
        }
        // A distance from their origin is one from ours less the shift between the two.
        const double shift = other.origin_ - origin_;
        const auto count = static_cast<double>(other.count_);
        squares_ += other.squares_ + 2 * shift * other.sum_ + count * shift * shift;
        sum_ += other.sum_ + count * shift;
        count_ += other.count_;
        min_ = std::min(min_, other.min_);
        max_ = std::max(max_, other.max_);
    }

    std::int64_t count() const noexcept { return count_; }

    /// The smallest value; nothing where there was none.
    std::optional<double> min() const noexcept { return if_any(min_); }
    /// The largest value; nothing where there was none.
    std::optional<double> max() const noexcept { return if_any(max_); }

    /// The sum of all values, 0 where there was none.
    double sum() const noexcept { return sum_ + static_cast<double>(count_) * origin_; }

    /// The arithmetic mean; nothing where there was no value.
    std::optional<double> mean() const noexcept
    {
        return if_any(origin_ + sum_ / static_cast<double>(count_));
    }

    /// The standard deviation of the values as a population (divided by their number, numpy's default);
    /// nothing where there was none.
    std::optional<double> deviation() const noexcept
    {
        const auto count = static_cast<double>(count_);
        const double mean = sum_ / count;
        return if_any(std::sqrt(std::max(0.0, squares_ / count - mean * mean)));
    }

private:
    std::optional<double> if_any(double figure) const noexcept
    {
        return count_ > 0 ? std::optional(figure) : std::nullopt;
    }

    std::int64_t count_ = 0;
    double origin_ = 0;
    double sum_ = 0;     // of the distances from origin_
    double squares_ = 0; // of the same, squared
    double min_ = std::numeric_limits<double>::infinity();
    double max_ = -std::numeric_limits<double>::infinity();
};

} // namespace slo::stats

#endif
