// SPDX-License-Identifier: MIT
// Waiting for descriptors until a moment, to the microsecond and without a timer to arm.

#ifndef SLO_NET_LOOP_WAIT_HPP
#define SLO_NET_LOOP_WAIT_HPP

#include <slo/base/clock.hpp>
#include <slo/base/error.hpp>
#include <slo/io/fd.hpp>

#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <limits>
#include <span>

namespace slo::net {

/// An epoll instance that is waited for. Setting a timerfd costs a system call, and under a hypervisor far
/// more, each time that a moment changes; the timeout of epoll_pwait2 costs nothing unless the thread really
/// sleeps. Where the kernel lacks it (before 5.11), there is one timerfd.
class LoopWait {
public:
    static constexpr auto never_ns = std::numeric_limits<std::int64_t>::max();

    /// How the end of the wait is kept; `automatic` finds out.
    enum class Clock { automatic, timerfd };

    /// Throws IoError.
    explicit LoopWait(Clock clock = Clock::automatic) : epoll_(::epoll_create1(EPOLL_CLOEXEC))
    {
        if (!epoll_)
            throw IoError("epoll", errno);
        if (clock == Clock::timerfd)
            use_timerfd();
    }

    int epoll_fd() const noexcept { return epoll_.get(); }

    /// The number of events that came, 0 once `until_ns` (monotonic) has passed. Never early, except that 0
    /// may come for a signal. Throws IoError.
    int wait(std::span<epoll_event> events, std::int64_t until_ns)
    {
        for (;;) {
            const auto now_ns = monotonic_ns();
            const int count = timer_ ? wait_with_timerfd(events, until_ns, now_ns)
                                     : wait_with_timeout(events, until_ns, now_ns);
            if (count > 0 || (count == 0 && until_ns <= monotonic_ns()))
                return count;
            if (count < 0 && errno == EINTR)
                return 0;
            if (count < 0 && !fall_back())
                throw IoError("epoll", errno);
        }
    }

private:
    // The kernel may add a thousandth to a timeout, and the slack of the thread (50 µs unless set): a long
    // sleep ends early by more than that, and a short one follows.
    int wait_with_timeout(std::span<epoll_event> events, std::int64_t until_ns, std::int64_t now_ns)
    {
        static thread_local const bool precise = ::prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL) == 0;
        (void)precise;
        if (until_ns == never_ns)
            return ::epoll_pwait2(epoll_.get(), events.data(), static_cast<int>(events.size()), nullptr,
                                  nullptr);
        auto sleep_ns = std::max<std::int64_t>(0, until_ns - now_ns);
        if (sleep_ns > 1'000'000)
            sleep_ns -= 100'000 + sleep_ns / 512;
        const timespec timeout{sleep_ns / 1'000'000'000, sleep_ns % 1'000'000'000};
        return ::epoll_pwait2(epoll_.get(), events.data(), static_cast<int>(events.size()), &timeout,
                              nullptr);
    }

    int wait_with_timerfd(std::span<epoll_event> events, std::int64_t until_ns, std::int64_t now_ns)
    {
        if (until_ns > now_ns && until_ns != armed_ns_) {
            itimerspec when{};
            if (until_ns != never_ns) {
                when.it_value.tv_sec = until_ns / 1'000'000'000;
                when.it_value.tv_nsec = until_ns % 1'000'000'000;
            }
            ::timerfd_settime(timer_.get(), TFD_TIMER_ABSTIME, &when, nullptr);
            armed_ns_ = until_ns;
        }
        int count = ::epoll_wait(epoll_.get(), events.data(), static_cast<int>(events.size()),
                                 until_ns > now_ns ? -1 : 0);
        for (int i = 0; i < count; ++i) {
            if (events[static_cast<std::size_t>(i)].data.u64 != timer_data)
                continue;
            std::uint64_t expirations = 0;
            (void)!::read(timer_.get(), &expirations, sizeof expirations);
            armed_ns_ = 0;
            events[static_cast<std::size_t>(i)] = events[static_cast<std::size_t>(count - 1)];
            return count - 1;
        }
        return count;
    }

    bool fall_back()
    {
        // EPERM is what the filters of older containers give for a call they do not know.
        if (timer_ || (errno != ENOSYS && errno != EPERM))
            return false;
        use_timerfd();
        return true;
    }

    void use_timerfd()
    {
        timer_ = io::Fd(::timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC));
        epoll_event event{};
        event.events = EPOLLIN;
        event.data.u64 = timer_data;
        if (!timer_ || ::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, timer_.get(), &event) != 0)
            throw IoError("timerfd", errno);
    }

    static constexpr std::uint64_t timer_data = std::numeric_limits<std::uint64_t>::max();

    io::Fd epoll_;
    io::Fd timer_; // only where epoll_pwait2 is missing
    std::int64_t armed_ns_ = 0;
};

} // namespace slo::net

#endif
