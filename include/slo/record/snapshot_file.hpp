// SPDX-License-Identifier: MIT
// Files of saved scrapes: as prom-snap writes them, with the older two-line header, or a bare body.

#ifndef SLO_RECORD_SNAPSHOT_FILE_HPP
#define SLO_RECORD_SNAPSHOT_FILE_HPP

#include <slo/base/error.hpp>
#include <slo/base/text.hpp>
#include <slo/io/fd.hpp>
#include <slo/record/snapshot.hpp>
#include <slo/record/snapshot_header.hpp>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace slo::record {

/// No snapshot file is larger; a larger one is an InputError.
inline constexpr std::size_t max_snapshot_bytes = std::size_t{128} << 20;

/// More scrapes than this in one file are an InputError.
inline constexpr std::size_t max_scrapes = 10'000;

namespace detail {

// The first line of `text` without its end, taken off it.
inline std::string_view take_line(std::string_view& text) noexcept
{
    const auto lf = text.find('\n');
    auto line = text.substr(0, lf);
    text.remove_prefix(lf == std::string_view::npos ? text.size() : lf + 1);
    if (line.ends_with('\r'))
        line.remove_suffix(1);
    return line;
}

// Where the next header line begins; the size of `text` when there is none.
inline std::size_t next_header(std::string_view text) noexcept
{
    if (text.starts_with(snapshot_header_start))
        return 0;
    const auto at = text.find("\n" + std::string(snapshot_header_start));
    return at == std::string_view::npos ? text.size() : at + 1;
}

// The body that follows a header, taken off `text`. The length that the header gives counts, so that a line
// of the body which looks like a header is none; where the length cannot be right, the next header ends it.
inline std::string_view take_body(std::string_view& text, const SnapshotHeader& header, bool& short_body)
{
    short_body = false;
    if (header.bytes && *header.bytes <= text.size()) {
        const auto length = static_cast<std::size_t>(*header.bytes);
        auto rest = text.substr(length);
        if (rest.starts_with('\n'))
            rest.remove_prefix(1);
        if (rest.empty() || rest.starts_with(snapshot_header_start))
            return std::exchange(text, rest).substr(0, length);
    }
    const auto body = text.substr(0, next_header(text));
    short_body = header.bytes && body.size() < *header.bytes;
    text.remove_prefix(body.size());
    return body;
}

// The older header: two comment lines at the top.
inline SnapshotHeader classic_header(std::string_view text)
{
    constexpr std::string_view time_start = "# snapshot_iso=";
    constexpr std::string_view url_start = "# snapshot_url=";
    SnapshotHeader header;
    for (int i = 0; i < 2; ++i) {
        const auto line = take_line(text);
        if (line.starts_with(time_start))
            header.taken_s = parse_utc_moment(trim(line.substr(time_start.size())));
        else if (line.starts_with(url_start))
            header.url = trim(line.substr(url_start.size()));
    }
    return header;
}

inline std::size_t count_lines(std::string_view text) noexcept
{
    return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

// Without the head of an HTTP response, as `curl -i` saves it.
inline std::string_view skip_http_head(std::string_view text) noexcept
{
    if (text.starts_with("HTTP/")) {
        auto rest = text;
        for (int lines = 0; lines < 200 && !rest.empty(); ++lines) {
            if (take_line(rest).empty())
                return rest;
        }
    }
    return text;
}

inline Snapshot snapshot_of(std::string_view body, std::size_t lines_before, const std::string& source,
                            const SnapshotHeader& header, const NameFilter& keep)
{
    const auto page = skip_http_head(body);
    auto snapshot = parse_snapshot(page, source, keep);
    if (auto& line = snapshot.report.first_malformed_line; line > 0)
        line += lines_before + count_lines(body.substr(0, body.size() - page.size()));
    snapshot.taken_s = header.taken_s;
    snapshot.url = header.url;
    snapshot.label = header.label;
    snapshot.duration_s = header.duration_s;
    return snapshot;
}

} // namespace detail

/// The scrapes in the text of a file, one for each header line; a text without one is one scrape. Lines are
/// counted from the start of the file. Throws InputError above `max_scrapes`, and above `max_series` in all.
inline std::vector<Snapshot> parse_snapshots(std::string_view text, const std::string& source,
                                             const NameFilter& keep = {})
{
    if (text.starts_with("\xEF\xBB\xBF"))
        text.remove_prefix(3);
    std::vector<Snapshot> snapshots;
    const auto preamble = text.substr(0, detail::next_header(text));
    text.remove_prefix(preamble.size());
    if (text.empty() || !trim(preamble).empty())
        snapshots.push_back(detail::snapshot_of(preamble, 0, source, detail::classic_header(preamble), keep));
    auto lines = detail::count_lines(preamble);
    std::size_t total_series = 0;
    while (!text.empty()) {
        if (snapshots.size() == max_scrapes)
            throw InputError(source, "more than 10000 scrapes");
        const auto rest = text;
        const auto header = parse_snapshot_header(detail::take_line(text)).value_or(SnapshotHeader{});
        bool short_body = false;
        const auto body = detail::take_body(text, header, short_body);
        snapshots.push_back(detail::snapshot_of(body, lines + 1, source, header, keep));
        snapshots.back().short_body = short_body;
        if ((total_series += snapshots.back().series.size()) > max_series)
            throw InputError(source, "more than 2000000 series");
        lines += detail::count_lines(rest.substr(0, rest.size() - text.size()));
    }
    return snapshots;
}

/// The scrapes of several endpoints as one: each series gets a label `instance` with the label or URL of its
/// scrape, as Prometheus itself tells targets apart, unless it has one. A single scrape stays as it is. The
/// moment is that of the first. `snapshots` is not empty.
inline Snapshot merge_snapshots(std::vector<Snapshot> snapshots)
{
    auto merged = std::move(snapshots.front());
    if (snapshots.size() == 1)
        return merged;
    const auto name_of_scrape = [](const Snapshot& snapshot, std::size_t index) {
        return snapshot.label ? *snapshot.label : snapshot.url ? *snapshot.url : std::to_string(index);
    };
    const auto mark = [](Snapshot& snapshot, const std::string& instance) {
        for (auto& series : snapshot.series) {
            if (series.label("instance"))
                continue;
            const std::pair<std::string, std::string> label("instance", instance);
            series.labels.insert(std::upper_bound(series.labels.begin(), series.labels.end(), label), label);
        }
    };
    mark(merged, name_of_scrape(merged, 0));
    for (std::size_t i = 1; i < snapshots.size(); ++i) {
        auto& next = snapshots[i];
        mark(next, name_of_scrape(next, i));
        std::move(next.series.begin(), next.series.end(), std::back_inserter(merged.series));
        merged.types.merge(next.types);
        merged.duplicates += next.duplicates;
        merged.short_body |= next.short_body;
        merged.report = wire::add_reports(merged.report, next.report);
        next = {};
    }
    merged.label.reset();
    merged.url.reset();
    detail::sort_series(merged);
    return merged;
}

/// Reads the file `path` ("-" is stdin). Throws IoError, or InputError above `max_snapshot_bytes`.
inline std::vector<Snapshot> read_snapshots(const std::string& path, const NameFilter& keep = {})
{
    return parse_snapshots(io::read_all(path, max_snapshot_bytes), io::display_name(path), keep);
}

/// The same, with the scrapes of several endpoints merged into one.
inline Snapshot read_snapshot(const std::string& path, const NameFilter& keep = {})
{
    return merge_snapshots(read_snapshots(path, keep));
}

} // namespace slo::record

#endif
