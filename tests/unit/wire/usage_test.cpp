// SPDX-License-Identifier: MIT
// Token counts under the names that servers use, and their last word.

#include <slo/wire/usage.hpp>

#define BOOST_TEST_MODULE wire_usage
#include <boost/test/unit_test.hpp>

#include <string_view>

using slo::wire::Usage;
using slo::wire::UsageTally;

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

BOOST_AUTO_TEST_CASE(an_absurd_count_is_none)
{
    const auto value =
        slo::parse_json(R"({"prompt_tokens":9223372036854775807,"completion_tokens":1000000000000})");
    const auto usage = slo::wire::usage_of(value.as_object());
    BOOST_TEST(!usage.prompt_tokens);
    BOOST_TEST(usage.completion_tokens.value() == 1'000'000'000'000);
}

BOOST_AUTO_TEST_CASE(the_last_count_stands)
{
    UsageTally tally;
    BOOST_TEST(!tally.seen());
    BOOST_TEST(!tally.completion_tokens(1, 5));
    tally.add({.prompt_tokens = 7, .completion_tokens = 3, .cached_tokens = 2, .reasoning_tokens = 1}, false);
    tally.add({.prompt_tokens = {}, .completion_tokens = 5, .cached_tokens = {}, .reasoning_tokens = 4},
              false);
    BOOST_TEST(tally.seen());
    BOOST_TEST(tally.last().prompt_tokens.value() == 7);
    BOOST_TEST(tally.last().cached_tokens.value() == 2);
    BOOST_TEST(tally.last().reasoning_tokens.value() == 4);
    BOOST_TEST(tally.completion_tokens(1, 5).value() == 5);
}

BOOST_AUTO_TEST_CASE(a_usage_for_each_choice_is_added_up)
{
    // Two choices close with 8 tokens each, and 16 events were seen: the last one is not the whole.
    UsageTally tally;
    const Usage eight{
        .prompt_tokens = 1, .completion_tokens = 8, .cached_tokens = {}, .reasoning_tokens = {}};
    tally.add(eight, false);
    tally.add(eight, false);
    BOOST_TEST(tally.completion_tokens(2, 16).value() == 16);
    BOOST_TEST(tally.completion_tokens(2, 8).value() == 8);
    BOOST_TEST(tally.completion_tokens(3, 16).value() == 8);
    UsageTally with_choice;
    with_choice.add(eight, true);
    BOOST_TEST(with_choice.seen());
    BOOST_TEST(!with_choice.completion_tokens(1, 8));
}
