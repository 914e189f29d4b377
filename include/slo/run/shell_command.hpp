// SPDX-License-Identifier: MIT
// A line of the user's for the shell, run beside a search.

#ifndef SLO_RUN_SHELL_COMMAND_HPP
#define SLO_RUN_SHELL_COMMAND_HPP

#include <slo/base/error.hpp>
#include <slo/base/text.hpp>
#include <slo/io/signals.hpp>
#include <slo/sys/process.hpp>

#include <cstring>
#include <string>
#include <utility>
#include <vector>

namespace slo::run {

/// Has /bin/sh run `line`, its stdin empty, all its output on our stderr, and says what went wrong; empty:
/// nothing. It is ended when it takes longer than `timeout_s`, when `stop` comes, and when we die; what it
/// has put into the background by then it may keep.
inline std::string run_shell_command(const std::string& line,
                                     const std::vector<std::pair<std::string, std::string>>& environment,
                                     double timeout_s, io::StopSignal& stop)
{
    using Cause = sys::CommandEnd::Cause;
    sys::CommandWatch watch;
    watch.timeout_s = timeout_s;
    watch.stop = &stop;
    const auto end = sys::run_command({{"/bin/sh", "-c", "exec >&2\n" + line}, environment}, watch);
    switch (end.cause) {
    case Cause::exited:
        return end.code == 0 ? "" : "ended with status " + std::to_string(end.code);
    case Cause::signalled:
        return "killed by signal " + std::to_string(end.code) + " (" + ::strsignal(end.code) + ")";
    case Cause::timed_out:
        return "took longer than " + format_double(timeout_s) + " s";
    case Cause::stopped:
    case Cause::no_use:
        break;
    }
    return "interrupted";
}

} // namespace slo::run

#endif
