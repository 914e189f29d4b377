// SPDX-License-Identifier: MIT
// Events and objects of /v1/responses: text per channel, ends, usage.

#include <slo/wire/response_event.hpp>

#define BOOST_TEST_MODULE wire_response_event
#include <boost/test/unit_test.hpp>

#include <string>
#include <string_view>

namespace {

namespace json = slo::json;
using slo::wire::Channel;

json::object object_of(std::string_view text)
{
    return slo::parse_json(text).as_object();
}

std::string delta(std::string_view type, std::string_view text = R"("ab")")
{
    const auto event =
        object_of(R"({"type":")" + std::string(type) + R"(","delta":)" + std::string(text) + "}");
    const auto found = slo::wire::response_delta(event);
    if (!found)
        return "-";
    return std::string(found->text) + (found->channel == Channel::content     ? " c"
                                       : found->channel == Channel::reasoning ? " r"
                                                                              : " a");
}

std::string end_of(std::string_view status, std::string_view response = "{}")
{
    const auto end = slo::wire::end_of_response(object_of(response), status);
    return end ? end->finish_reason + "|" + end->error : "-";
}

} // namespace

BOOST_AUTO_TEST_CASE(events_and_bodies_are_known_by_their_names)
{
    BOOST_TEST(slo::wire::is_response_event(object_of(R"({"type":"response.created"})")));
    BOOST_TEST(!slo::wire::is_response_event(object_of(R"({"type":"message_start"})")));
    BOOST_TEST(!slo::wire::is_response_event(object_of(R"({"type":7})")));
    BOOST_TEST(!slo::wire::is_response_event(object_of(R"({"choices":[]})")));
    BOOST_TEST(slo::wire::is_response(object_of(R"({"object":"response"})")));
    BOOST_TEST(!slo::wire::is_response(object_of(R"({"object":"chat.completion"})")));
}

BOOST_AUTO_TEST_CASE(deltas_belong_to_channels)
{
    BOOST_TEST(delta("response.output_text.delta") == "ab c");
    BOOST_TEST(delta("response.refusal.delta") == "ab c");
    BOOST_TEST(delta("response.reasoning_text.delta") == "ab r");
    BOOST_TEST(delta("response.reasoning_summary_text.delta") == "ab r");
    BOOST_TEST(delta("response.function_call_arguments.delta") == "ab a");
    BOOST_TEST(delta("response.mcp_call_arguments.delta") == "ab a");
    BOOST_TEST(delta("response.custom_tool_call_input.delta") == "ab a");
    BOOST_TEST(delta("response.audio.delta") == "-");
    BOOST_TEST(delta("response.output_text.done") == "-");
    BOOST_TEST(delta("response.output_text.delta", R"("")") == "-");
    BOOST_TEST(delta("response.output_text.delta", "null") == "-");
    BOOST_TEST(delta("response.output_text.delta", R"({"text":"ab"})") == "-");
}

BOOST_AUTO_TEST_CASE(ends_in_the_words_of_chat_completions)
{
    BOOST_TEST(end_of("completed") == "stop|");
    BOOST_TEST(end_of("incomplete", R"({"incomplete_details":{"reason":"max_output_tokens"}})") == "length|");
    BOOST_TEST(end_of("incomplete", R"({"incomplete_details":{"reason":"content_filter"}})") ==
               "content_filter|");
    BOOST_TEST(end_of("incomplete", R"({"incomplete_details":null})") == "incomplete|");
    BOOST_TEST(end_of("failed", R"({"error":{"code":"server_error","message":"broke"}})") == "|broke");
    BOOST_TEST(end_of("failed") == "|response failed");
    BOOST_TEST(end_of("cancelled", R"({"error":null})") == "|response cancelled");
    BOOST_TEST(end_of("in_progress") == "-");
    BOOST_TEST(end_of("queued") == "-");
    BOOST_TEST(end_of("output_item.done") == "-");
    BOOST_TEST(end_of("") == "-");
}

BOOST_AUTO_TEST_CASE(usage_under_its_own_names)
{
    const auto end = slo::wire::end_of_response(
        object_of(
            R"({"usage":{"input_tokens":7,"output_tokens":5,"input_tokens_details":{"cached_tokens":6},)"
            R"("output_tokens_details":{"reasoning_tokens":2}}})"),
        "completed");
    BOOST_REQUIRE(end->usage);
    BOOST_TEST(end->usage->prompt_tokens.value() == 7);
    BOOST_TEST(end->usage->completion_tokens.value() == 5);
    BOOST_TEST(end->usage->cached_tokens.value() == 6);
    BOOST_TEST(end->usage->reasoning_tokens.value() == 2);
    const auto odd = slo::wire::end_of_response(
        object_of(R"({"usage":{"input_tokens":"7","output_tokens":-5,"input_tokens_details":[]}})"),
        "failed");
    BOOST_TEST(!odd->usage->prompt_tokens);
    BOOST_TEST(!odd->usage->completion_tokens);
    BOOST_TEST(!slo::wire::end_of_response(object_of(R"({"usage":null})"), "completed")->usage);
}

BOOST_AUTO_TEST_CASE(text_of_a_whole_response)
{
    const auto chars = slo::wire::text_of_response(object_of(
        R"({"output":[{"type":"reasoning","content":[{"type":"reasoning_text","text":"abcd"}],"summary":[{"text":"e"}]},)"
        R"({"type":"message","content":[{"type":"output_text","text":"hé"},{"type":"refusal","refusal":"no"}]},)"
        R"({"type":"function_call","arguments":"{}"},{"type":"custom_tool_call","input":"x"},5,{"content":7}]})"));
    BOOST_TEST(chars.content == 4);
    BOOST_TEST(chars.reasoning == 5);
    BOOST_TEST(chars.arguments == 3);
    BOOST_TEST(slo::wire::text_of_response(object_of(R"({"output":null})")).all() == 0);
}
