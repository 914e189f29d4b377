// SPDX-License-Identifier: MIT
#include <slo/artifact/foreign_serving.hpp>

#define BOOST_TEST_MODULE artifact_foreign_serving
#include <boost/test/unit_test.hpp>

using namespace slo;

namespace {

// Made up of the keys that `vllm bench serve --save-result --save-detailed` writes: two requests that
// succeeded, one that failed.
json::object detailed()
{
    return parse_json(R"({"date":"20260501-100000","endpoint_type":"openai-chat","label":null,)"
                      R"("model_id":"org/m","tokenizer_id":"org/m","num_prompts":3,"request_rate":"inf",)"
                      R"("burstiness":1.0,"max_concurrency":8,"duration":2.0,"completed":2,"failed":1,)"
                      R"("total_input_tokens":30,"total_output_tokens":6,"request_throughput":1.0,)"
                      R"("request_goodput":null,"output_throughput":3.0,"total_token_throughput":18.0,)"
                      R"("max_concurrent_requests":3,"input_lens":[10,20,15],"output_lens":[2,4,0],)"
                      R"("ttfts":[0.1,0.2,0.0],"itls":[[0.05],[0.01,0.02,0.03],[]],"errors":["","","boom"],)"
                      R"("mean_ttft_ms":150.0,"median_ttft_ms":150.0,"p99_ttft_ms":199.0,)"
                      R"("mean_tpot_ms":35.0,"median_tpot_ms":35.0,"p99_tpot_ms":49.7,)"
                      R"("mean_itl_ms":27.5,"median_itl_ms":25.0,"p99_itl_ms":49.4})")
        .as_object();
}

} // namespace

BOOST_AUTO_TEST_CASE(single_requests_give_every_percentile)
{
    const auto result = artifact::vllm_result(detailed(), "r.json");
    BOOST_CHECK_EQUAL(result.source_tool, "vllm-bench-serve");
    const auto p = [&](const char* block, const char* figure) {
        return result.metrics.at(block).at(figure).as_double();
    };
    BOOST_CHECK_CLOSE(p("ttft_ms", "p90"), 190.0, 1e-9); // numpy.percentile([100, 200], 90)
    BOOST_CHECK_CLOSE(p("ttft_ms", "p99"), 199.0, 1e-9);
    BOOST_CHECK_CLOSE(p("tpot_ms", "p50"), 35.0, 1e-9); // 50 and 20
    BOOST_CHECK_CLOSE(p("itl_ms", "p50"), 25.0, 1e-9);
    BOOST_CHECK_CLOSE(p("e2e_ms", "mean"), 205.0, 1e-9); // 150 and 260: without --percentile-metrics e2el
    BOOST_CHECK_EQUAL(result.origin.at("metrics.e2e_ms").as_string(), "derived");
    BOOST_CHECK_EQUAL(result.origin.at("metrics.ttft_ms").as_string(), "client");
    BOOST_CHECK_EQUAL(result.metrics.at("max_concurrent_requests").as_int64(), 3);
    BOOST_CHECK_EQUAL(result.settings.at("request_rate").as_string(), "inf");
    BOOST_CHECK_EQUAL(result.requests.input_tokens.size(), 2);
    BOOST_CHECK_EQUAL(result.requests.itl_ms.size(), 4);
}

BOOST_AUTO_TEST_CASE(single_requests_of_another_run_are_not_used)
{
    auto raw = detailed();
    raw["mean_ttft_ms"] = 300.0;
    auto result = artifact::vllm_result(raw, "r.json");
    BOOST_CHECK(result.metrics.at("ttft_ms").at("p90").is_null());
    BOOST_CHECK_EQUAL(result.notes.front(), "metrics.ttft_ms: the requests one by one have a mean of 150.000 "
                                            "ms, the summary says 300.000: the summary's figures are kept");
    raw = detailed();
    raw["completed"] = 3;
    result = artifact::vllm_result(raw, "r.json");
    BOOST_CHECK(result.metrics.at("e2e_ms").at("mean").is_null());
    BOOST_CHECK(result.requests.ttft_ms.empty());
    raw["ttfts"] = json::array{"x"};
    BOOST_CHECK_THROW(artifact::vllm_result(raw, "r.json"), InputError);
}

BOOST_AUTO_TEST_CASE(old_vllm_files_tell_the_failed_by_the_prompts)
{
    const auto raw = parse_json(R"({"duration":2,"completed":9,"num_prompts":10})").as_object();
    const auto result = artifact::vllm_result(raw, "r.json");
    BOOST_CHECK_EQUAL(result.metrics.at("failed").as_int64(), 1);
    BOOST_CHECK_EQUAL(result.origin.at("metrics.failed").as_string(), "derived");
    BOOST_CHECK_EQUAL(result.metrics.at("error_rate").as_double(), 0.1);
}

BOOST_AUTO_TEST_CASE(acceptance_is_a_share)
{
    const auto raw = parse_json(R"({"completed":1,"spec_decode_acceptance_rate":66.0,)"
                                R"("spec_decode_acceptance_length":2.32,"spec_decode_num_drafts":50,)"
                                R"("spec_decode_draft_tokens":100,"spec_decode_accepted_tokens":66})")
                         .as_object();
    const auto vllm = artifact::vllm_result(raw, "r.json");
    BOOST_CHECK_EQUAL(to_json(vllm.extensions),
                      R"({"speculative_decode":{"acceptance_rate":0.66,"tokens_per_step":2.32,)"
                      R"("draft_tokens":100.0,"accepted_tokens":66.0}})");
    const auto sglang = artifact::sglang_result(
        parse_json(R"({"completed":1,"accept_length":2.5,"cache_hit_rate":50})").as_object(), "r.jsonl");
    BOOST_CHECK_EQUAL(to_json(sglang.extensions), R"({"speculative_decode":{"tokens_per_step":2.5}})");
    BOOST_CHECK_EQUAL(sglang.notes.front(), "cache_hit_rate: 50.0 is no share of 1");
}

BOOST_AUTO_TEST_CASE(details_of_sglang_tell_the_failed)
{
    const auto raw = parse_json(R"({"backend":"sglang","dataset_name":"random","duration":1.0,"completed":1,)"
                                R"("mean_e2e_latency_ms":150.0,"median_e2e_latency_ms":150.0,)"
                                R"("ttfts":[0.1,0.0],"itls":[[0.05],[]],"output_lens":[2,0],)"
                                R"("input_lens":[7,7],"errors":["","HTTP 500"],"generated_texts":["a",""]})")
                         .as_object();
    const auto result = artifact::sglang_result(raw, "r.jsonl");
    BOOST_CHECK_EQUAL(result.metrics.at("failed").as_int64(), 1);
    BOOST_CHECK_EQUAL(result.metrics.at("e2e_ms").at("p99").as_double(), 150);
    BOOST_CHECK_EQUAL(result.settings.at("dataset_name").as_string(), "random");
}
