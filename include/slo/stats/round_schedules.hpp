// SPDX-License-Identifier: MIT
// The schedules of rounds that drain before the next one begins.

#ifndef SLO_STATS_ROUND_SCHEDULES_HPP
#define SLO_STATS_ROUND_SCHEDULES_HPP

#include <slo/base/error.hpp>
#include <slo/stats/arrival.hpp>
#include <slo/stats/schedule.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace slo::stats {

/// One schedule of one window after the other. The clock of the process stands still while a round drains:
/// round k of a random process or of a ramp is window k of Schedule::make(), counted from its own start. A
/// constant rate begins anew with each round (Schedule::round()).
class RoundSchedules {
public:
    /// Not for a trace. `rounds`: where it is known how many there will be, which a ramp must. Throws
    /// UsageError as Schedule::make() does, for one round where their number is not known.
    RoundSchedules(const Arrival& arrival, double window_s, std::optional<int> rounds)
        : arrival_(arrival), window_s_(window_s)
    {
        check_arrival(arrival);
        if (arrival.process == Process::ramp && !rounds)
            throw UsageError("--ramp-to", "needs --max-rounds");
        if (arrival.process == Process::trace)
            throw UsageError("--arrival", "trace has no rounds that drain");
        if (!is_random(arrival.process))
            whole_ = Schedule::make(arrival, window_s, rounds.value_or(1));
        else if (!(window_s * arrival.qps < 1e8))
            throw UsageError("a random schedule of more than 10^8 requests");
        else
            stream_.emplace(arrival);
    }

    /// The next round's schedule, from the first on; of a ramp no more than its rounds.
    Schedule next()
    {
        const int round = round_++;
        if (arrival_.process == Process::constant)
            return Schedule::round(arrival_.qps, window_s_);
        std::vector<std::int64_t> offsets_ns;
        if (whole_) {
            const auto end = whole_->first_of(round + 1);
            for (auto i = whole_->first_of(round); i < end; ++i)
                offsets_ns.push_back(offset_ns(round, std::llround(whole_->due_s(i) * 1e9)));
            return Schedule::window(std::move(offsets_ns), *whole_->target_qps(round), window_s_);
        }
        if (round == 0)
            next_ns_ = stream_->next_ns();
        for (; static_cast<double>(next_ns_) < start_ns(round + 1); next_ns_ = stream_->next_ns())
            offsets_ns.push_back(offset_ns(round, next_ns_));
        return Schedule::window(std::move(offsets_ns), arrival_.qps, window_s_);
    }

    /// Requests of the first `rounds` rounds; of a random process by drawing them.
    std::size_t count(int rounds) const
    {
        if (arrival_.process == Process::constant)
            return Schedule::round(arrival_.qps, window_s_).size() * static_cast<std::size_t>(rounds);
        if (whole_)
            return whole_->first_of(std::min(rounds, whole_->windows()));
        if (!(window_s_ * rounds * arrival_.qps < 1e9))
            throw UsageError("a schedule of more than 10^9 requests");
        std::size_t count = 0;
        for (ArrivalStream stream(arrival_); static_cast<double>(stream.next_ns()) < start_ns(rounds);)
            ++count;
        return count;
    }

private:
    double start_ns(int round) const noexcept { return window_s_ * round * 1e9; }

    // Within the round whatever rounding does.
    std::int64_t offset_ns(int round, std::int64_t ns) const noexcept
    {
        const auto offset = ns - static_cast<std::int64_t>(std::ceil(start_ns(round)));
        return std::clamp<std::int64_t>(offset, 0, static_cast<std::int64_t>(std::ceil(start_ns(1))) - 1);
    }

    Arrival arrival_;
    double window_s_;
    std::optional<Schedule> whole_;       // not random
    std::optional<ArrivalStream> stream_; // random
    std::int64_t next_ns_ = 0;            // drawn, and not yet given out
    int round_ = 0;
};

} // namespace slo::stats

#endif
