// SPDX-License-Identifier: MIT
// What is believed of the rate at which an objective is just kept, after some probes.

#ifndef SLO_PLAN_RATE_POSTERIOR_HPP
#define SLO_PLAN_RATE_POSTERIOR_HPP

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

namespace slo::plan {

/// The range in which an edge is looked for, in requests a second.
struct RateRange {
    double floor = 0;   ///< no rate below is of interest
    double ceiling = 0; ///< none above
    double low = 0;     ///< thought to pass
    double high = 0;    ///< thought to fail
};

/// A density over the logarithm of the edge rate and over the slope of the margin, on a grid; updated by
/// Bayes' rule after each probe. It is probabilistic bisection (Horstein 1963; Waeber, Frazier and Henderson
/// 2013), which asks at the median, but for its likelihood: a probe tells not only on which side the edge is
/// but, by its margin, how far. Margins are taken as slope · ln(rate / edge), with noise of the stated
/// standard error, of Student's form, and with a misfit of a third, so that distant probes say little but
/// their side.
class RatePosterior {
public:
    /// `range.floor` < `range.ceiling`, `range.low` < `range.high`, all above 0.
    explicit RatePosterior(const RateRange& range)
        : start_(std::log(range.floor)),
          step_((std::log(range.ceiling) - start_) / static_cast<double>(points - 1)),
          weights_(points * slopes.size()), density_(points)
    {
        // Level between what was thought to pass and to fail, a tenth as likely a factor of ten beyond.
        for (std::size_t i = 0; i < points; ++i) {
            const double beyond = std::max({0.0, std::log(range.low) - at(i), at(i) - std::log(range.high)});
            for (std::size_t j = 0; j < slopes.size(); ++j) {
                const double off = std::log(slopes[j] / likely_slope) / slope_spread;
                weights_[i * slopes.size() + j] = -beyond - off * off / 2;
            }
        }
        normalize();
    }

    /// Takes in a probe at `qps` with this margin (above 0 on the failing side) and its standard error.
    void add(double qps, double margin, double error)
    {
        constexpr double misfit = 0.33;
        constexpr double degrees = 6;
        const double spread = std::sqrt(error * error + misfit * misfit * margin * margin + 1e-4);
        const double x = std::log(qps);
        for (std::size_t i = 0; i < points; ++i)
            for (std::size_t j = 0; j < slopes.size(); ++j) {
                const double off = (margin - slopes[j] * (x - at(i))) / spread;
                weights_[i * slopes.size() + j] -= (degrees + 1) / 2 * std::log1p(off * off / degrees);
            }
        normalize();
    }

    /// Takes in a probe that only told its side, rightly so with probability `right`.
    void add_side(double qps, bool passed, double right)
    {
        const double x = std::log(qps);
        for (std::size_t i = 0; i < points; ++i) {
            const bool agrees = (at(i) > x) == passed;
            for (std::size_t j = 0; j < slopes.size(); ++j)
                weights_[i * slopes.size() + j] += std::log(agrees ? right : 1 - right);
        }
        normalize();
    }

    /// The probability that the edge is above ln(rate) number `point`.
    double above(std::size_t point) const
    {
        double sum = 0;
        for (std::size_t i = point; i < points; ++i)
            sum += density_[i] * (i == point ? 0.5 : 1.0);
        return sum;
    }

    /// The probabilities that the edge is at each point of the grid; their sum is 1.
    std::span<const double> density() const noexcept { return density_; }

    /// The mean of the margin's slope: how much it grows while the rate grows e-fold.
    double slope() const noexcept { return slope_; }

    /// Points of the grid, and the logarithm of the rate at one of them.
    static constexpr std::size_t size() noexcept { return points; }
    double at(std::size_t point) const noexcept { return start_ + step_ * static_cast<double>(point); }

private:
    static constexpr std::size_t points = 2000;

    // Near its edge a queue grows three to six times as fast as its load; a factor of e either way is common.
    static constexpr double likely_slope = 4.5;
    static constexpr double slope_spread = 0.7;

    // From a latency that hardly depends on the load to one that jumps at the edge.
    inline static const auto slopes = [] {
        std::array<double, 24> values{};
        for (std::size_t j = 0; j < values.size(); ++j)
            values[j] =
                0.3 * std::pow(300.0, static_cast<double>(j) / static_cast<double>(values.size() - 1));
        return values;
    }();

    void normalize()
    {
        const double most = *std::max_element(weights_.begin(), weights_.end());
        double sum = 0;
        slope_ = 0;
        for (std::size_t i = 0; i < points; ++i) {
            density_[i] = 0;
            for (std::size_t j = 0; j < slopes.size(); ++j) {
                auto& weight = weights_[i * slopes.size() + j];
                weight -= most;
                const double mass = weight > -40 ? std::exp(weight) : 0;
                density_[i] += mass;
                slope_ += mass * slopes[j];
            }
            sum += density_[i];
        }
        slope_ /= sum;
        for (auto& mass : density_)
            mass /= sum;
    }

    double start_;
    double step_;
    std::vector<double> weights_; ///< logarithms, the greatest 0
    std::vector<double> density_; ///< over the rate alone, its sum 1
    double slope_ = 1;
};

} // namespace slo::plan

#endif
