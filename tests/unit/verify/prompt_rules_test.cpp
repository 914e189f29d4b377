// SPDX-License-Identifier: MIT
// No prompt twice, no first block twice.

#include <slo/verify/prompt_rules.hpp>

#define BOOST_TEST_MODULE verify_prompt_rules
#include <boost/test/unit_test.hpp>

#include "../../support/verified_rows.hpp"

using namespace slo::verify;

namespace {

std::string prompt(const std::string& text)
{
    return row_text("{\"prompt\":\"" + text + "\"}");
}

} // namespace

BOOST_AUTO_TEST_CASE(repeated_prompts)
{
    PromptsRule rule;
    const auto report = judge(rule, {prompt("a"), prompt("b"), prompt("\\u0061"), prompt("ab"), prompt("b")});
    BOOST_TEST(lines_of(report) == "3 5");
    BOOST_TEST(report.findings.kept()[1].reason == "the prompt of line 2");
    BOOST_TEST(report.figures.at("prompts").as_uint64() == 3U);
}

BOOST_AUTO_TEST_CASE(first_blocks_by_tokens)
{
    FirstBlocksRule rule(3);
    const auto report = judge(rule, {prompt("a"), prompt("a"), prompt("a"), prompt("a"), prompt("a")},
                              {{1, 2, 3, 4}, {1, 2, 4, 4}, {1, 2, 3, 5}, {1, 2}, {1, 2}});
    BOOST_TEST(lines_of(report) == "3 5");
    BOOST_TEST(report.expected == "each first block of 3 tokens once");
}

BOOST_AUTO_TEST_CASE(first_blocks_by_the_beginning_of_the_text)
{
    FirstBlocksRule rule(2);
    const auto report =
        judge(rule, {prompt("12345678a"), prompt("12345678b"), prompt("1234567"), prompt("1234567\\u0038")});
    BOOST_TEST(lines_of(report) == "2 4");
    BOOST_TEST(report.expected == "each first 8 bytes once (no tokenizer was given)");
}
