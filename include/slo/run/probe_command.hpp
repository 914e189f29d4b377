// SPDX-License-Identifier: MIT
// One probe by a command: run, listened to, and judged.

#ifndef SLO_RUN_PROBE_COMMAND_HPP
#define SLO_RUN_PROBE_COMMAND_HPP

#include <slo/base/error.hpp>
#include <slo/base/text.hpp>
#include <slo/io/signals.hpp>
#include <slo/record/probe_output.hpp>
#include <slo/record/search.hpp>
#include <slo/run/probe_task.hpp>
#include <slo/run/search_run.hpp>
#include <slo/sys/process.hpp>

#include <cstring>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace slo::run {

/// How probe commands are run.
struct ProbeLimits {
    double slo_s = 6.5;
    double tick_s = 1;
    std::optional<double> timeout_s;   ///< a probe that takes longer is ended and fails
    std::function<bool()> no_use = {}; ///< asked at each tick: true ends the probe, which fails
};

/// Runs the command of `task`; nothing when `stop` came. Throws Error naming command and rate where the
/// command could not be run, was killed, or ended with a status that is no verdict.
inline std::optional<record::SearchProbe> probe_by_command(const ProbeTask& task, const SearchRun::Tick& tick,
                                                           const ProbeLimits& limits, io::StopSignal& stop)
{
    if (stop.requested())
        return std::nullopt;
    record::ProbeOutput output(task.unmeasured_fails);
    sys::CommandWatch watch;
    watch.on_output = [&](std::string_view bytes) { output.feed(bytes); };
    watch.on_tick = [&] { tick(output); };
    watch.tick_s = limits.tick_s;
    watch.timeout_s = limits.timeout_s;
    watch.stop = &stop;
    watch.no_use = limits.no_use;
    const auto end = sys::run_command({task.argv, task.environment, task.removed}, watch);
    const auto subject = printable(task.argv[0]) + " at " + task.qps + " qps";
    switch (end.cause) {
    case sys::CommandEnd::Cause::stopped:
        return std::nullopt;
    case sys::CommandEnd::Cause::timed_out:
        return output.timed_out(*limits.timeout_s);
    case sys::CommandEnd::Cause::no_use:
        return output.without_verdict("the probe was ended, its service was gone");
    case sys::CommandEnd::Cause::signalled:
        throw Error(subject,
                    "killed by signal " + std::to_string(end.code) + " (" + ::strsignal(end.code) + ")");
    case sys::CommandEnd::Cause::exited:
        break;
    }
    try {
        return output.judge(end.code, limits.slo_s);
    } catch (const Error& error) {
        throw Error(subject, error.what());
    }
}

} // namespace slo::run

#endif
