// SPDX-License-Identifier: MIT
// The moment at which a run starts, on both clocks.

#ifndef SLO_RUN_REPLAY_START_HPP
#define SLO_RUN_REPLAY_START_HPP

#include <slo/base/clock.hpp>
#include <slo/base/error.hpp>
#include <slo/base/text.hpp>

#include <cstdint>
#include <optional>

namespace slo::run {

struct StartMoment {
    std::int64_t monotonic_ns = 0;
    double epoch_s = 0; ///< wall clock, seconds since 1970
};

/// The moment that was asked for, else one that is so near that nobody waits, and so far that the first
/// request is not late. Throws UsageError for a moment that has passed.
inline StartMoment start_moment(std::optional<double> start_at_epoch_s)
{
    constexpr double lead_s = 0.005;
    const double now_s = wall_clock_s();
    const double start_s = start_at_epoch_s.value_or(now_s + lead_s);
    if (start_s < now_s)
        throw UsageError("--start-at", "has passed " + format_fixed(now_s - start_s, 1) + " s ago");
    return {monotonic_ns() + to_ns(start_s - now_s), start_s};
}

} // namespace slo::run

#endif
