#include <slo/card/sidecar.hpp>

#define BOOST_TEST_MODULE card_sidecar
#include <boost/test/unit_test.hpp>

#include <array>

using namespace slo;

namespace {

std::string reason_of(std::string_view text)
{
    try {
        card::parse_sidecar(text, "b.yaml");
    } catch (const InputError& error) {
        return error.what();
    }
    return "taken";
}

} // namespace

BOOST_AUTO_TEST_CASE(what_is_written_is_read_by_path_and_null_is_missing)
{
    const auto sidecar = card::parse_sidecar(R"(
model: {id: org/m, max_model_len: 8192, quantization: null}
engine: {name: vllm, version: "0.10", gpu_memory_utilization: 0.9, expert_parallel: 8,
         extra_args: {anything-goes: [1, {a: b}]}}
infrastructure: {gpu: {count: 2, vram_gb: 141}, eks: {cluster: c}}
quality_baselines: {gsm8k: {bf16: 0.9, tolerance: 0.01}}
)",
                                             "b.yaml");
    BOOST_TEST(sidecar.text("model.id").value() == "org/m");
    BOOST_TEST(sidecar.integer("model.max_model_len").value() == 8192);
    BOOST_TEST(!sidecar.at("model.quantization"));
    BOOST_TEST(!sidecar.at("model.id.deeper"));
    BOOST_TEST(!sidecar.at("cost.spot_price_per_hr"));
    BOOST_TEST(sidecar.number("infrastructure.gpu.vram_gb").value() == 141);
    BOOST_TEST(sidecar.map("engine.extra_args")->size() == 1U);
    BOOST_TEST(!sidecar.flag("engine.expert_parallel"));
    BOOST_TEST(sidecar.integer("engine.expert_parallel").value() == 8);
    const std::array<std::string_view, 3> wanted{"model.id", "model.quantization", "engine.replicas"};
    const std::vector<std::string> expected{"model.quantization", "engine.replicas"};
    BOOST_TEST(sidecar.missing(wanted) == expected, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(workloads_are_cards_with_overrides_or_workloads_of_their_own)
{
    const auto sidecar = card::parse_sidecar(R"({"workloads": [
        {"catalog_id": "qps-sweep", "override": {"load": {"rates": [1]}}},
        {"catalog_id": "rag-qa", "workload_overrides": {"target_qps": 8}},
        {"catalog_id": null, "custom": {"name": "mine", "dataset": {"type": "synthetic"}}}],
        "workload_overrides": {"trace": {"source": "sharegpt"}}})",
                                             "b.json");
    const auto workloads = sidecar.workloads();
    BOOST_REQUIRE(workloads.size() == 3U);
    BOOST_TEST(*workloads[0].catalog_id == "qps-sweep");
    BOOST_TEST(workloads[0].override_->contains("load"));
    BOOST_TEST(workloads[1].override_->contains("target_qps"));
    BOOST_TEST(!workloads[2].catalog_id);
    BOOST_TEST(!workloads[2].override_);
    BOOST_TEST(workloads[2].custom->contains("dataset"));
    BOOST_TEST(sidecar.workload_overrides()->contains("trace"));
    BOOST_TEST(!card::parse_sidecar("workload_overrides:", "b").workload_overrides());
    BOOST_TEST(reason_of("workloads: [{}]") ==
               "b.yaml: workloads[0].catalog_id: either it names a card, or custom stands in its place");
    BOOST_TEST(reason_of("workloads: [{catalog_id: a, override: {}, workload_overrides: {}}]") ==
               "b.yaml: workloads[0].workload_overrides: stands beside override; only one is read");
}

// Section 9 item 23: the documented name was not read.
BOOST_AUTO_TEST_CASE(the_documented_spelling_of_speculative_decode_is_read)
{
    const auto sidecar =
        card::parse_sidecar("engine: {name: vllm, speculative_decoding: {method: eagle3}}", "b.yaml");
    BOOST_TEST(sidecar.text("engine.speculative_decode.method").value() == "eagle3");
    BOOST_TEST(!sidecar.at("engine.speculative_decoding"));
    BOOST_TEST(reason_of("engine: {speculative_decoding: null, speculative_decode: {method: mtp}}") ==
               "b.yaml: engine.speculative_decoding: stands beside speculative_decode, which is the same");
    BOOST_TEST(reason_of("engine: {speculative_decoding: {metod: mtp}}") ==
               "b.yaml: engine.speculative_decode.metod: is unknown; did you mean method?");
}
