// SPDX-License-Identifier: MIT
// A row of a route as it is written.

#ifndef SLO_WORKLOAD_ROUTE_ROW_HPP
#define SLO_WORKLOAD_ROUTE_ROW_HPP

#include <slo/base/json.hpp>

#include <string>
#include <utility>

namespace slo::workload {

/// One request of a route that is being built.
struct RouteRow {
    std::string ts = "0"; ///< a JSON number, digits as they shall stand
    std::string conv_id;
    json::object other; ///< top-level members between conv_id and body
    json::object body;
};

/// The row as one line of JSON, without its end; members in the order ts, conv_id, others, body.
inline std::string to_line(const RouteRow& row)
{
    std::string line = "{\"ts\":" + row.ts + ",\"conv_id\":" + to_json(json_text(row.conv_id));
    for (const auto& member : row.other)
        line += "," + to_json(json::value(member.key())) + ":" + to_json(member.value());
    return line + ",\"body\":" + to_json(row.body) + "}";
}

/// A list with one message of the user.
inline json::array user_prompt(std::string_view text)
{
    return {json::object{{"role", "user"}, {"content", json_text(text)}}};
}

} // namespace slo::workload

#endif
