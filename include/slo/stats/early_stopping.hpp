// SPDX-License-Identifier: MIT
// The rule of MLPerf for when a percentile has been shown: how many requests may be over the limit.

#ifndef SLO_STATS_EARLY_STOPPING_HPP
#define SLO_STATS_EARLY_STOPPING_HPP

#include <slo/base/error.hpp>

#include <boost/math/special_functions/beta.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace slo::stats {

namespace detail {

// The most requests that the rule is asked about.
inline constexpr std::int64_t most_requests = 1'000'000'000;

// Throws Error unless both are between 0 and 1.
inline void check_percentile(double q, double confidence)
{
    if (!(q > 0 && q < 1 && confidence > 0 && confidence < 1))
        throw Error("a percentile and a confidence must be between 0 and 1");
}

// True where at most t of n requests over the limit would be too lucky for a service whose share within it is
// q.
inline bool is_shown(std::int64_t n, std::int64_t t, double q, double confidence)
{
    return n > t &&
           boost::math::ibeta(static_cast<double>(n - t), static_cast<double>(t + 1), q) < 1 - confidence;
}

} // namespace detail

/// The least number of requests with which t of them over the limit still show, with that confidence, that
/// more than the share q (0.99 for p99) is within it: h + t with h = min{h : I_q(h, t + 1) < 1 - confidence}
/// (Reddi et al. 2020, MLPerf Inference; "early stopping" of its load generator, tolerance 0). It takes the
/// requests as independent, and one look. Throws Error unless q and confidence are between 0 and 1, both
/// exclusive, t is not negative, and 10⁹ requests are enough.
inline std::int64_t early_stopping_requests(std::int64_t t, double q, double confidence = 0.99)
{
    detail::check_percentile(q, confidence);
    if (t < 0)
        throw Error("requests over the limit", "must not be negative");
    const auto is_enough = [&](std::int64_t h) { return detail::is_shown(h + t, t, q, confidence); };
    std::int64_t high = 1;
    while (t < detail::most_requests && high < detail::most_requests - t && !is_enough(high))
        high = std::min(high * 2, detail::most_requests - t);
    if (t >= detail::most_requests || !is_enough(high))
        throw Error("a percentile this high", "takes more than a billion requests");
    std::int64_t low = high / 2; // not enough, or 0
    while (high - low > 1) {
        const std::int64_t middle = low + (high - low) / 2;
        (is_enough(middle) ? high : low) = middle;
    }
    return high + t;
}

/// The most requests over the limit with which n still show, with that confidence, that more than the share q
/// is within it; nothing where even none would not, or n is not positive. Throws Error unless q and
/// confidence are between 0 and 1, both exclusive, and n is at most 10⁹.
inline std::optional<std::int64_t> early_stopping_violations(std::int64_t n, double q,
                                                             double confidence = 0.99)
{
    detail::check_percentile(q, confidence);
    if (n > detail::most_requests)
        throw Error("requests", "must be at most a billion");
    if (n < 1 || !detail::is_shown(n, 0, q, confidence))
        return std::nullopt;
    std::int64_t low = 0;
    std::int64_t high = n;
    while (high - low > 1) {
        const std::int64_t middle = low + (high - low) / 2;
        (detail::is_shown(n, middle, q, confidence) ? low : high) = middle;
    }
    return low;
}

/// The latency that the q-quantile of all requests is shown not to reach beyond, with that confidence: the
/// t-th largest value of a sorted sample, t the most that early_stopping_violations() allows, in the unit of
/// the sample. Nothing where t is below 1. Throws Error as that does.
inline std::optional<double> early_stopping_percentile(std::span<const double> sorted, double q,
                                                       double confidence = 0.99)
{
    const auto t = early_stopping_violations(static_cast<std::int64_t>(sorted.size()), q, confidence);
    if (!t || *t < 1)
        return std::nullopt;
    return sorted[sorted.size() - static_cast<std::size_t>(*t)];
}

} // namespace slo::stats

#endif
