// SPDX-License-Identifier: MIT
// SIGINT and SIGTERM as a request to end in order.

#ifndef SLO_IO_SIGNALS_HPP
#define SLO_IO_SIGNALS_HPP

#include <slo/base/error.hpp>
#include <slo/io/fd.hpp>

#include <csignal>
#include <sys/signalfd.h>

#include <cerrno>

namespace slo::io {

/// From its construction on, SIGINT and SIGTERM no longer kill the process but are seen here. One a process,
/// made before any thread is started.
class StopSignal {
public:
    /// Throws IoError.
    StopSignal()
    {
        sigset_t set;
        ::sigemptyset(&set);
        ::sigaddset(&set, SIGINT);
        ::sigaddset(&set, SIGTERM);
        ::sigprocmask(SIG_BLOCK, &set, &before_);
        fd_ = Fd(::signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC));
        if (!fd_)
            throw IoError("signalfd", errno);
    }
    StopSignal(const StopSignal&) = delete;
    StopSignal& operator=(const StopSignal&) = delete;
    ~StopSignal()
    {
        requested(); // one that is still pending would kill the process now
        ::sigprocmask(SIG_SETMASK, &before_, nullptr);
    }

    /// Readable once a signal came; for epoll and poll.
    int fd() const noexcept { return fd_.get(); }

    /// True once a signal came (and ever after).
    bool requested() noexcept
    {
        signalfd_siginfo info;
        while (::read(fd_.get(), &info, sizeof info) == sizeof info)
            signal_ = static_cast<int>(info.ssi_signo);
        return signal_ != 0;
    }

    /// Calls `body`, in which a signal ends the process as if nothing watched for it: for waits that nothing
    /// else ends. One that came before still waits to be seen.
    template <class Body>
    void exposed(Body&& body)
    {
        requested();
        struct Blocked {
            sigset_t set;
            ~Blocked() { ::sigprocmask(SIG_SETMASK, &set, nullptr); }
        } blocked{};
        ::sigprocmask(SIG_SETMASK, &before_, &blocked.set);
        body();
    }

    /// True once requested() was; asks for nothing new.
    bool seen() const noexcept { return signal_ != 0; }

    /// The signal mask from before, which a child process must get back.
    const sigset_t& mask_before() const noexcept { return before_; }

private:
    Fd fd_;
    sigset_t before_{};
    int signal_ = 0;
};

} // namespace slo::io

#endif
