// SPDX-License-Identifier: MIT
// Tables of records for people: one a kind, as text or as Markdown.

#ifndef SLO_REPORT_RECORD_TABLE_HPP
#define SLO_REPORT_RECORD_TABLE_HPP

#include <slo/artifact/artifact.hpp>
#include <slo/base/error.hpp>
#include <slo/base/json.hpp>
#include <slo/base/text.hpp>
#include <slo/record/request.hpp>
#include <slo/record/request_read.hpp>
#include <slo/record/round_window.hpp>
#include <slo/record/window_totals.hpp>
#include <slo/report/report_input.hpp>
#include <slo/report/search_table.hpp>
#include <slo/report/search_view.hpp>
#include <slo/stats/sample.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace slo::report {

/// A table: the first row names the columns.
struct Table {
    std::string title; ///< empty where the columns say enough
    std::vector<detail::Row> rows;
    std::string answer; ///< lines below it, each with its end
};

namespace detail {

inline std::optional<double> figure_at(const json::object& record, std::string_view path)
{
    return as_number(value_at(record, path));
}

inline std::string figure_text_at(const json::object& record, std::string_view path, int decimals,
                                  double factor = 1, const std::string& unit = "")
{
    return figure(figure_at(record, path), decimals, unit, factor);
}

inline std::string short_text(const json::object& record, std::string_view path, std::size_t limit = 40)
{
    const auto* value = value_at(record, path);
    return value && value->is_string() ? printable(value->get_string(), limit) : "n/a";
}

inline std::string round_notes(const json::object& record)
{
    std::vector<std::string> notes;
    if (const auto shard = string_at(record, "shard"))
        notes.push_back("shard " + std::string(*shard));
    if (const auto* saturated = value_at(record, "client.saturated"); saturated && *saturated == true)
        notes.emplace_back("client saturated");
    if (const auto* errors = object_at(record, "errors"))
        for (const auto& kind : *errors)
            if (const auto count = as_number(&kind.value()); count && *count > 0)
                notes.push_back(format_fixed(*count, 0) + " " + std::string(kind.key()));
    for (auto& flag : record::detail::texts_at(record, "flags"))
        notes.push_back(std::move(flag));
    return joined(notes);
}

} // namespace detail

/// The columns of round_row().
inline detail::Row round_columns()
{
    return {"Round",    "Target QPS", "Actual QPS", "Success",      "Latency p50", "Latency p99",
            "TTFT p50", "TTFT p99",   "TPOT p50",   "Output tok/s", "Notes"};
}

/// One round in a row.
inline detail::Row round_row(const json::object& record)
{
    using detail::figure_text_at;
    return {figure_text_at(record, "measurement_round", 0),
            figure_text_at(record, "target_qps", 2),
            figure_text_at(record, "actual_qps", 2),
            figure_text_at(record, "success_rate", 1, 1, " %"),
            figure_text_at(record, "Latency.p50", 3, 1, " s"),
            figure_text_at(record, "Latency.p99", 3, 1, " s"),
            figure_text_at(record, "TTFT.p50", 1, 1000, " ms"),
            figure_text_at(record, "TTFT.p99", 1, 1000, " ms"),
            figure_text_at(record, "TPOT.p50", 2, 1, " ms"),
            figure_text_at(record, "output_tokens_per_minute", 1, 1.0 / 60),
            detail::round_notes(record)};
}

/// A row in columns at least as wide as their names, so that rows can be shown while more are to come.
inline std::string streamed_line(const detail::Row& row, const detail::Row& columns)
{
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
        const auto width = std::max(count_code_points(columns[i]), std::size_t{9});
        const auto taken = count_code_points(row[i]);
        line += row[i] + std::string(taken < width ? width - taken + 2 : 2, ' ');
    }
    line.erase(line.find_last_not_of(' ') + 1);
    return line + '\n';
}

/// What a request log came to; its single requests are not kept.
class RequestDigest {
public:
    /// Takes in a run or a request record. Throws InputError as read_request.
    void take(const Record& record)
    {
        if (record.kind == Kind::run) {
            if (const auto basis = string_at(record.object, "latency_basis"); basis && totals_.due == 0)
                totals_ = record::WindowTotals(
                    {{}, {}, {}, {}, record::latency_basis(*basis).value_or(record::LatencyBasis::due)});
            return;
        }
        auto request = record::read_request(record.object);
        if (const auto* gaps = array_at(record.object, "itl_ms"))
            for (const auto& gap : *gaps)
                if (const auto gap_ms = as_number(&gap))
                    request.itl_ms.push_back(*gap_ms);
        totals_.add(request);
    }

    const record::WindowTotals& totals() const noexcept { return totals_; }
    bool empty() const noexcept { return totals_.due == 0; }

    Table table() const
    {
        Table table;
        table.rows.push_back({"Requests", "Count", "Min", "p50", "p90", "p95", "p99", "Max"});
        const auto add = [&](const char* name, const stats::Sample& sample, const char* unit, int decimals,
                             double factor = 1) {
            const auto summary = sample.summary();
            const auto text = [&](double stats::Summary::*which) {
                return summary ? format_fixed(factor * (*summary).*which, decimals) + unit
                               : std::string("n/a");
            };
            table.rows.push_back({name, std::to_string(sample.size()), text(&stats::Summary::min),
                                  text(&stats::Summary::p50), text(&stats::Summary::p90),
                                  text(&stats::Summary::p95), text(&stats::Summary::p99),
                                  text(&stats::Summary::max)});
        };
        add("Latency", totals_.latency_s, " s", 3);
        add("TTFT", totals_.ttft_s, " ms", 1, 1000);
        add("TPOT", totals_.tpot_values_ms, " ms", 2);
        add("ITL", totals_.itl_ms, " ms", 2);
        std::vector<std::string> counts;
        const auto count = [&](std::int64_t number, std::string_view name) {
            if (number > 0)
                counts.push_back(std::to_string(number) + " " + std::string(name));
        };
        for (std::size_t i = 0; i < totals_.by_status.size(); ++i)
            count(totals_.by_status[i], record::request_status_names[i]);
        for (std::size_t i = 1; i < totals_.by_kind.size(); ++i)
            count(totals_.by_kind[i], "by " + std::string(record::error_kind_names[i]));
        table.answer = detail::joined(counts) + "\n";
        return table;
    }

private:
    record::WindowTotals totals_{record::RoundTerms{}};
};

