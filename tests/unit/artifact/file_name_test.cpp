// SPDX-License-Identifier: MIT
#include <slo/artifact/file_name.hpp>

#define BOOST_TEST_MODULE artifact_file_name
#include <boost/test/unit_test.hpp>

#include <slo/io/jsonl.hpp>

using namespace slo;

BOOST_AUTO_TEST_CASE(the_vector_of_the_driver)
{
    io::LineReader lines("tests/data/benchmark/filename.jsonl");
    const auto vector = io::next_object(lines);
    const auto& args = *array_at(*object_at(*vector, "input"), "args");
    const auto text = [&](std::size_t i) { return std::string(args[i].get_string()); };
    BOOST_TEST(artifact::file_name({text(0), text(1), text(2), text(3), text(4),
                                    "c" + std::to_string(args[5].get_int64())}) ==
               *string_at(*object_at(*vector, "expected"), "filename"));
    BOOST_TEST(!io::next_object(lines));
}

BOOST_AUTO_TEST_CASE(names_are_safe_small_and_never_empty)
{
    using artifact::name_part;
    BOOST_TEST(name_part("Llama 3.1/70B") == "llama-3.1-70b");
    BOOST_TEST(name_part("../../etc/passwd") == "etc-passwd");
    BOOST_TEST(name_part("a\n\0b") == "a");
    BOOST_TEST(name_part("--x--") == "x");
    BOOST_TEST(name_part("\xC3\xA9t\xC3\xA9") == "t");
    BOOST_TEST(name_part("") == "unknown");
    BOOST_TEST(name_part("...") == "unknown");
    BOOST_TEST(name_part(std::string(500, 'A')).size() == 60U);
}

BOOST_AUTO_TEST_CASE(an_artifact_names_its_file)
{
    auto artifact = parse_json(R"({"model":{"id":"meta-llama/Llama-3.1-70B"},"engine":{"name":"vllm",
        "engine_config_tag":"Run 7"},"framework":{"name":"dynamo","config":{"mode":"disaggregated"}},
        "infrastructure":{"substrate":"eks","instance_type":"p5.48xlarge"},
        "workload":{"catalog_id":"chatbot-short","load":{"request_rate":2.5}}})")
                        .get_object();
    BOOST_TEST(artifact::file_name(artifact) ==
               "llama-3.1-70b_eks_p5-48xlarge_vllm-dynamo-disaggregated-run-7_chatbot-short_q2.5.json");
    artifact["workload"] = json::object{{"load", json::object{{"concurrency", 16}, {"request_rate", 2}}}};
    artifact.erase("framework");
    BOOST_TEST(artifact::file_name(artifact) == "llama-3.1-70b_eks_p5-48xlarge_vllm-run-7_custom_c16.json");
    BOOST_TEST(artifact::file_name(json::object{}) == "unknown_unknown_unknown_unknown_custom.json");
}
