// SPDX-License-Identifier: MIT
// Group sequential boundaries: how to look at growing data several times and err no more often than once.

#ifndef SLO_STATS_SEQUENTIAL_HPP
#define SLO_STATS_SEQUENTIAL_HPP

#include <slo/base/error.hpp>

#include <boost/math/quadrature/gauss.hpp>
#include <boost/math/special_functions/erf.hpp>
#include <boost/math/tools/roots.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <span>
#include <string>
#include <vector>

namespace slo::stats {

/// How the error probability is shared out over the looks.
enum class Spending {
    pocock,        ///< the same nominal level at each (Pocock 1977)
    obrien_fleming ///< hardly any at the first, nearly all at the last (O'Brien and Fleming 1979)
};

/// Which crossings count.
enum class Sides {
    one, ///< of the upper boundary
    two  ///< of the boundary and of its mirror image
};

/// The most looks that a plan may have.
inline constexpr std::size_t max_looks = 64;

namespace detail {

// The probability that a standard normal value is above z.
inline double normal_above(double z)
{
    return boost::math::erfc(z / std::numbers::sqrt2) / 2;
}

// Information at each look as shares of the last one's. Throws Error where they make no plan.
inline std::vector<double> information(std::span<const double> fractions)
{
    if (fractions.empty() || fractions.size() > max_looks)
        throw Error("looks", "must be 1 to " + std::to_string(max_looks));
    std::vector<double> shares;
    double before = 0;
    for (const double fraction : fractions) {
        shares.push_back(fraction / fractions.back());
        // Closer looks would need a finer grid than is worth the time.
        if (!(fraction > 0 && std::isfinite(shares.back()) && shares.back() - before >= 1e-4))
            throw Error("looks", "must increase, each by at least 1/10000 of the last");
        before = shares.back();
    }
    return shares;
}

// The Brownian motion at one look, where it has not crossed yet, as point masses that integrate its density.
struct Mass {
    double at;
    double weight;
};

inline double normal_density(double x)
{
    return std::exp(-x * x / 2) / std::sqrt(2 * std::numbers::pi);
}

// Gauss-Legendre nodes for the continuation region [low, high], in panels that resolve steps of `deviation`.
inline std::vector<Mass> nodes(double low, double high, double deviation)
{
    using Rule = boost::math::quadrature::gauss<double, 8>;
    std::vector<Mass> result;
    const double panels = std::ceil((high - low) / (2 * deviation));
    if (!(panels >= 1))
        return result;
    result.reserve(static_cast<std::size_t>(panels) * 8);
    const double half = (high - low) / (2 * panels);
    for (double panel = 0; panel < panels; ++panel) {
        const double middle = low + (2 * panel + 1) * half;
        for (std::size_t i = 4; i-- > 0;)
            result.push_back({middle - half * Rule::abscissa()[i], half * Rule::weights()[i]});
        for (std::size_t i = 0; i < 4; ++i)
            result.push_back({middle + half * Rule::abscissa()[i], half * Rule::weights()[i]});
    }
    return result;
}

} // namespace detail

/// The probability that a Brownian motion without drift, standardized (B(t)/√t), is beyond `bounds` (z, one a
/// look) at any of the looks, by recursive numerical integration (Armitage, McPherson and Rowe 1969; absolute
/// error below 10⁻⁹). `fractions` is the information at each look, round counts for example; only their
/// ratios matter. Throws Error unless there are 1 to 64 looks that increase, each with a bound that is not
/// NaN.
inline double crossing_probability(std::span<const double> fractions, std::span<const double> bounds,
                                   Sides sides = Sides::one)
{
    const auto times = detail::information(fractions);
    if (bounds.size() != times.size())
        throw Error("looks", "need a bound each");
    constexpr double far = 8.5; // standard deviations, beyond which nothing is left in doubles
    std::vector<detail::Mass> going_on{{0, 1}};
    double crossed = 0;
    for (std::size_t k = 0; k < times.size(); ++k) {
        const double root = std::sqrt(times[k]);
        const double bound = bounds[k] * root;
        if (std::isnan(bound))
            throw Error("looks", "need a bound each");
        const double deviation = std::sqrt(times[k] - (k > 0 ? times[k - 1] : 0));
        for (const auto& mass : going_on) {
            const double above = detail::normal_above((bound - mass.at) / deviation);
            const double below =
                sides == Sides::two ? detail::normal_above((bound + mass.at) / deviation) : 0.0;
            crossed += mass.weight * std::min(1.0, above + below);
        }
        if (k + 1 == times.size())
            break;
        const double finest = std::min(deviation, std::sqrt(times[k + 1] - times[k]));
        const double high = std::min(bound, far * root);
        auto next = detail::nodes(sides == Sides::two ? -high : -far * root, high, finest);
        auto first = going_on.cbegin();
        for (auto& node : next) {
            double density = 0;
            while (first != going_on.cend() && first->at < node.at - far * deviation)
                ++first;
            for (auto from = first; from != going_on.cend() && from->at <= node.at + far * deviation; ++from)
                density += from->weight * detail::normal_density((node.at - from->at) / deviation);
            node.weight *= density / deviation;
        }
        going_on = std::move(next);
    }
    return std::clamp(crossed, 0.0, 1.0);
}

/// The bounds z of each look with which the probability to cross any without cause is alpha in total (10⁻⁶ to
/// 0.5): a constant for Pocock, c/√t for O'Brien and Fleming. `fractions` as for crossing_probability().
/// Throws Error as that does, and where alpha is out of range.
inline std::vector<double> sequential_bounds(std::span<const double> fractions, double alpha,
                                             Spending spending, Sides sides = Sides::one)
{
    const auto times = detail::information(fractions);
    if (!(alpha >= 1e-6 && alpha <= 0.5))
        throw Error("alpha", "must be 0.000001 to 0.5");
    const auto bounds = [&](double z) {
        std::vector<double> result;
        for (const double time : times)
            result.push_back(spending == Spending::pocock ? z : z / std::sqrt(time));
        return result;
    };
    const auto excess = [&](double z) { return crossing_probability(times, bounds(z), sides) - alpha; };
    const double one_side = sides == Sides::two ? alpha / 2 : alpha;
    const auto z_of = [](double tail) { return std::numbers::sqrt2 * boost::math::erfc_inv(2 * tail); };
    // Between the level of one look alone and Bonferroni's; a hair more for the integration's error.
    const double low = z_of(one_side) - 1e-6;
    const double high = z_of(one_side / static_cast<double>(times.size())) + 1e-6;
    std::uintmax_t steps = 60;
    const auto [left, right] = boost::math::tools::toms748_solve(
        excess, low, high, boost::math::tools::eps_tolerance<double>(30), steps);
    return bounds((left + right) / 2);
}

/// The nominal level of each look, to be used like a fixed sample's: of one side with Sides::one, of both
/// together with Sides::two. Else as sequential_bounds().
inline std::vector<double> nominal_alphas(std::span<const double> fractions, double alpha, Spending spending,
                                          Sides sides = Sides::one)
{
    auto levels = sequential_bounds(fractions, alpha, spending, sides);
    for (double& level : levels)
        level = detail::normal_above(level) * (sides == Sides::two ? 2 : 1);
    return levels;
}

} // namespace slo::stats

#endif
