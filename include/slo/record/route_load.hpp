// SPDX-License-Identifier: MIT
// A whole route in memory, in the order in which it is to be sent.

#ifndef SLO_RECORD_ROUTE_LOAD_HPP
#define SLO_RECORD_ROUTE_LOAD_HPP

#include <slo/base/error.hpp>
#include <slo/record/route.hpp>
#include <slo/record/timestamp.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace slo::record {

/// One row of a loaded route: of its body only the text that the caller made of it is kept.
struct LoadedRow {
    std::int64_t ts_ns = 0; ///< in nanoseconds, by the route's unit
    std::size_t line = 0;   ///< 1-based
    std::string conv_id;
    std::string text;
};

/// How the unit of a route's timestamps was found.
enum class UnitSource {
    declared,
    magnitude, ///< the numbers are moments between 2001 and 2286 in one unit only
    stamps,    ///< there are only log lines, whose stamps need none
    unknown    ///< the numbers do not tell; only their order means anything
};

/// A route, stably sorted by time, and what reading it showed.
struct Route {
    std::vector<LoadedRow> rows;
    TsUnit unit = TsUnit::s;
    UnitSource unit_source = UnitSource::stamps;
    std::size_t left_out = 0;        ///< rows that the caller did not keep
    std::size_t bad_rows = 0;        ///< malformed rows passed over
    std::string first_bad;           ///< what was wrong with the first, "file:line: reason"
    std::size_t other_log_lines = 0; ///< log lines that log no request
};

/// One line for people on how the timestamps are taken.
inline std::string unit_note(const Route& route)
{
    const auto unit = std::string(name_of(route.unit));
    switch (route.unit_source) {
    case UnitSource::declared:
        return "timestamps are in " + unit;
    case UnitSource::magnitude:
        return "timestamps taken as " + unit + " by their magnitude";
    case UnitSource::stamps:
        return "times taken from the log's stamps";
    case UnitSource::unknown:
        break;
    }
    return "the unit of the timestamps is unknown (declare it with --ts-unit); only their order counts";
}

/// Reads all rows. `make(RouteRow&)` returns the text to keep of a row, nothing to leave it out, or throws
/// RowError for a malformed one. Where no unit is given, the magnitude of the timestamps tells it. Throws
/// what RouteReader::next() throws, and InputError for a timestamp outside int64 nanoseconds.
template <class Make>
Route load_route(RouteReader& reader, std::optional<TsUnit> unit, Make&& make)
{
    struct Read {
        Timestamp ts;
        bool utc;
        LoadedRow row;
    };
    Route route;
    std::vector<Read> read;
    std::optional<Timestamp> least;
    std::optional<Timestamp> greatest;
    while (auto row = reader.next()) {
        std::optional<std::string> text;
        try {
            text = make(*row);
        } catch (const RowError& error) {
            reader.reject(error.what());
            continue;
        }
        if (!text) {
            ++route.left_out;
            continue;
        }
        if (!row->utc) {
            least = std::min(least.value_or(row->ts), row->ts);
            greatest = std::max(greatest.value_or(row->ts), row->ts);
        }
        text->shrink_to_fit();
        read.push_back({row->ts, row->utc, {0, row->line, std::move(row->conv_id), std::move(*text)}});
    }
    route.bad_rows = reader.bad_rows();
    route.first_bad = reader.first_bad();
    route.other_log_lines = reader.other_log_lines();

    if (least) {
        const auto told = unit ? unit : unit_by_magnitude(*least, *greatest);
        route.unit_source = unit ? UnitSource::declared : told ? UnitSource::magnitude : UnitSource::unknown;
        // For the order any unit will do, as long as the greatest number fits.
        route.unit = told.value_or(greatest->to_ns(TsUnit::s) ? TsUnit::s : TsUnit::ns);
    }
    route.rows.reserve(read.size());
    for (auto& each : read) {
        const auto ts_ns = each.ts.to_ns(each.utc ? TsUnit::ns : route.unit);
        if (!ts_ns)
            throw InputError(reader.name(), each.row.line,
                             "ts is out of range when it counts " + std::string(name_of(route.unit)));
        each.row.ts_ns = *ts_ns;
        route.rows.push_back(std::move(each.row));
    }
    std::stable_sort(route.rows.begin(), route.rows.end(),
                     [](const LoadedRow& a, const LoadedRow& b) { return a.ts_ns < b.ts_ns; });
    return route;
}

} // namespace slo::record

#endif
