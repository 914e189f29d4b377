// SPDX-License-Identifier: MIT
// Quantiles of the normal and of Student's distribution.

#ifndef SLO_STATS_STUDENT_HPP
#define SLO_STATS_STUDENT_HPP

#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>

namespace slo::stats {

/// The standard normal quantile of `p`, 0 to 1, both exclusive.
inline double normal_quantile(double p)
{
    return boost::math::quantile(boost::math::normal(), p);
}

/// The probability that a standard normal value is at most z.
inline double normal_below(double z)
{
    return boost::math::cdf(boost::math::normal(), z);
}

/// The quantile of `p` (0 to 1, both exclusive) of Student's t with `degrees` (above 0) degrees of freedom.
inline double student_quantile(double p, double degrees)
{
    return boost::math::quantile(boost::math::students_t(degrees), p);
}

} // namespace slo::stats

#endif
