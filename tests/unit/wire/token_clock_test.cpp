// SPDX-License-Identifier: MIT
// Times of tokens: an event a token, or as many as usage says.

#include <slo/wire/token_clock.hpp>

#define BOOST_TEST_MODULE wire_token_clock
#include <boost/test/unit_test.hpp>

#include <optional>
#include <vector>

using slo::wire::AnswerChoice;
using slo::wire::ChannelChars;
using slo::wire::TokenClock;
using slo::wire::TokenTiming;

namespace {

const ChannelChars content{.content = 2, .reasoning = 0, .arguments = 0};
const ChannelChars reasoning{.content = 0, .reasoning = 3, .arguments = 0};

} // namespace

BOOST_AUTO_TEST_CASE(each_event_is_a_token)
{
    TokenClock clock;
    AnswerChoice choice;
    BOOST_TEST((clock.timing() == TokenTiming::none));
    BOOST_TEST(clock.add(choice, reasoning, std::nullopt, 1.0));
    BOOST_TEST(!clock.first_content_s());
    BOOST_TEST(clock.add(choice, content, std::nullopt, 1.5));
    BOOST_TEST(clock.add(choice, content, std::nullopt, 1.75));
    BOOST_TEST(clock.first_token_s().value() == 1.0);
    BOOST_TEST(clock.first_content_s().value() == 1.5);
    BOOST_TEST(clock.last_token_s().value() == 1.75);
    BOOST_TEST(clock.itl_ms() == (std::vector<double>{500, 250}), boost::test_tools::per_element());
    BOOST_TEST((clock.timing() == TokenTiming::event));
    BOOST_TEST(choice.token_events == 3);
    BOOST_TEST(choice.timed_tokens == 3);
    BOOST_TEST(choice.chars == 7);
    BOOST_TEST(clock.chars().content == 4);
    BOOST_TEST(clock.chars().reasoning == 3);
}

BOOST_AUTO_TEST_CASE(the_tokens_of_one_event_share_its_gap)
{
    TokenClock clock;
    AnswerChoice choice;
    clock.add(choice, content, 2, 1.0); // two at once: no gap is known between them
    clock.add(choice, content, 6, 1.5);
    clock.add(choice, content, 7, 1.75);
    BOOST_TEST(clock.itl_ms() == (std::vector<double>{125, 125, 125, 125, 250}),
               boost::test_tools::per_element());
    BOOST_TEST((clock.timing() == TokenTiming::usage));
    BOOST_TEST(choice.token_events == 3);
    BOOST_TEST(choice.timed_tokens == 7);
}

BOOST_AUTO_TEST_CASE(usage_that_does_not_come_with_each_event_or_does_not_grow_is_no_timing)
{
    const auto timing = [](const std::vector<std::optional<std::int64_t>>& tokens) {
        TokenClock clock;
        AnswerChoice choice;
        double t_s = 0;
        for (const auto& count : tokens)
            clock.add(choice, content, count, t_s += 0.25);
        return clock.timing();
    };
    BOOST_TEST((timing({1, 2, 3}) == TokenTiming::usage));
    BOOST_TEST((timing({1, std::nullopt, 3}) == TokenTiming::event));
    BOOST_TEST((timing({std::nullopt, std::nullopt, 3}) == TokenTiming::event));
    BOOST_TEST((timing({1, 1, 1}) == TokenTiming::event));
    BOOST_TEST((timing({5, 3}) == TokenTiming::event));
    BOOST_TEST((timing({0}) == TokenTiming::event));
}

BOOST_AUTO_TEST_CASE(a_count_after_events_without_one_says_nothing_about_its_own_gap)
{
    TokenClock clock;
    AnswerChoice choice;
    clock.add(choice, content, std::nullopt, 1.0);
    clock.add(choice, content, std::nullopt, 1.5);
    clock.add(choice, content, 6, 2.0);
    BOOST_TEST(clock.itl_ms() == (std::vector<double>{500, 500}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(choices_have_clocks_of_their_own)
{
    TokenClock clock;
    AnswerChoice a, b;
    clock.add(a, content, 1, 1.0);
    clock.add(b, content, 1, 2.0);
    clock.add(a, content, 3, 3.0);
    clock.add(b, content, 2, 4.0);
    BOOST_TEST(clock.itl_ms() == (std::vector<double>{1000, 1000, 2000}), boost::test_tools::per_element());
    BOOST_TEST((clock.timing() == TokenTiming::usage));
    BOOST_TEST(b.first_token_s.value() == 2.0);
    BOOST_TEST(b.last_token_s.value() == 4.0);
}

BOOST_AUTO_TEST_CASE(text_that_came_whole_has_no_times)
{
    TokenClock clock;
    AnswerChoice choice;
    BOOST_TEST(clock.add(choice, content, 9, std::nullopt));
    BOOST_TEST(!clock.first_token_s());
    BOOST_TEST(!choice.first_token_s);
    BOOST_TEST(choice.chars == 2);
    BOOST_TEST(choice.token_events == 1);
    BOOST_TEST(clock.itl_ms().empty());
    BOOST_TEST((clock.timing() == TokenTiming::none));
}

BOOST_AUTO_TEST_CASE(gaps_are_bounded)
{
    TokenClock clock;
    AnswerChoice choice;
    clock.add(choice, content, 1, 0.0);
    clock.add(choice, content, 1'000'000'000'001, 1.0);
    BOOST_TEST(clock.itl_ms().size() == 1024u);
    BOOST_TEST(clock.itl_ms()[0] == 1e-9, boost::test_tools::tolerance(1e-9));
    std::int64_t tokens = 1'000'000'000'001;
    int events = 0;
    while (clock.add(choice, content, tokens += 1024, 2.0) && events < 10'000)
        ++events;
    BOOST_TEST(events == 1023);
    BOOST_TEST(clock.itl_ms().size() == TokenClock::max_gaps);
}
