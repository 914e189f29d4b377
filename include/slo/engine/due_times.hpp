// SPDX-License-Identifier: MIT
// When the requests of a load without end are due.

#ifndef SLO_ENGINE_DUE_TIMES_HPP
#define SLO_ENGINE_DUE_TIMES_HPP

#include <slo/base/error.hpp>
#include <slo/stats/arrival.hpp>

#include <cstdint>
#include <optional>

namespace slo::engine {

/// The due times of a load without end: a constant rate or a random process, as stats::Schedule has them.
class DueTimes {
public:
    /// Throws UsageError for parameters that make no sense, and for a ramp or a trace, which have an end.
    explicit DueTimes(const stats::Arrival& arrival) : arrival_(arrival)
    {
        stats::check_arrival(arrival);
        if (stats::is_random(arrival.process))
            stream_.emplace(arrival);
        else if (arrival.process != stats::Process::constant)
            throw UsageError("--arrival", "must be constant, poisson or gamma");
    }

    /// The next due time in seconds; never goes back.
    double next_s()
    {
        if (stream_)
            return static_cast<double>(stream_->next_ns()) * 1e-9;
        return static_cast<double>(count_++) / arrival_.qps;
    }

private:
    stats::Arrival arrival_;
    std::optional<stats::ArrivalStream> stream_;
    std::int64_t count_ = 0;
};

} // namespace slo::engine

#endif
