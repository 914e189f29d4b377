// SPDX-License-Identifier: MIT
// Who speaks when, and what a message holds.

#include <slo/verify/message_rules.hpp>

#define BOOST_TEST_MODULE verify_message_rules
#include <boost/test/unit_test.hpp>

#include "../../support/verified_rows.hpp"

using namespace slo::verify;

namespace {

std::string roles(const std::string& body, bool needs_system = false)
{
    RolesRule rule(needs_system);
    const auto report = judge(rule, {row_text(body)});
    return report.findings.empty() ? "" : report.findings.kept()[0].reason;
}

} // namespace

BOOST_AUTO_TEST_CASE(orders_of_speakers)
{
    for (const auto* good : {"u", "su", "sau", "suau", "au", "uat", "uattau", "satau"})
        BOOST_TEST(roles(body_of(good)) == "", good);
    BOOST_TEST(roles(body_of("us")) == "message 2: a system message that is not the first");
    BOOST_TEST(roles(body_of("ssu")) == "message 2: a system message that is not the first");
    BOOST_TEST(roles(body_of("suu")) == "message 3: user twice in a row");
    BOOST_TEST(roles(body_of("uaa")) == "message 3: assistant twice in a row");
    BOOST_TEST(roles(body_of("ut")) == "message 2: the result of a tool that the assistant did not call");
    BOOST_TEST(roles(body_of("t")) == "message 1: the result of a tool that the assistant did not call");
    BOOST_TEST(roles(body_of("ua")) == "the last message is of the assistant");
    BOOST_TEST(roles(body_of("s")) == "the last message is of the system");
    BOOST_TEST(roles(R"({"prompt":[{"role":"human","content":"a"}]})") == "message 1: unknown role human");
    BOOST_TEST(roles(R"({"prompt":"a text"})") == "");
    BOOST_TEST(roles(R"({"prompt":"a text"})", true) == "a text in place of messages");
}

BOOST_AUTO_TEST_CASE(a_system_message_may_be_needed)
{
    BOOST_TEST(roles(body_of("su"), true) == "");
    BOOST_TEST(roles(body_of("u"), true) == "message 1: user in place of system");
}

BOOST_AUTO_TEST_CASE(members_of_messages)
{
    MessagesRule rule;
    const auto report = judge(
        rule,
        {row_text(body_of("su")), row_text(R"({"prompt":"a"})"),
         row_text(R"({"prompt":[{"role":"user","content":"a","name":"b"}]})"),
         row_text(R"({"prompt":[{"role":"user","content":[]}]})"),
         row_text(R"({"prompt":[{"role":"user","content":"a","content":"b"}]})"),
         row_text(R"({"prompt":[{"role":"user","content":"a"},{"role":"assistant","tool_calls":[]}]})")});
    BOOST_TEST(lines_of(report) == "3 4 5 6");
    BOOST_TEST(report.findings.kept()[3].reason == "message 2: content is no text");
}

BOOST_AUTO_TEST_CASE(bases_of_system_messages)
{
    SystemRule rule;
    const auto with = [](const std::string& base, const std::string& roles_used) {
        return R"({"ts":1,"assembly":{"system_base":")" + base + R"("},"body":)" +
               body_of(roles_used, "one\\ntwo") + "}";
    };
    const auto report =
        judge(rule, {with("one\\nt", "su"), with("two", "su"), with("one", "u"), row_text(body_of("u"))});
    BOOST_TEST(lines_of(report) == "2 3");
    BOOST_TEST(report.seen == "2 other system messages among 3 rows with one");
}

BOOST_AUTO_TEST_CASE(texts_alone_are_nothing_to_check)
{
    const std::string text = row_text(R"({"prompt":"a text"})");
    const std::string list = row_text(body_of("u"));
    const auto unchecked = [](Rule&& rule, const std::vector<std::string>& rows) {
        return judge(rule, rows).nothing_to_check;
    };
    BOOST_TEST(unchecked(RolesRule(false), {text}) == "no prompt is a list of messages");
    BOOST_TEST(unchecked(RolesRule(false), {text, list}) == "");
    BOOST_TEST(unchecked(MessagesRule(), {text}) == "no prompt is a list of messages");
    BOOST_TEST(unchecked(MessagesRule(), {text, list}) == "");
    BOOST_TEST(unchecked(SystemRule(), {list}) == "no row has an assembly.system_base");
}
