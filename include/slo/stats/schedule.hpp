// SPDX-License-Identifier: MIT
// When each request of a run is due.

#ifndef SLO_STATS_SCHEDULE_HPP
#define SLO_STATS_SCHEDULE_HPP

#include <slo/base/error.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace slo::stats {

/// Due times of requests 0, 1, 2, … in seconds since a start, divided into reporting windows of equal length;
/// window w (from 0) holds what is due in [w·length, (w+1)·length).
class Schedule {
public:
    /// Request i is due at i / qps, computed anew for each, so that no error adds up. All windows are filled:
    /// where length · qps is a whole number, each holds exactly that many. `qps` > 0, `window_s` > 0,
    /// `windows` ≥ 1; throws UsageError when that is more than 10⁹ requests or seconds.
    static Schedule constant(double qps, double window_s, int windows)
    {
        Schedule schedule(window_s, windows);
        schedule.qps_ = qps;
        if (!(window_s * windows * qps < 1e9))
            throw UsageError("a schedule of more than 10^9 requests");
        if (!(window_s * windows <= longest_s))
            throw UsageError("a schedule of more than 10^9 seconds");
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

    /// Due times as recorded: moments in nanoseconds, in order, counted from the first. As many windows as it
    /// takes, but at most `max_windows`. Throws UsageError above 10⁶ windows or 10⁹ seconds.
    static Schedule trace(std::vector<std::int64_t> moments_ns, double window_s,
                          std::optional<int> max_windows)
    {
        auto offsets_ns = std::move(moments_ns);
        const auto first_ns = offsets_ns.empty() ? 0 : offsets_ns.front();
        // Unsigned: moments may lie further apart than their type can say.
        const auto span_ns = offsets_ns.empty() ? 0
                                                : static_cast<std::uint64_t>(offsets_ns.back()) -
                                                      static_cast<std::uint64_t>(first_ns);
        const double last_s = static_cast<double>(span_ns) * 1e-9;
        if (last_s > longest_s)
            throw UsageError("the timestamps of the route span more than 10^9 seconds (see --ts-unit)");
        for (auto& each : offsets_ns)
            each -= first_ns;
        const double needed = std::floor(last_s / window_s) + 1;
        if (max_windows.value_or(0) > 1'000'000 || (!max_windows && needed > 1e6))
            throw UsageError("a schedule of more than 10^6 windows");
        Schedule schedule(window_s,
                          max_windows && *max_windows < needed ? *max_windows : static_cast<int>(needed));
        schedule.offsets_ns_ = std::move(offsets_ns);
        schedule.size_ = schedule.first_of(schedule.windows_);
        return schedule;
    }

    /// Requests in all.
    std::size_t size() const noexcept { return size_; }
    int windows() const noexcept { return windows_; }
    double window_s() const noexcept { return window_s_; }

    /// When request i is due.
    double due_s(std::size_t i) const noexcept
    {
        if (qps_ == 0)
            return static_cast<double>(offsets_ns_[i]) * 1e-9;
        // A due time on a boundary must not fall below it by rounding.
        return std::max(static_cast<double>(i) / qps_, start_s(window_of(i)));
    }

    /// The window (from 0) in which request i is due.
    int window_of(std::size_t i) const noexcept
    {
        const double due =
            qps_ == 0 ? static_cast<double>(offsets_ns_[i]) * 1e-9 : static_cast<double>(i) / qps_;
        int window = static_cast<int>(std::min(due / window_s_, static_cast<double>(windows_)));
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
        if (qps_ == 0) {
            const auto begin = offsets_ns_.begin();
            const double start_ns = start_s(window) * 1e9;
            return static_cast<std::size_t>(
                std::partition_point(begin, offsets_ns_.end(),
                                     [&](std::int64_t ns) { return static_cast<double>(ns) < start_ns; }) -
                begin);
        }
        return static_cast<std::size_t>(std::ceil(start_s(window) * qps_ * (1 - rounding)));
    }

private:
    // 8.2 · 30 is 245.99999999999997 in doubles; nobody means a schedule by its 12th digit.
    static constexpr double rounding = 1e-12;

    // 31 years; in nanoseconds it stays far from the bounds of int64.
    static constexpr double longest_s = 1e9;

    Schedule(double window_s, int windows) : window_s_(window_s), windows_(windows) {}

    double window_s_;
    int windows_;
    double qps_ = 0; // 0: offsets
    std::vector<std::int64_t> offsets_ns_;
    std::size_t size_ = 0;
};

} // namespace slo::stats

#endif
