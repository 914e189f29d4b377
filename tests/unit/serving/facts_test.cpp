#include <slo/serving/facts.hpp>

#define BOOST_TEST_MODULE serving_facts
#include <boost/test/unit_test.hpp>

#include "../../support/checked_deployment.hpp"

using namespace slo;
using test::facts_of;

BOOST_AUTO_TEST_CASE(the_sidecar_wins_over_other_files)
{
    auto facts =
        facts_of("model: {quantization: fp8, max_position_embeddings: 100}",
                 R"({"max_position_embeddings": 200, "num_attention_heads": 8, "model_type": "some_moe",
                              "quantization_config": {"quant_method": "quark"}})");
    BOOST_TEST(*facts.model.max_position_embeddings == 100);
    BOOST_TEST(*facts.model.heads == 8);
    BOOST_TEST(facts.is_moe());
    BOOST_TEST(facts.is_fp8());
    BOOST_REQUIRE(facts.conflicts.size() == 1U);
    BOOST_TEST(facts.conflicts[0] ==
               "model.max_position_embeddings is 100, but config.json: max_position_embeddings is 200");
    BOOST_CHECK_THROW(facts.add_model(json::object{{"a", 1}}, "other.json"), InputError);
}

BOOST_AUTO_TEST_CASE(extra_args_are_found_however_they_are_written)
{
    const auto facts =
        facts_of("engine: {extra_args: {--Enable_LMCache: 'true', cpu-offload-gb: '4.5', off: false, "
                 "zero: 0, no: 'false', nothing: null, tp_size: 2}}");
    BOOST_TEST(facts.extra_is_on({"enable-lmcache"}));
    BOOST_TEST(facts.extra_number({"x", "cpu-offload-gb"}).value() == 4.5);
    BOOST_TEST(facts.extra_number({"tp-size"}).value() == 2);
    for (const char* name : {"off", "zero", "no", "nothing", "missing"})
        BOOST_TEST(!facts.extra_is_on({name}), name);
    BOOST_TEST(!facts.extra({"nothing"}));
}

BOOST_AUTO_TEST_CASE(cards_that_were_found_count_before_those_declared)
{
    auto facts = facts_of("infrastructure: {gpu: {vram_gb: 80}, host_memory_gb: 64}");
    facts.add_preflight(parse_json(R"({"gpus":[{"name":"NVIDIA H100 80GB HBM3","memory_total_mib":81559},
        {"name":"NVIDIA H100 80GB HBM3","memory_total_mib":81000,"visible":true},{"lost":true},{"visible":false},7],
        "host":{"available_memory_bytes":1000}})")
                            .as_object(),
                        "g");
    BOOST_TEST(*facts.gpu.count == 2);
    BOOST_TEST(*facts.gpu.memory_bytes == 81000.0 * 1024 * 1024);
    BOOST_TEST(*facts.gpu.capability == 90);
    BOOST_TEST(*facts.host_memory_bytes == 64 * serving::gib_bytes);
    BOOST_CHECK_THROW(facts.add_preflight(json::object{}, "g"), InputError);
}

BOOST_AUTO_TEST_CASE(speculation_has_one_method)
{
    BOOST_TEST(
        facts_of("engine: {speculative_decode: {algorithm: EAGLE3, method: mtp}}").speculation_method() ==
        "eagle3");
    BOOST_TEST(facts_of("engine: {speculative_decoding: {method: MTP}}").speculation_method() == "mtp");
    BOOST_TEST(!facts_of("engine: {speculative_decode: {}}").speculation());
}
