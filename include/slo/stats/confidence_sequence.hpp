// SPDX-License-Identifier: MIT
// The interval of a share that may be looked at as often as one likes.

#ifndef SLO_STATS_CONFIDENCE_SEQUENCE_HPP
#define SLO_STATS_CONFIDENCE_SEQUENCE_HPP

#include <slo/base/error.hpp>
#include <slo/stats/binomial.hpp>

#include <boost/math/special_functions/gamma.hpp>

#include <cmath>

namespace slo::stats {

namespace detail {

// x log y, 0 where x is.
inline double x_log(double x, double y)
{
    return x > 0 ? x * std::log(y) : 0.0;
}

// log B(a, b).
inline double log_beta(double a, double b)
{
    return boost::math::lgamma(a) + boost::math::lgamma(b) - boost::math::lgamma(a + b);
}

} // namespace detail

/// The logarithm of the beta-binomial mixture martingale against the share p, after k of n (Robbins 1970;
/// Howard et al. 2021): log B(a + k, b + n - k), less log B(a, b), k log p and (n - k) log(1 - p). With
/// probability 1 - alpha it never exceeds log(1/alpha) where p is the true share. Infinite where p cannot
/// have given k of n.
inline double log_mixture(double p, double k, double n, double a, double b)
{
    return detail::log_beta(a + k, b + (n - k)) - detail::log_beta(a, b) - detail::x_log(k, p) -
           (n - k > 0 ? (n - k) * std::log1p(-p) : 0.0);
}

/// The shares that k of n do not rule out, at whatever n one looks and however often: with probability 1 -
/// alpha the true share is in all intervals of a growing sample (beta-binomial mixture: Robbins 1970; Howard
/// et al. 2021; Waudby-Smith and Ramdas 2024). a and b, both positive, say where it is narrowest: at a share
/// of a/(a + b) of about a + b requests. k and n need not be integers; nothing seen (n = 0) rules nothing
/// out. Throws Error unless 0 <= k <= n <= 10⁹, alpha is between 0 and 1, both exclusive, and a and b are
/// from 10⁻⁶ to 10⁹.
inline ShareInterval confidence_sequence(double k, double n, double alpha, double a = 1, double b = 1)
{
    if (!(k >= 0 && k <= n && n <= 1e9))
        throw Error("a count", "must be 0 to all requests, and those at most a billion");
    if (!(alpha > 0 && alpha < 1))
        throw Error("alpha", "must be between 0 and 1");
    if (!(a >= 1e-6 && a <= 1e9 && b >= 1e-6 && b <= 1e9))
        throw Error("a prior", "must be 0.000001 to a billion");
    ShareInterval interval;
    if (!(n > 0))
        return interval;
    const double share = k / n;
    const double limit = -std::log(alpha);
    // The martingale is convex in p and not above 1 at the share seen: one root on each side.
    const auto root = [&](double inside, double outside) {
        for (int step = 0; step < 1100 && inside != outside; ++step) {
            const double middle = inside + (outside - inside) / 2;
            if (middle == inside || middle == outside)
                break;
            (log_mixture(middle, k, n, a, b) < limit ? inside : outside) = middle;
        }
        return outside;
    };
    if (k > 0)
        interval.low = root(share, 0.0);
    if (k < n)
        interval.high = root(share, 1.0);
    return interval;
}

} // namespace slo::stats

#endif
