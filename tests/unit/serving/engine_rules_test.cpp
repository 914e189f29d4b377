#include <slo/serving/engine_rules.hpp>

#define BOOST_TEST_MODULE serving_engine_rules
#include <boost/test/unit_test.hpp>

#include "../../support/checked_deployment.hpp"

using namespace slo;
using test::facts_of;
using test::said;

namespace {

std::string acceptance(const std::string& value)
{
    return said(serving::acceptance_rule,
                facts_of("engine: {speculative_decode: {method: mtp, measured_acceptance: " + value + "}}"))
        .substr(0, 4);
}

std::string shape(const std::string& keys, const std::string& rest = "", const char* config = "")
{
    return said(serving::speculation_shape_rule,
                facts_of("{engine: {speculative_decode: {" + keys + "}}" + rest + "}", config));
}

} // namespace

BOOST_AUTO_TEST_CASE(an_acceptance_is_a_fraction_of_at_least_0_6)
{
    for (const char* value : {"0.6", "1", "'0.75'"})
        BOOST_TEST(acceptance(value) == "kept", value);
    for (const char* value : {"0.5999", "0", "1.001", "70", "-1", "'0.1'"})
        BOOST_TEST(acceptance(value) == "fail", value);
    for (const char* value : {"high", "true", "[0.7]", "'70%'"})
        BOOST_TEST(acceptance(value) == "warn", value);
    BOOST_TEST(acceptance("null") == "info");
}

BOOST_AUTO_TEST_CASE(a_method_has_what_it_needs)
{
    BOOST_TEST(shape("method: eagle3, draft_model: a/b") == "kept");
    BOOST_TEST(shape("method: eagle3").starts_with("info: method eagle3 takes its heads"));
    BOOST_TEST(shape("method: draft-model").starts_with("fail: method draft-model needs"));
    BOOST_TEST(shape("measured_acceptance: 0.7").starts_with("info: neither algorithm nor method"));
    BOOST_TEST(shape("method: mtp", ", model: {supports_mtp: false}").starts_with("fail: method mtp"));
    BOOST_TEST(shape("method: mtp", ", model: {supports_mtp: true}") == "kept");
    BOOST_TEST(shape("method: mtp", "", R"({"num_attention_heads":8,"num_nextn_predict_layers":1})") ==
               "kept");
    BOOST_TEST(
        shape("method: medusa, draft_model: a/b").starts_with("info: method 'medusa' is none of the words"));
    BOOST_TEST(shape("algorithm: medusa, draft_model: a/b") == "kept");
}

BOOST_AUTO_TEST_CASE(a_link_between_cards_matters_where_there_are_several)
{
    const auto link = [](const std::string& gpus, int tp) {
        return said(serving::speculation_link_rule,
                    facts_of("{engine: {tensor_parallel: " + std::to_string(tp) +
                             ", speculative_decode: {method: eagle}}, infrastructure: {gpu: {" + gpus +
                             "}}}"))
            .substr(0, 4);
    };
    BOOST_TEST(link("interconnect: PCIe", 1) == "warn");
    BOOST_TEST(link("interconnect: nvswitch", 8) == "kept");
    BOOST_TEST(link("", 8) == "info");
    BOOST_TEST(link("", 1) == "kept");
}

BOOST_AUTO_TEST_CASE(hybrids_and_latent_attention_restrict_caches)
{
    const auto hybrid = [](const char* engine) {
        return facts_of(std::string("{model: {is_mamba_hybrid: true}, engine: {") + engine + "}}");
    };
    BOOST_TEST(
        said(serving::mamba_prefix_rule, hybrid("speculative_decode: {method: mtp}")).starts_with("warn"));
    BOOST_TEST(said(serving::mamba_prefix_rule,
                    hybrid("speculative_decode: {method: mtp}, prefix_caching: false")) == "kept");
    BOOST_TEST(said(serving::hybrid_graph_rule, hybrid("hierarchical_cache: true, cuda_graph: true"))
                   .starts_with("warn"));
    BOOST_TEST(said(serving::hybrid_graph_rule, hybrid("hierarchical_cache: true, cuda_graph: false")) ==
               "kept");
    BOOST_TEST(said(serving::lmcache_rule, facts_of("engine: {name: vllm-lmcache}"))
                   .starts_with("info: LMCache is on"));
    BOOST_TEST(said(serving::lmcache_rule, facts_of("engine: {name: vllm-lmcache}",
                                                    R"({"kv_lora_rank":512,"num_attention_heads":8})"))
                   .starts_with("fail"));
    BOOST_TEST(said(serving::lmcache_rule, facts_of("engine: {extra_args: {enable-lmcache: true}}",
                                                    R"({"num_attention_heads":8})")) == "kept");
}
