// SPDX-License-Identifier: MIT
// One thread's event loop: descriptors and moments.

#ifndef SLO_NET_EVENT_LOOP_HPP
#define SLO_NET_EVENT_LOOP_HPP

#include <slo/base/clock.hpp>
#include <slo/base/error.hpp>
#include <slo/net/loop_wait.hpp>

#include <sys/epoll.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <span>
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

class Timer;

/// Calls handlers when descriptors are ready, and timers when their moments have come: these first, and in
/// between. Used by one thread; a handler may watch and forget any descriptor.
class EventLoop {
public:
    /// Receives the epoll events (EPOLLIN, EPOLLOUT, EPOLLERR, EPOLLHUP) that came.
    using Handler = std::function<void(std::uint32_t events)>;

    /// Throws IoError.
    explicit EventLoop(LoopWait::Clock clock = LoopWait::Clock::automatic) : wait_(clock) {}
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
        if (::epoll_ctl(wait_.epoll_fd(), EPOLL_CTL_ADD, fd, &event) != 0) {
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
        if (::epoll_ctl(wait_.epoll_fd(), EPOLL_CTL_MOD, fd, &event) != 0)
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
        ::epoll_ctl(wait_.epoll_fd(), EPOLL_CTL_DEL, fd, nullptr);
        if (slot.owned)
            retired_.push_back(std::move(slot.owned));
    }

    /// Waits until something is ready or a timer's moment has come, and calls the handlers; what a handler
    /// throws goes through. Throws IoError.
    void run_once();

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
    friend class Timer;

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

    std::int64_t next_timer_ns() const noexcept;
    bool has_timer_before(std::int64_t at_ns) const noexcept;
    void fire_timers();
    void serve(std::span<const epoll_event> events, bool with_timers);

    // So many descriptors are served before the timers get their turn again.
    static constexpr int events_between_timers = 8;

    // A timer so late tells of a stall. What has arrived meanwhile is read first then, before any timer calls
    // it late.
    static constexpr std::int64_t stall_ns = 10'000'000;
    static constexpr int most_turns_after_stall = 64;

    LoopWait wait_;
    std::vector<Slot> slots_;
    std::vector<Timer*> timers_;                   // few
    std::vector<std::unique_ptr<Caller>> retired_; // a handler that forgets itself must outlive its own call
    std::int64_t longest_turn_ns_ = 0;
    bool stopped_ = false;
};

/// A moment in the loop: calls its handler once, at an absolute monotonic time. Setting it costs nothing.
class Timer {
public:
    Timer(EventLoop& loop, std::function<void()> handler) : loop_(loop), handler_(std::move(handler))
    {
        loop_.timers_.push_back(this);
    }
    Timer(const Timer&) = delete;
    Timer& operator=(const Timer&) = delete;
    ~Timer() { std::erase(loop_.timers_, this); }

    /// Fires at `at_ns` on the clock of monotonic_ns(), in the next turn of the loop when that has passed;
    /// replaces what was set.
    void set(std::int64_t at_ns) noexcept { at_ns_ = at_ns; }

    /// Fires at `at_ns`, or before where it is set for an earlier moment.
    void set_no_later(std::int64_t at_ns) noexcept { at_ns_ = std::min(at_ns_, at_ns); }

    /// Does not fire any more.
    void clear() noexcept { at_ns_ = LoopWait::never_ns; }

private:
    friend class EventLoop;

    EventLoop& loop_;
    std::int64_t at_ns_ = LoopWait::never_ns;
    std::function<void()> handler_;
};

inline void EventLoop::run_once()
{
    std::array<epoll_event, 256> events;
    int count = wait_.wait(events, next_timer_ns());
    const auto begin_ns = monotonic_ns();
    const bool stalled = has_timer_before(begin_ns - stall_ns);
    if (!stalled)
        fire_timers();
    for (int turns = 0;; ++turns) {
        serve({events.data(), static_cast<std::size_t>(count)}, !stalled);
        if (!stalled || count < static_cast<int>(events.size()) || turns == most_turns_after_stall)
            break;
        count = wait_.wait(events, 0);
    }
    if (stalled || count > 0)
        fire_timers();
    retired_.clear();
    longest_turn_ns_ = std::max(longest_turn_ns_, monotonic_ns() - begin_ns);
}

inline void EventLoop::serve(std::span<const epoll_event> events, bool with_timers)
{
    int served = 0;
    for (const auto& event : events) {
        const auto fd = static_cast<std::size_t>(event.data.u64 & 0xFFFFFFFFU);
        const auto generation = static_cast<std::uint32_t>(event.data.u64 >> 32);
        if (slots_[fd].watcher && slots_[fd].generation == generation)
            slots_[fd].watcher->ready(event.events);
        if (with_timers && ++served % events_between_timers == 0)
            fire_timers();
    }
}

inline std::int64_t EventLoop::next_timer_ns() const noexcept
{
    auto next_ns = LoopWait::never_ns;
    for (const auto* timer : timers_)
        next_ns = std::min(next_ns, timer->at_ns_);
    return next_ns;
}

// A timer that is set for the distant past means "at once", and is not late.
inline bool EventLoop::has_timer_before(std::int64_t at_ns) const noexcept
{
    return std::any_of(timers_.begin(), timers_.end(),
                       [at_ns](const Timer* timer) { return timer->at_ns_ > 1 && timer->at_ns_ < at_ns; });
}

// In the order of their moments. What a handler sets anew waits for the next call: the descriptors get their
// turn, too.
inline void EventLoop::fire_timers()
{
    const auto now_ns = monotonic_ns();
    if (next_timer_ns() > now_ns)
        return;
    std::vector<std::pair<std::int64_t, Timer*>> due;
    for (auto* timer : timers_) {
        if (timer->at_ns_ <= now_ns)
            due.emplace_back(timer->at_ns_, timer);
    }
    std::sort(due.begin(), due.end());
    for (const auto& [at_ns, timer] : due) {
        const bool exists = std::find(timers_.begin(), timers_.end(), timer) != timers_.end();
        if (!exists || timer->at_ns_ != at_ns)
            continue; // another handler took it back
        timer->clear();
        timer->handler_();
    }
}

} // namespace slo::net

#endif
