// SPDX-License-Identifier: MIT
// route-build head-seconds: as much of a route as a run needs.

#ifndef SLO_WORKLOAD_HEAD_SECONDS_HPP
#define SLO_WORKLOAD_HEAD_SECONDS_HPP

#include <slo/base/error.hpp>
#include <slo/io/reread.hpp>
#include <slo/record/timestamp.hpp>
#include <slo/stats/schedule.hpp>
#include <slo/workload/build.hpp>
#include <slo/workload/scanned_rows.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace slo::workload {

/// The first rows of a route, exactly as many as replay sends in a run of a constant rate; nothing at all is
/// written where the route has fewer.
struct HeadSecondsOptions {
    static constexpr const char* verb = "head-seconds";
    static constexpr const char* synopsis = "--qps RATE --seconds SECONDS [OPTION]... [FILE]";
    static constexpr const char* summary = "Takes exactly the rows that a run of some rate and time needs.";

    BuildOptions build;
    std::vector<std::string> files{"-"};
    std::optional<double> qps;
    std::optional<double> seconds;

    template <class Table>
    void describe(Table& table)
    {
        table.section("Run");
        table.add("qps", qps, "RATE", "requests per second of the run; needed");
        table.add("seconds", seconds, "SECONDS", "length of the run, all its rounds together; needed");
        table.positional(files);
    }

    void run(Build& build) const;
};

/// Writes the rows once it is sure that there are enough. Throws UsageError, IoError, InputError.
inline void HeadSecondsOptions::run(Build& out) const
{
    const auto& path = only_source(files);
    if (!qps || !(*qps > 0))
        throw UsageError("--qps", "is needed, above 0");
    if (!seconds || !(*seconds > 0))
        throw UsageError("--seconds", "is needed, above 0");
    const std::uint64_t needed = stats::Schedule::constant(*qps, *seconds, 1).size();
    io::RereadSource source(path);
    ScannedRows rows(source.first(out.observer(path)));
    std::optional<record::Timestamp> latest;
    bool in_order = true;
    while (rows.rows() < needed) {
        const auto* const row = rows.next();
        if (row == nullptr)
            break;
        in_order = in_order && row->ts() >= latest.value_or(row->ts());
        latest = row->ts();
    }
    report_skipped(out, rows);
    const auto found = rows.rows();
    if (found == 0)
        throw InputError(source.name(), "holds no row");
    if (found < needed)
        throw InputError(source.name(), "needs " + std::to_string(needed) + " rows, the route has " +
                                            std::to_string(found) + ": " + std::to_string(needed - found) +
                                            " missing; " + std::to_string((needed + found - 1) / found) +
                                            " cycles of it would do");
    if (!in_order)
        out.note(
            "the rows are not in the order of their times: these are the first of the file, replay would "
            "send the earliest of all");
    out.facts()["rows_needed"] = needed;
    ScannedRows again(source.again());
    while (again.rows() < needed) {
        const auto* row = again.next();
        if (row == nullptr)
            throw source.changed();
        out.write(row->line());
    }
}

} // namespace slo::workload

#endif
