// SPDX-License-Identifier: MIT
// What starting a service comes to: the command as it will be run, and its state before the start.

#ifndef SLO_RUN_SERVICE_PLAN_HPP
#define SLO_RUN_SERVICE_PLAN_HPP

#include <slo/base/clock.hpp>
#include <slo/base/error.hpp>
#include <slo/base/shown_command.hpp>
#include <slo/base/shown_url.hpp>
#include <slo/plan/docker_command.hpp>
#include <slo/plan/service_port.hpp>
#include <slo/record/service_state.hpp>
#include <slo/run/service_file.hpp>
#include <slo/run/service_supervisor.hpp>
#include <slo/sys/process_id.hpp>

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace slo::run {

/// What is started, where, and what is kept of it.
struct ServiceStartOptions {
    std::string state_file;
    std::string log;  ///< empty: the state file's name with ".log"
    std::string name; ///< empty: the state file's name without its ending
    std::string api_base;
    std::vector<std::string> environment; ///< "NAME=VALUE"
    std::string folder;                   ///< empty: this one
    bool shell = false;                   ///< the command is one line for /bin/sh
    std::vector<std::string> command;

    /// Adds the options to a table of the cli layer, which this layer does not know.
    template <class Table>
    void describe(Table& table)
    {
        table.command(command);
        table.section("Service");
        table.add("state", state_file, "FILE", "where to keep what is known of the service");
        table.add("log", log, "FILE", "where it writes, appended to (FILE of --state with .log)");
        table.add("name", name, "NAME", "what to call it (the name of FILE)");
        table.add("api-base", api_base, "URL", "its API, as http://127.0.0.1:8000/v1, for wait and status");
        table.add_repeatable("env", environment, "NAME=VALUE", "add to its environment; may be repeated");
        table.add("cwd", folder, "DIR", "where it runs");
        table.flag("shell", shell, "COMMAND is one line for /bin/sh");
    }
};

/// What is to be done, and what will be known of it.
struct ServicePlan {
    SupervisedService service;
    record::ServiceState state;
    std::optional<int> port; ///< at which a process, not a container, will listen, where its command tells
};

namespace detail {

inline std::vector<std::pair<std::string, std::string>>
parse_environment(const std::vector<std::string>& entries)
{
    std::vector<std::pair<std::string, std::string>> variables;
    for (const auto& entry : entries) {
        const auto equals = entry.find('=');
        if (equals == std::string::npos || equals == 0)
            throw UsageError("--env", "wants NAME=VALUE");
        variables.emplace_back(entry.substr(0, equals), entry.substr(equals + 1));
    }
    return variables;
}

inline std::string checked_folder(const std::string& folder)
{
    const auto absolute = absolute_path(folder.empty() ? "." : folder);
    struct stat status {};
    if (::stat(absolute.c_str(), &status) != 0)
        throw IoError(folder, errno);
    if (!S_ISDIR(status.st_mode))
        throw IoError(folder, ENOTDIR);
    return absolute;
}

inline void check_start(const ServiceStartOptions& options)
{
    if (options.command.empty() || options.command.front().empty())
        throw UsageError("a COMMAND after -- is missing");
    if (options.shell && options.command.size() != 1)
        throw UsageError("--shell", "wants COMMAND as one word");
    if (!options.api_base.empty() && without_credentials(options.api_base) != options.api_base)
        throw UsageError("--api-base", "must hold no user name and no password: it goes into a file");
}

// A container engine that is called in a way that is not taken apart.
inline bool runs_engine(const std::vector<std::string>& command)
{
    const auto program = [&](std::size_t i) {
        return i < command.size() ? std::string_view(command[i]).substr(command[i].rfind('/') + 1)
                                  : std::string_view();
    };
    const auto engine = [&](std::size_t i) { return program(i) == "docker" || program(i) == "podman"; };
    return engine(0) || (program(0) == "sudo" && engine(1));
}

inline std::string made_container_name(const std::string& service)
{
    return plan::container_name(service + "-" + std::to_string(static_cast<std::int64_t>(wall_clock_s())));
}

inline std::vector<std::string> names_of(const std::vector<std::pair<std::string, std::string>>& variables)
{
    std::vector<std::string> names;
    for (const auto& variable : variables)
        names.push_back(variable.first);
    return names;
}

// How the command is run, and at which port it will answer.
inline std::optional<int> plan_command(const ServiceStartOptions& options, ServicePlan& plan,
                                       const std::function<void(const std::string&)>& note)
{
    auto& service = plan.service;
    auto& state = plan.state;
    if (options.shell) {
        service.command.argv = {"/bin/sh", "-c", options.command.front()};
        state.argv = {"/bin/sh", "-c", shown_shell_line(options.command.front())};
        return std::nullopt;
    }
    const auto run = plan::rewrite_docker_run(options.command, made_container_name(state.name),
                                              names_of(service.command.environment));
    service.command.argv = run ? run->argv : options.command;
    state.argv = shown_command(service.command.argv);
    if (!run) {
        if (runs_engine(options.command))
            note("not a plain docker run: the command itself is watched, not the container");
        return plan::port_of_command(options.command);
    }
    service.container = true;
    state.kind = "docker";
    state.container = record::ServiceContainer{run->engine, run->name, {}, run->remove};
    for (const auto& sentence : run->notes)
        note(sentence);
    return plan::port_of_container(*run);
}

} // namespace detail

/// Makes the plan of a start; tells `note` what differs from what was asked for. Throws UsageError, IoError.
inline ServicePlan plan_service(const ServiceStartOptions& options,
                                const std::function<void(const std::string&)>& note)
{
    detail::check_start(options);
    ServicePlan plan{{ServiceFile(options.state_file), {}, detail::checked_folder(options.folder), false, {}},
                     {},
                     std::nullopt};
    auto& service = plan.service;
    auto& state = plan.state;
    service.command.environment = detail::parse_environment(options.environment);
    for (const auto& [name, value] : service.command.environment) {
        const auto shown = shown_command({name + "=" + value}).front();
        state.environment.emplace_back(name, shown.substr(std::min(shown.size(), name.size() + 1)));
    }
    const std::filesystem::path path(service.file.path());
    state.name = options.name.empty() ? path.stem().string() : options.name;
    auto log = path;
    state.log = absolute_path(options.log.empty() ? log.replace_extension(".log").string() : options.log);
    if (state.log == service.file.path())
        throw UsageError("--log", "is the state file");
    state.started_at = iso8601_utc(wall_clock_s());
    state.state = "starting";
    state.kind = "process";
    state.folder = service.folder;
    state.shell = options.shell;
    state.boot_id = sys::boot_id();
    state.pid_namespace = sys::pid_namespace();
    const auto port = detail::plan_command(options, plan, note);
    state.api_base = options.api_base;
    plan.port = service.container ? std::nullopt : port;
    if (state.api_base.empty() && port)
        state.api_base = "http://127.0.0.1:" + std::to_string(*port) + "/v1";
    return plan;
}

} // namespace slo::run

#endif
