// SPDX-License-Identifier: MIT
// route-build repeat: a route sent several times over, as one route.

#ifndef SLO_WORKLOAD_REPEAT_HPP
#define SLO_WORKLOAD_REPEAT_HPP

#include <slo/base/error.hpp>
#include <slo/io/reread.hpp>
#include <slo/record/row_scan.hpp>
#include <slo/workload/build.hpp>
#include <slo/workload/exact_time.hpp>
#include <slo/workload/scanned_rows.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace slo::workload {

/// Complete cycles of a route. Cycle c, from 0, of conversation "a" is "a-cycleCC"; rows without a
/// conversation stay without one. The rows of a cycle keep their order and their distances in time.
struct RepeatOptions {
    static constexpr const char* verb = "repeat";
    static constexpr const char* synopsis = "--cycles N [OPTION]... [FILE]";
    static constexpr const char* summary = "Repeats a route in complete cycles, with new conversations each.";

    BuildOptions build;
    std::vector<std::string> files{"-"};
    std::optional<std::int64_t> cycles;
    std::optional<std::uint64_t> cycle_rows;
    std::string ts_rule = "shift";
    bool body_only = false;

    template <class Table>
    void describe(Table& table)
    {
        table.section("Cycles");
        table.add("cycles", cycles, "COUNT", "how often all rows come; needed");
        table.add("cycle-rows", cycle_rows, "COUNT", "end with an error unless the route has so many rows");
        table.add("ts-rule", ts_rule, "RULE", "shift each cycle by the route's period, or count on by index");
        table.flag("body-only", body_only, "keep ts, conv_id and body of a row, nothing else");
        table.positional(files);
    }

    void run(Build& build) const;
};

namespace detail {

// Writes the rows of one cycle after the other.
class Repeater {
public:
    Repeater(const RepeatOptions& options, Build& out) : options_(options), out_(out) {}

    // Returns how many rows it had. Throws InputError.
    std::uint64_t cycle(std::int64_t number, io::LineReader lines)
    {
        number_ = number;
        suffix_ = (number < 10 ? "-cycle0" : "-cycle") + std::to_string(number) + "\"";
        ScannedRows rows(std::move(lines), Kinds::one);
        while (const auto* row = rows.next()) {
            if (number == 0) {
                period_.see(row->ts());
                if (rows.rows() == 1)
                    first_ = exact(row->ts());
            }
            if (options_.cycle_rows && rows.rows() > *options_.cycle_rows)
                throw rows.error("more rows than --cycle-rows says");
            const auto ts = time_of(*row);
            if (!ts)
                throw rows.error("ts is out of range in cycle " + std::to_string(number));
            write(*row, *ts);
            ++written_;
        }
        if (number == 0)
            report_skipped(out_, rows);
        return rows.rows();
    }

    // What cycle() after the first needs. Throws UsageError where the route gives no period.
    void end_first_cycle()
    {
        if (options_.ts_rule != "shift")
            return;
        const auto period = period_.period();
        if (!period)
            throw UsageError("--ts-rule",
                             "shift needs timestamps that differ: these give no rate to go on with");
        shift_ = *period;
        out_.facts()["cycle_period"] = to_text(shift_);
    }

private:
    std::optional<std::string> time_of(const record::RowScanner& row) const
    {
        std::optional<ExactTime> time;
        if (options_.ts_rule == "index")
            time = later(first_, exact_units, static_cast<std::int64_t>(written_));
        else if (number_ == 0)
            return std::string(row.ts_text());
        else
            time = later(exact(row.ts()), shift_, number_);
        return time ? std::optional(to_text(*time)) : std::nullopt;
    }

    void write(const record::RowScanner& row, std::string_view ts)
    {
        text_.clear();
        id_.clear();
        if (!row.conv_id().empty()) {
            const auto* member = row.find("conv_id");
            const auto raw = member->value;
            if (member->is_text())
                id_.append(raw.substr(0, raw.size() - 1)).append(suffix_);
            else
                id_.append(1, '"').append(raw).append(suffix_);
        }
        if (options_.body_only)
            append_bare(text_, row, ts, id_);
        else if (id_.empty())
            append_changed(text_, row, ts);
        else
            append_changed(text_, row, ts, id_);
        out_.write(text_);
    }

    const RepeatOptions& options_;
    Build& out_;
    std::int64_t number_ = 0;
    std::string suffix_;
    std::uint64_t written_ = 0;
    CyclePeriod period_;
    ExactTime first_ = 0;
    ExactTime shift_ = 0;
    std::string text_;
    std::string id_;
};

} // namespace detail

/// Writes the cycles one after the other; a file is read anew for each. Throws UsageError, IoError,
/// InputError.
inline void RepeatOptions::run(Build& out) const
{
    constexpr std::int64_t most_cycles = 1'000'000'000;
    if (!cycles)
        throw UsageError("--cycles", "is needed");
    if (*cycles < 1 || *cycles > most_cycles)
        throw UsageError("--cycles", "must be from 1 to 1000000000");
    if (ts_rule != "shift" && ts_rule != "index")
        throw UsageError("--ts-rule", "must be shift or index");
    const auto& path = only_source(files);
    io::RereadSource source(path);
    detail::Repeater repeater(*this, out);
    const auto rows = repeater.cycle(0, source.first(out.observer(path)));
    if (rows == 0)
        throw InputError(source.name(), "holds no row to repeat");
    if (rows < cycle_rows.value_or(0))
        throw InputError(source.name(), "has " + std::to_string(rows) + " rows, --cycle-rows says " +
                                            std::to_string(*cycle_rows));
    out.facts()["cycle_rows"] = rows;
    if (*cycles > 1)
        repeater.end_first_cycle();
    for (std::int64_t number = 1; number < *cycles; ++number) {
        if (repeater.cycle(number, source.again()) != rows)
            throw source.changed();
    }
}

} // namespace slo::workload

#endif
