// SPDX-License-Identifier: MIT
#include <slo/plan/client_totals.hpp>
#define BOOST_TEST_MODULE plan_client_totals
#include <boost/test/unit_test.hpp>

#include <slo/base/error.hpp>
#include <slo/base/json.hpp>

#include <string>

using namespace slo;
using slo::plan::ClientTotals;

namespace {

json::object record(const std::string& text)
{
    return parse_json(text).as_object();
}

} // namespace

BOOST_AUTO_TEST_CASE(requests_are_added_up)
{
    ClientTotals totals;
    BOOST_TEST(totals.add(record(R"({"schema":"sloutils.request/1","status":"ok","sent_s":0.5,
        "input_tokens":100,"output_tokens":30,"choices":[{"index":0,"finish_reason":"length"},
        {"index":1,"finish_reason":"stop"},{"index":2,"finish_reason":"stop"}]})")));
    BOOST_TEST(totals.add(record(R"({"schema":"sloutils.request/1","status":"ok","sent_s":1,
        "input_tokens":50,"output_tokens":7,"choices":[{"index":0,"finish_reason":"stop"}]})")));
    BOOST_TEST(totals.add(record(R"({"schema":"sloutils.request/1","status":"failed","sent_s":2})")));
    BOOST_TEST(totals.add(record(R"({"schema":"sloutils.request/1","status":"not_sent","sent_s":null})")));
    BOOST_TEST(totals.ok == 2);
    BOOST_TEST(totals.sent == 3);
    BOOST_TEST(totals.choices == 4);
    BOOST_TEST(totals.warmed_up == 1);
    BOOST_TEST(totals.prompt_tokens == 150);
    BOOST_TEST(totals.prompt_tokens_by_choice == 350);
    BOOST_TEST(totals.prompt_tokens_warmed_up == 100);
    BOOST_TEST(totals.generation_tokens == 37);
    BOOST_TEST(totals.finish_reasons["stop"] == 3);
    BOOST_TEST(totals.choices_per_request() == 2);
    BOOST_TEST(totals.records == 4u);
    BOOST_TEST(totals.knows_generation_tokens);
    totals.add(record(R"({"schema":"sloutils.request/1","status":"ok","sent_s":1,"input_tokens":null,
        "output_tokens":7,"output_tokens_estimated":true,"choices":[]})"));
    BOOST_TEST(!totals.knows_prompt_tokens);
    BOOST_TEST(!totals.knows_generation_tokens);
}

// The mean of input_tokens is a whole number; tokens per minute times the round's length are exact.
BOOST_AUTO_TEST_CASE(rounds_give_exact_tokens_where_they_can)
{
    ClientTotals totals;
    totals.add(record(R"({"schema":"sloutils.round/1","actual_qps":2,"input_tokens":10,
        "input_tokens_per_minute":126,"output_tokens":5,"output_tokens_per_minute":66,
        "finish_reasons":{"stop":6},"counts":{"due":10,"sent":10,"ok":2}})"));
    BOOST_TEST(totals.prompt_tokens == 10.5, boost::test_tools::tolerance(1e-12));
    BOOST_TEST(totals.generation_tokens == 5.5, boost::test_tools::tolerance(1e-12));
    BOOST_TEST(totals.choices == 6);
    // An older producer's record: no rate, so the means have to do.
    totals.add(record(R"({"input_tokens":10,"output_tokens":5,"success_rate":100,
        "counts":{"due":4,"sent":4,"ok":4}})"));
    BOOST_TEST(totals.prompt_tokens == 50.5, boost::test_tools::tolerance(1e-12));
    BOOST_TEST(totals.choices == 10);
    totals.add(record(R"({"schema":"sloutils.round/1","counts":{"due":4,"sent":4,"ok":0}})"));
    BOOST_TEST(totals.knows_prompt_tokens);
    totals.add(record(R"({"schema":"sloutils.round/1","counts":{"due":4,"sent":4,"ok":1}})"));
    BOOST_TEST(!totals.knows_prompt_tokens);
    BOOST_TEST(totals.has_counts);
    totals.add(record(R"({"success_rate":100,"input_tokens":10})"));
    BOOST_TEST(!totals.has_counts);
}

BOOST_AUTO_TEST_CASE(other_records_are_left_and_kinds_are_not_mixed)
{
    ClientTotals totals;
    BOOST_TEST(!totals.add(record(R"({"schema":"sloutils.run/1"})")));
    BOOST_TEST(!totals.add(record(R"({"status":"PASS"})")));
    BOOST_TEST(totals.records == 0u);
    BOOST_TEST(totals.add(record(R"({"schema":"sloutils.request/1","status":"failed"})")));
    BOOST_CHECK_THROW(totals.add(record(R"({"schema":"sloutils.round/1"})")), InputError);
}

BOOST_AUTO_TEST_CASE(a_server_cannot_fill_the_totals_with_reasons)
{
    ClientTotals totals;
    for (int i = 0; i < 200; ++i)
        totals.add(record(R"({"schema":"sloutils.request/1","status":"ok","choices":[{"finish_reason":"r)" +
                          std::to_string(i) + "\"}]}"));
    BOOST_TEST(totals.finish_reasons.size() == ClientTotals::max_reasons + 1);
    BOOST_TEST(totals.finish_reasons["(other)"] == 136);
}
