// SPDX-License-Identifier: MIT
// SIGINT and SIGTERM as the end of the input, for tools that only read.

#ifndef SLO_IO_END_ON_SIGNAL_HPP
#define SLO_IO_END_ON_SIGNAL_HPP

#include <slo/base/error.hpp>

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>

namespace slo::io {

/// From its construction on, a signal makes the input that is being watched look ended, so that what was read
/// is still worked up: SIGTERM and a second SIGINT at once, a first SIGINT after a grace of 5 seconds,
/// because it went to the whole pipeline and the writer has its last records to send. One a process.
class EndOnSignal {
public:
    /// Throws IoError.
    EndOnSignal()
    {
        empty_ = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
        if (empty_ < 0)
            throw IoError("/dev/null", errno);
        struct sigaction action = {};
        action.sa_handler = &EndOnSignal::handle; // without SA_RESTART: a blocked read must return
        for (const int signal : {SIGINT, SIGTERM, SIGALRM}) {
            struct sigaction before = {};
            if (::sigaction(signal, nullptr, &before) != 0)
                throw IoError("sigaction", errno);
            // What the caller had ignored, a shell's background job SIGINT, stays ignored.
            if (before.sa_handler != SIG_IGN && ::sigaction(signal, &action, nullptr) != 0)
                throw IoError("sigaction", errno);
        }
    }

    /// The input to be ended; -1 for none.
    void watch(int fd) noexcept
    {
        watched_ = fd;
        if (ended_ && fd >= 0)
            ::dup2(empty_, fd);
    }

    /// True once a signal came.
    bool signalled() const noexcept { return signals_ > 0; }

private:
    static void handle(int signal)
    {
        const int saved_errno = errno;
        if (signal != SIGALRM)
            signals_ = signals_ + 1;
        if (signal == SIGINT && signals_ == 1) {
            ::alarm(5);
        } else {
            ended_ = true;
            if (watched_ >= 0)
                ::dup2(empty_, watched_);
        }
        errno = saved_errno;
    }

    static_assert(std::atomic<int>::is_always_lock_free, "used in a signal handler");
    static inline std::atomic<int> empty_{-1};
    static inline std::atomic<int> watched_{-1};
    static inline std::atomic<int> signals_{0};
    static inline std::atomic<bool> ended_{false};
};

} // namespace slo::io

#endif
