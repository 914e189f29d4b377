// SPDX-License-Identifier: MIT
// How far from the mean of a normal sample a limit must lie so that few values of the population are beyond
// it.

#ifndef SLO_STATS_TOLERANCE_HPP
#define SLO_STATS_TOLERANCE_HPP

#include <slo/stats/student.hpp>

#include <boost/math/distributions/non_central_t.hpp>

#include <cmath>
#include <cstddef>

namespace slo::stats {

/// The factor k of a one-sided normal tolerance limit: with probability `confidence` the mean of `n` values
/// plus k times their standard deviation is above all but the share `beyond` of the population. It is
/// t'(confidence; n - 1, z √n) / √n with z the normal quantile of 1 - `beyond` (Hahn and Meeker 1991,
/// "Statistical Intervals", 4.6). `n` is at least 2; both shares lie between 0 and 1, exclusive.
inline double tolerance_factor(double n, double beyond, double confidence)
{
    const double root = std::sqrt(n);
    const boost::math::non_central_t distribution(n - 1, normal_quantile(1 - beyond) * root);
    return boost::math::quantile(distribution, confidence) / root;
}

} // namespace slo::stats

#endif
