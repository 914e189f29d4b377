#include <slo/serving/platform_rules.hpp>

#define BOOST_TEST_MODULE serving_platform_rules
#include <boost/test/unit_test.hpp>

#include "../../support/checked_deployment.hpp"
#include <slo/io/fd.hpp>

#include <set>

using namespace slo;
using test::facts_of;
using test::said;

namespace {

// The words of an "enum" in the shipped schema, null left out.
std::set<std::string> schema_words(std::string_view path)
{
    const auto schema =
        parse_json(io::read_all("examples/schema/envelope-1.schema.json", 1 << 20)).as_object();
    const json::object* at = &schema;
    while (!path.empty()) {
        const auto dot = path.find('.');
        at = object_at(*object_at(*at, "properties"), path.substr(0, dot));
        path.remove_prefix(dot == std::string_view::npos ? path.size() : dot + 1);
    }
    std::set<std::string> words;
    for (const auto& word : *array_at(*at, "enum"))
        if (const auto* text = word.if_string())
            words.emplace(text->data(), text->size());
    return words;
}

} // namespace

BOOST_AUTO_TEST_CASE(words_are_those_of_the_shipped_schema)
{
    for (const auto& each : serving::artifact_words) {
        const std::set<std::string> ours(each.words.begin(), each.words.end());
        BOOST_TEST(ours == schema_words(each.path), each.path);
    }
}

BOOST_AUTO_TEST_CASE(blackwell_instances_need_their_image)
{
    const auto ami = [](const std::string& rest) {
        return said(serving::ami_rule,
                    facts_of("infrastructure: {instance_type: p6-b200.48xlarge" + rest + "}"))
            .substr(0, 4);
    };
    BOOST_TEST(ami("") == "warn");
    BOOST_TEST(ami(", ami_family: AL2") == "fail");
    BOOST_TEST(ami(", ami_family: al2023") == "kept");
    const auto tag = [](const std::string& arch) {
        return said(serving::cuda_tag_rule,
                    facts_of("{engine: {container_image: 'v:cu131'}, infrastructure: {gpu: {arch: " + arch +
                             "}}}"))
            .substr(0, 4);
    };
    BOOST_TEST(tag("sm_120") == "warn");
    BOOST_TEST(tag("sm_100") == "not ");
}

BOOST_AUTO_TEST_CASE(numbers_agree_however_they_are_written)
{
    const auto agree = [](const std::string& extra) {
        return said(serving::extra_args_rule, facts_of("{model: {quantization: fp8}, engine: "
                                                       "{tensor_parallel: 8, gpu_memory_utilization: 0.9, "
                                                       "extra_args: {" +
                                                       extra + "}}}"))
            .substr(0, 4);
    };
    BOOST_TEST(agree("tp: 8") == "kept");
    BOOST_TEST(agree("--tensor_parallel_size: '8'") == "kept");
    BOOST_TEST(agree("tp: 8.0, mem-fraction-static: 9e-1") == "kept");
    BOOST_TEST(agree("quantization: FP8") == "kept");
    BOOST_TEST(agree("quantization: awq") == "fail");
    BOOST_TEST(agree("tp: auto") == "fail");
    BOOST_TEST(agree("max-model-len: 7") == "kept");
}
