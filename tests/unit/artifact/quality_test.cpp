// SPDX-License-Identifier: MIT
#include <slo/artifact/quality.hpp>

#define BOOST_TEST_MODULE artifact_quality
#include <boost/test/unit_test.hpp>

#include <slo/io/jsonl.hpp>

#include "../../support/vector_table.hpp"

using namespace slo;

namespace {

artifact::SideBlock of(std::string_view text)
{
    return artifact::quality_of({{"q.json", parse_json(text).as_object(), ""}});
}

std::string gate(std::string_view text)
{
    return to_json(of(text).value->at("gate_passed"));
}

} // namespace

BOOST_AUTO_TEST_CASE(vectors)
{
    test::VectorTable table({{"engagement/quality-list", "quality.evals", "[]",
                              "7: without eval and scores they do not fit the envelope's schema"}});
    io::LineReader reader("tests/data/benchmark/engagement.jsonl");
    while (const auto vector = io::next_object(reader)) {
        const std::string id(*string_at(*vector, "id"));
        const auto& input = *object_at(*vector, "input");
        const auto* named = find(*object_at(input, "artifacts"), "quality");
        if (!named)
            continue;
        std::vector<artifact::QualityFile> files;
        for (const auto& name : named->is_array() ? named->as_array() : json::array{*named}) {
            const std::string file(name.as_string());
            const auto* content = object_at(*object_at(input, "files"), file);
            files.push_back(
                {file, content ? std::optional(*content) : std::nullopt, "No such file or directory"});
        }
        const auto block = artifact::quality_of(files);
        if (id == "engagement/missing-files-skipped") {
            // 17: the classic adapter passes a file over that is not there; ours fails the gate and says so.
            BOOST_CHECK(vector->at("expected").as_object().empty());
            BOOST_CHECK_EQUAL(block.value->at("gate_passed").as_bool(), false);
            BOOST_CHECK_EQUAL(block.notes.front(),
                              "quality: x.json: No such file or directory; the gate is not passed");
            continue;
        }
        const json::value ours{{"quality", *block.value}};
        table.compare(id, "", vector->at("expected"), &ours);
        BOOST_CHECK_EQUAL(block.notes.size(), 3);
    }
    table.finish();
}

BOOST_AUTO_TEST_CASE(the_scores_decide)
{
    BOOST_CHECK_EQUAL(gate(R"({"eval":"mmlu","score":0.71,"baseline_score":0.72})"), "true");
    BOOST_CHECK_EQUAL(gate(R"({"eval":"mmlu","score":0.69,"baseline_score":0.72})"), "false");
    BOOST_CHECK_EQUAL(gate(R"({"eval":"mmlu","score":0.69,"baseline_score":0.72,"tolerance":0.05})"), "true");
    // An error rate: lower is better.
    BOOST_CHECK_EQUAL(gate(R"({"eval":"librispeech","score":0.05,"baseline_score":0.10})"), "true");
    BOOST_CHECK_EQUAL(gate(R"({"eval":"librispeech","score":0.13,"baseline_score":0.10})"), "false");
    // A file's word against its scores: the worse of the two counts.
    const auto boast = of(R"({"eval":"mmlu","score":0.1,"baseline_score":0.72,"passed":true})");
    BOOST_CHECK_EQUAL(boast.value->at("gate_passed").as_bool(), false);
    BOOST_CHECK_EQUAL(boast.notes.front(),
                      "quality: q.json says that mmlu passed, its scores that it failed");
    BOOST_CHECK_EQUAL(gate(R"({"eval":"mmlu","score":0.72,"baseline_score":0.72,"passed":false})"), "false");
    BOOST_CHECK_EQUAL(gate(R"({"evals":[{"eval":"fiqa","score":1,"baseline_score":1},)"
                           R"({"eval":"gsm8k","score":null,"baseline_score":1}]})"),
                      "false");
    BOOST_CHECK_EQUAL(gate(R"({"evals":[]})"), "false");
    BOOST_CHECK(!artifact::quality_of({}).value);
    BOOST_CHECK_EQUAL(artifact::quality_block({"/nowhere.json"}).notes.front(),
                      "quality: /nowhere.json: No such file or directory; the gate is not passed");
}
