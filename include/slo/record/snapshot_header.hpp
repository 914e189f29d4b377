// SPDX-License-Identifier: MIT
// The comment line with which a saved scrape says where and when it was taken.

#ifndef SLO_RECORD_SNAPSHOT_HEADER_HPP
#define SLO_RECORD_SNAPSHOT_HEADER_HPP

#include <slo/base/clock.hpp>
#include <slo/base/text.hpp>
#include <slo/record/timestamp.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace slo::record {

/// What stands above each scrape of a file that prom-snap writes:
/// `# sloutils.snapshot/1 time=2026-05-18T04:00:00.250Z url=http://… duration_s=0.012 bytes=12345
/// label=NAME`.
struct SnapshotHeader {
    std::optional<double> taken_s; ///< wall clock, seconds since 1970
    std::optional<std::string> url;
    std::optional<double> duration_s;   ///< how long the scrape took
    std::optional<std::uint64_t> bytes; ///< length of the body that follows the line
    std::optional<std::string> label;   ///< free of blanks
};

inline constexpr std::string_view snapshot_header_start = "# sloutils.snapshot/1";

/// A moment as ISO 8601 UTC to milliseconds, "2026-05-18T04:00:00.250Z".
inline std::string iso8601_utc_ms(double epoch_s)
{
    const auto ms = static_cast<std::int64_t>(std::floor(epoch_s * 1000 + 0.5));
    auto text = iso8601_utc(static_cast<double>(ms / 1000));
    const auto fraction = std::to_string(1000 + ms % 1000);
    return text.replace(text.size() - 1, 1, "." + fraction.substr(1) + "Z");
}

/// A moment in ISO 8601, "…Z" or with the offset "+00:00", as seconds since 1970; nothing for another form.
inline std::optional<double> parse_utc_moment(std::string_view text)
{
    std::string stamp(text);
    if (stamp.ends_with("+00:00"))
        stamp.replace(stamp.size() - 6, 6, "Z");
    std::size_t length = 0;
    const auto ns = parse_utc_stamp(stamp, length);
    if (!ns || length != stamp.size())
        return std::nullopt;
    return static_cast<double>(*ns) * 1e-9;
}

/// The header as one line without its end; blanks and control characters in a text become '_'.
inline std::string format_snapshot_header(const SnapshotHeader& header)
{
    const auto word = [](std::string text) {
        std::replace_if(
            text.begin(), text.end(), [](unsigned char c) { return c <= 0x20 || c == 0x7F; }, '_');
        return text;
    };
    std::string line(snapshot_header_start);
    if (header.taken_s)
        line += " time=" + iso8601_utc_ms(*header.taken_s);
    if (header.url)
        line += " url=" + word(*header.url);
    if (header.duration_s)
        line += " duration_s=" + format_fixed(*header.duration_s, 3);
    if (header.bytes)
        line += " bytes=" + std::to_string(*header.bytes);
    if (header.label)
        line += " label=" + word(*header.label);
    return line;
}

/// The header that `line` (without its end) is, or nothing when it is another line. Keys it does not know and
/// values that make no sense are passed over.
inline std::optional<SnapshotHeader> parse_snapshot_header(std::string_view line)
{
    if (!line.starts_with(snapshot_header_start))
        return std::nullopt;
    line.remove_prefix(snapshot_header_start.size());
    if (!trim(line).empty() && line[0] != ' ')
        return std::nullopt;
    SnapshotHeader header;
    while (!(line = trim(line)).empty()) {
        const auto item = line.substr(0, line.find(' '));
        line.remove_prefix(item.size());
        const auto equals = std::min(item.find('='), item.size());
        const auto key = item.substr(0, equals);
        const auto value = item.substr(std::min(equals + 1, item.size()));
        if (key == "time")
            header.taken_s = parse_utc_moment(value);
        else if (key == "url")
            header.url = value;
        else if (key == "duration_s")
            header.duration_s = parse_double(value);
        else if (key == "bytes")
            header.bytes = parse_integer<std::uint64_t>(value);
        else if (key == "label")
            header.label = value;
    }
    return header;
}

} // namespace slo::record

#endif
