// SPDX-License-Identifier: MIT
// SIGINT, SIGTERM and SIGHUP as the end of a tool whose output is whole or not there at all.

#ifndef SLO_IO_REMOVE_ON_SIGNAL_HPP
#define SLO_IO_REMOVE_ON_SIGNAL_HPP

#include <slo/base/error.hpp>

#include <limits.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <string_view>

namespace slo::io {

/// From its construction on, a signal removes the file being watched and ends the process at once, with
/// Exit::undecided, wherever it waits. One a process.
class RemoveOnSignal {
public:
    /// Throws IoError.
    RemoveOnSignal()
    {
        struct sigaction action = {};
        action.sa_handler = &RemoveOnSignal::handle;
        for (const int signal : signals) {
            struct sigaction before = {};
            if (::sigaction(signal, nullptr, &before) != 0)
                throw IoError("sigaction", errno);
            // What the caller had ignored, a shell's background job SIGINT, stays ignored.
            if (before.sa_handler != SIG_IGN && ::sigaction(signal, &action, nullptr) != 0)
                throw IoError("sigaction", errno);
        }
    }
    RemoveOnSignal(const RemoveOnSignal&) = delete;
    RemoveOnSignal& operator=(const RemoveOnSignal&) = delete;
    ~RemoveOnSignal() { path_[0] = '\0'; }

    /// Calls `make`, which makes a file, and watches that: make() returns its path, empty for none. Throws
    /// what make() throws, and IoError for a path beyond PATH_MAX.
    template <class Make>
    void watch(Make&& make)
    {
        // A signal between the making and the watching would leave the file behind.
        struct Blocked {
            Blocked()
            {
                sigset_t set;
                ::sigemptyset(&set);
                for (const int signal : signals)
                    ::sigaddset(&set, signal);
                ::sigprocmask(SIG_BLOCK, &set, &before);
            }
            ~Blocked() { ::sigprocmask(SIG_SETMASK, &before, nullptr); }
            sigset_t before;
        } const blocked;
        const std::string_view path = make();
        if (path.size() >= path_.size())
            throw IoError(path, ENAMETOOLONG);
        path.copy(path_.data(), path.size());
        path_[path.size()] = '\0';
    }

private:
    static constexpr std::array<int, 3> signals{SIGINT, SIGTERM, SIGHUP};

    static void handle(int)
    {
        if (path_[0] != '\0')
            ::unlink(path_.data());
        ::_exit(static_cast<int>(Exit::undecided));
    }

    static inline std::array<char, PATH_MAX> path_{};
};

} // namespace slo::io

#endif
