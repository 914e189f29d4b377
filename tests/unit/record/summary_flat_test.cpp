// SPDX-License-Identifier: MIT
#include <slo/record/summary_flat.hpp>

#define BOOST_TEST_MODULE record_summary_flat
#include <boost/test/unit_test.hpp>

#include "../../support/totals_of_run.hpp"

#include <string>

using namespace slo;

namespace {

const auto within_error = boost::test_tools::tolerance(0.005001);

record::RunInfo info()
{
    record::RunInfo info;
    info.start_epoch_s = 1769846400; // 2026-01-31T08:00:00Z
    info.backend = "openai-chat";
    info.model = "m";
    info.dataset = "route.jsonl";
    info.request_rate = 10;
    return info;
}

double at(const json::object& summary, const std::string& name)
{
    BOOST_TEST_CONTEXT(name)
    BOOST_REQUIRE(summary.contains(name));
    return as_number(&summary.at(name)).value();
}

} // namespace

BOOST_AUTO_TEST_CASE(vllm)
{
    record::RoundTerms terms;
    terms.ttft_slo_ms = 100;
    const auto summary = record::vllm_summary(info(), test::totals_of_run(terms));
    BOOST_TEST(summary.at("date") == "20260131-080000");
    for (const char* name : {"backend", "endpoint_type"})
        BOOST_TEST(summary.at(name) == "openai-chat");
    BOOST_TEST(summary.at("model_id") == "m");
    for (const char* unknown : {"tokenizer_id", "label", "burstiness", "max_concurrency"})
        BOOST_TEST(summary.at(unknown).is_null());
    BOOST_TEST(at(summary, "num_prompts") == 200);
    BOOST_TEST(at(summary, "request_rate") == 10);
    BOOST_TEST(at(summary, "duration") == 10.25);
    BOOST_TEST(at(summary, "completed") == 198);
    BOOST_TEST(at(summary, "failed") == 2);
    BOOST_TEST(summary.at("total_input_tokens") == 198 * 30);
    BOOST_TEST(summary.at("total_output_tokens") == 198 * 11);
    BOOST_TEST(at(summary, "request_throughput") == 198 / 10.25);
    BOOST_TEST(at(summary, "request_goodput") == 198 / 10.25);
    BOOST_TEST(at(summary, "output_throughput") == 198 * 11 / 10.25);
    BOOST_TEST(at(summary, "total_token_throughput") == 198 * 41 / 10.25);
    BOOST_TEST(at(summary, "max_concurrent_requests") == 200);
    for (const auto& [metric, ms] : {std::pair("ttft", 50), {"tpot", 20}, {"itl", 20}, {"e2el", 250}}) {
        for (const char* figure : {"mean", "median", "p50", "p90", "p95", "p99"})
            BOOST_TEST(at(summary, std::string(figure) + "_" + metric + "_ms") == ms, within_error);
        BOOST_TEST(std::abs(at(summary, std::string("std_") + metric + "_ms")) < 1e-3);
    }
}

BOOST_AUTO_TEST_CASE(sglang)
{
    const auto summary = record::sglang_summary(info(), test::totals_of_run());
    BOOST_TEST(summary.at("dataset_name") == "route.jsonl");
    for (const char* unknown : {"tag", "max_concurrency", "total_output_tokens_retokenized", "accept_length"})
        BOOST_TEST(summary.at(unknown).is_null());
    BOOST_TEST(at(summary, "completed") == 198);
    BOOST_TEST(at(summary, "input_throughput") == 198 * 30 / 10.25);
    BOOST_TEST(at(summary, "total_throughput") == 198 * 41 / 10.25);
    BOOST_TEST(at(summary, "concurrency") == 198 * 0.25 / 10.25, boost::test_tools::tolerance(1e-9));
    BOOST_TEST(at(summary, "max_itl_ms") == 20);
    for (const char* name :
         {"mean_e2e_latency_ms", "median_e2e_latency_ms", "p90_e2e_latency_ms", "p99_e2e_latency_ms"})
        BOOST_TEST(at(summary, name) == 250, within_error);
    for (const char* name : {"mean_ttft_ms", "median_ttft_ms", "p99_ttft_ms"})
        BOOST_TEST(at(summary, name) == 50, within_error);
    for (const char* name : {"median_tpot_ms", "p99_tpot_ms", "p95_itl_ms", "p99_itl_ms"})
        BOOST_TEST(at(summary, name) == 20, within_error);
    BOOST_TEST(summary.contains("std_e2e_latency_ms"));
}

BOOST_AUTO_TEST_CASE(a_run_without_a_success_is_null_not_nought)
{
    for (const auto& summary : {record::vllm_summary(info(), {}), record::sglang_summary(info(), {})}) {
        BOOST_TEST(summary.at("completed") == 0);
        for (const char* name : {"mean_ttft_ms", "p99_itl_ms", "request_throughput"})
            BOOST_TEST(summary.at(name).is_null(), name);
        BOOST_CHECK_NO_THROW(parse_json(to_json(summary)));
    }
    BOOST_TEST(record::vllm_summary(info(), test::totals_of_run()).at("request_goodput").is_null()); // no SLO
}
