// SPDX-License-Identifier: MIT
// The verb `report csv`: records of one kind as comma-separated values (RFC 4180).

#ifndef SLO_REPORT_CSV_HPP
#define SLO_REPORT_CSV_HPP

#include <slo/artifact/artifact.hpp>
#include <slo/base/error.hpp>
#include <slo/base/json.hpp>
#include <slo/base/text.hpp>
#include <slo/report/report_input.hpp>
#include <slo/report/report_streams.hpp>
#include <slo/report/table.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace slo::report {

/// A column and the dotted path of what stands in it.
struct CsvColumn {
    std::string_view name, path;
};

namespace detail {

inline constexpr std::array<CsvColumn, 16> search_csv{{{"step", "step"},
                                                       {"phase", "phase"},
                                                       {"qps", "qps"},
                                                       {"status", "status"},
                                                       {"measured", "measured"},
                                                       {"avg_p50_latency_s", "avg_p50_latency_s"},
                                                       {"primary_metric", "primary_metric"},
                                                       {"window", "window"},
                                                       {"tail_avg_p50_latency_s", "tail_avg_p50_latency_s"},
                                                       {"warmup_dominated", "warmup_dominated"},
                                                       {"hit_rate", "hit_rate"},
                                                       {"confidence", "confidence"},
                                                       {"rounds", "rounds"},
                                                       {"margins", "margins"},
                                                       {"elapsed_s", "elapsed_s"},
                                                       {"notes", "notes"}}};

inline constexpr std::array<CsvColumn, 33> round_csv{
    {{"round", "measurement_round"},
     {"shard", "shard"},
     {"target_qps", "target_qps"},
     {"actual_qps", "actual_qps"},
     {"wire_dispatch_qps", "wire_dispatch_qps"},
     {"completion_qps", "completion_qps"},
     {"success_rate_pct", "success_rate"},
     {"due", "counts.due"},
     {"ok", "counts.ok"},
     {"failed", "counts.failed"},
     {"unfinished", "counts.unfinished"},
     {"not_sent", "counts.not_sent"},
     {"input_tokens", "input_tokens"},
     {"output_tokens", "output_tokens"},
     {"input_tokens_per_minute", "input_tokens_per_minute"},
     {"output_tokens_per_minute", "output_tokens_per_minute"},
     {"latency_p50_s", "Latency.p50"},
     {"latency_p90_s", "Latency.p90"},
     {"latency_p95_s", "Latency.p95"},
     {"latency_p99_s", "Latency.p99"},
     {"latency_max_s", "Latency.max"},
     {"server_latency_p50_s", "Server Latency.p50"},
     {"ttft_p50_s", "TTFT.p50"},
     {"ttft_p90_s", "TTFT.p90"},
     {"ttft_p99_s", "TTFT.p99"},
     {"tpot_p50_ms", "TPOT.p50"},
     {"tpot_p99_ms", "TPOT.p99"},
     {"itl_p50_ms", "ITL.p50"},
     {"itl_p99_ms", "ITL.p99"},
     {"slo_attainment_pct", "slo_attainment"},
     {"client_lateness_p99_s", "client.lateness_p99_s"},
     {"client_saturated", "client.saturated"},
     {"flags", "flags"}}};

inline constexpr std::array<CsvColumn, 17> request_csv{{{"id", "id"},
                                                        {"conv_id", "conv_id"},
                                                        {"round", "round"},
                                                        {"due_s", "due_s"},
                                                        {"sent_s", "sent_s"},
                                                        {"first_token_s", "first_token_s"},
                                                        {"last_token_s", "last_token_s"},
                                                        {"end_s", "end_s"},
                                                        {"status", "status"},
                                                        {"http", "http"},
                                                        {"error_kind", "error_kind"},
                                                        {"error", "error"},
                                                        {"input_tokens", "input_tokens"},
                                                        {"output_tokens", "output_tokens"},
                                                        {"cached_tokens", "cached_tokens"},
                                                        {"reasoning_tokens", "reasoning_tokens"},
                                                        {"retries", "retries"}}};

inline constexpr std::array<CsvColumn, 14> verdict_csv{
    {{"qps", "qps"},
     {"status", "status"},
     {"rounds_seen", "rounds_seen"},
     {"rounds_required", "rounds_required"},
     {"slo_s", "slo_s"},
     {"avg_p50_latency_s", "avg_p50_latency_s"},
     {"primary_metric", "primary_metric"},
     {"tail_avg_p50_latency_s", "tail_avg_p50_latency_s"},
     {"steady_avg_p50_latency_s", "steady_avg_p50_latency_s"},
     {"success_rate_min_pct", "success_rate_min"},
     {"warmup_dominated", "warmup_dominated"},
     {"confidence_low_s", "confidence.low_s"},
     {"confidence_high_s", "confidence.high_s"},
     {"notes", "notes"}}};

inline constexpr std::array<CsvColumn, 37> envelope_csv{
    {{"artifact_id", "artifact_id"},
     {"created_at", "created_at"},
     {"model_id", "model.id"},
     {"quantization", "model.quantization"},
     {"engine", "engine.name"},
     {"engine_version", "engine.version"},
     {"tensor_parallel", "engine.tensor_parallel"},
     {"replicas", "engine.replicas"},
     {"instance_type", "infrastructure.instance_type"},
     {"gpu", "infrastructure.gpu.name"},
     {"gpu_count", "infrastructure.gpu.count"},
     {"catalog_id", "workload.catalog_id"},
     {"target_qps", "workload.load.target_qps"},
     {"concurrency", "workload.load.concurrency"},
     {"duration_s", "metrics.duration_s"},
     {"completed", "metrics.completed"},
     {"failed", "metrics.failed"},
     {"error_rate", "metrics.error_rate"},
     {"ttft_p50_ms", "metrics.ttft_ms.p50"},
     {"ttft_p90_ms", "metrics.ttft_ms.p90"},
     {"ttft_p99_ms", "metrics.ttft_ms.p99"},
     {"tpot_p50_ms", "metrics.tpot_ms.p50"},
     {"tpot_p99_ms", "metrics.tpot_ms.p99"},
     {"itl_p50_ms", "metrics.itl_ms.p50"},
     {"itl_p99_ms", "metrics.itl_ms.p99"},
     {"e2e_p50_ms", "metrics.e2e_ms.p50"},
     {"e2e_p90_ms", "metrics.e2e_ms.p90"},
     {"e2e_p99_ms", "metrics.e2e_ms.p99"},
     {"output_toks_per_s", "metrics.output_toks_per_s"},
     {"total_toks_per_s", "metrics.total_toks_per_s"},
     {"request_throughput", "metrics.request_throughput"},
     {"slo_overall_pass", "slo.overall_pass"},
     {"prefix_hit_rate", "extensions.cache_stats.prefix_hit_rate"},
     {"max_qps_certified", "extensions.sloutils.search.max_qps_certified"},
     {"cost_per_m_output_tokens", "cost.cost_per_m_output_tokens"},
     {"validity", "validity.classification"},
     {"production_representative", "validity.production_representative"}}};

} // namespace detail

