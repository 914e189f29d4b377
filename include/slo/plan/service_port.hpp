// SPDX-License-Identifier: MIT
// Where a service will answer, as far as its command line tells.

#ifndef SLO_PLAN_SERVICE_PORT_HPP
#define SLO_PLAN_SERVICE_PORT_HPP

#include <slo/base/text.hpp>
#include <slo/plan/docker_command.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace slo::plan {

namespace detail {

inline std::optional<int> port_in(std::string_view text)
{
    const auto port = parse_integer<int>(text);
    return port && *port > 0 && *port < 65536 ? port : std::nullopt;
}

} // namespace detail

/// The port that --port names, as servers of all engines take it; the last one counts. Nothing for port 0.
inline std::optional<int> port_of_command(const std::vector<std::string>& command)
{
    std::optional<int> port;
    for (std::size_t i = 0; i < command.size(); ++i) {
        const std::string_view word = command[i];
        if (word.starts_with("--port="))
            port = detail::port_in(word.substr(7));
        else if (word == "--port" && i + 1 < command.size())
            port = detail::port_in(command[i + 1]);
    }
    return port;
}

/// The port of this machine at which a container answers: the first that is published
/// ("[ADDRESS:]PORT:CONTAINER_PORT[/tcp]"), or --port in the host's network.
inline std::optional<int> port_of_container(const DockerRun& run)
{
    if (run.host_network)
        return port_of_command(run.arguments);
    if (run.published.empty())
        return std::nullopt;
    const std::string_view value = run.published.front();
    const auto last = value.rfind(':');
    if (last == std::string_view::npos)
        return std::nullopt; // the engine chooses one
    const auto host = value.substr(0, last);
    const auto before = host.rfind(':');
    return detail::port_in(before == std::string_view::npos ? host : host.substr(before + 1));
}

} // namespace slo::plan

#endif
