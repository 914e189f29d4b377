// SPDX-License-Identifier: MIT
// The sections of a page about a run: its rounds, its distributions, what failed.

#ifndef SLO_REPORT_HTML_RUN_HPP
#define SLO_REPORT_HTML_RUN_HPP

#include <slo/report/chart.hpp>
#include <slo/report/html_model.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace slo::report {

namespace detail {

// The section of that name: what it holds, or what was not given.
inline std::string section(const std::string& id, const std::string& heading, const std::string& content,
                           const std::string& missing)
{
    return "<section id=\"" + id + "\"><h2>" + escaped(heading) + "</h2>\n" +
           (content.empty() ? html_paragraph("missing", missing) : content) + "</section>\n";
}

inline std::optional<double> scaled(std::optional<double> value, double factor)
{
    return value ? std::optional(factor * *value) : value;
}

using RoundFigure = std::optional<double> PageRound::*;

// `factor`: to the unit that is shown.
inline ChartSeries round_series(const HtmlModel& model, const std::string& label, const std::string& role,
                                RoundFigure figure, double factor = 1)
{
    ChartSeries series{label, role, "line", {}};
    for (const auto& round : model.rounds)
        series.points.push_back({static_cast<double>(round.number), scaled(round.*figure, factor)});
    return series;
}

// Warm-up and steady window, as far as they are known; a round reaches half a round to each side.
inline void mark_rounds(Chart& chart, const HtmlModel& model)
{
    const auto number = [&](std::size_t index) { return static_cast<double>(model.rounds[index].number); };
    const auto steady = model.steady();
    auto first = steady ? steady->first : model.rounds.size();
    std::size_t warm = 0;
    while (warm < model.rounds.size() && model.rounds[warm].warm_up)
        ++warm;
    if (warm == 0 && steady)
        warm = first;
    first = std::max(first, warm);
    if (warm > 0)
        chart.bands.push_back({number(0) - 0.5, number(warm - 1) + 0.5, "warm-up", "warmup"});
    if (steady && first < steady->first + steady->size)
        chart.bands.push_back(
            {number(first) - 0.5, number(steady->first + steady->size - 1) + 0.5, "steady window", "steady"});
}

// Why HtmlModel::steady() finds nothing.
inline std::string why_unsteady(const HtmlModel& model)
{
    const auto& rounds = model.rounds;
    constexpr auto least = HtmlModel::steady_least;
    if (rounds.size() < least)
        return "it takes at least " + std::to_string(least) + " rounds, and there " +
               (rounds.size() == 1 ? "is one." : "are " + std::to_string(rounds.size()) + ".");
    for (const auto& round : rounds)
        if (!round.e2e_p50_s)
            return "no median latency is known of round " + std::to_string(round.number) + ".";
    if (!(*rounds.back().e2e_p50_s > 0))
        return "the median latency of the last round is not above zero.";
    auto first = rounds.size() - 1; // the window so far, which stays below `least`
    const auto median = [&] { return (*rounds[first].e2e_p50_s + *rounds.back().e2e_p50_s) / 2; };
    while (first + least > rounds.size() &&
           std::abs(*rounds[first - 1].e2e_p50_s - median()) / median() <= HtmlModel::steady_tolerance)
        --first;
    return "the median of round " + std::to_string(rounds[first - 1].number) + ", " +
           shown_number(rounds[first - 1].e2e_p50_s, "s") + ", is more than 30 % from that of the " +
           (first + 1 == rounds.size() ? "round" : "rounds") + " after it, " + shown_number(median(), "s") +
           ", and at least " + std::to_string(least) + " at the end must agree.";
}

inline Chart round_chart(const HtmlModel& model, const std::string& title, const std::string& y_title,
                         std::vector<ChartSeries> series)
{
    Chart chart;
    chart.title = title;
    chart.x_title = "round";
    chart.y_title = y_title;
    chart.summary = std::to_string(model.rounds.size()) + " rounds in order";
    // A percentile that no round has would be an empty name in the legend.
    std::erase_if(series, [](const ChartSeries& one) {
        return std::none_of(one.points.begin(), one.points.end(),
                            [](const ChartPoint& p) { return p.y.has_value(); });
    });
    chart.series = std::move(series);
    if (!model.rounds.empty())
        chart.x_range = {static_cast<double>(model.rounds.front().number) - 0.5,
                         static_cast<double>(model.rounds.back().number) + 0.5};
    mark_rounds(chart, model);
    return chart;
}

// The limit on single latencies that the run was given; percentiles of it are judged elsewhere.
inline std::optional<double> limit_of(const HtmlModel& model, std::string_view name)
{
    const auto* config = model.run ? object_at(*model.run, "config") : nullptr;
    return config ? number_at(*config, name) : std::nullopt;
}

struct Share {
    double q;
    const char* name;
};
inline constexpr std::array<Share, 3> marked_shares{{{0.5, "p50"}, {0.9, "p90"}, {0.99, "p99"}}};

// One latency: its values, and the unit in which it is shown.
struct ShownLatency {
    const char* name;
    const char* unit;
    const stats::QuantileSketch& sketch;
    double factor; ///< to that unit

