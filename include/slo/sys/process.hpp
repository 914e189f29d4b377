// SPDX-License-Identifier: MIT
// Running a command: its output as it comes, its end without doubt, and nothing left behind when we die.

#ifndef SLO_SYS_PROCESS_HPP
#define SLO_SYS_PROCESS_HPP

#include <slo/base/clock.hpp>
#include <slo/base/error.hpp>
#include <slo/io/fd.hpp>
#include <slo/io/signals.hpp>
#include <slo/sys/child.hpp>

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string_view>

namespace slo::sys {

/// What to do while a command runs.
struct CommandWatch {
    std::function<void(std::string_view)> on_output; ///< bytes of its stdout, split anywhere
    std::function<void()> on_tick;                   ///< called about every `tick_s` seconds
    double tick_s = 1;
    std::optional<double> timeout_s; ///< it is ended when it runs longer
    double grace_s = 5;              ///< between the request to end (SIGTERM) and SIGKILL
    io::StopSignal* stop = nullptr;  ///< ends the command; a second signal ends it at once
    std::function<bool()> no_use;    ///< asked at each tick: true ends the command
};

/// How a command ended.
struct CommandEnd {
    enum class Cause { exited, signalled, stopped, timed_out, no_use };
    Cause cause;
    int code; ///< exit status, or the number of the signal
};

/// Runs a command to its end. Its stdin is empty, its stderr is ours, its process group is its own. After a
/// stop or a timeout no process of that group is left. Throws IoError, and Error where it cannot be started.
class CommandRun {
public:
    CommandRun(const Command& command, const CommandWatch& watch)
        : watch_(watch), child_(command, watch.stop ? &watch.stop->mask_before() : nullptr)
    {
        const auto now_ns = monotonic_ns();
        next_tick_ns_ = watch_.on_tick ? now_ns + to_ns(watch_.tick_s) : never;
        deadline_ns_ = watch_.timeout_s ? now_ns + to_ns(*watch_.timeout_s) : never;
    }

    CommandEnd wait()
    {
        for (;;) {
            const bool ended = child_.reap();
            // Asked to end, the whole group may still have something to say; else the child's own end counts.
            if (ended && (!ending_ || !output_open_))
                break;
            wait_for_event(ended);
            run_timers();
        }
        if (ending_)
            child_.signal_group(SIGKILL);
        else
            drain();
        child_.release();
        if (ending_)
            return {*ending_, child_.exit_code()};
        return {child_.signalled() ? CommandEnd::Cause::signalled : CommandEnd::Cause::exited,
                child_.exit_code()};
    }

private:
    static constexpr auto never = std::numeric_limits<std::int64_t>::max();

    void wait_for_event(bool ended)
    {
        pollfd events[3] = {{output_open_ ? child_.output() : -1, POLLIN, 0},
                            {watch_.stop ? watch_.stop->fd() : -1, POLLIN, 0},
                            {ended ? -1 : child_.pidfd(), POLLIN, 0}};
        if (::poll(events, 3, timeout_ms()) < 0) {
            if (errno != EINTR)
                throw IoError("poll", errno);
            return;
        }
        if (events[0].revents != 0)
            output_open_ = pump() > 0;
        if (events[1].revents != 0 && watch_.stop->requested())
            end(CommandEnd::Cause::stopped);
    }

    // Where the kernel tells nothing of a child's end (no pidfd), we look for ourselves.
    int timeout_ms() const
    {
        const auto until_ns = std::min(next_tick_ns_, deadline_ns_);
        const auto look_ms = child_.pidfd() < 0 || !output_open_ ? 20 : 60'000;
        if (until_ns == never)
            return look_ms;
        const auto left_ms = (until_ns - monotonic_ns()) / 1'000'000 + 1;
        return static_cast<int>(std::clamp<std::int64_t>(left_ms, 0, look_ms));
    }

    void run_timers()
    {
        const auto now_ns = monotonic_ns();
        if (now_ns >= deadline_ns_)
            end(CommandEnd::Cause::timed_out);
        if (now_ns >= next_tick_ns_) {
            next_tick_ns_ = now_ns + to_ns(watch_.tick_s);
            watch_.on_tick();
            if (!ending_ && watch_.no_use && watch_.no_use())
                end(CommandEnd::Cause::no_use);
        }
    }

    void end(CommandEnd::Cause cause)
    {
        if (!ending_) {
            ending_ = cause;
            child_.signal_group(SIGTERM);
            deadline_ns_ = monotonic_ns() + to_ns(watch_.grace_s);
        } else {
            child_.signal_group(SIGKILL);
            output_open_ = false;
            deadline_ns_ = never;
        }
    }

    std::size_t pump()
    {
        char block[65536];
        const auto got = io::read_some(child_.output_fd(), block, sizeof block, "output of the command");
        if (got > 0 && watch_.on_output)
            watch_.on_output({block, got});
        return got;
    }

    // What was written before the end is in the pipe; a background process that still writes is not waited
    // for.
    void drain()
    {
        constexpr std::size_t largest_pipe = std::size_t{1} << 20;
        for (std::size_t taken = 0; output_open_ && taken <= largest_pipe;) {
            pollfd event{child_.output(), POLLIN, 0};
            if (::poll(&event, 1, 0) <= 0)
                return;
            const auto got = pump();
            output_open_ = got > 0;
            taken += got;
        }
    }

    const CommandWatch& watch_;
    Child child_;
    bool output_open_ = true;
    std::optional<CommandEnd::Cause> ending_;
    std::int64_t next_tick_ns_ = never;
    std::int64_t deadline_ns_ = never;
};

/// Runs `command` to its end under `watch`; see CommandRun.
inline CommandEnd run_command(const Command& command, const CommandWatch& watch)
{
    return CommandRun(command, watch).wait();
}

} // namespace slo::sys

#endif
