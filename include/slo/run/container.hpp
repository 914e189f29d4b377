// SPDX-License-Identifier: MIT
// The container of a service, by its id, which no other container ever has.

#ifndef SLO_RUN_CONTAINER_HPP
#define SLO_RUN_CONTAINER_HPP

#include <slo/base/clock.hpp>
#include <slo/base/error.hpp>
#include <slo/base/text.hpp>
#include <slo/record/service_state.hpp>
#include <slo/sys/capture.hpp>
#include <slo/wire/container_state.hpp>

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace slo::run {

/// A command of the engine that runs the container: "docker", its global options, `words`.
inline std::vector<std::string> engine_command(const record::ServiceContainer& container,
                                               std::initializer_list<std::string> words)
{
    auto argv = container.engine;
    argv.insert(argv.end(), words);
    return argv;
}

namespace detail {

inline constexpr double engine_timeout_s = 20;

inline std::string last_line(std::string_view text)
{
    text = trim(text);
    const auto end = text.rfind('\n');
    return printable(trim(end == std::string_view::npos ? text : text.substr(end + 1)));
}

inline Error engine_error(const record::ServiceContainer& container, const sys::Captured& captured)
{
    const auto line = last_line(captured.output);
    return Error(printable(container.engine.front()),
                 captured.timed_out ? "does not answer"
                 : line.empty()     ? "ended with status " + std::to_string(captured.status)
                                    : line);
}

} // namespace detail

/// How the container is; nothing when there is none any more. Throws Error where the engine cannot say.
inline std::optional<wire::ContainerState> find_container(const record::ServiceContainer& container)
{
    if (container.id.empty())
        return std::nullopt;
    const auto captured =
        sys::capture(engine_command(container, {"inspect", "--type", "container", "--format",
                                                "{{json .State}}", container.id}),
                     detail::engine_timeout_s);
    if (captured.status == 0 && !captured.timed_out) {
        if (auto state = wire::parse_container_state(captured.output))
            return state;
        throw Error(printable(container.engine.front()), "inspect says nothing about the container's state");
    }
    if (lower_case(captured.output).find("no such") != std::string::npos)
        return std::nullopt;
    throw detail::engine_error(container, captured);
}

/// Has the engine stop the container: SIGTERM, `grace_s` (whole seconds) later SIGKILL. Throws Error.
inline void stop_container(const record::ServiceContainer& container, int grace_s)
{
    const auto captured =
        sys::capture(engine_command(container, {"stop", "-t", std::to_string(grace_s), container.id}),
                     grace_s + detail::engine_timeout_s * 3);
    if (captured.status != 0 && lower_case(captured.output).find("no such") == std::string::npos)
        throw detail::engine_error(container, captured);
}

/// Has the engine remove a container that has ended. Throws Error.
inline void remove_container(const record::ServiceContainer& container)
{
    const auto captured =
        sys::capture(engine_command(container, {"rm", container.id}), detail::engine_timeout_s * 3);
    if (captured.status != 0 && lower_case(captured.output).find("no such") == std::string::npos)
        throw detail::engine_error(container, captured);
}

/// Whether the engine was told to stop the container, by whomever, since `since` (UTC, ISO 8601): a service
/// that then ends in order, or is killed when its grace is over, does not say so itself. False where the
/// engine does not tell; it forgets old events.
inline bool was_told_to_stop(const record::ServiceContainer& container, const std::string& since)
{
    if (container.id.empty())
        return false;
    auto argv =
        engine_command(container, {"events", "--since", since, "--until", iso8601_utc(wall_clock_s() + 1),
                                   "--filter", "container=" + container.id, "--filter", "event=stop"});
    if (argv.front().ends_with("podman"))
        argv.emplace_back("--stream=false");
    const auto captured = sys::capture(argv, detail::engine_timeout_s);
    return captured.status == 0 && !captured.timed_out &&
           captured.output.find(container.id) != std::string::npos;
}

} // namespace slo::run

#endif
