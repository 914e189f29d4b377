// SPDX-License-Identifier: MIT
// The reporting windows of a lane: its requests sorted into them, and how the client did in each.

#ifndef SLO_RUN_WINDOW_KEEPER_HPP
#define SLO_RUN_WINDOW_KEEPER_HPP

#include <slo/base/clock.hpp>
#include <slo/net/event_loop.hpp>
#include <slo/record/request.hpp>
#include <slo/run/client_monitor.hpp>
#include <slo/run/collector.hpp>
#include <slo/run/heartbeat.hpp>
#include <slo/run/replay_plan.hpp>
#include <slo/run/replay_schedule.hpp>
#include <slo/run/run_sink.hpp>
#include <slo/run/segment.hpp>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace slo::run {

/// Keeps the windows of one segment after the other. Moments are monotonic nanoseconds.
class WindowKeeper {
public:
    /// All must outlive it.
    WindowKeeper(const ReplayPlan& plan, net::EventLoop& loop, RunSink& sink)
        : plan_(plan), loop_(loop), sink_(sink), heartbeat_(loop)
    {
    }

    /// What is told of the client goes here.
    ClientMonitor& monitor() noexcept { return monitor_; }

    /// A segment begins, of a run that started at `run_start_ns`.
    void begin(const Segment& segment, std::int64_t run_start_ns)
    {
        run_start_ns_ = run_start_ns;
        collector_.emplace(since_start_s(segment.start_ns()), segment.window_s(), segment.first_number(),
                           segment.windows(), sink_);
        monitor_.begin(segment.start_ns(), process_cpu_ns());
        loop_.take_longest_turn_ns();
        heartbeat_.begin(segment.start_ns());
    }

    bool has_begun() const noexcept { return collector_.has_value(); }

    /// A request fell due in the window of this number.
    void due(int number)
    {
        monitor_.due();
        collector_->due(number);
    }

    void sent(std::int64_t at_ns) { collector_->sent(since_start_s(at_ns)); }
    void ended(record::Request&& request) { collector_->end(std::move(request)); }

    /// Adds a flag to all that is not handed on yet.
    void flag(const std::string& flag) { collector_->flag(flag); }

    /// The open window of the segment is over, after `duration_s`. The last one is kept until hand_on_last():
    /// what the client does while answers are waited for belongs to it.
    void close(const Segment& segment, double duration_s, bool is_last, bool route_exhausted)
    {
        last_ = make_window(plan_, segment.number(), since_start_s(segment.window_start_ns()), duration_s,
                            segment.target_qps());
        if (route_exhausted)
            last_->flags.push_back("route_exhausted");
        if (!is_last)
            hand_on_last();
    }

    void hand_on_last()
    {
        if (!last_)
            return;
        const auto stall_ns = std::max(loop_.take_longest_turn_ns(), heartbeat_.take_longest_ns());
        collector_->close(std::move(*last_), monitor_.take(monotonic_ns(), process_cpu_ns(), stall_ns));
        last_.reset();
    }

    /// Nothing more comes.
    void end() noexcept { heartbeat_.stop(); }

private:
    double since_start_s(std::int64_t at_ns) const noexcept { return to_seconds(at_ns - run_start_ns_); }

    const ReplayPlan& plan_;
    net::EventLoop& loop_;
    RunSink& sink_;
    ClientMonitor monitor_;
    Heartbeat heartbeat_;
    std::optional<Collector> collector_;
    std::optional<record::RoundWindow> last_;
    std::int64_t run_start_ns_ = 0;
};

} // namespace slo::run

#endif
