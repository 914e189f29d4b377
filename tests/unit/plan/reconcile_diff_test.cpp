// SPDX-License-Identifier: MIT
#include <slo/plan/reconcile_diff.hpp>
#define BOOST_TEST_MODULE plan_reconcile_diff
#include <boost/test/unit_test.hpp>

#include <slo/base/json.hpp>

#include <string>

using namespace slo;
using namespace slo::plan;

namespace {

ClientTotals two_requests_of_three_choices()
{
    ClientTotals client;
    const auto record = parse_json(R"({"schema":"sloutils.request/1","status":"ok","sent_s":1,
        "input_tokens":100,"output_tokens":30,"choices":[{"finish_reason":"stop"},
        {"finish_reason":"stop"},{"finish_reason":"length"}]})");
    client.add(record.as_object());
    client.add(record.as_object());
    return client;
}

record::Diff diff_of(const std::string& engine, double prompt_tokens)
{
    record::Diff diff;
    diff.engine = engine;
    diff.counters = {{"preemptions", 0.0}, {"prompt_tokens", prompt_tokens}, {"generation_tokens", 60.0}};
    return diff;
}

} // namespace

BOOST_AUTO_TEST_CASE(each_engine_is_held_against_its_own_basis)
{
    const auto client = two_requests_of_three_choices();
    auto diff = diff_of("vllm", 600);
    diff.success = {{"stop", 4.0}, {"length", 2.0}, {"abort", 7.0}, {"error", std::nullopt}};
    auto result = reconcile(client, diff);
    BOOST_TEST(result.reconciled.value());
    BOOST_TEST(*result.requests.server == 6);
    BOOST_TEST(result.finish_reasons.at("stop").agrees.value());
    BOOST_TEST(result.options.basis_from == "engine");

    diff = diff_of("sglang", 800);
    diff.success = {{"ended", 8.0}, {"abort", 0.0}};
    BOOST_TEST(reconcile(client, diff).reconciled.value());
    diff = diff_of("trtllm", 200);
    diff.success = {{"stop", 2.0}};
    BOOST_TEST(reconcile(client, diff).reconciled.value());
    diff = diff_of("lmdeploy", 600);
    diff.success = {{"ResponseType.FINISH", 6.0}, {"ResponseType.CANCEL", 3.0}};
    BOOST_TEST(reconcile(client, diff).reconciled.value());
}

BOOST_AUTO_TEST_CASE(a_canary_wins_over_the_engine)
{
    const auto client = two_requests_of_three_choices();
    auto diff = diff_of("vllm", 200);
    diff.success = {{"stop", 2.0}};
    BOOST_TEST(!reconcile(client, diff).reconciled.value());
    const auto result = reconcile(client, diff, RequestsBasis::request);
    BOOST_TEST(result.reconciled.value());
    BOOST_TEST(result.options.basis_from == "canary");
}

BOOST_AUTO_TEST_CASE(a_server_that_counts_nothing_or_was_restarted_gives_null)
{
    record::Diff diff;
    diff.engine = "tgi";
    BOOST_TEST(!reconcile(two_requests_of_three_choices(), diff).reconciled);
    diff = diff_of("vllm", 600);
    diff.reset_detected = true;
    BOOST_TEST(reconcile(two_requests_of_three_choices(), diff).reason ==
               "the server was restarted during the run");
}

BOOST_AUTO_TEST_CASE(failures_are_told_by_their_names)
{
    for (const auto* reason : {"stop", "length", "ended", "ResponseType.FINISH", "tool_calls", "repetition"})
        BOOST_TEST(is_success(reason), reason);
    for (const auto* reason : {"abort", "aborted", "error", "ResponseType.CANCEL", "dropped", "Timeout"})
        BOOST_TEST(!is_success(reason), reason);
}
