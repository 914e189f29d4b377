// SPDX-License-Identifier: MIT
// Rows as rules see them.

#include <slo/verify/row.hpp>

#define BOOST_TEST_MODULE verify_row
#include <boost/test/unit_test.hpp>

#include "../../support/verified_rows.hpp"

using namespace slo;

namespace {

std::string key(const std::string& body)
{
    return std::string(ScannedRow(row_text(body)).row.prompt_key());
}

std::string fault(const std::string& body)
{
    try {
        ScannedRow row(row_text(body));
    } catch (const record::RowError& error) {
        return error.what();
    }
    return "";
}

} // namespace

BOOST_AUTO_TEST_CASE(equal_prompts_have_equal_keys)
{
    const auto plain = key(R"({"prompt":[{"role":"user","content":"hé\n"}]})");
    BOOST_TEST(key(R"({"messages": [ {"content" : "h\u00e9\u000a", "role":"\u0075ser"} ], "n":3})") == plain);
    BOOST_TEST(key(R"({"prompt":["h\u00E9\n"]})") == plain);
    BOOST_TEST(key(R"({"prompt":[{"role":"user","content":"hé"}]})") != plain);
    BOOST_TEST(key(R"({"prompt":[{"role":"system","content":"hé\n"}]})") != plain);
    BOOST_TEST(key(R"({"prompt":[{"role":"user","content":"hé\n","name":"b"}]})") != plain);
}

BOOST_AUTO_TEST_CASE(the_cut_between_messages_counts)
{
    BOOST_TEST(key(R"({"prompt":["ab","c"]})") != key(R"({"prompt":["a","bc"]})"));
    BOOST_TEST(key(R"({"prompt":["a"]})") != key(R"({"prompt":["a",""]})"));
    BOOST_TEST(key(R"({"prompt":"a"})") != key(R"({"prompt":["a"]})"));
}

BOOST_AUTO_TEST_CASE(a_beginning_ends_with_the_first_message_of_the_user)
{
    const auto beginning = [](const std::string& roles) {
        return std::string(ScannedRow(row_text(body_of(roles))).row.prompt_beginning());
    };
    BOOST_TEST(beginning("su") == "systemxuserx");
    BOOST_TEST(beginning("suau") == "systemxuserx");
    BOOST_TEST(beginning("au") == "assistantxuserx");
    BOOST_TEST(beginning("sa") == "systemxassistantx");
    BOOST_TEST(std::string(ScannedRow(row_text(R"({"prompt":"all"})")).row.prompt_beginning()) == "all");
}

BOOST_AUTO_TEST_CASE(members_of_messages)
{
    const ScannedRow row(row_text(
        R"({"prompt":[{"role":"user","content":"a"},{"role":"assistant","tool_calls":[]},{"role":"tool","content":[1]},)"
        R"({"role":"x\ty","content":"a","n":1}]})"));
    const auto& messages = row.row.messages();
    BOOST_REQUIRE(messages.size() == 4U);
    BOOST_TEST((messages[0].has_text && !messages[0].has_other_members));
    BOOST_TEST((!messages[1].has_text && messages[1].has_other_members));
    BOOST_TEST((!messages[2].has_text && !messages[2].has_other_members));
    BOOST_TEST((messages[3].has_text && messages[3].has_other_members));
    BOOST_TEST(messages[3].role == "x\ty");
}

BOOST_AUTO_TEST_CASE(malformed_prompts)
{
    BOOST_TEST(fault("{}") == "body has neither prompt nor messages");
    BOOST_TEST(fault(R"({"prompt":null})") == "body has neither prompt nor messages");
    BOOST_TEST(fault(R"({"prompt":null,"messages":"a"})").empty());
    BOOST_TEST(fault(R"({"prompt":""})") == "the prompt is empty");
    BOOST_TEST(fault(R"({"prompt":[ ]})") == "the prompt is empty");
    BOOST_TEST(fault(R"({"prompt":7})") == "the prompt is neither text nor a list of messages");
    BOOST_TEST(fault(R"({"prompt":["a",{}]})") == "the prompt is neither text nor a list of messages");
    BOOST_TEST(fault(R"({"prompt":[{"role":"user","content":"a"},"b"]})") ==
               "the prompt is neither text nor a list of messages");
    BOOST_TEST(fault(R"({"prompt":[{"role":"user","content":"a"},{"content":"b"}]})") ==
               "message 2 has no role");
    BOOST_TEST(fault(R"({"prompt":[{"role":null,"content":"b"}]})") == "message 1: role is no text");
    BOOST_TEST(fault(R"({"prompt":[{"role":"user"}]})") == "message 1 has no content");
}

BOOST_AUTO_TEST_CASE(what_a_builder_stored)
{
    const auto text =
        R"({"ts":1,"model":{"prompt_tokens_chat_template":7},"assembly":3,"body":{"prompt":"a","n":3,"m":"x"}})";
    ScannedRow row(text, 12);
    BOOST_TEST(row.row.line() == 12U);
    BOOST_TEST(row.row.stored_tokens().value() == 7);
    BOOST_TEST(row.row.prompt_tokens().value() == 7);
    BOOST_TEST(row.row.assembly().empty());
    BOOST_TEST(row.row.body_count("n").value() == 3);
    BOOST_TEST(!row.row.body_count("m"));
    BOOST_TEST(!row.row.body_count("prompt"));
    const tokens::TokenList counted{1, 2};
    row.row.set_tokens(counted);
    BOOST_TEST(row.row.prompt_tokens().value() == 2);
    row.row.assign(row.scanner, 13);
    BOOST_TEST(!row.row.tokens());
}

BOOST_AUTO_TEST_CASE(prompts_for_tokenizers)
{
    BOOST_TEST(to_json(ScannedRow(row_text(R"({"prompt":["a"]})")).row.prompt()) ==
               R"([{"role":"user","content":"a"}])");
    BOOST_TEST(to_json(ScannedRow(row_text(R"({"prompt":"a\u0062"})")).row.prompt()) == R"("ab")");
    BOOST_TEST(ScannedRow(row_text(body_of("su", "\\n"))).row.first_content() == "\n");
    BOOST_TEST(ScannedRow(row_text(R"({"prompt":["a"]})")).row.first_content().empty());
}
