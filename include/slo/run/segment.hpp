// SPDX-License-Identifier: MIT
// Where a run stands in its schedule: which request is due next, and which window is open.

#ifndef SLO_RUN_SEGMENT_HPP
#define SLO_RUN_SEGMENT_HPP

#include <slo/base/clock.hpp>
#include <slo/stats/schedule.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>

namespace slo::run {

/// What has one start: the whole run, or one of the rounds that drain. Moments are monotonic nanoseconds.
class Segment {
public:
    static constexpr auto never_ns = std::numeric_limits<std::int64_t>::max();

    /// `first_number`: of its first window, from 1 over the whole run.
    Segment(stats::Schedule schedule, std::int64_t start_ns, int first_number)
        : schedule_(std::move(schedule)), start_ns_(start_ns), first_number_(first_number)
    {
    }

    std::int64_t start_ns() const noexcept { return start_ns_; }
    int first_number() const noexcept { return first_number_; }
    int windows() const noexcept { return schedule_.windows(); }
    double window_s() const noexcept { return schedule_.window_s(); }

    /// When the next request is due; never_ns when none is left.
    std::int64_t next_due_ns() const noexcept
    {
        return next_ < schedule_.size() ? at_ns(schedule_.due_s(next_)) : never_ns;
    }

    /// The request that was due next has been seen to.
    void advance() noexcept { ++next_; }

    /// The open window: its number, and its bounds.
    int number() const noexcept { return first_number_ + window_; }
    std::int64_t window_start_ns() const noexcept { return at_ns(schedule_.start_s(window_)); }
    std::int64_t window_end_ns() const noexcept { return at_ns(schedule_.start_s(window_ + 1)); }
    std::optional<double> target_qps() const noexcept { return schedule_.target_qps(window_); }
    bool is_last_window() const noexcept { return window_ + 1 == schedule_.windows(); }

    /// Windows that are closed.
    int closed() const noexcept { return window_; }
    bool is_over() const noexcept { return window_ == schedule_.windows(); }
    void close_window() noexcept { ++window_; }

    /// True when the next request is due with the end of the open window.
    bool has_request_at_window_end() const noexcept
    {
        constexpr std::int64_t rounding_ns = 1000;
        return next_ < schedule_.size() && next_due_ns() - window_end_ns() < rounding_ns;
    }

    bool has_request_left() const noexcept { return next_ < schedule_.size(); }

private:
    std::int64_t at_ns(double segment_s) const noexcept { return start_ns_ + to_ns(segment_s); }

    stats::Schedule schedule_;
    std::int64_t start_ns_;
    int first_number_;
    std::size_t next_ = 0;
    int window_ = 0;
};

} // namespace slo::run

#endif
