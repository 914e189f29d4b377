// SPDX-License-Identifier: MIT
// A chart as data: series, lines and bands, thinned without losing extremes; and the same as a table.

#ifndef SLO_REPORT_CHART_HPP
#define SLO_REPORT_CHART_HPP

#include <slo/base/json.hpp>
#include <slo/report/html_text.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace slo::report {

/// One point; its y is absent where nothing was measured, which shows as a gap.
struct ChartPoint {
    double x = 0;
    std::optional<double> y;
    std::optional<double> low{}; ///< an interval around y
    std::optional<double> high{};
};

/// One series of points.
struct ChartSeries {
    std::string label;
    std::string role; ///< names its colour: "a" to "d", "pass", "fail", "open", "target"
    std::string mark; ///< "line", "points" or "step"
    std::vector<ChartPoint> points;
};

/// A straight line across the chart: an objective, or a percentile.
struct ChartLine {
    char axis = 'y'; ///< the axis on which `at` stands
    double at = 0;
    std::string label;
    std::string role; ///< "slo" or "mark"
};

/// A shaded range of the x axis.
struct ChartBand {
    double from = 0;
    double to = 0;
    std::string label;
    std::string role; ///< "certified", "warmup" or "steady"
};

/// A chart and the words that go with it.
struct Chart {
    std::string title;
    std::string summary; ///< what it shows, in a sentence, for those who do not see it
    std::string x_title;
    std::string y_title;
    bool log_x = false;
    bool from_zero = true; ///< the y axis begins at 0
    bool percent = false;  ///< and ends at 100
    std::vector<ChartSeries> series;
    std::vector<ChartLine> lines{};
    std::vector<ChartBand> bands{};
    std::optional<std::pair<double, double>> x_range{}; ///< that of the data, unless given
};

/// No series shows more points than this.
inline constexpr std::size_t most_chart_points = 600;

/// At most `most` of the points (an even number, 4 or more), in their order: of each stretch the lowest and
/// the highest, so that no spike and no dip is lost. A stretch in which nothing was measured stays a gap.
inline std::vector<ChartPoint> thinned(const std::vector<ChartPoint>& points,
                                       std::size_t most = most_chart_points)
{
    if (points.size() <= most)
        return points;
    std::vector<ChartPoint> kept;
    const auto stretches = most / 2;
    for (std::size_t i = 0; i < stretches; ++i) {
        const auto begin = i * points.size() / stretches;
        const auto end = (i + 1) * points.size() / stretches;
        auto least = begin;
        auto greatest = begin;
        for (auto at = begin; at < end; ++at) {
            if (!points[at].y)
                continue;
            if (!points[least].y || *points[at].y < *points[least].y)
                least = at;
            if (!points[greatest].y || *points[at].y > *points[greatest].y)
                greatest = at;
        }
        kept.push_back(points[std::min(least, greatest)]);
        if (least != greatest)
            kept.push_back(points[std::max(least, greatest)]);
    }
    return kept;
}

/// The chart for the page's script.
inline json::object to_json_object(const Chart& chart)
{
    json::array series;
    for (const auto& one : chart.series) {
        json::array points;
        for (const auto& point : thinned(one.points)) {
            json::array values{point.x, or_null(point.y)};
            if (point.low && point.high)
                values.insert(values.end(), {*point.low, *point.high});
            points.push_back(std::move(values));
        }
        series.push_back(
            json::object{{"label", one.label}, {"role", one.role}, {"mark", one.mark}, {"points", points}});
    }
    json::array lines;
    for (const auto& line : chart.lines)
        lines.push_back(json::object{{"axis", std::string(1, line.axis)},
                                     {"at", line.at},
                                     {"label", line.label},
                                     {"role", line.role}});
    json::array bands;
    for (const auto& band : chart.bands)
        bands.push_back(
            json::object{{"from", band.from}, {"to", band.to}, {"label", band.label}, {"role", band.role}});
    json::object object{{"x", chart.x_title},      {"y", chart.y_title},       {"log", chart.log_x},
                        {"zero", chart.from_zero}, {"percent", chart.percent}, {"series", series},
                        {"lines", lines},          {"bands", std::move(bands)}};
    if (chart.x_range)
        object["range"] = json::array{chart.x_range->first, chart.x_range->second};
    return object;
}

namespace detail {

// One row an x, one column a series; of a long chart as many rows as people read.
inline std::string numbers_of(const Chart& chart, std::size_t most_rows)
{
    std::vector<double> places;
    for (const auto& series : chart.series)
        for (const auto& point : series.points)
            places.push_back(point.x);
    std::sort(places.begin(), places.end());
    places.erase(std::unique(places.begin(), places.end()), places.end());
    const auto step = (places.size() + most_rows - 1) / most_rows;
    std::vector<std::string> headings{chart.x_title};
    for (const auto& series : chart.series)
        headings.push_back(series.label);
    std::vector<Cells> rows;
    for (std::size_t i = 0; i < places.size(); i += std::max<std::size_t>(step, 1)) {
        Cells row{Cell(places[i])};
        for (const auto& series : chart.series) {
            const auto found = std::find_if(series.points.begin(), series.points.end(),
                                            [&](const ChartPoint& point) { return point.x == places[i]; });
            row.emplace_back(found == series.points.end() ? std::nullopt : found->y);
        }
        rows.push_back(std::move(row));
    }
    return html_table(chart.title + ", " + chart.y_title, headings, rows) +
           (step > 1 ? html_paragraph("note", "Every " + std::to_string(step) + "th of " +
                                                  std::to_string(places.size()) + " rows is shown.")
                     : "");
}

inline std::string thinned_note(const Chart& chart)
{
    std::size_t most = 0;
    for (const auto& series : chart.series)
        most = std::max(most, series.points.size());
    return most <= most_chart_points
               ? ""
               : html_paragraph("note", "Drawn are at most " + std::to_string(most_chart_points) + " of " +
                                            std::to_string(most) +
                                            " points a series: of each stretch the lowest and the highest.");
}

} // namespace detail

/// The charts of a page, in order: each is a figure with its numbers as a table, and data for the script.
class ChartSheet {
public:
    /// The figure of a chart, which the page's script draws; nothing where it has no point to show.
    std::string add(const Chart& chart)
    {
        const bool any = std::any_of(chart.series.begin(), chart.series.end(), [](const ChartSeries& series) {
            return std::any_of(series.points.begin(), series.points.end(),
                               [](const ChartPoint& point) { return point.y.has_value(); });
        });
        if (!any)
            return "";
        const auto id = "chart-" + std::to_string(data_.size() + 1);
        data_.push_back(to_json_object(chart));
        constexpr std::size_t most_rows = 200;
        return "<figure><figcaption>" + escaped(chart.title) +
               "</figcaption><div class=\"plot\"><canvas id=\"" + id + "\" role=\"img\" aria-label=\"" +
               escaped(chart.title + ". " + chart.summary) + "\"></canvas></div>\n" +
               detail::thinned_note(chart) + "<details><summary>Numbers</summary>\n" +
               detail::numbers_of(chart, most_rows) + "</details></figure>\n";
    }

    /// Charts added so far, for the script; the n-th belongs to the canvas "chart-n", from 1.
    const json::array& data() const noexcept { return data_; }

private:
    json::array data_;
};

} // namespace slo::report

#endif
