// SPDX-License-Identifier: MIT
#include <slo/artifact/quality.hpp>

#define BOOST_TEST_MODULE artifact_quality
#include <boost/test/unit_test.hpp>

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
    const auto unscored = of(R"({"passed":true})");
    BOOST_CHECK_EQUAL(to_json(*unscored.value), R"({"gate_passed":false,"evals":[]})");
    BOOST_CHECK_EQUAL(unscored.notes.front(), "quality: q.json does not tell a known eval: not taken in, and "
                                              "the gate is not passed");
    BOOST_CHECK_EQUAL(artifact::quality_block({"/nowhere.json"}).notes.front(),
                      "quality: /nowhere.json: No such file or directory; the gate is not passed");
}
