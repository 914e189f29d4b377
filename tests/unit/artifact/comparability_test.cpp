// SPDX-License-Identifier: MIT
// Unit test of artifact/comparability.hpp.

#include <slo/artifact/comparability.hpp>

#define BOOST_TEST_MODULE artifact_comparability
#include <boost/test/unit_test.hpp>

#include <string>
#include <vector>

using namespace slo;
using namespace slo::artifact;

namespace {

// "key: value | value", and "(meant)" behind it, of each difference.
std::vector<std::string> differences(std::initializer_list<const char*> texts,
                                     const std::vector<std::string>& across = {})
{
    std::vector<Artifact> artifacts;
    for (const auto* text : texts)
        artifacts.push_back(parse_artifact(text, "a"));
    std::vector<const Artifact*> pointers;
    for (const auto& artifact : artifacts)
        pointers.push_back(&artifact);
    std::vector<std::string> lines;
    for (const auto& difference : key_differences(pointers, across)) {
        auto line = difference.key + ":";
        for (const auto& value : difference.values)
            line += " " + value;
        lines.push_back(line + (difference.allowed ? " (meant)" : ""));
    }
    return lines;
}

using Lines = std::vector<std::string>;

} // namespace

BOOST_AUTO_TEST_CASE(each_key_that_is_not_the_same_is_named)
{
    BOOST_TEST(differences({R"({"engine":{"name":"vllm","tensor_parallel":8},"metrics":{"error_rate":0}})",
                            R"({"engine":{"name":"vllm","tensor_parallel":8.0},"metrics":{"error_rate":1}})"})
                   .empty());
    BOOST_TEST(
        differences(
            {R"({"workload":{"load":{"concurrency":8,"warmup_requests":30},"dataset":{"type":"real"}}})",
             R"({"workload":{"load":{"concurrency":16,"warmup_requests":30},"dataset":{"type":"real"}}})",
             R"({"workload":{"load":{"concurrency":8,"warmup_requests":30}}})"}) ==
            (Lines{"workload.dataset.type: real real not known", "workload.load.concurrency: 8 16 8"}),
        boost::test_tools::per_element());
    for (const auto* key : {"engine.name", "model.id", "model.quantization", "infrastructure.instance_type",
                            "infrastructure.gpu.name", "infrastructure.gpu.count", "workload.catalog_id",
                            "workload.api.streaming", "source_tool.name"}) {
        const std::string path(key);
        std::string text = "1", other = "2";
        for (auto end = path.size(); end != std::string::npos;) {
            const auto dot = path.rfind('.', end - 1);
            const auto name = path.substr(dot == std::string::npos ? 0 : dot + 1,
                                          end - (dot == std::string::npos ? 0 : dot + 1));
            text = "{\"" + name + "\":" + text + "}";
            other = "{\"" + name + "\":" + other + "}";
            end = dot;
        }
        BOOST_TEST(differences({text.c_str(), other.c_str()}) == Lines{path + ": 1 2"},
                   boost::test_tools::per_element());
    }
}

BOOST_AUTO_TEST_CASE(null_says_nothing_and_what_only_one_says_differs)
{
    BOOST_TEST(differences({R"({"engine":{"version":null}})", "{}"}).empty());
    BOOST_TEST(differences({R"({"engine":{"version":"1"}})", R"({"engine":{"version":null}})"}) ==
                   Lines{"engine.version: 1 not known"},
               boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(what_is_meant_to_differ_is_told_by_path_block_or_last_words)
{
    const auto a = R"({"engine":{"name":"vllm","version":"1"}})",
               b = R"({"engine":{"name":"sglang","version":"2"}})";
    BOOST_TEST(differences({a, b}, {"version"}) ==
                   (Lines{"engine.name: vllm sglang", "engine.version: 1 2 (meant)"}),
               boost::test_tools::per_element());
    BOOST_TEST(differences({a, b}, {"engine"})[0] == "engine.name: vllm sglang (meant)");
    BOOST_TEST(differences({a, b}, {"engine.nam"})[0] == "engine.name: vllm sglang");
    const auto known = parse_artifact(a, "a");
    BOOST_CHECK_NO_THROW(
        check_across({"engine", "engine.version", "tensor_parallel", "gpu.count"}, {&known}));
    BOOST_CHECK_EXCEPTION(
        check_across({"tensor_paralel"}, {&known}), UsageError, [](const UsageError& error) {
            return std::string(error.what()) ==
                   "--across: 'tensor_paralel' is no key that is compared; 'tensor_parallel' is one";
        });
}

BOOST_AUTO_TEST_CASE(mean_lengths_may_differ_by_a_twentieth)
{
    const auto of = [](int tokens) {
        return R"({"metrics":{"completed":10,"total_output_tokens":)" + std::to_string(tokens) + "}}";
    };
    BOOST_TEST(differences({of(1000).c_str(), of(1050).c_str()}).empty());
    BOOST_TEST(differences({of(1000).c_str(), of(1051).c_str()}) ==
                   Lines{"output_length: 100.0 tokens 105.1 tokens"},
               boost::test_tools::per_element());
    BOOST_TEST(differences({of(1000).c_str(), "{}"}).empty());
}

BOOST_AUTO_TEST_CASE(lengths_that_are_drawn_differ_by_sampling)
{
    const auto of = [](double mean, int deviation = 64, int completed = 60) {
        return R"({"workload":{"dataset":{"output_tokens":{"mean":256,"std_dev":)" +
               std::to_string(deviation) + R"(}}},"metrics":{"completed":)" + std::to_string(completed) +
               R"(,"total_output_tokens":)" + std::to_string(mean * completed) + "}}";
    };
    const auto a = of(254.7), b = of(249.3), c = of(266.7);
    BOOST_TEST(differences({a.c_str(), b.c_str(), c.c_str()}).empty());
    BOOST_TEST(differences({of(256).c_str(), of(320).c_str()}) ==
                   Lines{"output_length: 256.0 tokens 320.0 tokens"},
               boost::test_tools::per_element());
    // 7 %: too much for lengths that are all one, for many requests, and for two data sets.
    BOOST_TEST(differences({of(249.3, 0).c_str(), of(266.7, 0).c_str()}).size() == 1U);
    BOOST_TEST(differences({of(249.3, 64, 6000).c_str(), of(266.7, 64, 6000).c_str()}).size() == 1U);
    BOOST_TEST(differences({of(249.3, 64, 60).c_str(), of(266.7, 65, 60).c_str()}).size() == 2U);
    // The smaller run counts.
    BOOST_TEST(differences({of(249.3, 64, 60).c_str(), of(266.7, 64, 6000).c_str()}).empty());
}

BOOST_AUTO_TEST_CASE(what_nobody_says_is_told)
{
    const auto a = parse_artifact(R"({"engine":{"name":"vllm"},"model":{"id":null}})", "a");
    const auto unknown = unknown_keys({&a});
    BOOST_TEST(unknown.size() == 10u);
    BOOST_TEST(unknown[1] == "model.id");
}
