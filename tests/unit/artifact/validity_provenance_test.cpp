// SPDX-License-Identifier: MIT
#include <slo/artifact/validity_provenance.hpp>

#define BOOST_TEST_MODULE artifact_validity_provenance
#include <boost/test/unit_test.hpp>

#include "../../support/judged_artifact.hpp"
#include "../../support/scratch_folder.hpp"

#include <filesystem>
#include <fstream>

using namespace slo;
using test::put;
using Names = std::vector<std::string>;

namespace {

Names broken_digests(json::object root, const std::string& folder)
{
    artifact::Findings findings;
    artifact::judge_digests(artifact::Artifact(std::move(root), "a.json"), folder, findings);
    return test::broken(findings.all());
}

} // namespace

BOOST_AUTO_TEST_CASE(sources_are_read_again_by_their_last_name)
{
    const auto root = test::sound_artifact(); // some of its sources stand in a folder of another machine
    BOOST_TEST(broken_digests(root, "tests/data/validity").empty());
    BOOST_TEST((broken_digests(root, "tests/data") ==
                Names{"digests:card", "digests:rounds", "digests:requests", "digests:run", "digests:diff"}));
    auto other = root;
    put(other, "extensions/sloutils/sources/2/records", "80");
    BOOST_TEST((broken_digests(other, "tests/data/validity") == Names{"digests:requests"}));
    put(other, "extensions/sloutils/sources",
        R"([{"name":"x","file":"../.."},{"name":"gpu","absent":"not given"}])");
    BOOST_TEST((broken_digests(other, "tests/data/validity") == Names{"digests:x"}));
    put(other, "extensions/sloutils/sources", "[]");
    BOOST_TEST((broken_digests(other, "tests/data/validity") == Names{"digests"}));
}

BOOST_AUTO_TEST_CASE(a_changed_file_is_seen)
{
    const test::ScratchFolder folder;
    for (const auto* name : {"card.yaml", "rounds.jsonl", "requests.jsonl", "diff.json"})
        std::filesystem::copy("tests/data/validity/" + std::string(name), folder.path() + "/" + name);
    BOOST_TEST(broken_digests(test::sound_artifact(), folder.path()).empty());
    std::ofstream(folder.path() + "/rounds.jsonl", std::ios::app) << "\n";
    BOOST_TEST((broken_digests(test::sound_artifact(), folder.path()) == Names{"digests:rounds"}));
}

BOOST_AUTO_TEST_CASE(rows_of_an_slo_are_judged_by_their_numbers)
{
    const auto run =
        artifact::parse_artifact(R"({"metrics":{"ttft_ms":{"p99":5},"output_toks_per_s":4}})", "a");
    const auto fault = [&](std::string_view name, std::string_view row) {
        const auto value = parse_json(row);
        const auto lacking = artifact::detail::row_fault(name, value.if_object());
        return value.is_object() && lacking.empty()
                   ? artifact::detail::row_contradiction(run, name, value.get_object())
                   : lacking;
    };
    BOOST_TEST(fault("ttft_p99_ms", R"({"target":5,"actual":5,"pass":true})") == "");
    BOOST_TEST(fault("throughput_floor_toks", R"({"target":5,"actual":4,"pass":false})") == "");
    BOOST_TEST(fault("ttft_p99_ms", R"({"target":4,"actual":5,"pass":true})") ==
               "ttft_p99_ms with another verdict than its numbers");
    BOOST_TEST(fault("ttft_p99_ms", R"({"target":5,"actual":4,"pass":true})") ==
               "ttft_p99_ms of 4, but metrics.ttft_ms.p99 is 5");
    BOOST_TEST(fault("tpot_p99_ms", R"({"target":5,"actual":4,"pass":true})") ==
               "tpot_p99_ms of 4, but metrics.tpot_ms.p99 is unknown");
    BOOST_TEST(fault("e2e_p99_ms", R"({"target":5,"actual":null,"pass":null})") ==
               "e2e_p99_ms without a figure");
    BOOST_TEST(fault("e2e_p99_ms", "7") == "e2e_p99_ms without a target");
}

BOOST_AUTO_TEST_CASE(a_self_declared_tool_proves_nothing)
{
    artifact::Findings findings;
    artifact::judge_provenance(
        artifact::parse_artifact(R"({"source_tool":{"name":"bench-standard.py"},"metrics":{"completed":5}})",
                                 "a"),
        findings);
    BOOST_TEST((test::broken(findings.all()) ==
                Names{"measured-figures", "sources", "client-health", "steady", "slo"}));
}
