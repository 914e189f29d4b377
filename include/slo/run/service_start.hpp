// SPDX-License-Identifier: MIT
// Starts a service so that it outlives who started it.

#ifndef SLO_RUN_SERVICE_START_HPP
#define SLO_RUN_SERVICE_START_HPP

#include <slo/base/clock.hpp>
#include <slo/base/error.hpp>
#include <slo/base/text.hpp>
#include <slo/io/fd.hpp>
#include <slo/net/url_parts.hpp>
#include <slo/record/service_state.hpp>
#include <slo/run/container.hpp>
#include <slo/run/service_file.hpp>
#include <slo/run/service_fork.hpp>
#include <slo/run/service_life.hpp>
#include <slo/run/service_plan.hpp>
#include <slo/sys/port.hpp>
#include <slo/sys/process_id.hpp>
#include <slo/sys/process_title.hpp>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>

namespace slo::run {

namespace detail {

/// A pipe whose ends close themselves.
struct Pipe {
    /// Throws IoError.
    Pipe()
    {
        int ends[2];
        if (::pipe2(ends, O_CLOEXEC) != 0)
            throw IoError("pipe", errno);
        read = io::Fd(ends[0]);
        write = io::Fd(ends[1]);
    }
    io::Fd read;
    io::Fd write;
};

// Why a service cannot take the place of the one in the state file; empty when it can.
inline std::string still_there(const record::ServiceState& state)
{
    const auto life = service_life(state);
    const auto number = life.state == "starting" ? "is being started"
                        : state.container        ? "runs in container " + printable(state.container->name)
                                          : "still runs (pid " + std::to_string(state.process->pid) + ")";
    if (life.alive)
        return "'" + printable(state.name) + "' " + number;
    if (!life.members.empty())
        return "'" + printable(state.name) + "' has ended, but processes of it are left (pid " +
               std::to_string(life.members.front().id.pid) + "); serve-ctl stop ends them";
    return {};
}

inline std::string log_header(const record::ServiceState& state)
{
    std::string line;
    for (const auto& word : state.argv)
        line += " " + word;
    return "=== serve-ctl: '" + printable(state.name) + "' started " + state.started_at + ":" +
           printable(line, 4000) + " ===\n";
}

// Opens the log, writes the header and notes where the service's own lines begin.
// An error names the file as the user did.
inline io::Fd begin_log(record::ServiceState& state, const std::string& given)
{
    const auto& name = given.empty() ? state.log : given;
    try {
        auto log = io::open_output(state.log, io::OpenMode::append);
        io::write_all(log, log_header(state), name);
        struct stat status {};
        if (::fstat(log.get(), &status) == 0)
            state.log_offset = static_cast<std::uint64_t>(status.st_size);
        return log;
    } catch (const IoError& error) {
        throw IoError(name, error.error_number());
    }
}

inline std::string start_id(const record::ServiceProcess& supervisor, const std::string& boot_id)
{
    return std::to_string(supervisor.pid) + "-" + std::to_string(supervisor.start_ticks) + "-" +
           boot_id.substr(0, 8);
}

// The port of this machine that an API base names.
inline std::optional<int> local_port(const std::string& api_base)
{
    net::UrlParts url;
    try {
        url = net::parse_url(api_base);
    } catch (const Error& error) {
        throw UsageError("--api-base", error.what());
    }
    const bool local = url.host == "localhost" || url.host.starts_with("127.") || url.host == "::1";
    return local ? parse_integer<int>(url.port) : std::nullopt;
}

} // namespace detail

/// Starts the service and returns its state once it runs; tells `note` what differs from what was asked for.
/// Throws UsageError, IoError, and Error where it cannot be started or the one before still runs.
inline record::ServiceState start_service(const ServiceStartOptions& options,
                                          const std::function<void(const std::string&)>& note)
{
    auto [service, state, port] = plan_service(options, note);
    bool in_the_way = false;
    std::optional<ServiceFile::Lock> lock(std::in_place, service.file);
    if (const auto before = service.file.read_if_there()) {
        if (const auto reason = detail::still_there(*before); !reason.empty())
            throw Error(options.state_file, reason);
        state.before = record::ServiceBefore{before->id, before->stop_requested_at, before->exit};
        if (before->container && !before->container->id.empty()) {
            in_the_way = state.container && state.container->name == before->container->name &&
                         state.container->engine == before->container->engine;
            if (in_the_way || before->container->remove)
                service.leftover = before->container;
        }
    }
    // Whoever has it would be taken for the service.
    if (port && sys::port_taken(*port))
        throw Error("port " + std::to_string(*port), "another program listens there");
    if (!port && !options.api_base.empty()) {
        const auto named = detail::local_port(options.api_base);
        if (named && sys::port_taken(*named))
            note("a program listens at the port of --api-base already: it may be what answers there, and not "
                 "this service");
    }
    // It was started here, and it has ended. The state names it until it is gone: else nobody would know
    // that.
    if (in_the_way)
        remove_container(*std::exchange(service.leftover, std::nullopt));
    const auto log = detail::begin_log(state, options.log);
    // The supervisor begins once the state names it: from then on nobody else takes its place.
    detail::Pipe go;
    detail::Pipe answer;
    const auto pid = ::fork();
    if (pid < 0)
        throw IoError("fork", errno);
    if (pid == 0) {
        sys::ProcessTitle::set("serve-ctl: stays with " + state.name);
        go.write = io::Fd();
        supervise(service, log.get(), go.read.get(), answer.write.get());
    }
    answer.write = io::Fd();
    const auto supervisor = sys::find_process(pid);
    if (!supervisor)
        throw Error("/proc", "does not show the processes of this machine");
    state.supervisor = record::ServiceProcess{pid, supervisor->id.start_ticks, pid};
    state.id = detail::start_id(*state.supervisor, state.boot_id);
    service.file.write(state);
    lock.reset();
    io::write_all(go.write, "g", "pipe");

    std::string reason;
    char block[4096];
    while (const auto got = io::read_some(answer.read, block, sizeof block, "pipe"))
        reason.append(block, got);
    if (reason.empty())
        throw Error(options.state_file, "the supervisor of the service ended before it was started");
    if (reason != "\n")
        throw Error(std::string(trim(reason)));
    return service.file.read();
}

} // namespace slo::run

#endif