    std::optional<double> quantile(double q) const { return scaled(sketch.quantile(q), factor); }
};

// The empirical distribution: which share of the values is at most so large.
inline Chart distribution_chart(const ShownLatency& latency)
{
    Chart chart;
    chart.title = latency.name;
    chart.x_title = latency.unit;
    chart.y_title = "share of values at or below (%)";
    chart.percent = true;
    ChartSeries series{"share of the values", "a", "line", {}};
    constexpr int steps = 200;
    for (int i = 0; i <= steps; ++i)
        if (const auto value = latency.quantile(static_cast<double>(i) / steps))
            series.points.push_back({*value, 100.0 * i / steps});
    constexpr double long_tail = 8;
    chart.log_x = latency.quantile(0).value_or(0) > 0 &&
                  latency.quantile(1).value_or(0) > long_tail * latency.quantile(0.5).value_or(0);
    chart.series.push_back(std::move(series));
    for (const auto& share : marked_shares)
        if (const auto value = latency.quantile(share.q)) {
            chart.lines.push_back(
                {'x', *value, std::string(share.name) + " " + shown_number(value, latency.unit), "mark"});
            chart.summary += (chart.summary.empty() ? "" : ", ") + chart.lines.back().label;
        }
    return chart;
}

inline Cells distribution_row(const ShownLatency& latency)
{
    const auto count = latency.sketch.count();
    Cells row{Cell(latency.name), Cell(latency.unit), Cell(static_cast<double>(count))};
    row.emplace_back(count > 0 ? std::optional(latency.factor * latency.sketch.mean()) : std::nullopt);
    for (const double q : {0.0, 0.5, 0.9, 0.95, 0.99, 1.0})
        row.emplace_back(latency.quantile(q));
    return row;
}

inline std::string counts_table(const std::string& caption, const std::string& heading,
                                const std::map<std::string, std::int64_t>& counts)
{
    std::vector<std::pair<std::string, std::int64_t>> sorted(counts.begin(), counts.end());
    std::stable_sort(sorted.begin(), sorted.end(),
                     [](const auto& a, const auto& b) { return a.second > b.second; });
    std::vector<Cells> rows;
    for (const auto& [name, count] : sorted)
        rows.push_back({Cell(name), Cell(static_cast<double>(count))});
    return rows.empty() ? "" : "<div>" + html_table(caption, {heading, "Count"}, rows) + "</div>";
}

// Requests in the order in which they come about.
inline std::string status_table(const std::map<std::string, std::int64_t>& counts)
{
    std::vector<Cells> rows;
    for (const auto* name : {"due", "sent", "ok", "failed", "unfinished", "not_sent"})
        if (const auto found = counts.find(name); found != counts.end())
            rows.push_back({Cell(name), Cell(static_cast<double>(found->second))});
    return "<div>" + html_table("Requests", {"Status", "Count"}, rows) + "</div>";
}

} // namespace detail

