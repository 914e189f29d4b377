// SPDX-License-Identifier: MIT
// Whether the event loop gets its turns: it may be held up by its own handlers, or not be run at all.

#ifndef SLO_RUN_HEARTBEAT_HPP
#define SLO_RUN_HEARTBEAT_HPP

#include <slo/base/clock.hpp>
#include <slo/net/event_loop.hpp>

#include <algorithm>
#include <cstdint>
#include <utility>

namespace slo::run {

/// A timer that should fire at an interval, and how much too late it did: also when the process was stopped,
/// or others had the processor.
class Heartbeat {
public:
    static constexpr std::int64_t interval_ns = 20'000'000;

    explicit Heartbeat(net::EventLoop& loop) : timer_(loop, [this] { beat(); }) {}

    /// Starts anew at `start_ns` (monotonic), which may lie ahead; forgets what was.
    void begin(std::int64_t start_ns)
    {
        longest_ns_ = 0;
        set(start_ns + interval_ns);
    }

    /// Does not beat any more.
    void stop() noexcept { timer_.clear(); }

    /// The longest lateness in nanoseconds since the last call, one that lasts included.
    std::int64_t take_longest_ns() noexcept
    {
        const auto longest_ns = std::max(longest_ns_, monotonic_ns() - due_ns_);
        longest_ns_ = 0;
        return std::max<std::int64_t>(longest_ns, 0);
    }

private:
    void beat()
    {
        const auto now_ns = monotonic_ns();
        longest_ns_ = std::max(longest_ns_, now_ns - due_ns_);
        set(now_ns + interval_ns);
    }

    void set(std::int64_t due_ns)
    {
        due_ns_ = due_ns;
        timer_.set(due_ns);
    }

    net::Timer timer_;
    std::int64_t due_ns_ = 0;
    std::int64_t longest_ns_ = 0;
};

} // namespace slo::run

#endif
