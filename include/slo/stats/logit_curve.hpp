// SPDX-License-Identifier: MIT
// How a share falls with the rate: a curve through noisy shares, and where it crosses a given one.

#ifndef SLO_STATS_LOGIT_CURVE_HPP
#define SLO_STATS_LOGIT_CURVE_HPP

#include <boost/math/distributions/students_t.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <optional>
#include <span>
#include <utility>

namespace slo::stats {

/// ln(p / (1 - p)) of a share above 0 and below 1.
inline double logit(double share) noexcept
{
    return std::log(share / (1 - share));
}

/// A share seen at some x, among so many independent requests (which need be no whole number).
struct SharePoint {
    double x = 0;
    double share = 0; ///< 0 to 1
    double requests = 1;
};

/// Where a curve crosses, and the standard deviation of that.
struct Crossing {
    double x = 0;
    double deviation = 0;
    double slope = 0; ///< of the logit, there; below 0
    double degrees =
        1; ///< of freedom of the deviation: by how many points more than coefficients it is known

    /// Half the width of the interval of x at `level` (0 to 1, both exclusive), by Student's t.
    double half_width(double level) const
    {
        const boost::math::students_t distribution(degrees);
        return deviation * boost::math::quantile(boost::math::complement(distribution, (1 - level) / 2));
    }
};

/// logit(share) = b0 + b1 x + b2 x², by logistic regression (iteratively reweighted least squares; McCullagh
/// and Nelder, "Generalized Linear Models", 1989, ch. 4): unlike a line through the logits seen it is not
/// drawn off by shares that are noisy and near 1. Where the points scatter more around it than their numbers
/// of requests say, the deviations are taken to be larger by that much (quasi-likelihood, ibid. ch. 9).
class LogitCurve {
public:
    /// The curve through the points; a straight line below five of them, nothing below three, or where they
    /// do not determine it.
    static std::optional<LogitCurve> fit(std::span<const SharePoint> points)
    {
        constexpr int most_steps = 50;
        if (points.size() < 3)
            return std::nullopt;
        LogitCurve curve;
        curve.terms_ = points.size() < 5 ? 2 : 3;
        curve.place(points);
        for (int step = 0; step < most_steps; ++step) {
            const auto before = curve.coefficients_;
            if (!curve.improve(points, step == 0))
                return std::nullopt;
            double change = 0;
            for (std::size_t i = 0; i < curve.terms_; ++i)
                change = std::max(change, std::abs(curve.coefficients_[i] - before[i]));
            if (change < 1e-9) {
                curve.widen(points);
                return curve;
            }
        }
        return std::nullopt;
    }

    /// Where the curve falls through `share` within [low, high]; nothing where it does not.
    std::optional<Crossing> crossing(double share, double low, double high) const
    {
        const double c = coefficients_[0] - logit(share);
        const double b = coefficients_[1];
        const double a = coefficients_[2];
        const double discriminant = b * b - 4 * a * c;
        // Falling: of the two roots the one with the slope -√discriminant.
        if (!(discriminant > 0) || (a == 0 && b >= 0))
            return std::nullopt;
        const double slope = -std::sqrt(discriminant);
        // In the form that subtracts nothing.
        const double u = b < 0 ? 2 * c / (slope * -1 - b) : (-b + slope) / (2 * a);
        const double x = center_ + u * scale_;
        if (!(x >= low && x <= high))
            return std::nullopt;
        const auto gradient = row(u);
        double variance = 0;
        for (std::size_t i = 0; i < terms_; ++i)
            for (std::size_t j = 0; j < terms_; ++j)
                variance += gradient[i] * covariance_[i][j] * gradient[j];
        return Crossing{x, std::sqrt(variance) / -slope * scale_, slope / scale_, degrees_};
    }

private:
    static constexpr std::size_t most_terms = 3;
    using Vector = std::array<double, most_terms>;
    using Matrix = std::array<Vector, most_terms>;

    static Vector row(double u) noexcept { return {1, u, u * u}; }