/// Latency and rate round by round, warm-up and steady window shaded.
inline std::string rounds_section(const HtmlModel& model, ChartSheet& charts)
{
    std::string out;
    if (!model.rounds.empty()) {
        if (const auto steady = model.steady())
            out += html_paragraph(
                "lead", "Steady from round " + std::to_string(model.rounds[steady->first].number) + " to " +
                            std::to_string(model.rounds[steady->first + steady->size - 1].number) + " by " +
                            steady->told_by + "; a round is a reporting window.");
        else
            out += html_paragraph("lead", "No steady window: " + detail::why_unsteady(model));
        auto latency = detail::round_chart(model, "End-to-end latency by round", "latency (s)",
                                           {detail::round_series(model, "p50", "a", &PageRound::e2e_p50_s),
                                            detail::round_series(model, "p90", "c", &PageRound::e2e_p90_s),
                                            detail::round_series(model, "p99", "b", &PageRound::e2e_p99_s)});
        if (const auto limit = detail::limit_of(model, "e2e_slo_s"))
            latency.lines.push_back({'y', *limit, "SLO " + shown_number(limit, "s"), "slo"});
        out += "<div class=\"wide\">" + charts.add(latency) + "</div>\n<div class=\"pair\">";
        auto ttft =
            detail::round_chart(model, "Time to first token by round", "TTFT (ms)",
                                {detail::round_series(model, "p50", "a", &PageRound::ttft_p50_s, 1000),
                                 detail::round_series(model, "p99", "b", &PageRound::ttft_p99_s, 1000)});
        if (const auto limit = detail::limit_of(model, "ttft_slo_ms"))
            ttft.lines.push_back({'y', *limit, "SLO " + shown_number(limit, "ms"), "slo"});
        out += charts.add(ttft) +
               charts.add(detail::round_chart(
                   model, "Request rate by round", "requests per second",
                   {detail::round_series(model, "asked for", "target", &PageRound::target_qps),
                    detail::round_series(model, "sent", "a", &PageRound::sent_qps),
                    detail::round_series(model, "completed", "b", &PageRound::completed_qps)})) +
               "</div>\n";
    }
    return detail::section(
        "rounds", "Rounds", out,
        "No round records, no request log and no artifact with rounds were given: nothing is known of how "
        "latency went over time.");
}

/// Distributions of the steady window, or of all rounds, as curves and in a table.
inline std::string distributions_section(const HtmlModel& model, ChartSheet& charts)
{
    const auto steady = model.steady();
    const auto all = model.distributions(steady);
    std::string out;
    if (all.e2e_s.count() + all.ttft_s.count() + all.tpot_ms.count() + all.itl_ms.count() > 0) {
        out += html_paragraph(
            "lead",
            std::string(steady ? "Successes of the steady window" : "Successes of all rounds") +
                (model.of_requests.empty() ? ", from the sketches of the rounds" : ", from single requests") +
                "; within 0.5 % of the exact percentiles. Latencies count from the moment a request was " +
                (model.from_send() ? "sent." : "due, so that waiting in the client counts."));
        const std::array<detail::ShownLatency, 4> latencies{
            {{"End to end", "s", all.e2e_s, 1},
             {"Time to first token (TTFT)", "ms", all.ttft_s, 1000},
             {"Time per output token (TPOT)", "ms", all.tpot_ms, 1},
             {"Gap between tokens (ITL)", "ms", all.itl_ms, 1}}};
        out += "<div class=\"pair\">";
        std::vector<Cells> rows;
        for (const auto& latency : latencies) {
            out += charts.add(detail::distribution_chart(latency));
            rows.push_back(detail::distribution_row(latency));
        }
        out +=
            "</div>\n" +
            html_table("Latencies of successes",
                       {"Latency", "Unit", "Values", "Mean", "Min", "p50", "p90", "p95", "p99", "Max"}, rows);
    }
    return detail::section(
        "distributions", "Distributions", out,
        "Neither a request log nor rounds with sketches were given: percentiles alone have no curve.");
}

/// Requests by status, errors by kind and by cause, finish reasons.
inline std::string errors_section(const HtmlModel& model)
{
    std::string out;
    if (!model.counts.empty()) {
        out =
            "<div class=\"pair\">" + detail::status_table(model.counts) +
            (model.errors.empty() ? html_paragraph("note", "No request failed.")
                                  : detail::counts_table("Requests that are not ok", "Kind", model.errors)) +
            detail::counts_table("Answers by the reason they ended for", "Finish reason",
                                 model.finish_reasons) +
            detail::counts_table("Failures in words", "Cause", model.causes) + "</div>\n";
    }
    return detail::section("errors", "Errors and finish reasons", out,
                           "No round records and no request log were given: errors are not known by kind.");
}

} // namespace slo::report

#endif
