// SPDX-License-Identifier: MIT
// Values by dotted paths.

#ifndef SLO_BASE_JSON_PATH_HPP
#define SLO_BASE_JSON_PATH_HPP

#include <slo/base/json.hpp>

#include <string_view>

namespace slo {

/// The value at a dotted path ("metrics.ttft_ms.p99") of an object; nullptr where it is absent or null, or a
/// part of the path is no object.
inline const json::value* value_at(const json::object& object, std::string_view path) noexcept
{
    const json::object* place = &object;
    for (;;) {
        const auto dot = path.find('.');
        const auto* value = find(*place, path.substr(0, dot));
        if (!value || value->is_null())
            return nullptr;
        if (dot == std::string_view::npos)
            return value;
        place = value->if_object();
        if (!place)
            return nullptr;
        path.remove_prefix(dot + 1);
    }
}

} // namespace slo

#endif
