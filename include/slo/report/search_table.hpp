// SPDX-License-Identifier: MIT
// The table that a search ends with.

#ifndef SLO_REPORT_SEARCH_TABLE_HPP
#define SLO_REPORT_SEARCH_TABLE_HPP

#include <slo/base/text.hpp>
#include <slo/plan/grid.hpp>
#include <slo/record/search.hpp>
#include <slo/record/search_result.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace slo::report {

namespace detail {

inline std::string figure(const std::optional<double>& value, int decimals, const std::string& unit,
                          double factor = 1)
{
    return value ? format_fixed(factor * *value, decimals) + unit : "n/a";
}

// Margins have no bound: a number that would be long is written with an exponent.
inline std::string short_number(double value)
{
    return std::abs(value) < 1000 ? format_fixed(value, 3) : format_double(value);
}

inline std::string joined(const std::vector<std::string>& texts)
{
    std::string line;
    for (const auto& text : texts)
        line += (line.empty() ? "" : "; ") + text;
    return printable(line, 400);
}

// That of the objective which is likeliest to be missed, named where it is one of several.
inline std::string margin(const record::ProbeEvidence& evidence)
{
    const auto& margins = evidence.margins;
    if (margins.empty())
        return "n/a";
    const auto binding = std::max_element(margins.begin(), margins.end(), [](const auto& a, const auto& b) {
        return a.margin / a.margin_error < b.margin / b.margin_error;
    });
    return (binding->margin < 0 ? "" : "+") + short_number(binding->margin) + " ± " +
           short_number(binding->margin_error) +
           (margins.size() > 1 ? " (" + printable(binding->objective, 60) + ")" : "");
}

using Row = std::vector<std::string>;

inline std::string aligned(const std::vector<Row>& rows)
{
    std::vector<std::size_t> widths(rows.front().size());
    for (const auto& row : rows)
        for (std::size_t i = 0; i < widths.size(); ++i)
            widths[i] = std::max(widths[i], count_code_points(row[i]));
    std::string text;
    for (const auto& row : rows) {
        std::string line;
        for (std::size_t i = 0; i < widths.size(); ++i)
            line += row[i] + std::string(widths[i] - count_code_points(row[i]) + 2, ' ');
        line.erase(line.find_last_not_of(' ') + 1);
        text += line + '\n';
    }
    return text;
}

} // namespace detail

/// The columns and rows of probe_table().
inline std::vector<detail::Row> probe_rows(const std::vector<record::SearchProbe>& probes,
                                           const record::SearchSettings& settings)
{
    const plan::Grid grid(settings.precision_qps);
    std::vector<detail::Row> rows;
    if (settings.is_classic())
        rows.push_back({"Step", "QPS", "Result", "Primary p50 (window)",
                        "Tail-" + std::to_string(settings.tail_window) + " p50", "Prefix cache hit",
                        "Notes"});
    else
        rows.push_back({"Step", "QPS", "Phase", "Result", "Margin", "Rounds", "Prefix cache hit", "Notes"});
    for (const auto& probe : probes) {
        const auto rate = grid.find(probe.qps);
        const auto qps = rate ? grid.text(*rate) : format_double(probe.qps);
        const std::string status(name_of(probe.status));
        const auto hit_rate = detail::figure(probe.hit_rate, 1, " %", 100);
        const auto notes = detail::joined(probe.notes);
        if (settings.is_classic())
            rows.push_back({std::to_string(probe.step), qps, status,
                            detail::figure(probe.avg_p50_latency_s, 2, " s") +
                                (probe.window.empty() ? "" : " (" + printable(probe.window, 40) + ")"),
                            detail::figure(probe.tail_avg_p50_latency_s, 2, " s"), hit_rate, notes});
        else
            rows.push_back({std::to_string(probe.step), qps, printable(probe.phase, 40), status,
                            detail::margin(probe.evidence), detail::figure(probe.evidence.rounds, 0, ""),
                            hit_rate, notes});
    }
    return rows;
}

