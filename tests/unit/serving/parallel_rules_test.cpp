#include <slo/serving/parallel_rules.hpp>

#define BOOST_TEST_MODULE serving_parallel_rules
#include <boost/test/unit_test.hpp>

#include "../../support/checked_deployment.hpp"

using namespace slo;
using test::facts_of;
using test::said;

BOOST_AUTO_TEST_CASE(heads_split_or_are_kept_several_times)
{
    const auto heads = [](int tp, const char* config) {
        return said(serving::heads_rule,
                    facts_of("engine: {tensor_parallel: " + std::to_string(tp) + "}", config));
    };
    BOOST_TEST(heads(8, R"({"num_attention_heads":64,"num_key_value_heads":8})") == "kept");
    BOOST_TEST(heads(1, R"({"num_attention_heads":7})") == "not applicable: the model is not cut");
    BOOST_TEST(heads(4, R"({"num_attention_heads":28,"num_key_value_heads":4})") == "kept");
    BOOST_TEST(
        heads(8, R"({"num_attention_heads":28,"num_key_value_heads":4})") ==
        "fail: 28 attention heads do not split over tensor_parallel 8 [engine.tensor_parallel, config.json: "
        "num_attention_heads] (tensor_parallel 7)\n"
        "warn: 4 heads of keys and values are fewer than tensor_parallel 8: the KV cache is kept 2 times "
        "[engine.tensor_parallel, config.json: num_key_value_heads, config.json: num_attention_heads] "
        "(tensor_parallel 4)");
    BOOST_TEST(heads(8, R"({"num_attention_heads":128,"num_key_value_heads":128,"kv_lora_rank":512})")
                   .starts_with("info: latent attention"));
}

// 65536 of each would overflow 32 bits, and their product is still said right.
BOOST_AUTO_TEST_CASE(large_cuts_are_counted_right)
{
    BOOST_TEST(
        said(serving::gpus_rule, facts_of("{engine: {tensor_parallel: 65536, pipeline_parallel: 65536, "
                                          "data_parallel: 65536}, infrastructure: {gpu: {count: 1}}}")) ==
        "fail: tensor_parallel 65536 x pipeline_parallel 65536 x data_parallel 65536 needs 281474976710656 "
        "of 1 "
        "GPU [engine, infrastructure.gpu.count]");
}

BOOST_AUTO_TEST_CASE(attention_of_sglang_is_data_parallel_within_its_ranks)
{
    const auto gpus = [](const char* engine) {
        return said(serving::gpus_rule,
                    facts_of(std::string("{engine: {name: ") + engine +
                             ", tensor_parallel: 8, data_parallel: 4, extra_args: "
                             "{enable-dp-attention: true}}, infrastructure: {gpu: {count: 8}}}"));
    };
    BOOST_TEST(gpus("sglang") == "kept");
    BOOST_TEST(
        gpus("vllm").starts_with("fail: tensor_parallel 8 x pipeline_parallel 1 x data_parallel 4 needs 32"));
}

BOOST_AUTO_TEST_CASE(experts_are_spread_over_tensor_and_data_ranks)
{
    const char* const config = R"({"num_experts":128,"num_attention_heads":8})";
    BOOST_TEST(said(serving::experts_rule,
                    facts_of("engine: {expert_parallel: true, tensor_parallel: 4, data_parallel: 8}",
                             config)) == "kept");
    BOOST_TEST(said(serving::experts_rule, facts_of("engine: {expert_parallel: 24}", config))
                   .starts_with("warn: 128 experts do not split evenly over 24 ranks"));
    BOOST_TEST(said(serving::experts_rule, facts_of("engine: {expert_parallel: false}", config)) ==
               "not applicable: experts are not spread");
}
