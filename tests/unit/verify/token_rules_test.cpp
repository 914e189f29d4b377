// SPDX-License-Identifier: MIT
// Stored counts against a recount, and the context.

#include <slo/verify/token_rules.hpp>

#define BOOST_TEST_MODULE verify_token_rules
#include <boost/test/unit_test.hpp>

#include "../../support/verified_rows.hpp"

using namespace slo;
using namespace slo::verify;

namespace {

std::string row(const std::string& model, const std::string& members = "")
{
    return R"({"ts":1,"model":{)" + model + R"(},"body":{"prompt":"a")" + members + "}}";
}

std::string context(std::int64_t tokens, const std::string& members)
{
    ContextRule rule(100, "--spec");
    const auto report =
        judge(rule, {row("\"prompt_tokens_chat_template\":" + std::to_string(tokens), members)});
    return report.findings.empty() ? "" : report.findings.kept()[0].reason;
}

} // namespace

BOOST_AUTO_TEST_CASE(stored_counts)
{
    TokensRule rule({{"short", 0, 3, 0, 0}}, false);
    const auto report = judge(rule,
                              {row(R"("prompt_tokens_chat_template":2,"bucket":"short")"),
                               row(R"("prompt_tokens_chat_template":3,"bucket":"short")"),
                               row(R"("prompt_tokens_chat_template":2,"bucket":"long")"), row(""),
                               row(R"("prompt_tokens_chat_template":4,"bucket":"long")"),
                               row(R"("prompt_tokens_chat_template":4)")},
                              {{1, 2}, {1, 2}, {1, 2}, {1}, {1, 2, 3, 4}, {1, 2, 3, 4}});
    BOOST_TEST(lines_of(report) == "2 3 5");
    BOOST_TEST(report.findings.kept()[0].reason == "3 tokens stored, 2 counted");
    BOOST_TEST(report.findings.kept()[1].reason == "bucket long stored, short counted");
    BOOST_TEST(report.findings.kept()[2].reason == "bucket long stored, none counted");
    BOOST_TEST(report.figures.at("prompt_tokens").as_int64() == 15);
}

BOOST_AUTO_TEST_CASE(a_count_may_be_needed)
{
    TokensRule rule({}, true);
    BOOST_TEST(lines_of(judge(rule, {row(R"("prompt_tokens_chat_template":1)"), row("")}, {{7}, {7}})) ==
               "2");
}

BOOST_AUTO_TEST_CASE(prompt_and_answer_fit)
{
    BOOST_TEST(context(99, "") == "");
    BOOST_TEST(context(100, "") == "100 prompt tokens and up to 0 of the answer");
    BOOST_TEST(context(60, R"(,"max_tokens":40)") == "");
    BOOST_TEST(context(60, R"(,"max_tokens":41)") == "60 prompt tokens and up to 41 of the answer");
    BOOST_TEST(context(60, R"(,"max_completion_tokens":41)") != "");
    BOOST_TEST(context(60, R"(,"max_tokens":9223372036854775807)") != "");
    BOOST_TEST(context(60, R"(,"max_tokens":-9223372036854775808)") == "");
    BOOST_TEST(context(-1, "") != "");
}

BOOST_AUTO_TEST_CASE(a_row_of_unknown_length)
{
    ContextRule rule(100, "--spec");
    const auto report = judge(rule, {row("")});
    BOOST_TEST(report.findings.kept()[0].reason == "nothing says how many tokens the prompt has");
    BOOST_TEST(report.figures.at("max_model_len").as_int64() == 100);
    BOOST_TEST(report.figures.at("max_model_len_from").as_string() == "--spec");
}
