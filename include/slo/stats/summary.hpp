// SPDX-License-Identifier: MIT
// The six figures by which a round record describes a sample.

#ifndef SLO_STATS_SUMMARY_HPP
#define SLO_STATS_SUMMARY_HPP

#include <slo/stats/quantile.hpp>

#include <algorithm>
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

/// The summary of `values` (none of them NaN, in any order); nothing for an empty sample.
inline std::optional<Summary> summarize(std::vector<double> values)
{
    if (values.empty())
        return std::nullopt;
    std::sort(values.begin(), values.end());
    return Summary{values.front(),
                   quantile_sorted(values, 0.50),
                   quantile_sorted(values, 0.90),
                   quantile_sorted(values, 0.95),
                   quantile_sorted(values, 0.99),
                   values.back()};
}

} // namespace slo::stats

#endif
