// SPDX-License-Identifier: MIT
#include <slo/sim/answer_writer.hpp>
#define BOOST_TEST_MODULE sim_answer_writer
#include <boost/test/unit_test.hpp>

#include <string>
#include <vector>

using namespace slo;
using namespace slo::sim;
using engine::FinishReason;

namespace {

// The JSON of the one event that `text` must consist of.
json::value event(std::string text)
{
    BOOST_REQUIRE(text.starts_with("data: "));
    BOOST_REQUIRE(text.ends_with("\n\n"));
    text = text.substr(6, text.size() - 8);
    BOOST_TEST(text.find('\n') == std::string::npos);
    return parse_json(text);
}

} // namespace

BOOST_AUTO_TEST_CASE(a_chat_stream_opens_with_the_role_and_ends_with_the_reason)
{
    const AnswerWriter writer(Api::chat, "1f", 1700000000, "a \"model\"");
    std::string out;
    writer.open(out, 2, {});
    BOOST_TEST(
        to_json(event(out)) ==
        R"({"id":"chatcmpl-1f","object":"chat.completion.chunk","created":1700000000,"model":"a \"model\"","choices":[{"index":2,"delta":{"role":"assistant","content":""},"logprobs":null,"finish_reason":null}]})");
    out.clear();
    writer.text(out, 0, " café", {}, Usage{10, 3, 0});
    BOOST_TEST(to_json(event(out).at("choices")) ==
               R"([{"index":0,"delta":{"content":" café"},"logprobs":null,"finish_reason":null}])");
    BOOST_TEST(
        to_json(event(out).at("usage")) ==
        R"({"prompt_tokens":10,"completion_tokens":3,"total_tokens":13,"prompt_tokens_details":{"cached_tokens":0}})");
    out.clear();
    writer.text(out, 0, "", FinishReason::stop, {});
    BOOST_TEST(to_json(event(out).at("choices")) ==
               R"([{"index":0,"delta":{},"logprobs":null,"finish_reason":"stop"}])");
    BOOST_TEST(!event(out).as_object().contains("usage"));
    out.clear();
    writer.usage(out, {32, 5, 16});
    BOOST_TEST(to_json(event(out).at("choices")) == "[]");
    BOOST_TEST(event(out).at("usage").at("prompt_tokens_details").at("cached_tokens").as_int64() == 16);
    out.clear();
    writer.done(out);
    BOOST_TEST(out == "data: [DONE]\n\n");
}

BOOST_AUTO_TEST_CASE(a_completion_stream_has_text_and_no_opening)
{
    const AnswerWriter writer(Api::text, "1f", 1700000000, "m");
    std::string out;
    writer.open(out, 0, {});
    BOOST_TEST(out.empty());
    writer.text(out, 1, " sea", FinishReason::length, {});
    BOOST_TEST(
        to_json(event(out)) ==
        R"({"id":"cmpl-1f","object":"text_completion","created":1700000000,"model":"m","choices":[{"index":1,"text":" sea","logprobs":null,"finish_reason":"length"}]})");
}

BOOST_AUTO_TEST_CASE(a_whole_body)
{
    const std::vector<FinishedChoice> choices{{" a b", FinishReason::length}, {"", FinishReason::stop}};
    const Usage usage{7, 3, 0};
    BOOST_TEST(
        AnswerWriter(Api::chat, "1", 5, "m").body(choices, usage) ==
        R"({"id":"chatcmpl-1","object":"chat.completion","created":5,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":" a b"},"logprobs":null,"finish_reason":"length"},)"
        R"({"index":1,"message":{"role":"assistant","content":""},"logprobs":null,"finish_reason":"stop"}],"usage":{"prompt_tokens":7,"completion_tokens":3,"total_tokens":10,"prompt_tokens_details":{"cached_tokens":0}}})");
    BOOST_TEST(parse_json(AnswerWriter(Api::text, "1", 5, "m").body(choices, usage))
                   .at("choices")
                   .at(0)
                   .at("text")
                   .as_string() == " a b");
}
