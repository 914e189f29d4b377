// SPDX-License-Identifier: MIT
#include <slo/engine/chat_tokens.hpp>
#define BOOST_TEST_MODULE engine_chat_tokens
#include <boost/test/unit_test.hpp>

#include <string>

using namespace slo;
using namespace slo::engine;

namespace {

std::string laid_out(const char* messages)
{
    std::string all;
    for_each_message(parse_json(messages).as_array(), [&](std::string_view role, std::string_view content) {
        all.append(role).append("=").append(content).append(";");
    });
    return all;
}

} // namespace

BOOST_AUTO_TEST_CASE(roles_and_contents_come_in_order)
{
    BOOST_TEST(laid_out(R"([{"role":"system","content":"be"},
        {"role":"user","content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]},
        {"role":"assistant","content":null},{"role":"tool"}])") == "system=be;user=ab;assistant=;tool=;");
}

BOOST_AUTO_TEST_CASE(messages_are_framed_and_the_answers_marker_comes_last)
{
    const auto tokens =
        tokens_of_messages(parse_json(R"([{"role":"user","content":"hello there"}])").as_array());
    std::vector<Token> expected;
    append_message(expected, "user", "hello there");
    append_answer_marker(expected);
    BOOST_TEST(tokens == expected, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(what_is_no_message_list_is_an_error)
{
    for (const char* bad :
         {"[]", "[1]", R"([{"content":"x"}])", R"([{"role":7}])", R"([{"role":"robot"}])",
          R"([{"role":"user","content":1}])", R"([{"role":"user","content":[{"type":"image_url"}]}])"})
        BOOST_TEST_CONTEXT(bad)
    BOOST_CHECK_THROW(laid_out(bad), InputError);
}
