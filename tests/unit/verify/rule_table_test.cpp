// SPDX-License-Identifier: MIT
// Which rules apply.

#include <slo/verify/rule_table.hpp>

#define BOOST_TEST_MODULE verify_rule_table
#include <boost/test/unit_test.hpp>

using namespace slo;
using namespace slo::verify;

namespace {

std::string names(const VerifyOptions& options)
{
    std::string text;
    for (const auto& each : choose_rules(make_plan(options)))
        text += (text.empty() ? "" : " ") + each.name;
    return text;
}

std::string refusal(const VerifyOptions& options)
{
    try {
        names(options);
    } catch (const UsageError& error) {
        return error.what();
    }
    return "";
}

} // namespace

BOOST_AUTO_TEST_CASE(rules_that_any_route_keeps)
{
    BOOST_TEST(names({}) == "schema lines unit order ids turns roles body rows");
}

BOOST_AUTO_TEST_CASE(what_options_add)
{
    VerifyOptions options;
    options.strict_messages = options.unique_prompts = options.unique_first_blocks = true;
    options.body = "{}";
    options.forbid = {"seed"};
    options.max_run = 3;
    options.max_model_len = 100;
    options.shards = 2;
    options.sample_range = {0, 0.5};
    options.tokenizer.how = "sim";
    options.cache_blocks = 4;
    BOOST_TEST(names(options) ==
               "schema lines unit order ids turns roles messages clusters prompts first-blocks body sampling "
               "forbidden tokens context hit-rate rows shards sample");
}

BOOST_AUTO_TEST_CASE(what_specs_add)
{
    VerifyOptions options;
    options.spec = "tests/data/verify/good.yaml";
    BOOST_TEST(names(options) ==
               "schema lines unit order ids id-form turns roles messages system quotas clusters prompts "
               "first-blocks body sampling forbidden context rows");
    options.spec = "tests/data/verify/boundary.yaml";
    BOOST_TEST(
        names(options) ==
        "schema lines unit order ids id-form turns roles messages system prompts first-blocks body sampling "
        "forbidden boundary context rows");
}

BOOST_AUTO_TEST_CASE(choices)
{
    VerifyOptions options;
    options.only = {"prompts", "order"};
    BOOST_TEST(names(options) == "schema order prompts rows");
    options.skip = {"order"};
    BOOST_TEST(names(options) == "schema prompts rows");
    options.skip = {"rows"};
    BOOST_TEST(refusal(options) == "--skip: rows cannot be left out");
    options.skip = {"rhyme"};
    BOOST_TEST(refusal(options) == "--skip: no rule is called 'rhyme'");
    options.skip = {};
    options.only = {"context"};
    BOOST_TEST(refusal(options) ==
               "--rule: context needs --max-model-len, --spec or a --tokenizer that says it");
    options.only = {"boundary"};
    BOOST_TEST(refusal(options) == "--rule: boundary needs --spec of a boundary set");
}

BOOST_AUTO_TEST_CASE(who_is_asked_for)
{
    const auto asked = [](const VerifyOptions& options) {
        std::string text;
        for (const auto& each : choose_rules(make_plan(options)))
            text += each.is_asked ? (text.empty() ? "" : " ") + each.name : "";
        return text;
    };
    VerifyOptions options;
    options.tokenizer.how = "sim";
    BOOST_TEST(asked(options) == "");
    options.single_turn = options.strict_messages = true;
    BOOST_TEST(asked(options) == "ids messages");
    options = {};
    options.only = {"roles"};
    BOOST_TEST(asked(options) == "roles");
}

BOOST_AUTO_TEST_CASE(every_rule_is_listed_once)
{
    const auto list = list_rules();
    std::size_t lines = 0;
    for (const auto& entry : rule_table()) {
        const auto line = std::string(entry.name) + " ";
        BOOST_TEST(list.find(line) != std::string::npos);
        ++lines;
    }
    BOOST_TEST(static_cast<std::size_t>(std::count(list.begin(), list.end(), '\n')) == lines);
}
