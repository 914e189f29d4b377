// SPDX-License-Identifier: MIT
// A forked process on its way to be the supervisor of a service.

#ifndef SLO_RUN_SERVICE_FORK_HPP
#define SLO_RUN_SERVICE_FORK_HPP

#include <slo/base/error.hpp>
#include <slo/run/service_supervisor.hpp>

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <exception>
#include <string>

namespace slo::run {

namespace detail {

// The descriptor as number `wanted`, closed on exec.
inline void move_descriptor(int fd, int wanted)
{
    if (fd != wanted)
        ::dup3(fd, wanted, O_CLOEXEC);
}

// Leaves all that the caller of this process has open, or its readers would wait for our end.
inline void leave_descriptors(int log, int go, int answer)
{
    // First out of the way of the numbers they get.
    const int high_log = ::fcntl(log, F_DUPFD_CLOEXEC, 16);
    const int high_go = ::fcntl(go, F_DUPFD_CLOEXEC, 16);
    const int high_answer = ::fcntl(answer, F_DUPFD_CLOEXEC, 16);
    move_descriptor(high_log, 3);
    move_descriptor(high_go, 4);
    move_descriptor(high_answer, 5);
    ::close_range(6, ~0U, 0);
    const int nothing = ::open("/dev/null", O_RDWR | O_CLOEXEC);
    ::dup2(nothing, STDIN_FILENO);
    ::dup2(nothing, STDOUT_FILENO);
    ::dup2(3, STDERR_FILENO);
    ::close(nothing);
}

} // namespace detail

/// The rest of the life of a forked process as the supervisor of a service: waits for a byte on `go`, writes
/// to `answer` what went wrong, or nothing, and then a line feed.
[[noreturn]] inline void supervise(const SupervisedService& service, int log, int go, int answer) noexcept
{
    ::setsid();
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGUSR1, SIGUSR2, SIGALRM})
        ::signal(signal, SIG_IGN);
    detail::leave_descriptors(log, go, answer);
    int status = 0;
    try {
        char byte = 0;
        if (::read(4, &byte, 1) != 1)
            ::_exit(0); // who forked us is gone
        ::close(4);
        if (::chdir(service.folder.c_str()) != 0)
            throw IoError(service.folder, errno);
        ServiceSupervisor(service, 3).run([](const std::string& reason) {
            const auto line = reason + "\n";
            if (::write(5, line.data(), line.size()) < 0)
                ::dprintf(STDERR_FILENO, "serve-ctl: %s", line.c_str());
            ::close(5);
        });
    } catch (const std::exception& error) {
        ::dprintf(STDERR_FILENO, "serve-ctl: %s\n", error.what());
        ::dprintf(5, "%s\n", error.what());
        status = static_cast<int>(Exit::error);
    }
    ::_exit(status);
}

} // namespace slo::run

#endif
