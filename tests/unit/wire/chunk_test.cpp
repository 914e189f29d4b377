// SPDX-License-Identifier: MIT
// Text per channel and token counts, under the names that servers use.

#include <slo/wire/chunk.hpp>

#define BOOST_TEST_MODULE wire_chunk
#include <boost/test/unit_test.hpp>

#include <string>
#include <string_view>

namespace {

std::string chars(std::string_view choice)
{
    const auto value = slo::parse_json(choice);
    const auto text = slo::wire::text_of(value.as_object());
    return std::to_string(text.content) + " " + std::to_string(text.reasoning) + " " +
           std::to_string(text.arguments);
}

std::string reason(std::string_view choice)
{
    const auto value = slo::parse_json(choice);
    return slo::wire::finish_reason_of(value.as_object());
}

} // namespace

BOOST_AUTO_TEST_CASE(text_of_each_channel_in_code_points)
{
    BOOST_TEST(chars(R"({"delta":{"content":"h\u00e9🙂"}})") == "3 0 0");
    BOOST_TEST(chars(R"({"message":{"content":"abc","reasoning_content":"de"}})") == "3 2 0");
    BOOST_TEST(chars(R"({"text":"abcd"})") == "4 0 0");
    BOOST_TEST(chars(R"({"delta":{"content":"ab","refusal":"c"}})") == "3 0 0");
    BOOST_TEST(chars(R"({"delta":{"content":[{"type":"text","text":"ab"},{"type":"image"},5]}})") == "2 0 0");
    BOOST_TEST(
        chars(
            R"({"delta":{"tool_calls":[{"function":{"arguments":"{}"}},{"function":{"arguments":"1"}},7]}})") ==
        "0 0 3");
    BOOST_TEST(chars(R"({"delta":{"function_call":{"name":"f","arguments":"12"}}})") == "0 0 2");
    BOOST_TEST(chars(R"({"delta":{"content":null,"tool_calls":null,"reasoning":7}})") == "0 0 0");
    BOOST_TEST(chars(R"({"delta":[],"message":"x"})") == "0 0 0");
    BOOST_TEST(chars("{}") == "0 0 0");
}

BOOST_AUTO_TEST_CASE(finish_reasons)
{
    BOOST_TEST(reason(R"({"finish_reason":"stop"})") == "stop");
    BOOST_TEST(reason(R"({"finish_reason":{"type":"length","length":9}})") == "length");
    BOOST_TEST(reason(R"({"finish_reason":null})") == "");
    BOOST_TEST(reason(R"({"finish_reason":{}})") == "");
    BOOST_TEST(reason(R"({"finish_reason":5})") == "");
    BOOST_TEST(reason("{}") == "");
}

BOOST_AUTO_TEST_CASE(usage_keeps_only_counts)
{
    const auto usage = [](std::string_view text) {
        const auto value = slo::parse_json(text);
        return slo::wire::usage_of(value.as_object());
    };
    const auto full =
        usage(R"({"prompt_tokens":9,"completion_tokens":4.0,"prompt_tokens_details":{"cached_tokens":6},)"
              R"("completion_tokens_details":{"reasoning_tokens":2}})");
    BOOST_TEST(full.prompt_tokens.value() == 9);
    BOOST_TEST(full.completion_tokens.value() == 4);
    BOOST_TEST(full.cached_tokens.value() == 6);
    BOOST_TEST(full.reasoning_tokens.value() == 2);
    BOOST_TEST(usage(R"({"reasoning_tokens":3,"completion_tokens_details":null})").reasoning_tokens.value() ==
               3);
    const auto odd = usage(R"({"prompt_tokens":-1,"completion_tokens":1e300,"prompt_tokens_details":5})");
    BOOST_TEST(!odd.prompt_tokens);
    BOOST_TEST(!odd.completion_tokens);
    BOOST_TEST(!odd.cached_tokens);
}
