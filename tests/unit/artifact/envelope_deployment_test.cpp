// SPDX-License-Identifier: MIT
#include <slo/artifact/envelope_deployment.hpp>

#define BOOST_TEST_MODULE artifact_envelope_deployment
#include <boost/test/unit_test.hpp>

#include <slo/artifact/artifact.hpp>

using namespace slo;

namespace {

json::object object_of(std::string_view text)
{
    return parse_json(text).get_object();
}

} // namespace

BOOST_AUTO_TEST_CASE(sections_are_copied_and_what_is_missing_is_named)
{
    auto root = object_of(R"({"model":{"name":"m","id":"org/m"},"engine":{"name":"vllm","container_image":"i",
        "tensor_parallel":1,"pipeline_parallel":1,"replicas":1,"reasoning":false},"framework":{},
        "infrastructure":{"substrate":"local","instance_type":"x",
        "gpu":{"name":"g","count":1,"vram_gb":8,"interconnect":"none"}}})");
    const auto blocks = artifact::deployment_blocks(card::Sidecar(root, "b.yaml"));
    BOOST_TEST(to_json(*find(blocks, "model")) == R"({"name":"m","id":"org/m"})");
    BOOST_TEST(!find(blocks, "framework")); // 9.7: the driver wrote {}, which its own schema refuses
    root["engine"].get_object()["extra_args"] = parse_json(
        R"({"api-key":"k","env":{"HF_TOKEN":"t"},"words":["--api-key","k","--seed","1"],"note":"sk-0123456789abcdef",
            "max-num-batched-tokens":8192,"tokenizer":"org/m","enable":true})");
    BOOST_TEST(
        to_json(*value_at(artifact::deployment_blocks(card::Sidecar(root, "b.yaml")), "engine.extra_args")) ==
        R"({"api-key":"REDACTED","env":{"HF_TOKEN":"REDACTED"},"words":["--api-key","REDACTED","--seed","1"],)"
        R"("note":"REDACTED","max-num-batched-tokens":8192,"tokenizer":"org/m","enable":true})");
    root["engine"].get_object()["replicas"] = nullptr;
    root["model"].get_object().erase("id");
    try {
        artifact::deployment_blocks(card::Sidecar(root, "b.yaml"));
        BOOST_ERROR("accepted");
    } catch (const InputError& error) {
        BOOST_TEST(error.what() ==
                   std::string("b.yaml: is without model.id, engine.replicas: the envelope needs them"));
    }
}

BOOST_AUTO_TEST_CASE(the_workload_is_the_cards_with_the_load_that_was_measured)
{
    const auto card =
        card::make_card(object_of(R"({"catalog_id":"c","use_case":"u","dataset":{"type":"synthetic"},
            "load":{"type":"poisson","request_rate":5,"warmup_requests":3}})"),
                        "card.yaml");
    const auto api = object_of(R"({"type":"completions","streaming":false,"endpoint":"/v1/completions"})");
    std::vector<std::string> doubts;
    auto workload = artifact::workload_block(card, {{"request_rate", 5}}, &api, doubts);
    BOOST_TEST(doubts.empty());
    BOOST_TEST(to_json(workload) ==
               R"({"use_case":"u","catalog_id":"c","modality":"text","dataset":{"type":"synthetic"},)"
               R"("load":{"type":"poisson","request_rate":5,"warmup_requests":3},)"
               R"("api":{"type":"completions","streaming":false,"endpoint":"/v1/completions"}})");
    workload = artifact::workload_block(card, {{"request_rate", 7.5}}, nullptr, doubts);
    BOOST_TEST(number_at(*object_at(workload, "load"), "request_rate").value() == 7.5);
    BOOST_TEST(doubts.size() == 2U);
    BOOST_TEST(doubts.at(0) == "the card asks for request_rate 5.0, the run had 7.5");
}
