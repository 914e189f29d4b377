// SPDX-License-Identifier: MIT
// Where the warm-up of a series ends.

#ifndef SLO_STATS_WARM_UP_HPP
#define SLO_STATS_WARM_UP_HPP

#include <algorithm>
#include <cstddef>
#include <limits>
#include <span>

namespace slo::stats {

/// How much of a series to leave out.
struct WarmUp {
    std::size_t cut = 0;    ///< observations at the beginning
    bool converged = false; ///< false: the series is too short to tell, or changes until its end
};

/// The truncation point by the marginal standard error rule, MSER-m (White 1997, Simulation 69:323; White,
/// Cobb and Spratt 2000): of the means of m = `batch` (at least 1) neighbours each, the first d ≤ k/2 are
/// left out where the squared standard error of the mean of the others, Σ (z_j - z̄)² / (k - d)², is least;
/// the first such d. It converged unless d is k/2 rounded down. O(n). Values are finite; an infinite one
/// within the batches that are kept in any case means that nothing converges. Values after the last whole
/// batch are not looked at.
inline WarmUp mser(std::span<const double> values, std::size_t batch = 5)
{
    batch = std::max<std::size_t>(batch, 1);
    const std::size_t batches = values.size() / batch;
    const std::size_t last = batches / 2;
    std::size_t best = last;
    double least = std::numeric_limits<double>::max();
    // From the end, mean and squares about it updated (Welford 1962): no sum of squares of large values that
    // would cancel, and the squares after a cut know nothing of what is before it.
    double mean = 0;
    double squares = 0;
    for (std::size_t d = batches; d-- > 0;) {
        double z = 0;
        for (const double value : values.subspan(d * batch, batch))
            z += value / static_cast<double>(batch);
        const auto kept = static_cast<double>(batches - d);
        const double step = z - mean;
        mean += step / kept;
        squares += step * (z - mean);
        const double error = squares / kept / kept;
        if (d <= last && error <= least) {
            least = error;
            best = d;
        }
    }
    return {best * batch, best < last};
}

} // namespace slo::stats

#endif
