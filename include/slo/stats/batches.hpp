// SPDX-License-Identifier: MIT
// The share of violations from batches whose requests are not independent.

#ifndef SLO_STATS_BATCHES_HPP
#define SLO_STATS_BATCHES_HPP

#include <slo/stats/interval.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace slo::stats {

/// What one batch (a round, say) counted.
struct Batch {
    double requests = 0;
    double violations = 0; ///< 0 to requests
};

/// A share over batches, and how well it is known.
struct BatchShare {
    double share = 0;         ///< of all requests, 0 to 1
    double variance = 0;      ///< of `share`, from the spread between batches; inflated where rho > 0
    double design_effect = 1; ///< by how much that exceeds the variance of independent requests; at least 1
    double effective_requests = 0; ///< how many independent requests would know it as well
    double rho = 0;                ///< lag-1 autocorrelation of the batches' residuals, bias put right
    std::size_t batches = 0;       ///< that had requests

    /// The number of violations among the effective requests.
    double effective_violations() const noexcept { return effective_requests * share; }
};

/// A mean of batch shares after its regression on a control.
struct AdjustedShare {
    double share = 0;    ///< not held to 0 to 1, so that it stays unbiased
    double variance = 0; ///< of `share`; inflated where rho > 0
    double rho = 0;      ///< lag-1 autocorrelation of what the control leaves unexplained, bias put right
    double degrees_of_freedom = 0;
};

namespace detail {

inline bool is_batch(const Batch& batch)
{
    return std::isfinite(batch.requests) && batch.violations >= 0 && batch.violations <= batch.requests;
}

// By how much a variance grows where neighbours are alike: (1 + ρ)/(1 - ρ), at most as if all batches were
// one.
inline double alike_inflation(double rho, double batches)
{
    const double alike = std::clamp(rho, 0.0, 1.0);
    return alike < 1 ? std::min(batches, (1 + alike) / (1 - alike)) : batches;
}

} // namespace detail

/// The sum of squared steps of a series over its sum of squared deviations from the mean (von Neumann 1941);
/// 2 on average for independent values, less where neighbours are alike. Nothing below two values, without
/// variance, or where the sums overflow.
inline std::optional<double> von_neumann_ratio(std::span<const double> series)
{
    double mean = 0;
    for (const double value : series)
        mean += value / static_cast<double>(series.size());
    double steps = 0;
    double deviations = 0;
    for (std::size_t i = 0; i < series.size(); ++i) {
        deviations += (series[i] - mean) * (series[i] - mean);
        if (i > 0)
            steps += (series[i] - series[i - 1]) * (series[i] - series[i - 1]);
    }
    if (!(deviations > 0) || !std::isfinite(deviations) || !std::isfinite(steps))
        return std::nullopt;
    return steps / deviations;
}

/// The pooled share of violations with the variance of a ratio estimator between clusters, b/(b - 1) ·
/// Σ (k_j - p n_j)² / N² (Cochran 1977, "Sampling Techniques", 9A), times (1 + ρ)/(1 - ρ), b at most, where
/// the residuals of neighbouring batches are alike (Law and Kelton, ch. 9). Batches without requests do not
/// count; nothing below two others, or where a count is not finite, negative, or above its requests.
inline std::optional<BatchShare> share_of(std::span<const Batch> batches)
{
    double requests = 0;
    double violations = 0;
    BatchShare result;
    for (const Batch& batch : batches) {
        if (!detail::is_batch(batch))
            return std::nullopt;
        requests += batch.requests;
        violations += batch.violations;
        result.batches += batch.requests > 0;
    }
    if (result.batches < 2 || !std::isfinite(requests))
        return std::nullopt;
    result.share = std::min(1.0, violations / requests);
    result.effective_requests = requests;
    const double independent = result.share * (1 - result.share) / requests;
    if (!(independent > 0))
        return result;

    const auto count = static_cast<double>(result.batches);
    std::vector<double> residuals;
    residuals.reserve(result.batches);
    for (const Batch& batch : batches) {
        if (batch.requests > 0)
            residuals.push_back((batch.violations - result.share * batch.requests) / requests);
    }
    for (const double residual : residuals)
        result.variance += residual * residual * count / (count - 1);
    result.rho = lag1_autocorrelation(residuals);
    result.variance *= detail::alike_inflation(result.rho, count);
    // One request is never worth less than one, however few there are.
    result.design_effect = std::clamp(result.variance / independent, 1.0, std::max(1.0, requests));
    result.effective_requests = requests / result.design_effect;
    return result;
}

/// The mean share of the batches, each of the same weight, after ordinary least squares on a control whose
/// mean is known to be 0 (control variates: Lavenberg and Welch 1981, Management Science 27:322): the
/// intercept, its variance s² (X'X)⁻¹₀₀, inflated as in share_of(), and b - 2 degrees of freedom. Batches
/// without requests do not count; nothing below five others, where the control has no variance among them or
/// another length, where a number is out of range or the sums overflow.
inline std::optional<AdjustedShare> adjusted_share(std::span<const Batch> batches,
                                                   std::span<const double> control)
{
    if (control.size() != batches.size())
        return std::nullopt;
    double count = 0;
    double mean_share = 0;
    double mean_control = 0;
    for (std::size_t i = 0; i < batches.size(); ++i) {
        if (!detail::is_batch(batches[i]) || !std::isfinite(control[i]))
            return std::nullopt;
        if (batches[i].requests > 0) {
            count += 1;
            mean_share += (batches[i].violations / batches[i].requests - mean_share) / count;
            mean_control += (control[i] - mean_control) / count;
        }
    }
    double controls = 0; // sums of squares and of products about the means
    double products = 0;
    double shares = 0;
    for (std::size_t i = 0; i < batches.size(); ++i) {
        if (batches[i].requests > 0) {
            const double x = control[i] - mean_control;
            const double y = batches[i].violations / batches[i].requests - mean_share;
            controls += x * x;
            products += x * y;
            shares += y * y;
        }
    }
    // A spread of the control within its rounding error is none.
    const double rounding = 1e-15 * std::abs(mean_control);
    if (count < 5 || !(controls > count * rounding * rounding) || !std::isfinite(controls))
        return std::nullopt;
    const double slope = products / controls;
    AdjustedShare result;
    result.degrees_of_freedom = count - 2;
    result.share = mean_share - slope * mean_control;
    const double unexplained = std::max(0.0, shares - slope * products) / result.degrees_of_freedom;
    result.variance = unexplained * (1 / count + mean_control * mean_control / controls);
    std::vector<double> residuals;
    for (std::size_t i = 0; i < batches.size(); ++i) {
        if (batches[i].requests > 0)
            residuals.push_back(batches[i].violations / batches[i].requests - result.share -
                                slope * control[i]);
    }
    result.rho = lag1_autocorrelation(residuals);
    result.variance *= detail::alike_inflation(result.rho, count);
    if (!std::isfinite(result.share) || !std::isfinite(result.variance))
        return std::nullopt;
    return result;
}

} // namespace slo::stats

#endif
