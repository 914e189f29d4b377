// SPDX-License-Identifier: MIT
// The six figures by which a round record describes a sample.

#ifndef SLO_STATS_SUMMARY_HPP
#define SLO_STATS_SUMMARY_HPP

#include <slo/stats/quantile.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <vector>

namespace slo::stats {

/// Extremes and percentiles of a sample, in the unit of the sample.
struct Summary {
    double min = 0;
    double p50 = 0;
    double p90 = 0;
    double p95 = 0;
    double p99 = 0;
    double max = 0;
};

namespace detail {

// Quantiles in ascending order of q without sorting all: each puts only the two values it rests on in place.
class PartialSorter {
public:
    explicit PartialSorter(std::vector<double>& values) : values_(values) {}

    double quantile(double q)
    {
        const auto index = static_cast<std::size_t>(std::floor(static_cast<double>(values_.size() - 1) * q));
        const auto at = [this](std::size_t i) { return values_.begin() + static_cast<std::ptrdiff_t>(i); };
        if (index >= placed_) {
            std::nth_element(at(placed_), at(index), values_.end());
            if (index + 1 < values_.size())
                std::iter_swap(at(index + 1), std::min_element(at(index + 1), values_.end()));
            placed_ = index;
        }
        return quantile_sorted(values_, q);
    }

private:
    std::vector<double>& values_;
    std::size_t placed_ = 0; // no value before this place is larger than one behind it
};

} // namespace detail

/// The summary of `values` (none of them NaN, in any order); nothing for an empty sample.
inline std::optional<Summary> summarize(std::vector<double> values)
{
    if (values.empty())
        return std::nullopt;
    Summary summary;
    const auto [least, most] = std::minmax_element(values.begin(), values.end());
    summary.min = *least;
    summary.max = *most;
    detail::PartialSorter sorter(values);
    summary.p50 = sorter.quantile(0.50);
    summary.p90 = sorter.quantile(0.90);
    summary.p95 = sorter.quantile(0.95);
    summary.p99 = sorter.quantile(0.99);
    return summary;
}

} // namespace slo::stats

#endif
