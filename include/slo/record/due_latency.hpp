// SPDX-License-Identifier: MIT
// The latencies of the requests of a run, by when they were due.

#ifndef SLO_RECORD_DUE_LATENCY_HPP
#define SLO_RECORD_DUE_LATENCY_HPP

#include <slo/stats/quantile.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <span>

namespace slo::record {

/// The latency of a request, and when it was due.
class DueLatency {
public:
    DueLatency(double due, std::optional<double> e2e, int number)
        : due_s(due), round(number), e2e_s_(e2e.value_or(std::numeric_limits<double>::quiet_NaN()))
    {
    }

    double due_s; ///< since the run's start
    int round;    ///< from 1

    /// Seconds by the basis of the run; nothing where the request did not succeed.
    std::optional<double> e2e_s() const { return std::isnan(e2e_s_) ? std::nullopt : std::optional(e2e_s_); }

    /// One that did not succeed is slower than all that did.
    bool is_faster_than(const DueLatency& other) const
    {
        constexpr double never_s = std::numeric_limits<double>::infinity();
        return e2e_s().value_or(never_s) < other.e2e_s().value_or(never_s);
    }

private:
    double e2e_s_; // half the size of an optional
};

/// The order of time; a faster one first where two were due at once.
inline bool is_due_before(const DueLatency& a, const DueLatency& b)
{
    return a.due_s != b.due_s ? a.due_s < b.due_s : a.is_faster_than(b);
}

/// By rounds; the faster ones of each come first, those that did not succeed last.
inline bool is_in_earlier_round(const DueLatency& a, const DueLatency& b)
{
    return a.round != b.round ? a.round < b.round : a.is_faster_than(b);
}

/// The median of a round's successes, as quantile_sorted() has it; nothing where there is none. `round`: the
/// faster ones come first.
inline std::optional<double> median_s(std::span<const DueLatency> round)
{
    const auto is_ok = [](const DueLatency& request) { return request.e2e_s().has_value(); };
    const auto ok = std::partition_point(round.begin(), round.end(), is_ok) - round.begin();
    if (ok == 0)
        return std::nullopt;
    const auto at = [&](std::ptrdiff_t i) { return *round[static_cast<std::size_t>(i)].e2e_s(); };
    return stats::interpolate(at((ok - 1) / 2), at(ok / 2), 0.5);
}

} // namespace slo::record

#endif
