// SPDX-License-Identifier: MIT
// Unit test of report/search_view.hpp.

#include <slo/report/search_view.hpp>

#define BOOST_TEST_MODULE report_search_view
#include <boost/test/unit_test.hpp>

#include <string>

using namespace slo;
using namespace slo::report;

namespace {

json::object object(const std::string& text)
{
    return parse_json(text).get_object();
}

SearchView view(std::initializer_list<const char*> lines)
{
    SearchView view;
    for (const auto* line : lines)
        view.take(object(line));
    return view;
}

const char* const start =
    R"({"schema":"sloutils.search/1","event":"start","low_qps":30,"high_qps":70,"slo_s":6.5,
    "precision":0.01,"strategy":"certify","confidence":0.95,"rounds":100,"ceiling_qps":4480,"command":["p"]})";

} // namespace

BOOST_AUTO_TEST_CASE(a_result_is_read_back_as_it_was_written)
{
    record::SearchResult result;
    result.max_qps = 50.76;
    result.first_fail_qps = 51.47;
    result.converged = true;
    result.reason = "converged";
    result.probes = 7;
    result.notes = {"a note"};
    result.hit_rate = 0.5;
    result.unstable_qps = {51};
    result.confirm = 2;
    result.certified = record::CertifiedRates{51.2, 50.76, 51.47, 50.8, 51.5, false, 99};
    const record::SearchSettings settings{30, 70, 0.01, 6.5, false, 0, 0, 1, {"p"}, "", "certify"};
    const auto written = to_record(result, settings);
    BOOST_TEST(to_json(to_record(read_result(written), settings)) == to_json(written));
    BOOST_TEST(read_result(object(R"({"probes":-3,"max_qps":"x"})")).probes == 0u);
}

BOOST_AUTO_TEST_CASE(a_certifying_search_was_judged_by_its_objective)
{
    const auto probe = [](const std::string& objective) {
        return R"({"schema":"sloutils.search/1","event":"probe","qps":45.5,"status":"PASS","margins":[{"objective":")" +
               objective + R"(","margin":-1,"margin_error":0.1}]})";
    };
    const auto median = view({start, probe("e2e:p50<0.5").c_str()}).slo_line();
    BOOST_REQUIRE(median);
    BOOST_TEST(median->seconds == 0.5);
    BOOST_TEST(median->label == "e2e:p50<0.5");
    BOOST_TEST(!view({start, probe("ttft:p99<0.5").c_str()}).slo_line());
    BOOST_TEST(!view({start, probe("not one").c_str()}).slo_line());
    BOOST_TEST(!view({start, probe("e2e:p50<0.5").c_str(), probe("success>=99%").c_str()}).slo_line());
    BOOST_TEST(view({start}).slo_line().value().seconds == 6.5);
}

BOOST_AUTO_TEST_CASE(without_a_start_record_the_others_tell)
{
    const auto loop =
        view({R"({"status":"PASS","qps":8.5,"slo_s":6.5,"tail_window":8,"avg_p50_latency_s":4})"});
    BOOST_TEST(loop.settings().tail_window == 8);
    BOOST_TEST(loop.slo_line().value().label == "SLO 6.5 s");
    BOOST_TEST(!loop.result().has_value());
    const auto ended =
        view({R"({"schema":"sloutils.search/1","event":"result","max_qps":8.5,"reason":"budget",
        "slo_s":2,"precision":0.5,"total_rounds":8,"tail_window":4})"});
    BOOST_TEST(ended.settings().precision_qps == 0.5);
    BOOST_TEST(ended.result().value().reason == "budget");
    BOOST_TEST(view({}).empty());
}

BOOST_AUTO_TEST_CASE(what_is_no_precision_is_refused)
{
    BOOST_CHECK_THROW(
        view({R"({"schema":"sloutils.search/1","event":"start","low_qps":30,"high_qps":70,"slo_s":6.5,
        "precision":0,"total_rounds":8,"tail_window":4})"}),
        Error);
}
