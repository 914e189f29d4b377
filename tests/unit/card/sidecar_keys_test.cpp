#include <slo/card/sidecar_keys.hpp>

#define BOOST_TEST_MODULE card_sidecar_keys
#include <boost/test/unit_test.hpp>

#include <slo/config/document.hpp>

#include <string>
#include <string_view>

using namespace slo;

namespace {

std::string reason_of(std::string_view text)
{
    try {
        card::sidecar_keys::check_sidecar(config::parse_document(text, "b.yaml"), "b.yaml");
    } catch (const InputError& error) {
        return error.what();
    }
    return "taken";
}

} // namespace

BOOST_AUTO_TEST_CASE(what_is_not_known_or_not_as_it_must_be_is_named)
{
    BOOST_TEST(reason_of("") == "b.yaml:1: holds nothing");
    BOOST_TEST(reason_of("- a") == "b.yaml:1: is not a mapping of names to values");
    BOOST_TEST(reason_of("modle: {}") == "b.yaml: modle: is unknown; did you mean model?");
    BOOST_TEST(reason_of("engine: {tensor_paralel: 2}") ==
               "b.yaml: engine.tensor_paralel: is unknown; did you mean tensor_parallel?");
    BOOST_TEST(reason_of("infrastructure: {gpu: {vram: 80}}") ==
               "b.yaml: infrastructure.gpu.vram: is unknown");
    BOOST_TEST(reason_of("slo: {ttft_p99: 1}") ==
               "b.yaml: slo.ttft_p99: is unknown; did you mean ttft_p99_ms?");
    BOOST_TEST(reason_of("quality_baselines: {gsm8k: {fp8: 1}}") ==
               "b.yaml: quality_baselines.gsm8k.fp8: is unknown");
    BOOST_TEST(reason_of("engine: {version: 0.10}") ==
               "b.yaml: engine.version: is no text; put it in quotes");
    BOOST_TEST(reason_of("engine: {tensor_parallel: 0}") ==
               "b.yaml: engine.tensor_parallel: is no whole number from 1 to 65536");
    BOOST_TEST(reason_of("engine: {tensor_parallel: true}") ==
               "b.yaml: engine.tensor_parallel: is no whole number from 1 to 65536");
    BOOST_TEST(reason_of("engine: {gpu_memory_utilization: 90}") ==
               "b.yaml: engine.gpu_memory_utilization: is no number from 0.0 to 1.0");
    BOOST_TEST(reason_of("engine: {extra_args: [a]}") == "b.yaml: engine.extra_args: is no mapping");
    BOOST_TEST(reason_of("model: vllm") == "b.yaml: model: is no mapping");
    BOOST_TEST(reason_of("cost: {spot_price_per_hr: -1}") ==
               "b.yaml: cost.spot_price_per_hr: is no number from 0.0 to 1e+15");
    BOOST_TEST(reason_of("model:\n  id: a\n  id: b\n") == "b.yaml:3: 'id' stands twice");
    BOOST_TEST(reason_of("artifacts: {quality: [a.json, b.json], power: p.json}") == "taken");
    BOOST_TEST(reason_of("model:\nengine:\n") == "taken");
}
