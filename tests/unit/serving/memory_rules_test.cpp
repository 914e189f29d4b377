#include <slo/serving/memory_rules.hpp>

#define BOOST_TEST_MODULE serving_memory_rules
#include <boost/test/unit_test.hpp>

#include "../../support/checked_deployment.hpp"

using namespace slo;
using test::facts_of;
using test::said;

namespace {

const std::string gpu = ", infrastructure: {gpu: {vram_gb: 80, count: 8}}}";

} // namespace

// Llama 3 70B: 80 layers of 8 heads of 128, keys and values, 16 bits: 320 KiB a token.
BOOST_AUTO_TEST_CASE(grouped_heads_keep_what_their_makers_say)
{
    const auto config =
        R"({"num_attention_heads":64,"num_key_value_heads":8,"hidden_size":8192,"num_hidden_layers":80})";
    const auto plan = serving::plan_memory(
        facts_of("{model: {id: org/m-70B, max_model_len: 8192}, engine: {tensor_parallel: 8}" + gpu, config));
    BOOST_TEST(*plan.token_bytes == 320.0 * 1024);
    BOOST_TEST(*plan.weight_bytes == 140e9);
    BOOST_TEST(plan.weight_bytes.where == "model.id");
    BOOST_TEST(*plan.usable_bytes == 80 * serving::gib_bytes * 0.9 * 8);
    const auto kept_twice =
        serving::plan_memory(facts_of("{engine: {tensor_parallel: 16, kv_cache_dtype: fp8}" + gpu, config));
    BOOST_TEST(*kept_twice.token_bytes == 320.0 * 1024);
}

// DeepSeek V3: 61 layers of 512 + 64 numbers, on each rank.
BOOST_AUTO_TEST_CASE(latent_attention_keeps_its_rank_and_positions)
{
    const auto plan = serving::plan_memory(facts_of(
        "{engine: {tensor_parallel: 8}" + gpu,
        R"({"num_attention_heads":128,"num_hidden_layers":61,"kv_lora_rank":512,"qk_rope_head_dim":64})"));
    BOOST_TEST(*plan.token_bytes == 61.0 * 576 * 2 * 8);
}

BOOST_AUTO_TEST_CASE(windows_keep_no_more_than_themselves)
{
    const auto facts =
        facts_of("{model: {max_model_len: 1000}" + gpu,
                 R"({"num_attention_heads":4,"head_dim":64,"num_hidden_layers":4,"sliding_window":100,
             "layer_types":["full_attention","sliding_attention","sliding_attention","sliding_attention"]})");
    const auto plan = serving::plan_memory(facts);
    const double layer = 2 * 4 * 64 * 2;
    BOOST_TEST(plan.sequence_bytes(1000) == layer * (1000 + 3 * 100));
    BOOST_TEST(plan.sequence_bytes(50) == layer * 4 * 50);
    const auto all = serving::plan_memory(
        facts_of("{model: {}" + gpu,
                 R"({"num_attention_heads":4,"head_dim":64,"num_hidden_layers":4,"sliding_window":100})"));
    BOOST_TEST(all.sequence_bytes(1000) == layer * 4 * 100);
}

BOOST_AUTO_TEST_CASE(of_a_hybrid_only_attention_layers_keep_a_cache)
{
    const std::string hybrid = "{model: {architecture: hybrid-mamba, max_model_len: 8}" + gpu;
    const auto* const rest = R"("num_attention_heads":2,"head_dim":64,"num_hidden_layers":40})";
    BOOST_TEST(!serving::plan_memory(facts_of(hybrid, std::string("{") + rest)).token_bytes);
    const auto known =
        serving::plan_memory(facts_of(hybrid, std::string(R"({"hybrid_override_pattern":"M*M*",)") + rest));
    BOOST_TEST(*known.token_bytes == 2.0 * 2 * 2 * 64 * 2);
}

BOOST_AUTO_TEST_CASE(what_is_missing_is_named_with_what_would_say_it)
{
    BOOST_TEST(
        said(serving::kv_memory_rule, facts_of("{model: {max_model_len: 8, parameters_total: 8B}}")) ==
        "info: whether a sequence of the whole context fits is not known: the memory of the GPUs is missing "
        "[model.parameters_total] (say infrastructure.gpu.vram_gb)");
    BOOST_TEST(
        said(serving::kv_memory_rule, facts_of("{model: {max_model_len: 8, parameters_total: 8B}" + gpu))
            .ends_with("the number of layers is missing [infrastructure.gpu.vram_gb, model.parameters_total] "
                       "(give --model-config)"));
    BOOST_TEST(said(serving::kv_memory_rule, facts_of("{}")) ==
               "not applicable: neither context nor memory are known");
    BOOST_TEST(said(serving::kv_memory_rule, facts_of("infrastructure: {gpu: {vram_gb: 0}}")) ==
               "not applicable: the cards have no memory");
}

BOOST_AUTO_TEST_CASE(a_share_in_percent_is_no_share)
{
    BOOST_TEST(said(serving::kv_memory_rule,
                    facts_of("{engine: {extra_args: {gpu-memory-utilization: 90}}" + gpu)) ==
               "fail: the share of the cards' memory in extra_args is 90.0, which is none of 1 "
               "[engine.extra_args] (0.9 for 90 %)");
}

BOOST_AUTO_TEST_CASE(offloads_add_up_over_ranks)
{
    const auto facts =
        facts_of("{engine: {tensor_parallel: 2, hierarchical_cache: true, hicache_size_gb: 10, "
                 "extra_args: {swap-space: 4, kv-offloading-size: 20}}, "
                 "infrastructure: {host_memory_gb: 40}}");
    BOOST_TEST(said(serving::host_memory_rule, facts).starts_with("fail: 48.0 GiB of the host's memory"));
    // Replicas on this machine count, those on others do not.
    BOOST_TEST(said(serving::host_memory_rule,
                    facts_of("{engine: {tensor_parallel: 2, replicas: 4, extra_args: {swap-space: 4}}, "
                             "infrastructure: {host_memory_gb: 20, gpu: {count: 6}}}"))
                   .starts_with("fail: 24.0 GiB of the host's memory are offloaded to "
                                "(extra_args.swap-space, over 6 ranks)"));
    BOOST_TEST(said(serving::host_memory_rule, facts_of("engine: {hicache_size_gb: 10}")) ==
               "not applicable: nothing is offloaded to the host's memory");
}
