// SPDX-License-Identifier: MIT
// The rows of a route as they stand in it, for verbs that pass them on.

#ifndef SLO_WORKLOAD_SCANNED_ROWS_HPP
#define SLO_WORKLOAD_SCANNED_ROWS_HPP

#include <slo/base/error.hpp>
#include <slo/base/json_parse.hpp>
#include <slo/base/text.hpp>
#include <slo/io/jsonl.hpp>
#include <slo/record/row_scan.hpp>
#include <slo/workload/build.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace slo::workload {

/// The one source that a verb takes. Throws UsageError when there are more.
inline const std::string& only_source(const std::vector<std::string>& files)
{
    if (files.size() != 1)
        throw UsageError("one FILE at most");
    return files.front();
}

/// What JSON rows and log lines in one route mean to a verb.
enum class Kinds {
    any, ///< nothing: their times do not matter
    one  ///< an error: their times count in different units
};

/// Hands out one row after the other, each checked. Blank lines are passed over.
class ScannedRows {
public:
    explicit ScannedRows(io::LineReader lines, Kinds kinds = Kinds::any)
        : lines_(std::move(lines)), kinds_(kinds)
    {
    }

    /// The next row, or nullptr at the end; valid until the next call. Throws IoError, and InputError
    /// ("route.jsonl:17: ts is missing").
    const record::RowScanner* next()
    {
        while (const auto line = lines_.next()) {
            if (trim(*line).empty())
                continue;
            try {
                if (!row_.scan(*line)) {
                    ++other_log_lines_;
                    continue;
                }
            } catch (const record::RowError& error) {
                throw lines_.error(error.what());
            } catch (const JsonError& error) {
                throw lines_.error(error.what());
            }
            if (kinds_ == Kinds::one && rows_ > 0 && is_log_ != row_.is_log_line())
                throw lines_.error("log lines and JSON rows in one route: their times do not compare");
            is_log_ = row_.is_log_line();
            offset_ = lines_.offset() + static_cast<std::uint64_t>(row_.line().data() - line->data());
            ++rows_;
            return &row_;
        }
        return nullptr;
    }

    /// An error about the row handed out last, "file:line: reason".
    InputError error(std::string_view reason) const { return lines_.error(reason); }

    /// The 1-based line of the row handed out last, and the bytes of the source before its first.
    std::size_t line() const noexcept { return lines_.line(); }
    std::uint64_t offset() const noexcept { return offset_; }

    /// Rows so far, and log lines passed over because they log no request.
    std::uint64_t rows() const noexcept { return rows_; }
    std::uint64_t other_log_lines() const noexcept { return other_log_lines_; }

private:
    io::LineReader lines_;
    Kinds kinds_;
    record::RowScanner row_;
    bool is_log_ = false;
    std::uint64_t offset_ = 0;
    std::uint64_t rows_ = 0;
    std::uint64_t other_log_lines_ = 0;
};

/// Counts what was passed over.
inline void report_skipped(Build& build, const ScannedRows& rows)
{
    if (rows.other_log_lines() > 0)
        build.skip("log lines without a request", rows.other_log_lines());
}

/// The row with another time, and with another conversation id (JSON text) where one is given; all else stays
/// as it stands. Both in place of the members that count.
inline void append_changed(std::string& out, const record::RowScanner& row, std::string_view ts,
                           std::optional<std::string_view> conv_id = std::nullopt)
{
    const auto text = row.text();
    auto first = std::pair(row.find("ts")->value, ts);
    std::optional<std::pair<std::string_view, std::string_view>> second;
    if (const auto* id = conv_id ? row.find("conv_id") : nullptr)
        second.emplace(id->value, *conv_id);
    if (second && second->first.data() < first.first.data())
        std::swap(*second, first);
    const char* copied = text.data();
    const auto replace = [&](const auto& change) {
        out.append(copied, change.first.data()).append(change.second);
        copied = change.first.data() + change.first.size();
    };
    replace(first);
    if (second)
        replace(*second);
    out.append(copied, text.data() + text.size());
}

/// The row with these members and its body, nothing else.
inline void append_bare(std::string& out, const record::RowScanner& row, std::string_view ts,
                        std::string_view conv_id)
{
    out.append("{\"ts\":").append(ts);
    if (!conv_id.empty())
        out.append(",\"conv_id\":").append(conv_id);
    out.append(",\"body\":").append(row.find("body")->value).append("}");
}

} // namespace slo::workload

#endif
