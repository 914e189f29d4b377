// SPDX-License-Identifier: MIT
// The steady end of a series of rounds.

#ifndef SLO_STATS_STEADY_HPP
#define SLO_STATS_STEADY_HPP

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <queue>
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

/// The median of values that come one by one; for an even number of them the mean of the middle two. Each
/// value costs the logarithm of their number.
class RunningMedian {
public:
    /// Takes one value in, which is not NaN.
    void add(double value)
    {
        if (lower_.empty() || value <= lower_.top())
            lower_.push(value);
        else
            upper_.push(value);
        if (lower_.size() > upper_.size() + 1)
            move_top(lower_, upper_);
        else if (upper_.size() > lower_.size())
            move_top(upper_, lower_);
    }

    std::size_t size() const noexcept { return lower_.size() + upper_.size(); }

    /// The median; at least one value was added.
    double value() const
    {
        return lower_.size() > upper_.size() ? lower_.top() : (lower_.top() + upper_.top()) / 2;
    }

private:
    template <class From, class To>
    static void move_top(From& from, To& to)
    {
        to.push(from.top());
        from.pop();
    }

    std::priority_queue<double> lower_;                                            // the greatest on top
    std::priority_queue<double, std::vector<double>, std::greater<double>> upper_; // the least on top
};

/// Where the steady end of `series` begins (an index from 0), or nothing where it is shorter than `min_size`.
/// From the last value back, a value is taken in while its distance from the median of those already in is at
/// most `tolerance` of that median; the first that is farther, or a median not above zero, ends the window.
inline std::optional<std::size_t> steady_start(std::span<const double> series, double tolerance,
                                               std::int64_t min_size)
{
    if (series.empty())
        return std::nullopt;
    auto start = series.size() - 1;
    RunningMedian window;
    window.add(series[start]);
    while (start > 0) {
        const double median = window.value();
        const double next = series[start - 1];
        if (!(median > 0) || !(std::abs(next - median) / median <= tolerance))
            break;
        window.add(next);
        --start;
    }
    if (static_cast<std::int64_t>(window.size()) < min_size)
        return std::nullopt;
    return start;
}

} // namespace slo::stats

#endif
