// SPDX-License-Identifier: MIT
// Ends a service: what was started for it, and nothing else.

#ifndef SLO_RUN_SERVICE_STOP_HPP
#define SLO_RUN_SERVICE_STOP_HPP

#include <slo/base/clock.hpp>
#include <slo/base/error.hpp>
#include <slo/base/text.hpp>
#include <slo/record/service_state.hpp>
#include <slo/record/service_status.hpp>
#include <slo/run/container.hpp>
#include <slo/run/service_file.hpp>
#include <slo/run/service_life.hpp>
#include <slo/run/service_wait.hpp>
#include <slo/sys/process_id.hpp>

#include <poll.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <utility>

namespace slo::run {

/// How a service is ended.
struct ServiceStopOptions {
    std::string state_file;
    bool yes = false;
    double grace_s = 30;

    /// Adds the options to a table of the cli layer, which this layer does not know.
    template <class Table>
    void describe(Table& table)
    {
        table.section("Stopping");
        table.add("state", state_file, "FILE", "the state file of the service");
        table.flag("yes", yes, "do it; without this it is only said what would be done");
        table.add("grace", grace_s, "SECONDS", "between the request to end (SIGTERM) and SIGKILL");
    }
};

namespace detail {

inline void wait_for_supervisor(const record::ServiceState& state)
{
    const auto end_ns = monotonic_ns() + to_ns(10);
    while (state.supervisor && sys::find_process(process_id(*state.supervisor)) && monotonic_ns() < end_ns)
        ::poll(nullptr, 0, 20);
}

// `id` is that of the start that is meant: another may take its place as soon as it has ended.
inline void end_processes(const ServiceFile& file, const std::string& id, double grace_s)
{
    std::set<std::pair<pid_t, std::uint64_t>> asked;
    const auto kill_ns = monotonic_ns() + to_ns(grace_s);
    const auto give_up_ns = kill_ns + to_ns(10);
    for (;;) {
        // Anew each time: some start others while they end.
        const auto state = file.read();
        if (state.id != id)
            return;
        const auto life = service_life(state);
        const auto now_ns = monotonic_ns();
        if (life.members.empty() && !life.alive)
            return;
        if (now_ns > give_up_ns)
            throw Error("pid " + std::to_string(life.members.empty() ? 0 : life.members.front().id.pid),
                        "is still there after SIGKILL");
        for (const auto& member : life.members) {
            if (now_ns > kill_ns) {
                sys::send_signal(member.id, SIGKILL);
            } else if (asked.insert({member.id.pid, member.id.start_ticks}).second) {
                sys::send_signal(member.id, SIGTERM);
                sys::send_signal(member.id, SIGCONT); // one that is frozen hears nothing
            }
        }
        ::poll(nullptr, 0, 20);
    }
}

inline void end_container(const record::ServiceState& state, double grace_s)
{
    stop_container(*state.container, static_cast<int>(std::ceil(grace_s)));
    wait_for_supervisor(state); // it still takes the rest of the log
    if (state.container->remove)
        remove_container(*state.container);
}

} // namespace detail

/// What stop_service() would do, for people; empty when there is nothing to do.
inline std::string stop_plan(const record::ServiceState& state, double grace_s)
{
    const auto life = service_life(state);
    if (!life.alive && life.members.empty())
        return {};
    const auto behind =
        ", after " + format_fixed(grace_s, grace_s == std::floor(grace_s) ? 0 : 1) + " s SIGKILL";
    if (life.state == "starting")
        return "is being started";
    if (state.kind == "docker")
        return "would stop container " + printable(state.container->name) + " of '" + printable(state.name) +
               "': SIGTERM" + behind + (state.container->remove ? ", and remove it" : "");
    std::string pids;
    for (const auto& member : life.members)
        pids += (pids.empty() ? "" : ", ") + std::to_string(member.id.pid);
    return "would end '" + printable(state.name) + "' (pid " + printable(pids) + "): SIGTERM" + behind;
}

/// Ends the service and all it started: SIGTERM, `grace_s` later SIGKILL. The state file then says stopped,
/// unless it had ended before. Throws Error where something does not end, or is still being started.
inline record::ServiceStatus stop_service(const ServiceFile& file, double grace_s)
{
    const auto start_ns = monotonic_ns();
    const auto before = service_life(file);
    const auto state = file.read();
    const auto change = [&](const std::function<void(record::ServiceState&)>& how) {
        file.update([&](record::ServiceState& now) {
            if (now.id == state.id)
                how(now);
        });
    };
    if (before.state == "starting")
        throw Error(printable(state.name), "is being started; try again once it runs");
    const bool nothing = !before.alive && before.members.empty();
    if (!nothing) {
        if (before.alive)
            change([](record::ServiceState& now) { now.stop_requested_at = iso8601_utc(wall_clock_s()); });
        if (state.kind == "docker")
            detail::end_container(state, grace_s);
        else
            detail::end_processes(file, state.id, grace_s);
        detail::wait_for_supervisor(state);
        if (before.alive)
            change([](record::ServiceState& now) { now.state = "stopped"; });
    }
    auto status = status_of(file.read(), service_life(file));
    status.elapsed_s = to_seconds(monotonic_ns() - start_ns);
    if (nothing)
        status.detail = "had ended before" + (status.detail.empty() ? "" : ": " + status.detail);
    return status;
}

/// What serve-ctl stop does: says what it would do where it was not told to do it, as an Error. Throws
/// that, and what stop_service() throws.
inline record::ServiceStatus stop_service(const ServiceStopOptions& options)
{
    if (!(options.grace_s >= 0 && options.grace_s <= 86400))
        throw UsageError("--grace", "must be between 0 and 86400 s");
    const ServiceFile file(options.state_file);
    if (const auto plan = stop_plan(file.read(), options.grace_s); !plan.empty() && !options.yes)
        throw Error(plan + "; --yes does it");
    return stop_service(file, options.grace_s);
}

} // namespace slo::run

#endif
