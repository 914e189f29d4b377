// SPDX-License-Identifier: MIT
// Whether a service lives, asked of the system and of the container engine, never of the network.

#ifndef SLO_RUN_SERVICE_LIFE_HPP
#define SLO_RUN_SERVICE_LIFE_HPP

#include <slo/base/clock.hpp>
#include <slo/base/error.hpp>
#include <slo/record/service_state.hpp>
#include <slo/run/container.hpp>
#include <slo/run/service_file.hpp>
#include <slo/sys/process_id.hpp>

#include <poll.h>

#include <algorithm>
#include <csignal>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace slo::run {

/// The variable by which a process tells which start of a service it belongs to.
inline constexpr const char* service_variable = "SLOUTILS_SERVICE";

/// How a service is, apart from whether it answers.
struct ServiceLife {
    bool alive = false;
    bool frozen = false; ///< stopped by a signal, or a paused container
    std::string state;   ///< running, starting, dead (how it ended is not known), exited, stopped or failed
    std::optional<record::ServiceExit> exit;
    std::vector<sys::ProcessStat>
        members; ///< its processes, also those that outlived it; none of a container
    std::vector<sys::ProcessStat>
        unsure;      ///< in a session of its number; whether they are its own is not known
    std::string why; ///< what explains the state
};

/// What tells a process of the state from all others.
inline sys::ProcessId process_id(const record::ServiceProcess& process)
{
    return {process.pid, process.start_ticks};
}

namespace detail {

/// What the supervisor started and what those started; orphans among them are its children, too.
inline void add_descendants(const std::vector<sys::ProcessStat>& all, pid_t ancestor, std::set<pid_t>& found)
{
    for (bool grew = true; grew;) {
        grew = false;
        for (const auto& process : all)
            if (process.parent == ancestor || found.contains(process.parent))
                grew = found.insert(process.id.pid).second || grew;
    }
}

inline bool made_on_this_system(const record::ServiceState& state)
{
    const auto boot = sys::boot_id();
    return boot.empty() || state.boot_id.empty() || boot == state.boot_id;
}

// What is alive of the service. The session counts while its leader is there, the descendants while the
// supervisor is. Once both are gone, their numbers may be another's: then a process must say itself whose it
// is.
inline void find_members(const record::ServiceState& state, ServiceLife& life)
{
    const auto all = sys::list_processes();
    const auto& process = *state.process;
    const bool supervised = state.supervisor && sys::find_process(process_id(*state.supervisor));
    std::set<pid_t> descendants;
    if (supervised)
        add_descendants(all, state.supervisor->pid, descendants);
    const bool number_reused = !life.alive && sys::find_process(process.pid);
    for (const auto& each : all) {
        if (!each.alive())
            continue;
        const bool in_session = each.session == process.session && each.id.start_ticks >= process.start_ticks;
        const bool sure = descendants.contains(each.id.pid) || (in_session && life.alive);
        if (sure || (in_session && sys::started_with(each.id.pid, service_variable, state.id)))
            life.members.push_back(each);
        else if (in_session && !number_reused)
            life.unsure.push_back(each);
    }
}

inline std::string ended_state(const record::ServiceState& state)
{
    if (state.state == "failed")
        return "failed";
    if (!state.stop_requested_at.empty() || state.state == "stopped")
        return "stopped";
    return state.exit ? "exited" : "dead";
}

inline ServiceLife life_of_container(const record::ServiceState& state)
{
    ServiceLife life;
    const auto container = find_container(*state.container);
    life.alive = container && container->running;
    life.frozen = container && container->paused;
    life.state = life.alive ? "running" : ended_state(state);
    if (life.alive)
        return life;
    life.exit = state.exit;
    if (!container) {
        life.why = "the container is gone";
    } else if (container->exit_code) {
        life.exit =
            record::ServiceExit{*container->exit_code, {}, container->out_of_memory, {}, container->error};
        if (life.state == "dead")
            life.state = "exited";
    }
    return life;
}

} // namespace detail

/// Looks whether the service of `state` lives. Throws Error where that cannot be seen from here: the engine
/// does not answer, or the processes are in another namespace.
inline ServiceLife service_life(const record::ServiceState& state)
{
    ServiceLife life;
    life.exit = state.exit;
    const bool begun = state.kind == "docker" ? !state.container->id.empty() : state.process.has_value();
    const bool same_system = detail::made_on_this_system(state);
    if (same_system && (state.state == "running" || state.state == "starting") &&
        !state.pid_namespace.empty() && state.pid_namespace != sys::pid_namespace() &&
        state.kind == "process")
        throw Error(state.name, "was started in another pid namespace (in a container?): ask there");
    if (begun && state.kind == "docker")
        return detail::life_of_container(state);
    if (begun && same_system) {
        const auto leader = sys::find_process(process_id(*state.process));
        life.alive = leader.has_value();
        life.frozen = leader && leader->frozen();
        detail::find_members(state, life);
    } else if (!begun && same_system && state.state == "starting") {
        life.alive = state.supervisor && sys::find_process(process_id(*state.supervisor));
        life.state = life.alive ? "starting" : "dead";
        life.why = life.alive ? "is being started" : "serve-ctl ended while it started the service";
        return life;
    }
    life.state = life.alive ? "running" : detail::ended_state(state);
    if (life.alive)
        life.exit.reset();
    else if (life.state == "dead")
        life.why = same_system ? "nobody saw how it ended" : "the machine was started anew since";
    return life;
}

/// The same from a file. After a death the supervisor has its moment to take the rest of the log and to write
/// down how it came.
inline ServiceLife service_life(const ServiceFile& file)
{
    constexpr int most_ms = 3000;
    constexpr int pause_ms = 20;
    for (int waited_ms = 0;; waited_ms += pause_ms) {
        const auto state = file.read();
        const bool written = state.exit || !detail::made_on_this_system(state) || !state.supervisor ||
                             !sys::find_process(process_id(*state.supervisor));
        auto life = service_life(state);
        if (life.alive || written || waited_ms >= most_ms)
            return written && !life.alive ? service_life(file.read()) : life;
        ::poll(nullptr, 0, pause_ms);
    }
}

/// True where what ended the service was no fault of its own: serve-ctl stop is on record, the container
/// engine was told to stop it, or it ended by SIGTERM or SIGINT, which an engine does not send itself; a
/// shell around it, or a handler, says the same by a status of 128 and the signal. SIGKILL says nothing: the
/// system sends it for want of memory.
inline bool ended_by_request(const record::ServiceState& state,
                             const std::optional<record::ServiceExit>& exit)
{
    if (!state.stop_requested_at.empty())
        return true;
    if (exit && exit->out_of_memory)
        return false;
    for (const int signal : {SIGTERM, SIGINT})
        if (exit && (exit->signal == signal || exit->status == 128 + signal))
            return true;
    return state.container && was_told_to_stop(*state.container, state.started_at);
}

/// What tells one start of a service from the next.
inline std::string start_of(const record::ServiceState& state)
{
    return state.id + " " + state.started_at +
           (state.process
                ? " " + std::to_string(state.process->pid) + " " + std::to_string(state.process->start_ticks)
                : "") +
           (state.container ? " " + state.container->id : "");
}

/// Whether `start` ended by request and the one of `state` came right after it; what came before that is not
/// known.
inline bool ended_by_request_before(const record::ServiceState& state, const std::string& start)
{
    if (!state.before || !start.starts_with(state.before->id + " "))
        return false;
    record::ServiceState before;
    before.stop_requested_at = state.before->stop_requested_at;
    return ended_by_request(before, state.before->exit);
}

} // namespace slo::run

#endif
