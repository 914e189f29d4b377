// SPDX-License-Identifier: MIT
// Moments as databases print them.

#ifndef SLO_TRACE_UTC_TIME_HPP
#define SLO_TRACE_UTC_TIME_HPP

#include <slo/base/text.hpp>
#include <slo/record/timestamp.hpp>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace slo::trace {

/// The whole of `text` as nanoseconds since 1970: "2024-05-10 00:00:00.009930+00:00", with 'T' or a blank
/// between date and time, up to 9 digits of a second, and "Z", "+hh:mm", "-hh:mm" or no zone, which is taken
/// as UTC. Nothing for anything else, and for a moment outside 1970-2261.
inline std::optional<std::int64_t> parse_moment(std::string_view text)
{
    constexpr std::size_t date_bytes = 10;
    if (text.size() < date_bytes + 9 || (text[date_bytes] != ' ' && text[date_bytes] != 'T'))
        return std::nullopt;
    std::int64_t offset_minutes = 0;
    auto stamp = text.substr(0, text.find_first_of("Z+-", date_bytes));
    const auto zone = text.substr(stamp.size());
    if (!zone.empty() && zone != "Z") {
        const auto hours = zone.size() == 6 && zone[3] == ':' && zone[1] != '+' && zone[1] != '-'
                               ? parse_integer<int>(zone.substr(1, 2))
                               : std::nullopt;
        const auto minutes =
            hours && zone[4] != '+' && zone[4] != '-' ? parse_integer<int>(zone.substr(4, 2)) : std::nullopt;
        if (!minutes || *hours > 23 || *minutes > 59)
            return std::nullopt;
        offset_minutes = (*hours * 60 + *minutes) * (zone[0] == '-' ? -1 : 1);
    }
    const auto point = stamp.find('.');
    if (point != std::string_view::npos && (stamp.size() - point < 2 || stamp.size() - point > 10))
        return std::nullopt;
    std::string utc(stamp);
    utc[date_bytes] = 'T';
    utc += 'Z';
    std::size_t length = 0;
    const auto time_ns = record::parse_utc_stamp(utc, length);
    if (!time_ns || length != utc.size())
        return std::nullopt;
    const auto moment_ns = *time_ns - offset_minutes * 60'000'000'000;
    return moment_ns < 0 ? std::nullopt : std::optional(moment_ns);
}

} // namespace slo::trace

#endif
