// SPDX-License-Identifier: MIT
// One thread's event loop: descriptors by epoll, moments by timerfd.

#ifndef SLO_NET_EVENT_LOOP_HPP
#define SLO_NET_EVENT_LOOP_HPP

#include <slo/base/clock.hpp>
#include <slo/base/error.hpp>
#include <slo/io/fd.hpp>

#include <sys/epoll.h>
#include <sys/timerfd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

namespace slo::net {

/// Is told when a descriptor is ready, for those who watch many: a Handler would be one more allocation.
class Watcher {
public:
    virtual ~Watcher() = default;
    /// Receives the epoll events (EPOLLIN, EPOLLOUT, EPOLLERR, EPOLLHUP) that came.
    virtual void ready(std::uint32_t events) = 0;
};

/// Calls handlers when descriptors are ready. Used by one thread; a handler may watch and forget any
/// descriptor.
class EventLoop {
public:
    /// Receives the epoll events (EPOLLIN, EPOLLOUT, EPOLLERR, EPOLLHUP) that came.
    using Handler = std::function<void(std::uint32_t events)>;

    /// Throws IoError.
    EventLoop() : epoll_(::epoll_create1(EPOLL_CLOEXEC))
    {
        if (!epoll_)
            throw IoError("epoll", errno);
    }
    EventLoop(const EventLoop&) = delete;
    EventLoop& operator=(const EventLoop&) = delete;

    /// Watches `fd` until forget(); EPOLLERR and EPOLLHUP are always reported. False when this kind of
    /// descriptor cannot be watched (a regular file). Throws IoError.
    bool watch(int fd, std::uint32_t events, Handler handler)
    {
        auto called = std::make_unique<Caller>(std::move(handler));
        if (!watch(fd, events, *called))
            return false;
        slot_of(fd).owned = std::move(called);
        return true;
    }

    /// The same for a watcher that outlives the turn in which forget() is called.
    bool watch(int fd, std::uint32_t events, Watcher& watcher)
    {
        auto& slot = slot_of(fd);
        epoll_event event = event_for(fd, events, ++slot.generation);
        if (::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd, &event) != 0) {
            if (errno == EPERM)
                return false;
            throw IoError("epoll", errno);
        }
        slot.watcher = &watcher;
        return true;
    }

    /// Changes what a watched descriptor is watched for. Throws IoError.
    void rewatch(int fd, std::uint32_t events)
    {
        epoll_event event = event_for(fd, events, slot_of(fd).generation);
        if (::epoll_ctl(epoll_.get(), EPOLL_CTL_MOD, fd, &event) != 0)
            throw IoError("epoll", errno);
    }

    /// Stops watching; call it before the descriptor is closed. Does nothing for one that is not watched.
    void forget(int fd) noexcept
    {
        if (fd < 0 || static_cast<std::size_t>(fd) >= slots_.size())
            return;
        auto& slot = slots_[static_cast<std::size_t>(fd)];
        if (!std::exchange(slot.watcher, nullptr))
            return;
        ::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, fd, nullptr);
        if (slot.owned)
            retired_.push_back(std::move(slot.owned));
    }

    /// Waits until something is ready and calls the handlers; what a handler throws goes through. Throws
    /// IoError.
    void run_once()
    {
        epoll_event events[256];
        const int count = ::epoll_wait(epoll_.get(), events, std::size(events), -1);
        if (count < 0) {
            if (errno == EINTR)
                return;
            throw IoError("epoll", errno);
        }
        const auto begin_ns = monotonic_ns();
        for (int i = 0; i < count; ++i) {
            const auto fd = static_cast<std::size_t>(events[i].data.u64 & 0xFFFFFFFFU);
            const auto generation = static_cast<std::uint32_t>(events[i].data.u64 >> 32);
            if (slots_[fd].watcher && slots_[fd].generation == generation)
                slots_[fd].watcher->ready(events[i].events);
        }
        retired_.clear();
        longest_turn_ns_ = std::max(longest_turn_ns_, monotonic_ns() - begin_ns);
    }

    /// Goes on until stop() is called from a handler.
    void run()
    {
        stopped_ = false;
        while (!stopped_)
            run_once();
    }

    /// Makes run() return after the handlers of this turn.
    void stop() noexcept { stopped_ = true; }

    /// The longest time in nanoseconds that handlers kept the loop from waiting, since the last call.
    std::int64_t take_longest_turn_ns() noexcept { return std::exchange(longest_turn_ns_, 0); }

private:
    struct Caller final : Watcher {
        explicit Caller(Handler called) : handler(std::move(called)) {}
        void ready(std::uint32_t events) override { handler(events); }
        Handler handler;
    };

    struct Slot {
        Watcher* watcher = nullptr;    // null: not watched
        std::unique_ptr<Caller> owned; // stays where it is while slots_ grows under its own call
        std::uint32_t generation = 0;  // tells an event of this watch from one of a closed descriptor's
    };

    Slot& slot_of(int fd)
    {
        const auto index = static_cast<std::size_t>(fd);
        if (index >= slots_.size())
            slots_.resize(std::max(index + 1, slots_.size() * 2));
        return slots_[index];
    }

    static epoll_event event_for(int fd, std::uint32_t events, std::uint32_t generation) noexcept
    {
        epoll_event event{};
        event.events = events;
        event.data.u64 = std::uint64_t{generation} << 32 | static_cast<std::uint32_t>(fd);
        return event;
    }

    io::Fd epoll_;
    std::vector<Slot> slots_;
    std::vector<std::unique_ptr<Caller>> retired_; // a handler that forgets itself must outlive its own call
    std::int64_t longest_turn_ns_ = 0;
    bool stopped_ = false;
};

/// A moment in the loop: calls its handler once, at an absolute monotonic time.
class Timer {
public:
    /// Throws IoError.
    Timer(EventLoop& loop, std::function<void()> handler)
        : loop_(loop), fd_(::timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC)),
          handler_(std::move(handler))
    {
        if (!fd_)
            throw IoError("timerfd", errno);
        loop_.watch(fd_.get(), EPOLLIN, [this](std::uint32_t) {
            std::uint64_t expirations = 0;
            if (::read(fd_.get(), &expirations, sizeof expirations) == sizeof expirations)
                handler_();
        });
    }
    Timer(const Timer&) = delete;
    Timer& operator=(const Timer&) = delete;
    ~Timer() { loop_.forget(fd_.get()); }

    /// Fires at `at_ns` on the clock of monotonic_ns(), at once when that has passed; replaces what was set.
    void set(std::int64_t at_ns) noexcept { arm(std::max<std::int64_t>(at_ns, 1)); }

    /// Does not fire any more.
    void clear() noexcept { arm(0); }

private:
    void arm(std::int64_t at_ns) noexcept
    {
        itimerspec when{};
        when.it_value.tv_sec = at_ns / 1'000'000'000;
        when.it_value.tv_nsec = at_ns % 1'000'000'000;
        ::timerfd_settime(fd_.get(), TFD_TIMER_ABSTIME, &when, nullptr);
    }

    EventLoop& loop_;
    io::Fd fd_;
    std::function<void()> handler_;
};

} // namespace slo::net

#endif
