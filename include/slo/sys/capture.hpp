// SPDX-License-Identifier: MIT
// A short command and what it says.

#ifndef SLO_SYS_CAPTURE_HPP
#define SLO_SYS_CAPTURE_HPP

#include <slo/base/clock.hpp>
#include <slo/base/error.hpp>
#include <slo/io/fd.hpp>
#include <slo/sys/spawn.hpp>

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace slo::sys {

/// The end of a short command.
struct Captured {
    int status = 0;         ///< its exit status; 128 + N where signal N ended it
    bool timed_out = false; ///< it was killed because its time was up
    std::string output;     ///< as it came, cut at max_captured_bytes
};

inline constexpr std::size_t max_captured_bytes = std::size_t{1} << 20;

/// Runs a command to its end, but no longer than `timeout_s`, and takes its stdout, and its stderr, too,
/// where that is not to go to `errors`. Throws Error where it cannot be started.
inline Captured capture(const Command& command, double timeout_s, int errors = -1)
{
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0)
        throw IoError("pipe", errno);
    const io::Fd read_end(ends[0]);
    io::Fd write_end(ends[1]);
    const auto pid = spawn(command, {{}, write_end.get(), errors < 0 ? write_end.get() : errors, false});
    write_end = io::Fd();
    Captured captured;
    const auto deadline_ns = monotonic_ns() + to_ns(timeout_s);
    int status = 0;
    pid_t reaped = 0;
    // What a child of it still writes is not waited for: its own end counts.
    for (bool open = true; reaped == 0;) {
        pollfd event{open ? read_end.get() : -1, POLLIN, 0};
        ::poll(&event, 1, 20);
        if (event.revents != 0) {
            char block[65536];
            const auto got = io::read_some(read_end, block, sizeof block, "output of the command");
            captured.output +=
                std::string_view(block, got)
                    .substr(0, max_captured_bytes - std::min(max_captured_bytes, captured.output.size()));
            open = got > 0;
        } else {
            reaped = ::waitpid(pid, &status, WNOHANG);
        }
        if (reaped == 0 && monotonic_ns() > deadline_ns) {
            captured.timed_out = true;
            ::kill(pid, SIGKILL);
            reaped = ::waitpid(pid, &status, 0);
        }
    }
    captured.status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    return captured;
}

inline Captured capture(const std::vector<std::string>& argv, double timeout_s)
{
    return capture(Command{argv, {}}, timeout_s);
}

} // namespace slo::sys

#endif
