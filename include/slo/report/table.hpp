// SPDX-License-Identifier: MIT
// The verbs `report table` and `report markdown`.

#ifndef SLO_REPORT_TABLE_HPP
#define SLO_REPORT_TABLE_HPP

#include <slo/base/error.hpp>
#include <slo/base/text.hpp>
#include <slo/report/record_table.hpp>
#include <slo/report/report_input.hpp>
#include <slo/report/report_streams.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace slo::report {

namespace detail {

// Says which records a verb had no use for.
inline void note_unused(const std::map<std::string, std::size_t>& unused, const ReportStreams& streams)
{
    for (const auto& [kind, count] : unused)
        streams.note("left out: " + std::to_string(count) + " " + kind +
                     (count == 1 ? " record" : " records"));
}

inline std::string markdown_cell(std::string_view text)
{
    std::string cell;
    for (const char c : text) {
        // What would end the cell, or be read as markup or HTML.
        if (std::string_view("\\|<>&*_`[]~").find(c) != std::string_view::npos)
            cell += '\\';
        cell += c;
    }
    return cell;
}

inline std::string markdown_line(const Row& row)
{
    std::string line = "|";
    for (const auto& text : row)
        line += " " + markdown_cell(text) + " |";
    return line + "\n";
}

inline std::string markdown_head(const Row& columns)
{
    auto text = markdown_line(columns) + "|";
    for (std::size_t i = 0; i < columns.size(); ++i)
        text += "---|";
    return text + "\n";
}

} // namespace detail

/// A table as text, its columns aligned.
inline std::string to_text(const Table& table)
{
    return (table.title.empty() ? "" : printable(table.title) + "\n") + detail::aligned(table.rows) +
           table.answer;
}

/// The same in GitHub's Markdown.
inline std::string to_markdown(const Table& table)
{
    auto text =
        table.title.empty() ? std::string() : "**" + detail::markdown_cell(printable(table.title)) + "**\n\n";
    for (std::size_t i = 0; i < table.rows.size(); ++i)
        text += i == 0 ? detail::markdown_head(table.rows[i]) : detail::markdown_line(table.rows[i]);
    for (auto rest = std::string_view(table.answer); !rest.empty();) {
        const auto end = rest.find('\n');
        text += "\n" + detail::markdown_cell(rest.substr(0, end)) + "\n";
        rest.remove_prefix(end + 1);
    }
    return text;
}

namespace detail {

/// Shows rounds as they come, and all else at the end of the input.
template <class Head, class Line, class Whole>
Exit show_tables(const std::vector<std::string>& files, const ReportStreams& streams, const Head& head,
                 const Line& line, const Whole& whole)
{
    RecordTables tables;
    const auto columns = round_columns();
    std::string shown; // the file whose rounds are being shown
    bool any = false;
    const auto separate = [&] {
        if (std::exchange(any, true))
            streams.out.write_text("\n");
    };
    read_records(
        files,
        [&](Record&& record) {
            if (record.kind != Kind::round) {
                tables.take(std::move(record));
                return;
            }
            if (shown != record.file) {
                separate();
                shown = record.file;
                streams.out.write_text((files.size() > 1 ? printable(shown) + "\n\n" : "") + head(columns));
            }
            streams.out.write_text(line(round_row(record.object), columns));
        },
        streams.note);
    for (const auto& table : tables.tables()) {
        separate();
        streams.out.write_text(whole(table));
    }
    note_unused(tables.without_table(), streams);
    if (!any)
        throw InputError("no record that has a table");
    return Exit::ok;
}

} // namespace detail

/// Tables for people.
struct TableOptions {
    static constexpr const char* verb = "table";
    static constexpr const char* synopsis = "[FILE]...";
    static constexpr const char* summary =
        "Shows searches, rounds, verdicts, requests and artifacts as tables.";
    std::vector<std::string> files{"-"};

    template <class Table>
    void describe(Table& table)
    {
        table.positional(files);
    }

    Exit run(const ReportStreams& streams) const
    {
        return detail::show_tables(
            files, streams, [](auto& columns) { return streamed_line(columns, columns); },
            [](const auto& row, auto& columns) { return streamed_line(row, columns); },
            [](const Table& table) { return to_text(table); });
    }
};

/// The same tables in Markdown.
struct MarkdownOptions {
    static constexpr const char* verb = "markdown";
    static constexpr const char* synopsis = "[FILE]...";
    static constexpr const char* summary = "Shows the tables of `table` in Markdown.";
    std::vector<std::string> files{"-"};

    template <class Table>
    void describe(Table& table)
    {
        table.positional(files);
    }

    Exit run(const ReportStreams& streams) const
    {
        return detail::show_tables(
            files, streams, [](auto& columns) { return detail::markdown_head(columns); },
            [](const auto& row, auto&) { return detail::markdown_line(row); },
            [](const Table& table) { return to_markdown(table); });
    }
};

} // namespace slo::report

#endif
