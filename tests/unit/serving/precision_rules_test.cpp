#include <slo/serving/precision_rules.hpp>

#define BOOST_TEST_MODULE serving_precision_rules
#include <boost/test/unit_test.hpp>

#include "../../support/checked_deployment.hpp"

using namespace slo;
using test::facts_of;
using test::said;

namespace {

std::string precision(const std::string& quantization, const std::string& arch,
                      const std::string& config = "")
{
    return said(serving::precision_rule, facts_of("{model: {quantization: " + quantization +
                                                      "}, infrastructure: {gpu: {arch: " + arch + "}}}",
                                                  config))
        .substr(0, 4);
}

} // namespace

BOOST_AUTO_TEST_CASE(each_format_has_the_least_card_that_computes_in_it)
{
    const char* const kept[][2] = {{"fp8", "sm_89"},  {"nvfp4", "sm_100"}, {"fp4", "sm_120"},
                                   {"bf16", "sm_80"}, {"int8", "sm_75"},   {"fp16", "sm_70"},
                                   {"gptq", "sm_70"}, {"none", "sm_60"}};
    for (const auto& [format, arch] : kept)
        BOOST_TEST(precision(format, arch) == "kept", format);
    const char* const broken[][2] = {
        {"fp8", "sm_86"}, {"nvfp4", "sm_90"}, {"bf16", "sm_75"}, {"awq", "sm_70"}};
    for (const auto& [format, arch] : broken)
        BOOST_TEST(precision(format, arch) == "fail", format);
    BOOST_TEST(precision("mxfp4", "sm_90") == "warn");
    BOOST_TEST(precision("mxfp4", "sm_75") == "fail");
}

BOOST_AUTO_TEST_CASE(without_a_quantization_the_checkpoints_type_counts)
{
    BOOST_TEST(precision("none", "sm_75", R"({"torch_dtype":"bfloat16"})") == "fail");
    BOOST_TEST(precision("null", "sm_75", R"({"torch_dtype":"float16"})") == "kept");
    BOOST_TEST(said(serving::precision_rule, facts_of("{}")) ==
               "not applicable: the weights' format is not known");
}

BOOST_AUTO_TEST_CASE(scales_of_experts_split_by_the_checkpoints_block)
{
    const char* const sidecar = "{model: {quantization: fp8}, engine: {tensor_parallel: 8}}";
    BOOST_TEST(said(serving::fp8_moe_rule, facts_of(sidecar, R"({"num_experts":8,"moe_intermediate_size":1536,
                                          "quantization_config":{"quant_method":"fp8","weight_block_size":[64,64]}})")) ==
               "kept");
    BOOST_TEST(said(serving::fp8_moe_rule, facts_of(sidecar, R"({"num_experts":8,"moe_intermediate_size":1537,
                                          "quantization_config":{"quant_method":"fp8"}})")) ==
               "not applicable: scales are per-tensor, not by block");
}

BOOST_AUTO_TEST_CASE(stretched_positions_are_not_judged)
{
    const auto facts = facts_of("{model: {max_model_len: 9, max_position_embeddings: 8}, "
                                "engine: {extra_args: {rope-scaling: '{}'}}}");
    BOOST_TEST(said(serving::context_rule, facts).starts_with("warn: max_model_len 9 is above"));
}

BOOST_AUTO_TEST_CASE(unknown_names_name_the_nearest)
{
    BOOST_TEST(said(serving::quantization_names_rule, facts_of("model: {quantization: nvpf4}")) ==
               "fail: 'nvpf4' is no quantization known here [model.quantization] (nvfp4)");
    BOOST_TEST(said(serving::quantization_names_rule, facts_of("engine: {kv_cache_dtype: fp8_ds_mla}")) ==
               "kept");
    BOOST_TEST(said(serving::quantization_names_rule,
                    facts_of("{}", R"({"quantization_config":{"quant_method":"quark"}})"))
                   .starts_with("info: 'quark'"));
}
