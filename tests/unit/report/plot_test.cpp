// SPDX-License-Identifier: MIT
// Unit test of report/plot.hpp.

#include <slo/report/plot.hpp>

#define BOOST_TEST_MODULE report_plot
#include <boost/test/unit_test.hpp>

#include <string>

using namespace slo;
using namespace slo::report;

namespace {

void take(SearchView& view, const std::string& text)
{
    view.take(parse_json(text).get_object());
}

std::string probe(const std::string& qps, const std::string& status, const std::string& latency)
{
    return R"({"schema":"sloutils.search/1","event":"probe","qps":)" + qps + R"(,"status":")" + status +
           R"(","avg_p50_latency_s":)" + latency + "}";
}

bool has(const std::string& text, const std::string& part)
{
    return text.find(part) != std::string::npos;
}

} // namespace

BOOST_AUTO_TEST_CASE(probes_by_what_they_came_to_and_what_is_certain)
{
    SearchView view;
    take(
        view,
        R"({"schema":"sloutils.search/1","event":"start","low_qps":1,"high_qps":2,"slo_s":6.5,"precision":0.1,
        "total_rounds":8,"tail_window":4})");
    std::size_t left_out = 0;
    BOOST_CHECK_THROW(search_script(view, {}, left_out), InputError);
    take(view, probe("8.5", "PASS", "4.5"));
    take(view, probe("9", "FAIL", "7.5"));
    take(view, probe("9.5", "FAIL", "null"));
    auto script = search_script(view, {}, left_out);
    BOOST_TEST(left_out == 1u);
    BOOST_TEST(has(script, "$data1 << END_OF_DATA\n8.5 4.5\nEND_OF_DATA\n$data2 << END_OF_DATA\n9.0 7.5\n"));
    BOOST_TEST(has(script, "6.5 with lines"));
    BOOST_TEST(!has(script, "rectangle"));
    const std::string result =
        R"({"schema":"sloutils.search/1","event":"result","max_qps":8.5,"first_fail_qps":9)";
    auto classic = view;
    take(classic, result + "}");
    BOOST_TEST(has(search_script(classic, {}, left_out), "from first 8.5, graph 0 to first 9.0, graph 1"));
    take(view,
         result + R"(,"max_qps_point":8.8,"max_qps_certified":8.6,"min_qps_rejected":8.9,"rounds_spent":9})");
    PlotFrame frame;
    frame.slo_s = 5;
    script = search_script(view, frame, left_out);
    BOOST_TEST(has(script, "from first 8.6, graph 0 to first 8.9, graph 1"));
    BOOST_TEST(has(script, "set arrow from first 8.8,"));
    BOOST_TEST(has(script, "5.0 with lines"));
}
