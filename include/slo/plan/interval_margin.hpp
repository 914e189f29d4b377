// SPDX-License-Identifier: MIT
// The margin of a verdict that states an interval of its latency.

#ifndef SLO_PLAN_INTERVAL_MARGIN_HPP
#define SLO_PLAN_INTERVAL_MARGIN_HPP

#include <slo/plan/search.hpp>
#include <slo/stats/student.hpp>

#include <cmath>
#include <optional>

namespace slo::plan {

/// How far a latency of `figure_s` is from the SLO, as a logarithm, where it lies between `low_s` and
/// `high_s` with probability `level`: ln(figure / SLO), and (ln(high) - ln(low)) / (2 z) as its standard
/// error, z the normal quantile of (1 + level) / 2. Without a figure the middle of the interval, in
/// logarithms. Nothing where the numbers make no interval.
inline std::optional<Margin> margin_of_interval(double low_s, double high_s, double level,
                                                std::optional<double> figure_s, double slo_s)
{
    if (!(low_s > 0 && high_s > low_s && level > 0 && level < 1 && slo_s > 0))
        return std::nullopt;
    const double low = std::log(low_s / slo_s);
    const double high = std::log(high_s / slo_s);
    const bool inside = figure_s && *figure_s >= low_s && *figure_s <= high_s;
    Margin margin;
    margin.estimate = inside ? std::log(*figure_s / slo_s) : (low + high) / 2;
    margin.error = (high - low) / (2 * stats::normal_quantile((1 + level) / 2));
    if (!std::isfinite(margin.estimate) || !std::isfinite(margin.error) || !(margin.error > 0))
        return std::nullopt;
    return margin;
}

} // namespace slo::plan

#endif
