// SPDX-License-Identifier: MIT
// Text per channel and ends of choices, under the names that servers use.

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

BOOST_AUTO_TEST_CASE(the_only_text_of_a_choice)
{
    using slo::wire::Channel;
    const auto sole = [](std::string_view choice) {
        const auto value = slo::parse_json(choice);
        const auto text = slo::wire::sole_text_of(value.as_object());
        if (!text)
            return std::string("-");
        return std::string(text->text) + (text->channel == Channel::content     ? " c"
                                          : text->channel == Channel::reasoning ? " r"
                                                                                : " a");
    };
    BOOST_TEST(sole(R"({"delta":{"content":"ab"}})") == "ab c");
    BOOST_TEST(sole(R"({"delta":{"content":"","reasoning":"ab"}})") == "ab r");
    BOOST_TEST(sole(R"({"delta":{"reasoning_content":"ab","reasoning":null}})") == "ab r");
    BOOST_TEST(sole(R"({"text":"ab","delta":{"content":""}})") == "ab c");
    BOOST_TEST(
        sole(R"({"delta":{"tool_calls":[{"function":{"arguments":""}},{"function":{"arguments":"1"}}]}})") ==
        "1 a");
    BOOST_TEST(sole(R"({"delta":{"content":[{"type":"text","text":"x"}]}})") == "x c");
    BOOST_TEST(sole(R"({"delta":{"reasoning":"ab","reasoning_content":"ab"}})") == "-");
    BOOST_TEST(sole(R"({"delta":{"content":"a","refusal":"b"}})") == "-");
    BOOST_TEST(sole(R"({"delta":{"content":""}})") == "-");
    BOOST_TEST(sole("{}") == "-");
}

BOOST_AUTO_TEST_CASE(channels_add_up)
{
    slo::wire::ChannelChars chars{1, 2, 3};
    chars += {10, 20, 30};
    chars.of(slo::wire::Channel::content) += 100;
    chars.of(slo::wire::Channel::reasoning) += 200;
    chars.of(slo::wire::Channel::arguments) += 300;
    BOOST_TEST(chars.content == 111);
    BOOST_TEST(chars.reasoning == 222);
    BOOST_TEST(chars.arguments == 333);
    BOOST_TEST(chars.all() == 666);
}
