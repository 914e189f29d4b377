// SPDX-License-Identifier: MIT
// How well a quantile of a sample is known.

#ifndef SLO_STATS_QUANTILE_INTERVAL_HPP
#define SLO_STATS_QUANTILE_INTERVAL_HPP

#include <slo/base/error.hpp>

#include <boost/math/special_functions/beta.hpp>
#include <boost/math/special_functions/erf.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <optional>
#include <span>

namespace slo::stats {

/// How the ranks of a quantile's interval are found.
enum class RankMethod {
    exact, ///< by the binomial distribution
    normal ///< by its normal approximation
};

/// Two-sided limits of a quantile as ranks in the sorted sample, 1 to n, integers; an end that no value of
/// the sample can be is missing.
struct QuantileRanks {
    std::optional<double> low;
    std::optional<double> high;
};

/// The same limits in the unit of the sample.
struct QuantileInterval {
    std::optional<double> low;
    std::optional<double> high;
};

namespace detail {

// P(X <= rank - 1) of n throws with probability q, between integer ranks too: 0 at rank 0, 1 above n.
inline double below_rank(double rank, double n, double q)
{
    if (!(rank > 0))
        return 0;
    return rank < n + 1 ? boost::math::ibetac(rank, n - rank + 1, q) : 1.0;
}

// The rank, not an integer, at which below_rank() comes to `probability`.
inline double rank_at(double probability, double n, double q)
{
    double low = 0;
    double high = n + 1;
    for (int step = 0; step < 200 && high - low > 1e-12 * n; ++step) {
        const double middle = low + (high - low) / 2;
        (below_rank(middle, n, q) < probability ? low : high) = middle;
    }
    return low + (high - low) / 2;
}

} // namespace detail

/// The probability that the q-quantile lies between the order statistics of those ranks, low < high, of a
/// sample of n: B(high - 1; n, q) - B(low - 1; n, q) (Hahn and Meeker 1991, "Statistical Intervals", ch. 5).
inline double rank_coverage(double low, double high, double n, double q)
{
    return detail::below_rank(high, n, q) - detail::below_rank(low, n, q);
}

/// The ranks between which the q-quantile lies with probability `level` at least, the same error on each
/// side: the highest low rank with B(low - 1; n, q) <= (1 - level)/2, the lowest high rank with B(high - 1;
/// n, q) >= (1 + level)/2; or by approximation floor(n q - z √(n q (1 - q))) and floor(n q + z √(n q (1 -
/// q))) + 1 (Hahn and Meeker 1991, ch. 5). With a design effect n is n/design_effect, and a rank among those
/// is as many times further up the sample. Throws Error unless q and level are between 0 and 1, both
/// exclusive, n is at most 10⁹ and the design effect is at least 1 and finite.
inline QuantileRanks quantile_ranks(std::size_t n, double q, double level,
                                    RankMethod method = RankMethod::exact, double design_effect = 1)
{
    if (!(q > 0 && q < 1 && level > 0 && level < 1))
        throw Error("a quantile and a level must be between 0 and 1");
    if (n > 1'000'000'000 || !(design_effect >= 1) || !std::isfinite(design_effect))
        throw Error("a quantile", "needs at most a billion values and a design effect of at least 1");
    const auto size = static_cast<double>(n);
    const double effective = size / design_effect;
    double low = 0; // among the effective sample
    double high = 0;
    if (method == RankMethod::exact) {
        low = detail::rank_at((1 - level) / 2, effective, q);
        high = detail::rank_at((1 + level) / 2, effective, q);
    } else {
        const double z = std::numbers::sqrt2 * boost::math::erfc_inv(1 - level);
        const double half = z * std::sqrt(effective * q * (1 - q));
        low = effective * q - half;
        high = effective * q + half;
    }
    // A rank that rounding left a hair beside an integer is that integer.
    const double hair = 1e-9 + 1e-12 * size;
    if (method == RankMethod::exact) {
        low = std::floor(low + hair);
        high = std::ceil(high - hair);
    }
    const double low_rank = std::floor(low * design_effect + hair);
    const double high_rank = method == RankMethod::exact ? std::ceil((high - 1) * design_effect - hair) + 1
                                                         : std::floor(high * design_effect + hair) + 1;
    QuantileRanks ranks;
    // What no value of the effective sample limits, no value of the sample does, however many there are.
    if (low >= 1)
        ranks.low = low_rank;
    if (high <= effective + hair && high_rank <= size)
        ranks.high = std::max(1.0, high_rank);
    return ranks;
}

/// The limits of the q-quantile by the values of a sorted sample, in its unit. Throws as quantile_ranks()
/// does.
inline QuantileInterval quantile_interval(std::span<const double> sorted, double q, double level,
                                          RankMethod method = RankMethod::exact, double design_effect = 1)
{
    const auto ranks = quantile_ranks(sorted.size(), q, level, method, design_effect);
    const auto value = [&](const std::optional<double>& rank) -> std::optional<double> {
        return rank ? std::optional(sorted[static_cast<std::size_t>(*rank) - 1]) : std::nullopt;
    };
    return {value(ranks.low), value(ranks.high)};
}

} // namespace slo::stats

#endif
