// SPDX-License-Identifier: MIT
// Several runs of the same thing, summed up; and a single one whose tail is long.

#ifndef SLO_STATS_REPETITIONS_HPP
#define SLO_STATS_REPETITIONS_HPP

#include <slo/stats/quantile.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

namespace slo::stats {

/// The figures of repeated runs, in the unit of the figures.
struct RepetitionSummary {
    std::size_t count = 0;
    double p50 = 0; ///< of the figures: where each is a run's p50, the p50 of the p50s
    double min = 0;
    double max = 0;
    std::optional<double> spread; ///< max / min; nothing where min is not above 0
};

/// What repetitions come to, of which each gave one figure, such as its p50; figures that are not finite do
/// not count. Nothing where none is left.
inline std::optional<RepetitionSummary> summarize_repetitions(std::vector<double> figures)
{
    std::erase_if(figures, [](double figure) { return !std::isfinite(figure); });
    if (figures.empty())
        return std::nullopt;
    std::sort(figures.begin(), figures.end());
    RepetitionSummary summary{figures.size(), quantile_sorted(figures, 0.5), figures.front(), figures.back(),
                              std::nullopt};
    if (summary.min > 0)
        summary.spread = summary.max / summary.min;
    return summary;
}

/// A p99 of more than so many times the p50 is a long tail: the run deserves a look before it is cited.
inline constexpr double long_tail_ratio = 3;

/// Whether p99 / p50 is above `ratio`. Nothing where either is not known, or the p50 is not above 0.
inline std::optional<bool> has_long_tail(std::optional<double> p50, std::optional<double> p99,
                                         double ratio = long_tail_ratio)
{
    if (!p50 || !p99 || !(*p50 > 0) || !std::isfinite(*p50) || !std::isfinite(*p99))
        return std::nullopt;
    return *p99 > ratio * *p50;
}

} // namespace slo::stats

#endif