/// The columns of a kind; none for one that has no form as CSV.
constexpr std::span<const CsvColumn> csv_columns(Kind kind) noexcept
{
    switch (kind) {
    case Kind::search:
        return detail::search_csv;
    case Kind::round:
        return detail::round_csv;
    case Kind::request:
        return detail::request_csv;
    case Kind::verdict:
        return detail::verdict_csv;
    case Kind::envelope:
        return detail::envelope_csv;
    default:
        return {};
    }
}

/// A field as it stands in a line: in quotes where it has to be.
inline std::string csv_field(std::string_view text)
{
    if (text.find_first_of(",\"\r\n") == std::string_view::npos)
        return std::string(text);
    std::string field = "\"";
    for (const char c : text) {
        if (c == '"')
            field += '"';
        field += c;
    }
    return field + '"';
}

namespace detail {

// null and what is absent are empty; of a list the members stand behind one another, of an object what it is
// as JSON.
inline std::string csv_text(const json::value* value)
{
    if (!value || value->is_null())
        return {};
    if (value->is_string())
        return std::string(value->get_string());
    const auto* list = value->if_array();
    if (!list)
        return to_json(*value);
    std::string text;
    for (const auto& member : *list)
        text += (text.empty() ? "" : "; ") + csv_text(&member);
    return text;
}

} // namespace detail

/// Records of one kind, a line each.
struct CsvOptions {
    static constexpr const char* verb = "csv";
    static constexpr const char* synopsis = "[OPTION]... [FILE]...";
    static constexpr const char* summary = "Writes searches, rounds, requests, verdicts or artifacts as CSV.";
    std::vector<std::string> files{"-"};
    std::optional<std::string> kind;
    bool lf = false;

    template <class Table>
    void describe(Table& table)
    {
        table.section("Output");
        table.add("kind", kind, "KIND",
                  "the records that are written: search, round, request, verdict or envelope; else those of "
                  "the first "
                  "record that is of one of these");
        table.flag("lf", lf, "end lines with LF alone, for line tools; else with CR LF, as RFC 4180 has it");
        table.positional(files);
    }

    Exit run(const ReportStreams& streams) const
    {
        std::optional<Kind> shown;
        if (kind) {
            const auto* found = std::find(kind_names.begin(), kind_names.end(), *kind);
            if (found == kind_names.end() || csv_columns(kind_at(found)).empty())
                throw UsageError("--kind", "'" + printable(*kind, 40) + "' has no form as CSV");
            shown = kind_at(found);
        }
        const std::string end = lf ? "\n" : "\r\n";
        bool begun = false;
        std::map<std::string, std::size_t> unused;
        const auto write = [&](const Record& record) {
            const auto columns = csv_columns(*shown);
            std::string line;
            if (!std::exchange(begun, true)) {
                line = "file";
                for (const auto& column : columns)
                    line += "," + std::string(column.name);
                line += end;
            }
            line += csv_field(record.file);
            for (const auto& column : columns)
                line += "," + csv_field(detail::csv_text(value_at(record.object, column.path)));
            streams.out.write_text(line + end);
        };
        read_records(
            files,
            [&](Record&& record) {
                if (!shown && !csv_columns(record.kind).empty())
                    shown = record.kind;
                // Of a search the probes are rows; what else it says of itself is no row.
                const bool is_row =
                    record.kind != Kind::search || string_at(record.object, "event") == "probe";
                if (record.kind != shown)
                    ++unused[std::string(name_of(record.kind))];
                else if (is_row)
                    write(record);
            },
            streams.note);
        detail::note_unused(unused, streams);
        if (!begun)
            throw InputError("no record to be written as CSV");
        return Exit::ok;
    }

private:
    static Kind kind_at(const std::string_view* name) { return static_cast<Kind>(name - kind_names.begin()); }
};

} // namespace slo::report

#endif
