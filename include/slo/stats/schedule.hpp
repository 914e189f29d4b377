// SPDX-License-Identifier: MIT
// When each request of a run is due.

#ifndef SLO_STATS_SCHEDULE_HPP
#define SLO_STATS_SCHEDULE_HPP

#include <slo/base/error.hpp>
#include <slo/stats/arrival.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace slo::stats {

/// Due times of requests 0, 1, 2, … in seconds since a start, divided into reporting windows of equal length;
/// window w (from 0) holds what is due in [w·length, (w+1)·length). Constant rates and ramps are computed
/// anew for each request, so that no error adds up; other due times are kept, 8 bytes a request.
class Schedule {
public:
    /// Request i is due at i / qps. All windows are filled: where length · qps is a whole number, each holds
    /// exactly that many. `qps` > 0, `window_s` > 0, `windows` ≥ 1; throws UsageError when that is more than
    /// 10⁹ requests or seconds.
    static Schedule constant(double qps, double window_s, int windows)
    {
        return ramp(qps, qps, window_s, windows);
    }

    /// A rate that goes linearly from `qps` at the start to `end_qps` at the end of the last window: request
    /// i is due when the integral of the rate reaches i, the first one at the start. Neither rate below 0,
    /// one of them above; throws UsageError as constant() does.
    static Schedule ramp(double qps, double end_qps, double window_s, int windows)
    {
        Schedule schedule(window_s, windows);
        schedule.qps_ = qps;
        schedule.slope_ = (end_qps - qps) / (window_s * windows);
        schedule.check_bounds((qps + end_qps) / 2, 1e9, "a schedule of more than 10^9 requests");
        schedule.size_ = schedule.first_of(windows);
        return schedule;
    }

    /// One window of ⌊length · qps⌋ requests, the i-th due at i / qps: a round that drains before the next.
    static Schedule round(double qps, double window_s)
    {
        auto schedule = constant(qps, window_s, 1);
        const auto whole = static_cast<std::size_t>(std::floor(window_s * qps * (1 + rounding)));
        schedule.size_ = std::min(schedule.size_, whole);
        return schedule;
    }

    /// What a process other than a trace makes due in a run that goes on from window to window: for a random
    /// one, all that ArrivalStream gives before the end of the last. Throws UsageError for bad parameters,
    /// more than 10⁹ requests or seconds, or more than 10⁸ requests that have to be drawn.
    static Schedule make(const Arrival& arrival, double window_s, int windows)
    {
        check_arrival(arrival);
        if (arrival.process == Process::constant)
            return constant(arrival.qps, window_s, windows);
        if (arrival.process == Process::ramp)
            return ramp(arrival.qps, arrival.end_qps, window_s, windows);
        if (arrival.process == Process::trace)
            throw UsageError("--arrival", "trace needs the times of a route");
        Schedule schedule(window_s, windows);
        schedule.check_bounds(arrival.qps, 1e8, "a random schedule of more than 10^8 requests");
        schedule.qps_ = arrival.qps;
        schedule.is_computed_ = false;
        const double end_ns = schedule.start_s(windows) * 1e9;
        schedule.offsets_ns_.reserve(likely_size(arrival, schedule.start_s(windows)));
        ArrivalStream stream(arrival);
        for (auto ns = stream.next_ns(); static_cast<double>(ns) < end_ns; ns = stream.next_ns())
            schedule.offsets_ns_.push_back(ns);
        schedule.size_ = schedule.offsets_ns_.size();
        return schedule;
    }

    /// Windows without any request: for a closed loop, whose users make their own times. Throws UsageError
    /// for more than 10⁹ seconds.
    static Schedule windows_only(double window_s, int windows)
    {
        Schedule schedule(window_s, windows);
        schedule.check_bounds(0, 1, "");
        schedule.is_computed_ = false;
        return schedule;
    }

    /// One window with these due times, ascending, in nanoseconds from 0 to below its length; `qps` is the
    /// mean rate they were asked for with.
    static Schedule window(std::vector<std::int64_t> offsets_ns, double qps, double window_s)
    {
        Schedule schedule(window_s, 1);
        schedule.qps_ = qps;
        schedule.is_computed_ = false;
        schedule.offsets_ns_ = std::move(offsets_ns);
        schedule.size_ = schedule.offsets_ns_.size();
        return schedule;
    }

