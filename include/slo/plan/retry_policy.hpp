// SPDX-License-Identifier: MIT
// Whether and when a request that the server turned away is sent again.

#ifndef SLO_PLAN_RETRY_POLICY_HPP
#define SLO_PLAN_RETRY_POLICY_HPP

#include <algorithm>
#include <cmath>
#include <optional>

namespace slo::plan {

/// Sends again after 429, and after 503 where the server says for how long it is busy; nothing else. The
/// default waits 0.5, 1, 2, … s. There is no jitter: requests that were due at different times were refused
/// at different times.
struct RetryPolicy {
    int max_attempts = 5; ///< sends in all
    double first_wait_s = 0.5;
    double longest_wait_s = 8; ///< of the waits the server did not ask for

    /// Seconds from the end of a refused attempt to the next one; nothing when the answer stands: another
    /// status, no attempt left, or no time left in which the next could be answered. `retry_after_s`: what
    /// the server asked for; `attempts`: sends so far, from 1; `remaining_s`: until the request's timeout,
    /// which counts from its due time.
    std::optional<double> wait_s(int status, std::optional<double> retry_after_s, int attempts,
                                 double remaining_s) const noexcept
    {
        const bool refused = status == 429 || (status == 503 && retry_after_s);
        if (!refused || attempts >= max_attempts)
            return std::nullopt;
        const double default_s = std::min(std::ldexp(first_wait_s, attempts - 1), longest_wait_s);
        const double wait = std::max(0.0, retry_after_s.value_or(default_s));
        return wait < remaining_s ? std::optional(wait) : std::nullopt;
    }
};

} // namespace slo::plan

#endif
