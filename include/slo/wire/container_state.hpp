// SPDX-License-Identifier: MIT
// What "docker inspect --format '{{json .State}}'" says of a container; podman's has the same members.

#ifndef SLO_WIRE_CONTAINER_STATE_HPP
#define SLO_WIRE_CONTAINER_STATE_HPP

#include <slo/base/json.hpp>
#include <slo/base/text.hpp>

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

namespace slo::wire {

/// A container at one moment.
struct ContainerState {
    bool running = false; ///< also while it is paused
    bool paused = false;
    bool out_of_memory = false;   ///< the system killed a process in it for want of memory
    std::optional<int> exit_code; ///< once it has ended
    std::string error;            ///< why it could not be run
};

/// Reads the first line that is a JSON object with such members: warnings may stand before it. Nothing where
/// there is none.
inline std::optional<ContainerState> parse_container_state(std::string_view output)
{
    while (!output.empty()) {
        const auto end = output.find('\n');
        const auto line = trim(output.substr(0, end));
        output = end == std::string_view::npos ? std::string_view{} : output.substr(end + 1);
        if (!line.starts_with('{'))
            continue;
        json::value value;
        try {
            value = parse_json(line);
        } catch (const JsonError&) {
            continue;
        }
        const auto& object = value.get_object();
        const auto flag = [&](std::string_view key) {
            const auto* member = find(object, key);
            return member && member->is_bool() && member->get_bool();
        };
        const auto* running = find(object, "Running");
        if (!running || !running->is_bool())
            continue;
        ContainerState state;
        state.paused = flag("Paused");
        state.running = running->get_bool() || state.paused || flag("Restarting");
        state.out_of_memory = flag("OOMKilled");
        if (const auto code = integer_at(object, "ExitCode");
            code && !state.running && *code >= 0 && *code <= std::numeric_limits<int>::max())
            state.exit_code = static_cast<int>(*code);
        state.error = printable(string_at(object, "Error").value_or(""));
        return state;
    }
    return std::nullopt;
}

} // namespace slo::wire

#endif