    /// Due times as recorded: moments in nanoseconds, in order, counted from the first, `speed` times as
    /// fast. As many windows as it takes, but at most `max_windows`. Throws UsageError above 10⁶ windows or
    /// 10⁹ seconds.
    static Schedule trace(std::vector<std::int64_t> moments_ns, double window_s,
                          std::optional<int> max_windows, double speed = 1)
    {
        auto offsets_ns = std::move(moments_ns);
        const auto first_ns = offsets_ns.empty() ? 0 : offsets_ns.front();
        // Unsigned: moments may lie further apart than their type can say.
        const auto span_ns = offsets_ns.empty() ? 0
                                                : static_cast<std::uint64_t>(offsets_ns.back()) -
                                                      static_cast<std::uint64_t>(first_ns);
        const double span_s = static_cast<double>(span_ns) * 1e-9;
        const double last_s = span_s / speed;
        if (span_s > longest_s || last_s > longest_s)
            throw UsageError("the timestamps of the route span more than 10^9 seconds (see --ts-unit)");
        for (auto& each : offsets_ns) {
            each -= first_ns;
            if (speed != 1)
                each = std::llround(static_cast<double>(each) / speed);
        }
        const double needed = std::floor(last_s / window_s) + 1;
        if (max_windows.value_or(0) > 1'000'000 || (!max_windows && needed > 1e6))
            throw UsageError("a schedule of more than 10^6 windows");
        Schedule schedule(window_s,
                          max_windows && *max_windows < needed ? *max_windows : static_cast<int>(needed));
        schedule.is_computed_ = false;
        schedule.offsets_ns_ = std::move(offsets_ns);
        schedule.size_ = schedule.first_of(schedule.windows_);
        return schedule;
    }

    /// Requests in all.
    std::size_t size() const noexcept { return size_; }
    int windows() const noexcept { return windows_; }
    double window_s() const noexcept { return window_s_; }

    /// The mean rate asked for in a window (from 0); nothing for recorded times.
    std::optional<double> target_qps(int window) const noexcept
    {
        if (!qps_)
            return std::nullopt;
        return *qps_ + slope_ * (start_s(window) + window_s_ / 2);
    }

    /// When request i is due.
    double due_s(std::size_t i) const noexcept
    {
        // A due time on a boundary must not fall below it by rounding.
        return is_computed_ ? std::max(moment_s(i), start_s(window_of(i))) : moment_s(i);
    }

    /// The window (from 0) in which request i is due.
    int window_of(std::size_t i) const noexcept
    {
        int window = static_cast<int>(std::min(moment_s(i) / window_s_, static_cast<double>(windows_)));
        while (window > 0 && i < first_of(window))
            --window;
        while (i >= first_of(window + 1))
            ++window;
        return window;
    }

    double start_s(int window) const noexcept { return window_s_ * window; }

    /// The first request that is due in this window or later.
    std::size_t first_of(int window) const noexcept
    {
        if (!is_computed_) {
            const auto begin = offsets_ns_.begin();
            const double start_ns = start_s(window) * 1e9;
            return static_cast<std::size_t>(
                std::partition_point(begin, offsets_ns_.end(),
                                     [&](std::int64_t ns) { return static_cast<double>(ns) < start_ns; }) -
                begin);
        }
        const double start = start_s(window);
        const double integral = start * (*qps_ + slope_ / 2 * start);
        return static_cast<std::size_t>(std::ceil(integral * (1 - rounding)));
    }

private:
    // 8.2 · 30 is 245.99999999999997 in doubles; nobody means a schedule by its 12th digit.
    static constexpr double rounding = 1e-12;

    // 31 years; in nanoseconds it stays far from the bounds of int64.
    static constexpr double longest_s = 1e9;

    Schedule(double window_s, int windows) : window_s_(window_s), windows_(windows) {}

    void check_bounds(double qps, double most_requests, const char* reason) const
    {
        if (!(start_s(windows_) * qps < most_requests))
            throw UsageError(reason);
        if (!(start_s(windows_) <= longest_s))
            throw UsageError("a schedule of more than 10^9 seconds");
    }

    // Four standard deviations above the mean: the vector hardly ever has to grow.
    static std::size_t likely_size(const Arrival& arrival, double duration_s)
    {
        const double mean = arrival.qps * duration_s;
        const double shape = arrival.process == Process::gamma ? arrival.burstiness : 1;
        return static_cast<std::size_t>(mean + std::min(mean, 4 * std::sqrt(mean / shape)) + 1);
    }

    // Solves qps · t + slope · t² / 2 = i in the form that subtracts nothing.
    double moment_s(std::size_t i) const noexcept
    {
        if (!is_computed_)
            return static_cast<double>(offsets_ns_[i]) * 1e-9;
        const auto number = static_cast<double>(i);
        if (slope_ == 0 || i == 0)
            return number / std::max(*qps_, 1e-300);
        return 2 * number / (*qps_ + std::sqrt(std::max(0.0, *qps_ * *qps_ + 2 * slope_ * number)));
    }

    double window_s_;
    int windows_;
    std::optional<double> qps_; // nothing: as recorded
    double slope_ = 0;          // requests per second, per second
    bool is_computed_ = true;   // else offsets
    std::vector<std::int64_t> offsets_ns_;
    std::size_t size_ = 0;
};

} // namespace slo::stats

#endif