namespace detail {

inline Row verdict_row(const json::object& record)
{
    const auto rounds = figure_text_at(record, "rounds_seen", 0);
    const auto required = figure_at(record, "rounds_required");
    auto notes = record::detail::texts_at(record, "notes");
    for (auto& reason : record::detail::texts_at(record, "error"))
        notes.push_back(std::move(reason));
    if (const auto* objectives = array_at(record, "objectives"))
        for (const auto& value : *objectives)
            if (const auto* objective = value.if_object())
                notes.push_back(std::string(string_at(*objective, "objective").value_or("objective")) + " " +
                                std::string(string_at(*objective, "status").value_or("?")));
    return {short_text(record, "status"),
            figure_text_at(record, "avg_p50_latency_s", 3, 1, " s"),
            short_text(record, "primary_metric"),
            figure_text_at(record, "slo_s", 3, 1, " s"),
            rounds + (required ? " of " + format_fixed(*required, 0) : ""),
            figure_text_at(record, "success_rate_min", 1, 1, " %"),
            joined(notes)};
}

inline Row envelope_row(const artifact::Artifact& artifact)
{
    const auto text = [&](const char* path) { return printable(artifact.text(path).value_or("n/a"), 40); };
    const auto number = [&](const char* path, int decimals, const char* unit, double factor = 1) {
        return figure(artifact.number(path), decimals, unit, factor);
    };
    const auto pass = artifact.truth("slo.overall_pass");
    return {printable(artifact.name(), 60),
            text("engine.name"),
            text("model.id"),
            text("workload.catalog_id"),
            number("metrics.ttft_ms.p50", 1, " ms"),
            number("metrics.ttft_ms.p99", 1, " ms"),
            number("metrics.tpot_ms.p50", 2, " ms"),
            number("metrics.e2e_ms.p50", 1, " ms"),
            number("metrics.e2e_ms.p99", 1, " ms"),
            number("metrics.output_toks_per_s", 1, ""),
            number("metrics.request_throughput", 2, ""),
            number("metrics.error_rate", 2, " %", 100),
            pass ? (*pass ? "pass" : "fail") : "n/a",
            text("validity.classification")};
}

} // namespace detail

/// Tables of any mix of records: one for each search (a file has one), and one for each other kind.
class RecordTables {
public:
    /// Takes in what is no round: rounds are rows of their own, round_row(). Throws Error.
    void take(Record&& record)
    {
        switch (record.kind) {
        case Kind::search:
            take_search(record);
            break;
        case Kind::verdict:
            // In a search that a shell loop keeps, a verdict with a rate is a probe.
            if (find(record.object, "qps"))
                take_search(record);
            else
                add(verdicts_, {"Verdict", "p50", "Window", "SLO", "Rounds", "Success", "Notes"},
                    detail::verdict_row(record.object));
            break;
        case Kind::run:
        case Kind::request:
            requests_.take(record);
            break;
        case Kind::envelope:
            add(envelopes_,
                {"Artifact", "Engine", "Model", "Workload", "TTFT p50", "TTFT p99", "TPOT p50", "E2E p50",
                 "E2E p99", "Output tok/s", "Requests/s", "Errors", "SLO", "Validity"},
                detail::envelope_row({std::move(record.object), record.file}));
            break;
        default:
            ++without_table_[std::string(name_of(record.kind))];
        }
    }

    /// All tables, searches first.
    std::vector<Table> tables() const
    {
        std::vector<Table> tables;
        for (const auto& [file, view] : searches_) {
            const auto settings = view.settings();
            Table table{searches_.size() > 1 ? file : "", probe_rows(view.probes(), settings), ""};
            if (const auto result = view.result())
                table.answer = answer_line(*result, settings);
            else
                table.answer = "No result record: the search goes on, or was cut off.\n";
            tables.push_back(std::move(table));
        }
        for (const auto* rows : {&verdicts_, &envelopes_})
            if (!rows->empty())
                tables.push_back({"", *rows, ""});
        if (!requests_.empty())
            tables.push_back(requests_.table());
        return tables;
    }

    /// Records of kinds that have no table, by kind.
    const std::map<std::string, std::size_t>& without_table() const noexcept { return without_table_; }

private:
    static void add(std::vector<detail::Row>& rows, detail::Row columns, detail::Row row)
    {
        // A table for people: what does not fit into memory is no table.
        constexpr std::size_t most_rows = 1'000'000;
        if (rows.size() > most_rows)
            throw Error("more rows than a table can have");
        if (rows.empty())
            rows.push_back(std::move(columns));
        rows.push_back(std::move(row));
    }

    void take_search(const Record& record)
    {
        if (searches_.empty() || searches_.back().first != record.file)
            searches_.emplace_back(record.file, SearchView{});
        searches_.back().second.take(record.object);
    }

    std::vector<std::pair<std::string, SearchView>> searches_;
    std::vector<detail::Row> verdicts_, envelopes_;
    RequestDigest requests_;
    std::map<std::string, std::size_t> without_table_;
};

} // namespace slo::report

#endif
