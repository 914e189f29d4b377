// SPDX-License-Identifier: MIT
// Calls into an event loop from other threads.

#ifndef SLO_NET_MAILBOX_HPP
#define SLO_NET_MAILBOX_HPP

#include <slo/base/error.hpp>
#include <slo/io/fd.hpp>
#include <slo/net/event_loop.hpp>

#include <sys/eventfd.h>

#include <cerrno>
#include <cstdint>
#include <functional>
#include <iterator>
#include <mutex>
#include <utility>
#include <vector>

namespace slo::net {

/// What is posted is called by the loop, in the order of posting; after a call that throws the rest comes in
/// the next turn. Made and destroyed on the loop's thread, or while that does not run.
class Mailbox {
public:
    /// Throws IoError.
    explicit Mailbox(EventLoop& loop) : loop_(loop), wake_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK))
    {
        if (!wake_)
            throw IoError("eventfd", errno);
        loop_.watch(wake_.get(), EPOLLIN, [this](std::uint32_t) { deliver(); });
    }
    Mailbox(const Mailbox&) = delete;
    Mailbox& operator=(const Mailbox&) = delete;
    ~Mailbox() { loop_.forget(wake_.get()); }

    /// From any thread; never waits for the loop.
    void post(std::function<void()> call)
    {
        {
            const std::lock_guard lock(mutex_);
            calls_.push_back(std::move(call));
        }
        ::eventfd_write(wake_.get(), 1);
    }

private:
    using Calls = std::vector<std::function<void()>>;

    void deliver()
    {
        eventfd_t count = 0;
        ::eventfd_read(wake_.get(), &count);
        Calls calls;
        {
            const std::lock_guard lock(mutex_);
            calls.swap(calls_);
        }
        for (auto call = calls.begin(); call != calls.end(); ++call) {
            try {
                (*call)();
            } catch (...) {
                put_back(call + 1, calls.end());
                throw;
            }
        }
    }

    // Before all that was posted meanwhile.
    void put_back(Calls::iterator begin, Calls::iterator end)
    {
        if (begin == end)
            return;
        {
            const std::lock_guard lock(mutex_);
            calls_.insert(calls_.begin(), std::make_move_iterator(begin), std::make_move_iterator(end));
        }
        ::eventfd_write(wake_.get(), 1);
    }

    EventLoop& loop_;
    io::Fd wake_;
    std::mutex mutex_;
    Calls calls_;
};

} // namespace slo::net

#endif
