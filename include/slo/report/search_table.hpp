// SPDX-License-Identifier: MIT
// The table that a search ends with.

#ifndef SLO_REPORT_SEARCH_TABLE_HPP
#define SLO_REPORT_SEARCH_TABLE_HPP

#include <slo/base/text.hpp>
#include <slo/plan/grid.hpp>
#include <slo/record/search.hpp>
#include <slo/record/search_result.hpp>

#include <algorithm>
#include <array>
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

inline std::string joined(const std::vector<std::string>& texts)
{
    std::string line;
    for (const auto& text : texts)
        line += (line.empty() ? "" : "; ") + text;
    return printable(line, 400);
}

} // namespace detail

/// Step, QPS, Result, Primary p50 (window), Tail-N p50, Prefix cache hit and Notes of each probe, one line
/// each.
inline std::string probe_table(const std::vector<record::SearchProbe>& probes,
                               const record::SearchSettings& settings)
{
    constexpr std::size_t columns = 7;
    using Row = std::array<std::string, columns>;
    const plan::Grid grid(settings.precision_qps);
    std::vector<Row> rows{{"Step", "QPS", "Result", "Primary p50 (window)",
                           "Tail-" + std::to_string(settings.tail_window) + " p50", "Prefix cache hit",
                           "Notes"}};
    for (const auto& probe : probes) {
        const auto rate = grid.find(probe.qps);
        rows.push_back({std::to_string(probe.step), rate ? grid.text(*rate) : format_double(probe.qps),
                        std::string(name_of(probe.status)),
                        detail::figure(probe.avg_p50_latency_s, 2, " s") +
                            (probe.window.empty() ? "" : " (" + printable(probe.window, 40) + ")"),
                        detail::figure(probe.tail_avg_p50_latency_s, 2, " s"),
                        detail::figure(probe.hit_rate, 1, " %", 100), detail::joined(probe.notes)});
    }
    std::array<std::size_t, columns> widths{};
    for (const auto& row : rows)
        for (std::size_t i = 0; i < columns; ++i)
            widths[i] = std::max(widths[i], count_code_points(row[i]));
    std::string text;
    for (const auto& row : rows) {
        std::string line;
        for (std::size_t i = 0; i < columns; ++i)
            line += row[i] + std::string(widths[i] - count_code_points(row[i]) + 2, ' ');
        line.erase(line.find_last_not_of(' ') + 1);
        text += line + '\n';
    }
    return text;
}

/// One probe in a line, for people who watch.
inline std::string probe_line(const record::SearchProbe& probe)
{
    return format_double(probe.qps) + " qps " + std::string(name_of(probe.status)) + ", p50 " +
           detail::figure(probe.avg_p50_latency_s, 2, " s") +
           (probe.notes.empty() ? "" : " (" + detail::joined(probe.notes) + ")");
}

/// The answer in one line: best rate, SLO, offload, rounds and tail, and why the search ended.
inline std::string answer_line(const record::SearchResult& result, const record::SearchSettings& settings)
{
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
    line += '\n';
    if (!result.notes.empty())
        line += "Note: " + detail::joined(result.notes) + '\n';
    return line;
}

/// The whole table of a search: its probes, then the answer.
inline std::string search_table(const std::vector<record::SearchProbe>& probes,
                                const record::SearchResult& result, const record::SearchSettings& settings)
{
    return probe_table(probes, settings) + answer_line(result, settings);
}

} // namespace slo::report

#endif
