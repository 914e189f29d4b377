// SPDX-License-Identifier: MIT
#include <slo/sim/completion_request.hpp>
#define BOOST_TEST_MODULE sim_completion_request
#include <boost/test/unit_test.hpp>

#include <string>

using namespace slo;
using namespace slo::sim;

namespace {

std::string complaint(const std::string& body, Api api)
{
    try {
        read_completion_request(body, api);
    } catch (const ApiError& error) {
        BOOST_TEST(error.status() == 400);
        return error.what();
    }
    return "none";
}

std::string chat(const std::string& more)
{
    return R"({"messages":[{"role":"user","content":"hi"}])" + more + "}";
}

} // namespace

BOOST_AUTO_TEST_CASE(a_chat_request_as_the_official_client_sends_it)
{
    const auto request = read_completion_request(
        R"({"model":"m","messages":[{"role":"system","content":"be brief"},{"role":"user","content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]},)"
        R"({"role":"assistant","content":null,"tool_calls":[]}],"max_completion_tokens":7,"max_tokens":9,"min_tokens":2,"n":3,"stop":["x","yy"],"seed":-4,)"
        R"("stream":true,"stream_options":{"include_usage":true,"continuous_usage_stats":true},"ignore_eos":true,"temperature":0.7,"logit_bias":null})",
        Api::chat);
    BOOST_TEST(request.model == "m");
    BOOST_TEST(request.prompts.size() == 1u);
    BOOST_TEST(*request.limits.max_tokens == 7);
    BOOST_TEST(request.limits.min_tokens == 2);
    BOOST_TEST(request.limits.ignore_eos);
    BOOST_TEST(request.choices() == 3u);
    BOOST_TEST(request.stop.size() == 2u);
    BOOST_TEST(*request.seed == -4);
    BOOST_TEST(request.stream);
    BOOST_TEST(request.include_usage);
    BOOST_TEST(request.continuous_usage);
}

BOOST_AUTO_TEST_CASE(the_prompt_of_a_completion_has_four_forms)
{
    const auto prompts = [](const std::string& prompt) {
        std::vector<std::int64_t> tokens;
        for (const auto& each : read_completion_request(R"({"prompt":)" + prompt + "}", Api::text).prompts)
            tokens.push_back(each->tokens());
        return tokens;
    };
    using List = std::vector<std::int64_t>;
    BOOST_TEST((prompts(R"("the river")") == List{2}));
    BOOST_TEST((prompts(R"(["the river","a"])") == List{2, 1}));
    BOOST_TEST((prompts("[1,2,3]") == List{3}));
    BOOST_TEST((prompts("[[1,2,3],[4]]") == List{3, 1}));
    BOOST_TEST(*read_completion_request(R"({"prompt":"a"})", Api::text).limits.max_tokens == 16);
    BOOST_TEST(!read_completion_request(chat(""), Api::chat).limits.max_tokens.has_value());
}

BOOST_AUTO_TEST_CASE(each_mistake_in_a_body_is_named)
{
    BOOST_TEST(complaint("", Api::chat).starts_with("the body is not JSON"));
    BOOST_TEST(complaint("[]", Api::chat) == "the body must be a JSON object");
    BOOST_TEST(complaint("{}", Api::chat) == "messages must be a list of messages");
    BOOST_TEST(complaint(R"({"messages":[]})", Api::chat) == "messages must not be empty");
    BOOST_TEST(complaint(R"({"messages":["hi"]})", Api::chat) ==
               "each message must be an object with a role");
    BOOST_TEST(complaint(R"({"messages":[{"role":"robot","content":"hi"}]})", Api::chat)
                   .starts_with("a message's role is not one of"));
    BOOST_TEST(complaint(R"({"messages":[{"role":"user","content":3}]})", Api::chat) ==
               "a message's content must be text or a list of text parts");
    BOOST_TEST(complaint(R"({"messages":[{"role":"user","content":[{"type":"image_url","image_url":{}}]}]})",
                         Api::chat) == "content parts must be of type text");
    BOOST_TEST(complaint(chat(R"(,"max_tokens":0)"), Api::chat) ==
               "max_tokens must be an integer from 1 to 16777216");
    BOOST_TEST(complaint(chat(R"(,"max_tokens":"9")"), Api::chat) ==
               "max_tokens must be an integer from 1 to 16777216");
    BOOST_TEST(complaint(chat(R"(,"max_tokens":3,"min_tokens":4)"), Api::chat) ==
               "min_tokens must not be above max_tokens");
    BOOST_TEST(complaint(chat(R"(,"n":0)"), Api::chat) == "n must be an integer from 1 to 128");
    BOOST_TEST(complaint(chat(R"(,"n":1e9)"), Api::chat) == "n must be an integer from 1 to 128");
    BOOST_TEST(complaint(chat(R"(,"stream":"yes")"), Api::chat) == "stream must be true or false");
    BOOST_TEST(
        complaint(chat(R"(,"stop":[""])"), Api::chat).starts_with("stop must be a text of 1 to 1000 bytes"));
    BOOST_TEST(
        complaint(chat(R"(,"stop":5)"), Api::chat).starts_with("stop must be a text of 1 to 1000 bytes"));
    BOOST_TEST(complaint(chat(R"(,"temperature":"hot")"), Api::chat) ==
               "temperature must be a number from 0.0 to 100.0");
    BOOST_TEST(complaint(chat(R"(,"stream_options":{})"), Api::chat) ==
               "stream_options is allowed only with stream");
    BOOST_TEST(complaint(chat(R"(,"stream":true,"stream_options":{"include_usage":1})"), Api::chat) ==
               "stream_options.include_usage must be true or false");
    BOOST_TEST(complaint(chat(R"(,"model":7)"), Api::chat) == "model must be a text");
    BOOST_TEST(complaint("{}", Api::text) == "prompt is missing");
    BOOST_TEST(complaint(R"({"prompt":""})", Api::text) == "prompt must not be empty");
    BOOST_TEST(complaint(R"({"prompt":[]})", Api::text) == "prompt must be a list of 1 to 128");
    BOOST_TEST(complaint(R"({"prompt":[1,-2]})", Api::text) == "token numbers must be from 0 to 2147483647");
    BOOST_TEST(complaint(R"({"prompt":["a",{}]})", Api::text)
                   .starts_with("prompt must be a text, a list of token numbers"));
    BOOST_TEST(complaint(R"({"prompt":["a","b"],"n":100})", Api::text) ==
               "n times the number of prompts must not be above 128");
}

BOOST_AUTO_TEST_CASE(what_the_context_cannot_hold_is_refused_with_the_known_code)
{
    const engine::Prompt prompt(std::vector<engine::Token>(100, 1));
    BOOST_TEST(room_for_answer(prompt, {50, 0, false}, 150) == 50);
    BOOST_TEST(room_for_answer(prompt, {{}, 0, false}, 101) == 1);
    BOOST_CHECK_THROW(room_for_answer(prompt, {{}, 0, false}, 100), ApiError);
    try {
        room_for_answer(prompt, {51, 0, false}, 150);
        BOOST_TEST(false);
    } catch (const ApiError& error) {
        BOOST_TEST(
            error.body() ==
            R"({"error":{"message":"the context holds 150 tokens, the prompt has 100 and the answer asks for 51",)"
            R"("type":"invalid_request_error","param":"messages","code":"context_length_exceeded"}})");
    }
}
