// SPDX-License-Identifier: MIT
// Unit test of report/html_model.hpp, and of html_round.hpp under it.

#include <slo/report/html_model.hpp>

#define BOOST_TEST_MODULE report_html_model
#include <boost/test/unit_test.hpp>

#include "../../support/page_records.hpp"

#include <slo/report/html_round.hpp>

#include <string>
#include <string_view>

using namespace slo;

namespace {

using test::give;

std::string round(int number, double p50_s)
{
    return R"({"schema":"sloutils.round/1","measurement_round":)" + std::to_string(number) +
           R"(,"target_qps":4,"wire_dispatch_qps":4,"Latency":{"p50":)" + format_double(p50_s) +
           R"(},"counts":{"due":8,"ok":7,"failed":1},"errors":{"timeout":1,"tls":0},"client":{"saturated":true,)"
           R"("lateness_p99_s":0.001},"finish_reasons":{"stop":7},"exceptions":{"slow":1}})";
}

std::string request(int number, double due_s, double first_s, double end_s)
{
    return R"({"schema":"sloutils.request/1","round":)" + std::to_string(number) + R"(,"due_s":)" +
           format_double(due_s) + R"(,"sent_s":)" + format_double(due_s + 0.1) + R"(,"first_token_s":)" +
           format_double(first_s) + R"(,"last_token_s":)" + format_double(end_s) + R"(,"end_s":)" +
           format_double(end_s) +
           R"(,"status":"ok","output_tokens":11,"choices":[{"finish_reason":"stop"}],"itl_ms":[10,30]})";
}

bool is_refused(report::HtmlModel& model, std::string_view line, std::string_view reason)
{
    try {
        give(model, line);
    } catch (const Error& error) {
        return std::string_view(error.what()).find(reason) != std::string_view::npos;
    }
    return false;
}

} // namespace

BOOST_AUTO_TEST_CASE(rounds_add_up_and_have_a_steady_end)
{
    report::HtmlModel model;
    for (const int number : {2, 1, 3, 4, 5}) // in whatever order they come
        give(model, round(number, number == 1 ? 9.0 : 1.0));
    model.finish();
    BOOST_TEST(model.rounds.front().number == 1);
    BOOST_TEST(model.rounds.front().saturated);
    BOOST_TEST(model.counts.at("due") == 40);
    BOOST_TEST(model.errors.at("timeout") == 5);
    BOOST_TEST(model.errors.count("tls") == 0U); // none happened
    BOOST_TEST(model.finish_reasons.at("stop") == 35);
    BOOST_TEST(model.causes.at("slow") == 5);
    const auto steady = model.steady();
    BOOST_TEST(steady.value().first == 1U);
    BOOST_TEST(steady.value().size == 4U);
    BOOST_TEST(steady.value().told_by == "the rule of rounds-analyze");
    BOOST_TEST(model.sources.at("file").records.at("round") == 5U);
    give(model,
         R"({"schema":"sloutils.verdict/1","status":"PASS","rounds_seen":5,"steady_window_start_idx":2,)"
         R"("steady_window_size":3})");
    BOOST_TEST(model.steady().value().first == 2U);
    give(model,
         R"({"schema":"sloutils.verdict/1","status":"PASS","rounds_seen":5,"steady_window_start_idx":2,)"
         R"("steady_window_size":9000000000})"); // does not fit: that of another run
    BOOST_TEST(model.steady().value().first == 1U);
}

BOOST_AUTO_TEST_CASE(single_requests_make_rounds_where_there_are_none)
{
    report::HtmlModel model;
    give(model, request(1, 0, 1, 2));
    give(model, request(2, 5, 7, 10));
    give(model,
         R"({"schema":"sloutils.request/1","round":3,"due_s":11,"status":"failed","error_kind":"timeout",)"
         R"("error":"late"})");
    model.finish();
    BOOST_TEST(model.rounds.size() == 3U);
    BOOST_TEST(!model.rounds[2].e2e_p50_s.has_value()); // a round in which nothing succeeded stays
    BOOST_TEST(model.counts.at("ok") == 2);
    BOOST_TEST(model.errors.at("timeout") == 1);
    BOOST_TEST(model.causes.at("late") == 1);
    const auto all = model.distributions({});
    BOOST_TEST(all.e2e_s.count() == 2);
    BOOST_TEST(all.e2e_s.quantile(1).value() == 5.0, boost::test_tools::tolerance(0.005));
    BOOST_TEST(all.tpot_ms.quantile(0).value() == 100.0, boost::test_tools::tolerance(0.005));
    BOOST_TEST(all.itl_ms.count() == 4);
    BOOST_TEST(model.distributions(report::RoundRange{1, 1, ""}).e2e_s.count() == 1);
    BOOST_TEST(!model.steady().has_value());
}

BOOST_AUTO_TEST_CASE(latencies_count_from_sending_where_the_run_says_so)
{
    report::HtmlModel model;
    give(model, R"({"schema":"sloutils.run/1","latency_basis":"send","config":{}})");
    give(model, request(1, 0, 1, 2.1));
    model.finish();
    BOOST_TEST(model.distributions({}).e2e_s.quantile(0.5).value() == 2.0,
               boost::test_tools::tolerance(0.005));
    BOOST_TEST(model.from_send());
}

BOOST_AUTO_TEST_CASE(rounds_of_an_artifact)
{
    report::HtmlModel model;
    give(model,
         R"({"schema":"sloutils.envelope/1","metrics":{"completed":3,"failed":1},"extensions":{"sloutils":{)"
         R"("rounds":[{"round":1,"e2e_p50_ms":900,"warm_up":true},{"round":2,"e2e_p50_ms":500}],)"
         R"("steady":{"first":2,"size":1},"errors":{"tls":1}}}})");
    model.finish();
    BOOST_TEST(model.rounds.size() == 2U);
    BOOST_TEST(model.rounds[0].warm_up);
    BOOST_TEST(model.rounds[1].e2e_p50_s.value() == 0.5);
    BOOST_TEST(model.steady().value().first == 1U);
    BOOST_TEST(model.errors.at("tls") == 1);
    BOOST_TEST(is_refused(model, R"({"schema":"sloutils.envelope/1"})", "a second artifact"));
}

BOOST_AUTO_TEST_CASE(what_is_of_another_run_is_refused)
{
    report::HtmlModel model;
    give(model, round(1, 1));
    BOOST_TEST(is_refused(model, round(1, 1), "round 1 is there twice"));
    give(model, R"({"schema":"sloutils.run/1","config":{}})");
    give(model, R"({"schema":"sloutils.run/1","stopped":"interrupted","stopped_s":1})"); // the end of a log
    BOOST_TEST(is_refused(model, R"({"schema":"sloutils.run/1","config":{}})", "a second run record"));
    give(model, R"({"schema":"sloutils.diff/1","status":"OK"})");
    BOOST_TEST(is_refused(model, R"({"schema":"sloutils.diff/1","status":"OK"})", "a second metrics diff"));
    BOOST_TEST(is_refused(
        model, R"({"schema":"sloutils.round/1","measurement_round":2,"sketches":{"TTFT":{}}})", "sketch"));
}
