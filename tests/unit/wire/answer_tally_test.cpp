// SPDX-License-Identifier: MIT
// Figures and verdicts of an answer, from what a reader of any form adds.

#include <slo/wire/answer_tally.hpp>

#define BOOST_TEST_MODULE wire_answer_tally
#include <boost/test/unit_test.hpp>

#include <string>

namespace {

using slo::wire::ChannelChars;
using slo::wire::Outcome;
using slo::wire::TokenTiming;

struct Tally : slo::wire::AnswerTally {
    using AnswerTally::add_text;
    using AnswerTally::add_usage;
    using AnswerTally::choice_at;
    using AnswerTally::fail_stream;
    using AnswerTally::finish;
    using AnswerTally::set_done;
    using AnswerTally::set_whole;
};

const ChannelChars two{.content = 2, .reasoning = 0, .arguments = 0};

} // namespace

BOOST_AUTO_TEST_CASE(choices_are_kept_by_index)
{
    Tally tally;
    BOOST_TEST(tally.choice_at(5)->index == 5);
    BOOST_TEST(tally.choice_at(0)->index == 0);
    BOOST_TEST(tally.choice_at(5)->index == 5);
    BOOST_TEST(tally.choices().size() == 2u);
    BOOST_TEST(tally.choices()[0].index == 0);
    BOOST_TEST(!tally.choice_at(-1));
    BOOST_TEST(!tally.choice_at(Tally::max_choices));
}

BOOST_AUTO_TEST_CASE(the_verdict_grows_with_what_comes)
{
    Tally tally;
    BOOST_TEST((tally.outcome() == Outcome::empty));
    tally.add_text(*tally.choice_at(0), two, std::nullopt, 1.0);
    BOOST_TEST((tally.outcome() == Outcome::truncated));
    BOOST_TEST(tally.error_text() == "answer ended without a finish reason");
    tally.finish(*tally.choice_at(0), "stop");
    BOOST_TEST((tally.outcome() == Outcome::ok));
    BOOST_TEST(tally.error_text() == "");
    tally.add_text(*tally.choice_at(1), two, std::nullopt, 2.0);
    BOOST_TEST((tally.outcome() == Outcome::truncated)); // one of two has no reason
    tally.fail_protocol("first");
    tally.fail_protocol("second");
    BOOST_TEST(tally.error_text() == "no valid answer: first");
    tally.fail_stream("broke\n");
    BOOST_TEST(tally.error_text() == "error in the answer: broke?");
}

BOOST_AUTO_TEST_CASE(the_end_alone_finishes_an_answer_without_reasons)
{
    Tally tally;
    tally.add_text(*tally.choice_at(0), two, std::nullopt, 1.0);
    tally.set_done(1.0);
    BOOST_TEST(tally.done());
    BOOST_TEST((tally.outcome() == Outcome::ok));
    Tally aborted;
    aborted.finish(*aborted.choice_at(0), "abort");
    BOOST_TEST((aborted.outcome() == Outcome::stream_error));
}

BOOST_AUTO_TEST_CASE(tokens_come_from_usage_of_all_of_each_or_from_events)
{
    Tally tally;
    tally.add_text(*tally.choice_at(0), two, std::nullopt, 1.0);
    tally.add_text(*tally.choice_at(0), two, std::nullopt, 2.0);
    tally.add_text(*tally.choice_at(1), two, std::nullopt, 3.0);
    BOOST_TEST(!tally.has_usage());
    BOOST_TEST(tally.output_tokens() == 3);
    BOOST_TEST(tally.tokens_of(tally.choices()[0]) == 2);
    const auto usage = [](std::int64_t tokens) {
        return slo::wire::Usage{.prompt_tokens = 1,
                                .completion_tokens = tokens,
                                .cached_tokens = std::nullopt,
                                .reasoning_tokens = std::nullopt};
    };
    tally.add_usage(usage(7), tally.choice_at(0));
    BOOST_TEST(tally.output_tokens() == 7);
    BOOST_TEST(tally.tokens_of(tally.choices()[0]) == 2); // 7 may be of both
    tally.add_usage(usage(9), nullptr);
    BOOST_TEST(tally.output_tokens() == 9);
    BOOST_TEST(tally.tokens_of(tally.choices()[0]) == 7); // 9 is of both
    BOOST_TEST(tally.input_tokens().value() == 1);
}

BOOST_AUTO_TEST_CASE(text_that_came_whole_counts_without_times)
{
    Tally tally;
    tally.set_whole();
    tally.add_text(*tally.choice_at(0), two, std::nullopt, std::nullopt);
    tally.set_done(std::nullopt);
    BOOST_TEST(!tally.streamed());
    BOOST_TEST(tally.has_text());
    BOOST_TEST(!tally.first_token_s());
    BOOST_TEST((tally.token_timing() == TokenTiming::none));
    BOOST_TEST((tally.outcome() == Outcome::ok));
}

BOOST_AUTO_TEST_CASE(more_tokens_than_any_service_gives_end_the_answer)
{
    Tally tally;
    auto& choice = *tally.choice_at(0);
    for (std::int64_t tokens = 1; tokens < 2'000'000; tokens += 1024)
        tally.add_text(choice, two, tokens, 1.0);
    BOOST_TEST(tally.error_text() == "no valid answer: more than 1048576 tokens");
}
