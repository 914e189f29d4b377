// SPDX-License-Identifier: MIT
// What a builder noted of a row's system message, kept true when that message becomes another.

#ifndef SLO_WORKLOAD_SYSTEM_BASE_HPP
#define SLO_WORKLOAD_SYSTEM_BASE_HPP

#include <slo/base/json.hpp>

#include <optional>
#include <string_view>

namespace slo::workload {

/// Makes `assembly.system_base` in `made`, members of a row, the beginning of the new system message, as far
/// into it as it was into the old one, and takes it out where it was no beginning. False if it was taken out.
inline bool renew_system_base(const json::object& original, json::object& made,
                              std::optional<std::string_view> old_message,
                              std::optional<std::string_view> new_message)
{
    const auto* noted = object_at(original, "assembly");
    const auto base = noted ? string_at(*noted, "system_base") : std::nullopt;
    auto* value = made.if_contains("assembly");
    auto* assembly = value ? value->if_object() : nullptr;
    if (!base || !assembly)
        return true;
    if (!old_message || !new_message || !old_message->starts_with(*base)) {
        assembly->stable_erase("system_base");
        return false;
    }
    const auto length = base->size() == old_message->size()
                            ? new_message->size()
                            : new_message->size() * base->size() / old_message->size();
    (*assembly)["system_base"] = json_text(new_message->substr(0, length));
    return true;
}

} // namespace slo::workload

#endif
