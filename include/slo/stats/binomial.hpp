// SPDX-License-Identifier: MIT
// How well a share is known: intervals of a binomial probability.

#ifndef SLO_STATS_BINOMIAL_HPP
#define SLO_STATS_BINOMIAL_HPP

#include <slo/base/error.hpp>

#include <boost/math/distributions/normal.hpp>
#include <boost/math/special_functions/beta.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace slo::stats {

/// An interval of a share; both ends between 0 and 1.
struct ShareInterval {
    double low = 0;
    double high = 1;
};

namespace detail {

// Beyond 10^9 trials the inverse of the incomplete beta function no longer converges; the same share of fewer
// trials has the wider limits.
inline double billion_at_most(double n)
{
    return std::min(1.0, 1e9 / n);
}

} // namespace detail

/// The upper limit of a share of which k of n were seen, exceeded with probability alpha at most (Clopper and
/// Pearson 1934: BetaInv(1 - alpha; k + 1, n - k)). k and n may be effective sizes, not integers; alpha is
/// between 0 and 1, both exclusive. 1 where k >= n or n is not positive.
inline double upper_share(double k, double n, double alpha)
{
    const double scale = detail::billion_at_most(n);
    k = std::max(k, 0.0);
    return n > 0 && k < n ? boost::math::ibetac_inv(scale * k + 1, scale * (n - k), alpha) : 1.0;
}

/// The lower limit of a share of which k of n were seen, undercut with probability alpha at most (Clopper and
/// Pearson 1934: BetaInv(alpha; k, n - k + 1)). k and n may be effective sizes, not integers; alpha is
/// between 0 and 1, both exclusive. 0 where k <= 0 or n is not positive.
inline double lower_share(double k, double n, double alpha)
{
    const double scale = detail::billion_at_most(n);
    k = std::min(k, n);
    return n > 0 && k > 0 ? boost::math::ibeta_inv(scale * k, scale * (n - k) + 1, alpha) : 0.0;
}

/// The two-sided score interval at `level` (0 to 1, both exclusive) of a share of which k of n were seen
/// (Wilson 1927); good for showing, too narrow near 0 and 1 for verdicts. 0 to 1 where n is not positive.
inline ShareInterval wilson(double k, double n, double level)
{
    if (!(n > 0))
        return {};
    const double share = std::clamp(k / n, 0.0, 1.0);
    const double z = boost::math::quantile(boost::math::complement(boost::math::normal(), (1 - level) / 2));
    const double z2n = z * z / n;
    const double middle = (share + z2n / 2) / (1 + z2n);
    const double half = std::sqrt(share * (1 - share) * z2n + z2n * z2n / 4) / (1 + z2n);
    return {std::max(0.0, middle - half), std::min(1.0, middle + half)};
}

/// The least number of requests, all of them good, that shows with error probability alpha that more than the
/// share q is good: ceil(ln alpha / ln q). Throws Error unless both are between 0 and 1, both exclusive.
inline std::int64_t fewest_without_violation(double q, double alpha)
{
    if (!(q > 0 && q < 1 && alpha > 0 && alpha < 1))
        throw Error("a share and an error probability must be between 0 and 1");
    // The quotient of two rounded logarithms may lie a hair above an integer that it should be.
    const double fewest = std::log(alpha) / std::log(q);
    return std::max<std::int64_t>(1, static_cast<std::int64_t>(std::ceil(fewest * (1 - 1e-14))));
}

} // namespace slo::stats

#endif