    // The share that the curve has at u; never so near to none or all that a weight vanishes.
    double at(double u) const noexcept
    {
        const auto terms = row(u);
        double sum = 0;
        for (std::size_t i = 0; i < terms_; ++i)
            sum += coefficients_[i] * terms[i];
        return 1 / (1 + std::exp(-std::clamp(sum, -25.0, 25.0)));
    }

    double place_of(const SharePoint& point) const noexcept { return (point.x - center_) / scale_; }

    // One step; the first starts from the shares themselves, drawn a little to one half.
    bool improve(std::span<const SharePoint> points, bool first)
    {
        Matrix normal{};
        Vector right{};
        for (const auto& point : points) {
            const double mean =
                first ? (point.share * point.requests + 0.5) / (point.requests + 1) : at(place_of(point));
            const double weight = point.requests * mean * (1 - mean);
            const double target = logit(mean) + (point.share - mean) / (mean * (1 - mean));
            const auto terms = row(place_of(point));
            for (std::size_t i = 0; i < terms_; ++i) {
                right[i] += weight * terms[i] * target;
                for (std::size_t j = 0; j < terms_; ++j)
                    normal[i][j] += weight * terms[i] * terms[j];
            }
        }
        if (!invert(normal, terms_, covariance_))
            return false;
        coefficients_ = {};
        for (std::size_t i = 0; i < terms_; ++i)
            for (std::size_t j = 0; j < terms_; ++j)
                coefficients_[i] += covariance_[i][j] * right[j];
        return true;
    }

    // Near the middle of the points and of their size, the equations are well conditioned.
    void place(std::span<const SharePoint> points)
    {
        const auto [least, most] = std::minmax_element(
            points.begin(), points.end(), [](const auto& a, const auto& b) { return a.x < b.x; });
        center_ = (least->x + most->x) / 2;
        scale_ = std::max(1e-12, (most->x - least->x) / 2);
    }

    // Gauss and Jordan with the largest pivot of the column.
    static bool invert(Matrix matrix, std::size_t size, Matrix& inverse)
    {
        double largest = 0;
        for (std::size_t i = 0; i < size; ++i) {
            inverse[i] = {};
            inverse[i][i] = 1;
            largest = std::max(largest, std::abs(matrix[i][i]));
        }
        for (std::size_t column = 0; column < size; ++column) {
            auto pivot = column;
            for (auto i = column + 1; i < size; ++i)
                if (std::abs(matrix[i][column]) > std::abs(matrix[pivot][column]))
                    pivot = i;
            if (!(std::abs(matrix[pivot][column]) > 1e-12 * largest))
                return false;
            std::swap(matrix[pivot], matrix[column]);
            std::swap(inverse[pivot], inverse[column]);
            const double divisor = matrix[column][column];
            for (std::size_t i = 0; i < size; ++i) {
                const double factor = matrix[i][column] / divisor;
                for (std::size_t j = 0; j < size && i != column; ++j) {
                    matrix[i][j] -= factor * matrix[column][j];
                    inverse[i][j] -= factor * inverse[column][j];
                }
            }
            for (std::size_t j = 0; j < size; ++j) {
                matrix[column][j] /= divisor;
                inverse[column][j] /= divisor;
            }
        }
        return true;
    }

    // By Pearson's statistic.
    void widen(std::span<const SharePoint> points)
    {
        if (points.size() <= terms_)
            return;
        degrees_ = static_cast<double>(points.size() - terms_);
        double squares = 0;
        for (const auto& point : points) {
            const double mean = at(place_of(point));
            squares += point.requests * (point.share - mean) * (point.share - mean) / (mean * (1 - mean));
        }
        const double factor = std::max(1.0, squares / degrees_);
        for (auto& line : covariance_)
            for (auto& value : line)
                value *= factor;
    }

    double center_ = 0;
    double scale_ = 1;
    std::size_t terms_ = most_terms;
    double degrees_ = 1;
    Vector coefficients_{};
    Matrix covariance_{};
};

} // namespace slo::stats

#endif