/// Step, QPS, Result, Primary p50 (window), Tail-N p50, Prefix cache hit and Notes of each probe, one line
/// each; by the strategies that look at margins, Phase, Margin and Rounds instead of the latencies.
inline std::string probe_table(const std::vector<record::SearchProbe>& probes,
                               const record::SearchSettings& settings)
{
    return detail::aligned(probe_rows(probes, settings));
}

/// One probe in a line, for people who watch.
inline std::string probe_line(const record::SearchProbe& probe)
{
    auto line = format_double(probe.qps) + " qps " + std::string(name_of(probe.status));
    const auto& evidence = probe.evidence;
    if (evidence.looks.empty())
        line += ", p50 " + detail::figure(probe.avg_p50_latency_s, 2, " s");
    else
        line += " (" + printable(probe.phase, 40) + "), margin " + detail::margin(evidence) + ", " +
                detail::figure(evidence.rounds, 0, "") + " rounds";
    return line + (probe.notes.empty() ? "" : " (" + detail::joined(probe.notes) + ")");
}

namespace detail {

inline std::string notes_line(const record::SearchResult& result)
{
    return result.notes.empty() ? "" : "Note: " + joined(result.notes) + '\n';
}

// Rates that lie between the steps of the grid have its digits, too.
inline std::string likelihood_line(const record::SearchResult& result, const record::SearchSettings& settings)
{
    const plan::Grid grid(settings.precision_qps);
    const auto& rates = *result.certified;
    const auto text = [&](const std::optional<double>& qps) {
        const auto point = grid.text(1).find('.');
        const auto decimals = point == std::string::npos ? 0 : grid.text(1).size() - point - 1;
        return qps ? format_fixed(*qps, static_cast<int>(decimals)) : std::string("none");
    };
    std::string line;
    if (settings.strategy == "certify") {
        line = (rates.certified_qps ? "max " + text(rates.certified_qps) + " req/s certified ("
                                    : "no rate certified (") +
               record::percent_text(settings.confidence) + "), point " + text(rates.point_qps) + ", " +
               (rates.rejected_qps ? "rejected " + text(rates.rejected_qps) : "none rejected");
        if (const auto resolution = resolution_of(rates))
            line += "; resolution " + format_fixed(100 * *resolution, 1) + " %,";
        else
            line += ";";
    } else {
        line = "point " + text(rates.point_qps) + " req/s (not certified), nine in ten between " +
               text(rates.likely_low_qps) + " and " + text(rates.likely_high_qps) + ";";
    }
    return line + " " + format_fixed(rates.rounds_spent, 0) + " rounds (" + result.reason + ")\n" +
           notes_line(result);
}

} // namespace detail

/// The answer in one line: best rate, SLO, offload, rounds and tail, and why the search ended; of a search
/// by likelihood the rates that it is sure of, its point, and what that took.
inline std::string answer_line(const record::SearchResult& result, const record::SearchSettings& settings)
{
    if (result.certified)
        return detail::likelihood_line(result, settings);
    const plan::Grid grid(settings.precision_qps);
    const auto text = [&](const std::optional<double>& qps) {
        const auto rate = qps ? grid.find(*qps) : std::nullopt;
        return rate ? grid.text(*rate) + " qps" : std::string("none");
    };
    std::string line = "Best " + text(result.max_qps) + ", first fail " + text(result.first_fail_qps) + " (" +
                       result.reason + "); SLO " + format_double(settings.slo_s) + " s, offload " +
                       (settings.offload ? "on" : "off") + ", " + std::to_string(settings.total_rounds) +
                       " rounds, tail " + std::to_string(settings.tail_window);
    if (result.confirm > 0 && result.converged)
        line += ", confirmed " + std::to_string(result.confirm) + " times";
    return line + '\n' + detail::notes_line(result);
}

/// The whole table of a search: its probes, then the answer.
inline std::string search_table(const std::vector<record::SearchProbe>& probes,
                                const record::SearchResult& result, const record::SearchSettings& settings)
{
    return probe_table(probes, settings) + answer_line(result, settings);
}

} // namespace slo::report

#endif
