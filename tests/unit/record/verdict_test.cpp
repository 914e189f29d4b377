// SPDX-License-Identifier: MIT
#include <slo/record/verdict.hpp>

#define BOOST_TEST_MODULE record_verdict
#include <boost/test/unit_test.hpp>

using namespace slo;
using record::Verdict;
using record::VerdictStatus;

BOOST_AUTO_TEST_CASE(in_its_record)
{
    Verdict verdict;
    verdict.status = VerdictStatus::pass;
    verdict.rounds_seen = 8;
    verdict.rounds_required = 8;
    verdict.tail_window = 4;
    verdict.avg_p50_latency_s = 1.5;
    verdict.primary_metric = "steady";
    verdict.slo_s = 2;
    verdict.per_round_p50 = {3, 1.5, 1.5};
    verdict.tail_avg_p50_latency_s = 2;
    verdict.steady_window_start_idx = 1;
    verdict.steady_window_size = 2;
    verdict.steady_avg_p50_latency_s = 1.5;
    verdict.warmup_dominated = true;
    verdict.warmup_ratio_tail_over_tail3 = 1.7;
    verdict.notes = {"one", "two"};
    verdict.success_rate_min = 99.5;
    verdict.tail_spread = 2;
    verdict.confidence = record::Confidence{0.95, 1.2, 1.8, 2};
    verdict.shard_merge = "sketch";
    verdict.malformed_lines = 1;
    const auto text = to_json(record::to_record(verdict));
    BOOST_TEST(
        text ==
        R"({"status":"PASS","rounds_seen":8,"rounds_required":8,"tail_window":4,"avg_p50_latency_s":1.5,)"
        R"("primary_metric":"steady","slo_s":2.0,"per_round_p50":[3.0,1.5,1.5],"tail_avg_p50_latency_s":2.0,)"
        R"("steady_window_start_idx":1,"steady_window_size":2,"steady_avg_p50_latency_s":1.5,)"
        R"("warmup_dominated":true,"warmup_ratio_tail_over_tail3":1.7,"notes":["one","two"],)"
        R"("success_rate_min":99.5,"tail_spread":2.0,"confidence":{"level":0.95,"low_s":1.2,"high_s":1.8,)"
        R"("effective_rounds":2.0},"shard_merge":"sketch","malformed_lines":1,)"
        R"("schema":"sloutils.verdict/1"})");
}

BOOST_AUTO_TEST_CASE(undefined_figures_are_null)
{
    Verdict verdict;
    verdict.avg_p50_latency_s = std::numeric_limits<double>::infinity();
    const auto record = parse_json(to_json(record::to_record(verdict))).as_object();
    BOOST_TEST(record.at("status") == "NOT_ENOUGH_ROUNDS");
    for (const char* key : {"avg_p50_latency_s", "slo_s", "primary_metric", "confidence", "shard_merge"})
        BOOST_TEST(record.at(key).is_null(), key);
}

BOOST_AUTO_TEST_CASE(an_error)
{
    BOOST_TEST(
        to_json(record::to_record(record::error_verdict("x.jsonl: No such file or directory"))) ==
        R"({"status":"ERROR","error":"x.jsonl: No such file or directory","schema":"sloutils.verdict/1"})");
}

BOOST_AUTO_TEST_CASE(exit_statuses)
{
    BOOST_TEST((record::exit_of(VerdictStatus::pass) == Exit::ok));
    BOOST_TEST((record::exit_of(VerdictStatus::fail) == Exit::negative));
    BOOST_TEST((record::exit_of(VerdictStatus::not_enough_rounds) == Exit::undecided));
    BOOST_TEST((record::exit_of(VerdictStatus::error) == Exit::error));
}
