// SPDX-License-Identifier: MIT
#include <slo/tokens/prompt.hpp>
#define BOOST_TEST_MODULE tokens_prompt
#include <boost/test/unit_test.hpp>

#include <string>

using namespace slo;
using namespace slo::tokens;

BOOST_AUTO_TEST_CASE(a_list_is_messages_a_text_is_text_and_nothing_else_is_a_prompt)
{
    const auto seen = [](const json::value& prompt) {
        return visit_prompt(
            prompt, [](const json::array& messages) { return "messages " + std::to_string(messages.size()); },
            [](std::string_view text) { return "text " + std::string(text); });
    };
    BOOST_TEST(seen(parse_json("[1,2]")) == "messages 2");
    BOOST_TEST(seen(json::value("hi")) == "text hi");
    BOOST_CHECK_THROW(seen(json::value(1)), InputError);
    BOOST_CHECK_THROW(seen(parse_json("{}")), InputError);
}
