// SPDX-License-Identifier: MIT
// Unit test of report/chart.hpp.

#include <slo/report/chart.hpp>

#define BOOST_TEST_MODULE report_chart
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

using namespace slo;
using report::ChartPoint;

namespace {

std::vector<ChartPoint> ramp(std::size_t size)
{
    std::vector<ChartPoint> points;
    for (std::size_t i = 0; i < size; ++i)
        points.push_back({static_cast<double>(i), static_cast<double>(i % 10)});
    return points;
}

bool has_y(const std::vector<ChartPoint>& points, double y)
{
    return std::any_of(points.begin(), points.end(), [&](const ChartPoint& point) { return point.y == y; });
}

} // namespace

BOOST_AUTO_TEST_CASE(few_points_stay_as_they_are)
{
    BOOST_TEST(report::thinned(ramp(600)).size() == 600U);
    BOOST_TEST(report::thinned({}).empty());
}

BOOST_AUTO_TEST_CASE(thinning_loses_no_extreme_no_order_and_no_gap)
{
    auto points = ramp(100'000);
    points[12'345].y = 1e6;
    points[54'321].y = -1e6;
    for (std::size_t i = 70'000; i < 71'000; ++i)
        points[i].y.reset();
    const auto thin = report::thinned(points, 600);
    BOOST_TEST(thin.size() <= 600U);
    BOOST_TEST(thin.size() > 300U);
    BOOST_TEST(has_y(thin, 1e6));
    BOOST_TEST(has_y(thin, -1e6));
    BOOST_TEST(
        std::is_sorted(thin.begin(), thin.end(), [](const auto& a, const auto& b) { return a.x < b.x; }));
    BOOST_TEST(std::count_if(thin.begin(), thin.end(), [](const auto& point) { return !point.y; }) >= 2);
}

BOOST_AUTO_TEST_CASE(a_stretch_that_begins_with_a_gap_keeps_its_extremes)
{
    auto points = ramp(2000);
    for (std::size_t i = 0; i < 2000; i += 2)
        points[i].y.reset();
    const auto thin = report::thinned(points, 400);
    BOOST_TEST(std::none_of(thin.begin(), thin.end(), [](const auto& point) { return !point.y; }));
}

BOOST_AUTO_TEST_CASE(a_figure_its_numbers_and_its_data)
{
    report::Chart chart;
    chart.title = "A <b>";
    chart.summary = "it rises";
    chart.x_title = "rate";
    chart.y_title = "s";
    chart.series.push_back({"p50", "a", "line", {{1, 0.5, 0.4, 0.6}, {2, std::nullopt}}});
    chart.lines.push_back({'y', 0.7, "SLO </script>", "slo"});
    chart.bands.push_back({1, 2, "steady", "steady"});
    chart.x_range = {0.5, 2.5};
    report::ChartSheet sheet;
    const auto figure = sheet.add(chart);
    BOOST_TEST(figure.find("aria-label=\"A &lt;b&gt;. it rises\"") != std::string::npos);
    BOOST_TEST(figure.find("<canvas id=\"chart-1\"") != std::string::npos);
    BOOST_TEST(figure.find("<td class=\"n\">0.5</td>") != std::string::npos);
    BOOST_TEST(report::script_json(sheet.data()) ==
               R"([{"x":"rate","y":"s","log":false,"zero":true,"percent":false,"series":[{"label":"p50",)"
               R"("role":"a","mark":"line","points":[[1.0,0.5,0.4,0.6],[2.0,null]]}],"lines":[{"axis":"y",)"
               R"("at":0.7,"label":"SLO \u003c/script\u003e","role":"slo"}],"bands":[{"from":1.0,"to":2.0,)"
               R"("label":"steady","role":"steady"}],"range":[0.5,2.5]}])");
}

BOOST_AUTO_TEST_CASE(a_long_chart_says_what_it_leaves_out)
{
    report::Chart chart;
    chart.series.push_back({"p50", "a", "line", ramp(5000)});
    report::ChartSheet sheet;
    const auto figure = sheet.add(chart);
    BOOST_TEST(figure.find("Drawn are at most 600 of 5000 points a series") != std::string::npos);
    BOOST_TEST(figure.find("Every 25th of 5000 rows is shown.") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(there_is_no_empty_chart)
{
    report::Chart chart;
    chart.series.push_back({"p50", "a", "line", {{1, std::nullopt}}});
    report::ChartSheet sheet;
    BOOST_TEST(sheet.add(chart).empty());
    BOOST_TEST(sheet.add({}).empty());
    BOOST_TEST(sheet.data().empty());
}
