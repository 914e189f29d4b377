// SPDX-License-Identifier: MIT
// What rounds say of an objective that no request missed, or every one.

#ifndef SLO_PLAN_ONE_SIDED_ROUNDS_HPP
#define SLO_PLAN_ONE_SIDED_ROUNDS_HPP

#include <slo/plan/share_test.hpp>
#include <slo/stats/binomial.hpp>
#include <slo/stats/student.hpp>

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>

namespace slo::plan {

/// Where all requests are on one side of a limit, their share does not tell how alike they are, but the
/// rounds' own percentiles tell how far they are: pass or fail where the mean of their logarithms is surely
/// on that side, by Student's t at level `alpha` (one-sided), and so many requests are not all on one side by
/// chance if they are independent. Open where requests are on both sides, where latencies are not known,
/// below three rounds, and for a tail, of which a burst may not have been seen.
inline Decision decide_one_sided(std::span<const ObjectiveRound> rounds, double allowed, double alpha)
{
    const auto total = total_of(rounds);
    const auto distances = detail::distances_of(rounds);
    if (!distances || allowed <= largest_tail || !(total.requests > 0))
        return Decision::open;
    // By the lower tail: the level of an early look may be next to none.
    alpha = std::max(alpha, 1e-300);
    const double reach = -stats::student_quantile(alpha, distances->rounds - 1) * distances->deviation /
                         std::sqrt(distances->rounds);
    if (total.missed_most == 0 && distances->mean > reach &&
        stats::upper_share(0, total.requests, alpha) < allowed)
        return Decision::pass;
    if (total.missed_least == total.requests && distances->mean < -reach &&
        stats::lower_share(total.requests, total.requests, alpha) > allowed)
        return Decision::fail;
    return Decision::open;
}

} // namespace slo::plan

#endif
