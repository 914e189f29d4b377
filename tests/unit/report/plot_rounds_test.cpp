// SPDX-License-Identifier: MIT
// Unit test of report/plot_rounds.hpp.

#include <slo/report/plot_rounds.hpp>

#define BOOST_TEST_MODULE report_plot_rounds
#include <boost/test/unit_test.hpp>

#include <string>

using namespace slo;
using namespace slo::report;

namespace {

void take(RoundSeries& series, const std::string& p50, const std::string& file = "f")
{
    series.take(
        {Kind::round, file, 1,
         parse_json(R"({"slo_seconds":6,"Latency":{"p50":)" + p50 + R"(,"p90":2,"p99":3}})").get_object()});
}

bool has(const std::string& text, const std::string& part)
{
    return text.find(part) != std::string::npos;
}

} // namespace

BOOST_AUTO_TEST_CASE(the_warm_up_ends_where_the_steady_window_begins)
{
    RoundSeries series;
    for (const auto* p50 : {"9", "null", "1", "1.1", "1"})
        take(series, p50);
    BOOST_TEST(series.count() == 5u);
    const auto script = series.script({});
    BOOST_TEST(has(script, "1.0 9.0 2.0 3.0\n2.0 NaN 2.0 3.0\n3.0 1.0 2.0 3.0\n"));
    BOOST_TEST(has(script, "first 0.5, graph 0 to first 2.5,"));
    BOOST_TEST(has(script, "first 2.5, graph 0 to first 5.5,"));
    BOOST_TEST(has(script, "'SLO 6.0 s'"));
    series.take(
        {Kind::verdict, "v", 1,
         parse_json(R"({"steady_window_start_idx":3,"steady_window_size":2,"slo_s":4})").get_object()});
    const auto judged = series.script({});
    BOOST_TEST(has(judged, "first 3.5, graph 0 to first 5.5,"));
    BOOST_TEST(has(judged, "'SLO 4.0 s'"));
    PlotFrame frame;
    frame.slo_s = 2.5;
    BOOST_TEST(has(series.script(frame), "'SLO 2.5 s'"));
}

BOOST_AUTO_TEST_CASE(several_runs_are_a_line_each)
{
    RoundSeries series;
    BOOST_CHECK_THROW(series.script({}), InputError);
    take(series, "null", "a");
    BOOST_CHECK_THROW(series.script({}), InputError);
    take(series, "1", "b");
    const auto script = series.script({});
    BOOST_TEST(has(script, "'p50 a'"));
    BOOST_TEST(has(script, "'p50 b'"));
    BOOST_TEST(!has(script, "rectangle"));
}
