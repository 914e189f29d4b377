// SPDX-License-Identifier: MIT
// The section of a page about a search: latency against rate, distance from the edge, every probe.

#ifndef SLO_REPORT_HTML_SEARCH_HPP
#define SLO_REPORT_HTML_SEARCH_HPP

#include <slo/report/chart.hpp>
#include <slo/report/html_answer.hpp>
#include <slo/report/html_model.hpp>
#include <slo/report/search_table.hpp>

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace slo::report {

namespace detail {

// Probes as points, a series for each kind of verdict.
template <class Figure>
std::vector<ChartSeries> probe_series(const std::vector<record::SearchProbe>& probes, Figure figure)
{
    std::array<ChartSeries, 3> kinds{{{"passed", "pass", "points", {}},
                                      {"failed", "fail", "points", {}},
                                      {"no verdict", "open", "points", {}}}};
    for (const auto& probe : probes) {
        const auto point = figure(probe);
        if (!point)
            continue;
        const bool decided = record::is_decided(probe.status) && probe.measured;
        kinds[!decided ? 2 : probe.status == record::ProbeStatus::pass ? 0 : 1].points.push_back(*point);
    }
    std::vector<ChartSeries> series;
    for (auto& kind : kinds) {
        std::sort(kind.points.begin(), kind.points.end(),
                  [](const ChartPoint& a, const ChartPoint& b) { return a.x < b.x; });
        if (!kind.points.empty())
            series.push_back(std::move(kind));
    }
    return series;
}

// Certified to rejected, and where the point is.
inline void mark_rates(Chart& chart, const SearchView& search)
{
    const auto result = search.result();
    if (!result)
        return;
    auto low = result->max_qps;
    auto high = result->first_fail_qps;
    std::string what = "between the highest pass and the lowest fail";
    if (result->certified && !result->certified->non_monotone) {
        const bool certifies = search.settings().strategy == "certify";
        low = certifies ? result->certified->certified_qps : result->certified->likely_low_qps;
        high = certifies ? result->certified->rejected_qps : result->certified->likely_high_qps;
        what = certifies ? "certified to rejected" : "nine in ten";
        if (result->certified->point_qps)
            chart.lines.push_back({'x', *result->certified->point_qps,
                                   "point " + shown_number(result->certified->point_qps), "mark"});
    }
    if (low && high && *low < *high)
        chart.bands.push_back(
            {*low, *high, what + ", " + shown_number(low) + " to " + shown_number(high), "certified"});
}

inline Chart latency_chart(const SearchView& search)
{
    Chart chart;
    chart.title = "Latency against request rate";
    chart.x_title = "request rate (requests per second)";
    chart.y_title = "median latency (s)";
    chart.series =
        probe_series(search.probes(), [](const record::SearchProbe& probe) -> std::optional<ChartPoint> {
            if (!probe.avg_p50_latency_s)
                return std::nullopt;
            return ChartPoint{probe.qps, probe.avg_p50_latency_s};
        });
    if (const auto line = search.slo_line())
        chart.lines.push_back({'y', line->seconds, line->label, "slo"});
    mark_rates(chart, search);
    chart.summary = std::to_string(search.probes().size()) + " probes, each at one rate";
    return chart;
}

// With 1.96 standard errors to each side: a margin is close to normal.
inline Chart margin_chart(const SearchView& search, const std::string& objective)
{
    Chart chart;
    chart.title = "Distance from the edge: " + objective_words(objective);
    chart.x_title = "request rate (requests per second)";
    chart.y_title = "margin, above 0 fails";
    chart.from_zero = false;
    chart.series =
        probe_series(search.probes(), [&](const record::SearchProbe& probe) -> std::optional<ChartPoint> {
            constexpr double standard_errors = 1.96;
            for (const auto& margin : probe.evidence.margins)
                if (margin.objective == objective)
                    return ChartPoint{probe.qps, margin.margin,
                                      margin.margin - standard_errors * margin.margin_error,
                                      margin.margin + standard_errors * margin.margin_error};
            return std::nullopt;
        });
    chart.lines.push_back({'y', 0, "edge", "slo"});
    mark_rates(chart, search);
    chart.summary = "Each probe with its 95 % interval; the service fails above 0";
    return chart;
}

inline std::string probe_rows(const SearchView& search)
{
    const bool by_margin = !search.settings().is_classic();
    const auto& probes = search.probes();
    const bool any_hits = std::any_of(probes.begin(), probes.end(),
                                      [](const auto& probe) { return probe.hit_rate.has_value(); });
    const bool any_notes =
        std::any_of(probes.begin(), probes.end(), [](const auto& probe) { return !probe.notes.empty(); });
    std::vector<std::string> headings{"Step", "req/s", "Result"};
    if (by_margin)
        headings.insert(headings.end(), {"Phase", "p50 (s)", "Rounds", "Margin ± its error"});
    else
        headings.insert(headings.end(), {"p50 (s)", "Window"});
    if (any_hits)
        headings.push_back("Prefix cache hits");
    if (any_notes)
        headings.push_back("Notes");
    std::vector<Cells> rows;
    for (const auto& probe : probes) {
        const std::string status(name_of(probe.status));
        Cells row{Cell(static_cast<double>(probe.step)), Cell(probe.qps),
                  Cell(status, tone_of_status(status))};
        if (by_margin) {
            row.emplace_back(probe.phase);
            row.emplace_back(probe.avg_p50_latency_s);
            row.emplace_back(probe.evidence.rounds);
            row.emplace_back(margin(probe.evidence));
        } else {
            row.emplace_back(probe.avg_p50_latency_s);
            row.emplace_back(probe.window);
        }
        if (any_hits)
            row.emplace_back(probe.hit_rate ? shown_number(100 * *probe.hit_rate, "%") : "–");
        if (any_notes)
            row.emplace_back(joined(probe.notes));
        rows.push_back(std::move(row));
    }
    return html_table("Every probe, in the order of the search", headings, rows);
}

} // namespace detail

/// The search: two charts where its probes have margins, else one; and the table of its probes.
inline std::string search_section(const HtmlModel& model, ChartSheet& charts)
{
    std::string out = "<section id=\"search\"><h2>Search</h2>\n";
    if (model.search.probes().empty())
        return out +
               html_paragraph("missing", "No search records were given (bisect prints them, and keeps "
                                         "them in its journal): the page cannot say how latency "
                                         "depends on the rate.") +
               "</section>\n";
    const auto settings = model.search.settings();
    out += html_paragraph("lead",
                          "Strategy " + settings.strategy + ", objective: " + objectives_text(model.search) +
                              ". A probe is one load test at one rate; its verdict decides the next rate.");
    const auto latency = charts.add(detail::latency_chart(model.search));
    out +=
        "<div class=\"wide\">" +
        (latency.empty() ? html_paragraph("missing", "The probes tell no latency: only whether they passed.")
                         : latency) +
        "</div>\n";
    std::set<std::string> objectives;
    for (const auto& probe : model.search.probes())
        for (const auto& margin : probe.evidence.margins)
            objectives.insert(margin.objective);
    constexpr std::size_t most_charts = 6;
    std::string margins;
    for (const auto& objective : objectives)
        if (charts.data().size() < most_charts)
            margins += charts.add(detail::margin_chart(model.search, objective));
    if (!margins.empty())
        out +=
            "<div class=\"" + std::string(objectives.size() > 1 ? "pair" : "") + "\">" + margins +
            "</div>\n" +
            html_paragraph(
                "note", "A margin is how far a probe was from the edge, in the scale in which its error is "
                        "about the same at every rate; bars are 1.96 standard errors.");
    return out + detail::probe_rows(model.search) + "</section>\n";
}

} // namespace slo::report

#endif
