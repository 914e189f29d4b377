// SPDX-License-Identifier: MIT
// What answers say: the SSE cases with their reads and times, and hostile events.

#include <slo/wire/completion.hpp>

#define BOOST_TEST_MODULE wire_completion
#include <boost/test/unit_test.hpp>

#include <slo/io/jsonl.hpp>
#include <slo/wire/answer_reader.hpp>

#include "../../support/answer_text.hpp"

#include <cmath>
#include <string>
#include <string_view>
#include <vector>

namespace {

using slo::wire::Answer;
using slo::wire::AnswerReader;
using slo::wire::Outcome;
namespace json = slo::json;

// Plays one case: each read at its time. Returns whether it ended with a reset.
struct Played {
    AnswerReader reader;
    bool reset = false;
    const Answer& answer() const { return reader.answer(); }
    bool success() const { return !reset && reader.http_ok() && answer().outcome() == Outcome::ok; }
};

Played play(const std::string& folder, const std::string& name = "response")
{
    const auto path = "tests/data/sse/" + folder + "/" + name;
    const auto bytes = slo::io::read_all(path + ".sse", 1 << 20);
    Played played;
    played.reader.begin(200, "text/event-stream; charset=utf-8");
    slo::io::LineReader reads(path + ".reads.jsonl");
    while (const auto read = slo::io::next_object(reads)) {
        const double t_s = slo::number_at(*read, "t_ms").value() / 1000;
        if (const auto end = slo::string_at(*read, "end")) {
            played.reset = *end == "reset";
            played.reader.end(!played.reset);
            continue;
        }
        const auto from = static_cast<std::size_t>(slo::integer_at(*read, "from").value());
        const auto to = static_cast<std::size_t>(slo::integer_at(*read, "to").value());
        played.reader.feed(std::string(bytes.substr(from, to - from)), t_s);
    }
    return played;
}

double ms(std::optional<double> t_s)
{
    return t_s ? std::round(*t_s * 1e6) / 1e3 : -1;
}

double tpot_ms(const Answer& answer, const slo::wire::AnswerChoice& choice)
{
    const auto tokens = answer.tokens_of(choice);
    return tokens < 2
               ? -1
               : (*choice.last_token_s - *choice.first_token_s) * 1000 / static_cast<double>(tokens - 1);
}

// The gaps between token events of the one choice.
std::vector<double> gaps(const Answer& answer)
{
    std::vector<double> rounded;
    for (const double gap : answer.itl_ms())
        rounded.push_back(std::round(gap * 1000) / 1000);
    return rounded;
}

Answer of_events(const std::vector<std::string>& events)
{
    Answer answer;
    double t_s = 0;
    for (const auto& event : events)
        answer.on_event(event, "", t_s += 1);
    return answer;
}

const std::string text_a = R"({"choices":[{"index":0,"delta":{"content":"a"}}]})";
const std::string stop = R"({"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]})";

} // namespace

BOOST_AUTO_TEST_CASE(S01_utf8_split_over_reads)
{
    const auto played = play("S01-utf8-split");
    BOOST_TEST(played.success());
    BOOST_TEST(ms(played.answer().first_token_s()) == 110);
    BOOST_TEST(ms(played.answer().last_token_s()) == 180);
    BOOST_TEST(gaps(played.answer()) == (std::vector<double>{40, 30}), boost::test_tools::per_element());
    BOOST_TEST(played.answer().output_tokens() == 4);
    BOOST_TEST(played.answer().content_chars() == 6); // 你好🙂 ok
}

BOOST_AUTO_TEST_CASE(S02_two_events_in_one_read)
{
    const auto played = play("S02-coalesced-reads");
    BOOST_TEST(played.success());
    BOOST_TEST(ms(played.answer().first_token_s()) == 100);
    BOOST_TEST(gaps(played.answer()) == (std::vector<double>{0, 30, 20}), boost::test_tools::per_element());
    BOOST_TEST(played.answer().output_tokens() == 4);
    BOOST_TEST(tpot_ms(played.answer(), played.answer().choices().at(0)) == 16.666666666666668,
               boost::test_tools::tolerance(1e-12));
}

BOOST_AUTO_TEST_CASE(S03_crlf_and_cr_without_spaces)
{
    const auto played = play("S03-crlf-nospace");
    BOOST_TEST(played.success());
    BOOST_TEST(played.answer().done());
    BOOST_TEST(ms(played.answer().first_token_s()) == 120);
    BOOST_TEST(gaps(played.answer()) == (std::vector<double>{40, 40}), boost::test_tools::per_element());
    const auto cr_only = play("S03-crlf-nospace", "cr_only");
    BOOST_TEST(cr_only.success());
    BOOST_TEST(cr_only.answer().done());
    BOOST_TEST(cr_only.answer().content_chars() == 2);
}

BOOST_AUTO_TEST_CASE(S04_keepalive_comments_are_no_tokens)
{
    const auto played = play("S04-comment-keepalive");
    BOOST_TEST(played.success());
    BOOST_TEST(ms(played.answer().first_token_s()) == 7000);
    BOOST_TEST(gaps(played.answer()) == (std::vector<double>{0}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(S06_data_lines_are_joined)
{
    const auto played = play("S06-multi-data-lines");
    BOOST_TEST(played.success());
    BOOST_TEST(ms(played.answer().first_token_s()) == 100);
    BOOST_TEST(ms(played.answer().last_token_s()) == 140);
    BOOST_TEST(played.answer().content_chars() == 10); // "left right"
}

BOOST_AUTO_TEST_CASE(S07_a_role_is_no_first_token)
{
    const auto played = play("S07-role-first-ttft");
    BOOST_TEST(played.success());
    BOOST_TEST(ms(played.answer().first_token_s()) == 320);
    BOOST_TEST(ms(played.answer().first_content_s()) == 320);
    BOOST_TEST(ms(played.answer().last_token_s()) == 440);
    BOOST_TEST(played.answer().output_tokens() == 3);
    BOOST_TEST(tpot_ms(played.answer(), played.answer().choices().at(0)) == 60.0,
               boost::test_tools::tolerance(1e-9));
}

BOOST_AUTO_TEST_CASE(S09_the_usage_event_is_no_token)
{
    for (const std::string name : {"response", "placeholder_choice"}) {
        const auto played = play("S09-usage-final-chunk", name);
        BOOST_TEST(played.success());
        BOOST_TEST(ms(played.answer().first_token_s()) == 150);
        BOOST_TEST(ms(played.answer().last_token_s()) == 230);
        BOOST_TEST(played.answer().output_tokens() == 3);
        BOOST_TEST(played.answer().input_tokens().value() == 12);
        BOOST_REQUIRE(played.answer().choices().size() == 1u);
        const auto& choice = played.answer().choices()[0];
        BOOST_TEST(choice.token_events == 3);
        BOOST_TEST(choice.finish_reason == "stop");
        BOOST_TEST(tpot_ms(played.answer(), choice) == 40.0, boost::test_tools::tolerance(1e-9));
    }
}

BOOST_AUTO_TEST_CASE(S10_usage_is_cumulative)
{
    const auto played = play("S10-cumulative-usage");
    BOOST_TEST(played.success());
    BOOST_TEST(played.answer().output_tokens() == 6);
    BOOST_TEST((played.answer().token_timing() == slo::wire::TokenTiming::usage));
    BOOST_TEST(played.answer().input_tokens().value() == 11);
    BOOST_TEST(ms(played.answer().first_token_s()) == 110);
    BOOST_TEST(tpot_ms(played.answer(), played.answer().choices().at(0)) == 10.0,
               boost::test_tools::tolerance(1e-9));
}

BOOST_AUTO_TEST_CASE(S12_one_token_and_none)
{
    const auto one = play("S12-zero-one-token", "one");
    BOOST_TEST(one.success());
    BOOST_TEST(ms(one.answer().first_token_s()) == 90);
    BOOST_TEST(one.answer().output_tokens() == 1);
    BOOST_TEST(one.answer().itl_ms().empty());
    const auto zero = play("S12-zero-one-token", "zero");
    BOOST_TEST((zero.answer().outcome() == Outcome::empty));
    BOOST_TEST(zero.answer().choices().at(0).finish_reason == "stop");
    BOOST_TEST(!zero.answer().first_token_s());
    BOOST_TEST(zero.answer().output_tokens() == 0);
}

BOOST_AUTO_TEST_CASE(S13_errors_inside_a_200)
{
    const auto error = play("S13-error-inside-200");
    BOOST_TEST((error.answer().outcome() == Outcome::stream_error));
    BOOST_TEST(error.answer().error_text() == "error in the answer: engine stopped");
    const auto named = play("S13-error-inside-200", "named_event");
    BOOST_TEST((named.answer().outcome() == Outcome::stream_error));
    BOOST_TEST(named.answer().error_text() == "error in the answer: engine stopped");
    const auto unframed = play("S13-error-inside-200", "unframed");
    BOOST_TEST((unframed.answer().outcome() == Outcome::protocol));
    BOOST_TEST(unframed.answer().choices().empty());
    BOOST_TEST(unframed.answer().error_text() ==
               "no valid answer: not an event stream: "
               "{\"error\":{\"message\":\"engine stopped\",\"type\":\"server_error\",\"code\":500}}");
    const auto null = play("S13-error-inside-200", "error_null");
    BOOST_TEST(null.success());
    BOOST_TEST(null.answer().content_chars() == 2);
}

BOOST_AUTO_TEST_CASE(S15_three_interleaved_choices)
{
    const auto played = play("S15-n3-interleaved");
    const auto& answer = played.answer();
    BOOST_TEST(played.success());
    BOOST_TEST(ms(answer.first_token_s()) == 100);
    BOOST_TEST(ms(answer.last_token_s()) == 160);
    BOOST_TEST(answer.output_tokens() == 9);
    BOOST_REQUIRE(answer.choices().size() == 3u);
    const std::vector<double> expected_tpot_ms{20, 20, 24};
    const std::vector<std::string> reasons{"length", "stop", "stop"};
    const std::vector<std::int64_t> events{4, 2, 3};
    const std::vector<std::int64_t> chars{11, 5, 8};
    for (std::size_t i = 0; i < 3; ++i) {
        const auto& choice = answer.choices()[i];
        BOOST_TEST(choice.index == static_cast<int>(i));
        BOOST_TEST(choice.finish_reason == reasons[i]);
        BOOST_TEST(choice.token_events == events[i]);
        BOOST_TEST(choice.chars == chars[i]);
        BOOST_TEST(tpot_ms(answer, choice) == expected_tpot_ms[i], boost::test_tools::tolerance(1e-9));
    }
    BOOST_TEST(gaps(answer) == (std::vector<double>{20, 20, 28, 20, 20, 20}),
               boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(every_channel_starts_the_clock_but_only_content_the_content_clock)
{
    const auto first = [](const std::string& choice) {
        Answer answer;
        answer.on_event("{\"choices\":[" + choice + "]}", "", 5);
        return std::pair(answer.first_token_s().has_value(), answer.first_content_s().has_value());
    };
    using Seen = std::pair<bool, bool>;
    BOOST_TEST((first(R"({"index":0,"delta":{"content":"x"}})") == Seen(true, true)));
    BOOST_TEST(
        (first(R"({"index":0,"delta":{"content":[{"type":"text","text":"x"}]}})") == Seen(true, true)));
    BOOST_TEST((first(R"({"index":0,"text":"x"})") == Seen(true, true)));
    BOOST_TEST((first(R"({"index":0,"delta":{"refusal":"x"}})") == Seen(true, true)));
    BOOST_TEST((first(R"({"index":0,"delta":{"reasoning":"x"}})") == Seen(true, false)));
    BOOST_TEST((first(R"({"index":0,"delta":{"reasoning_content":"x"}})") == Seen(true, false)));
    BOOST_TEST((first(R"({"index":0,"delta":{"tool_calls":[{"function":{"arguments":"{"}}]}})") ==
                Seen(true, false)));
    BOOST_TEST((first(R"({"index":0,"delta":{"tool_calls":[{"function":{"name":"f","arguments":""}}]}})") ==
                Seen(false, false)));
    BOOST_TEST((first(R"({"index":0,"delta":{"content":null,"role":"assistant","reasoning":""}})") ==
                Seen(false, false)));
}

BOOST_AUTO_TEST_CASE(reasoning_sent_under_two_names_counts_once)
{
    const auto answer =
        of_events({R"({"choices":[{"index":0,"delta":{"reasoning":"ab","reasoning_content":"ab"}}]})"});
    BOOST_TEST(answer.reasoning_chars() == 2);
    BOOST_TEST(answer.choices().at(0).chars == 2);
}

BOOST_AUTO_TEST_CASE(an_answer_is_finished_by_reasons_or_by_done_alone)
{
    BOOST_TEST((of_events({text_a, stop}).outcome() == Outcome::ok));
    BOOST_TEST((of_events({text_a, stop, "[DONE]"}).outcome() == Outcome::ok));
    BOOST_TEST((of_events({text_a}).outcome() == Outcome::truncated));
    BOOST_TEST((of_events({text_a, "[DONE]"}).outcome() == Outcome::ok));
    // Where one choice of two got its reason, the other one lacks it.
    const std::string other = R"({"choices":[{"index":1,"delta":{"content":"b"}}]})";
    BOOST_TEST((of_events({text_a, other, stop, "[DONE]"}).outcome() == Outcome::truncated));
    BOOST_TEST((of_events({}).outcome() == Outcome::empty));
    BOOST_TEST((of_events({"[DONE]"}).outcome() == Outcome::empty));
    BOOST_TEST((of_events({stop, "[DONE]"}).outcome() == Outcome::empty));
    // A token without text (a special one) is still a token.
    const std::string usage = R"({"choices":[],"usage":{"prompt_tokens":1,"completion_tokens":1}})";
    BOOST_TEST((of_events({stop, usage, "[DONE]"}).outcome() == Outcome::ok));
}

BOOST_AUTO_TEST_CASE(the_server_that_gives_up_says_so_in_the_finish_reason)
{
    const auto answer =
        of_events({text_a, R"({"choices":[{"index":0,"delta":{},"finish_reason":"abort"}]})", "[DONE]"});
    BOOST_TEST((answer.outcome() == Outcome::stream_error));
    BOOST_TEST(answer.error_text() == "error in the answer: finish reason \"abort\"");
}

BOOST_AUTO_TEST_CASE(nothing_counts_after_done)
{
    const auto answer = of_events({text_a, stop, "[DONE]", text_a, "garbage", R"({"error":"late"})"});
    BOOST_TEST((answer.outcome() == Outcome::ok));
    BOOST_TEST(answer.content_chars() == 1);
}

BOOST_AUTO_TEST_CASE(usage_of_each_choice_is_added_up)
{
    // Continuous usage per choice, and a last one for all.
    const auto chunk = [](int index, int tokens) {
        return R"({"choices":[{"index":)" + std::to_string(index) +
               R"(,"delta":{"content":"xx"}}],"usage":)" + R"({"prompt_tokens":5,"completion_tokens":)" +
               std::to_string(tokens) + "}}";
    };
    const auto per_choice = of_events({chunk(0, 2), chunk(1, 1), chunk(0, 5), chunk(1, 3)});
    BOOST_TEST(per_choice.output_tokens() == 8);
    BOOST_TEST(per_choice.tokens_of(per_choice.choices()[0]) == 5);
    BOOST_TEST(per_choice.tokens_of(per_choice.choices()[1]) == 3);
    const std::string all = R"({"choices":[],"usage":{"prompt_tokens":5,"completion_tokens":9}})";
    const auto with_total = of_events({chunk(0, 2), chunk(1, 1), chunk(0, 5), chunk(1, 3), all});
    BOOST_TEST(with_total.output_tokens() == 9);
    BOOST_TEST(with_total.input_tokens().value() == 5);
}

BOOST_AUTO_TEST_CASE(the_usage_of_all_choices_may_come_with_the_last_event_of_one)
{
    const auto chunk = [](int index, const std::string& usage) {
        return R"({"choices":[{"index":)" + std::to_string(index) + R"(,"delta":{"content":"x"}}])" + usage +
               "}";
    };
    const auto read = [&](int tokens, Answer::Scanning scanning) {
        Answer answer(scanning);
        double t_s = 0;
        for (int i = 0; i < 9; ++i) {
            answer.on_event(chunk(0, ""), "", t_s += 1);
            answer.on_event(chunk(1, ""), "", t_s += 1);
        }
        answer.on_event(chunk(0, ""), "", t_s += 1);
        answer.on_event(chunk(1, R"(,"usage":{"completion_tokens":)" + std::to_string(tokens) + "}"), "",
                        t_s += 1);
        answer.on_event("[DONE]", "", t_s);
        return answer;
    };
    for (const auto scanning : {Answer::Scanning::templates, Answer::Scanning::parse}) {
        const auto total = read(20, scanning);
        BOOST_TEST(total.output_tokens() == 20);
        BOOST_TEST(total.tokens_of(total.choices()[0]) == 10);
        BOOST_TEST(total.tokens_of(total.choices()[1]) == 10);
        BOOST_TEST(tpot_ms(total, total.choices()[1]) == 2000);
        BOOST_TEST(gaps(total) == std::vector<double>(18, 2000), boost::test_tools::per_element());
        // Too few for all events: its own, and of the other only its events are known.
        const auto own = read(12, scanning);
        BOOST_TEST(own.tokens_of(own.choices()[0]) == 10);
        BOOST_TEST(own.tokens_of(own.choices()[1]) == 12);
        BOOST_TEST(own.output_tokens() == 22);
    }
    // With the end of a choice that carries no text.
    const auto at_end = of_events(
        {chunk(0, ""), chunk(1, ""), R"({"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]})",
         R"({"choices":[{"index":1,"delta":{},"finish_reason":"stop"}],"usage":{"completion_tokens":3}})"});
    BOOST_TEST(at_end.output_tokens() == 3);
    BOOST_TEST(at_end.tokens_of(at_end.choices()[1]) == 1);
    // A choice beside one without text keeps its count.
    const auto alone = of_events({chunk(0, R"(,"usage":{"completion_tokens":4})"),
                                  R"({"choices":[{"index":1,"delta":{},"finish_reason":"stop"}]})"});
    BOOST_TEST(alone.tokens_of(alone.choices()[0]) == 4);
}

BOOST_AUTO_TEST_CASE(without_usage_events_are_counted)
{
    const auto answer = of_events({text_a, text_a, stop, "[DONE]"});
    BOOST_TEST(!answer.has_usage());
    BOOST_TEST(answer.output_tokens() == 2);
    BOOST_TEST(!answer.input_tokens());
}

BOOST_AUTO_TEST_CASE(usage_details_and_odd_values)
{
    const auto answer = of_events(
        {text_a,
         R"({"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":4,)"
         R"("prompt_tokens_details":{"cached_tokens":6},"completion_tokens_details":{"reasoning_tokens":2}}})",
         R"({"choices":[],"usage":null})", R"({"usage":{"prompt_tokens":-1,"completion_tokens":"7"}})"});
    BOOST_TEST(answer.output_tokens() == 4);
    BOOST_TEST(answer.input_tokens().value() == 9);
    BOOST_TEST(answer.cached_tokens().value() == 6);
    BOOST_TEST(answer.reasoning_tokens().value() == 2);
}

BOOST_AUTO_TEST_CASE(events_of_several_tokens_share_their_gap_where_usage_tells)
{
    const auto chunk = [](const std::string& text, int tokens) {
        return R"({"choices":[{"index":0,"delta":{"content":")" + text +
               R"("}}],"usage":{"prompt_tokens":5,"completion_tokens":)" + std::to_string(tokens) + "}}";
    };
    const auto answer = of_events({chunk("ab", 2), chunk("cde", 5), chunk("f", 6), stop});
    BOOST_TEST((answer.token_timing() == slo::wire::TokenTiming::usage));
    BOOST_TEST(gaps(answer) == (std::vector<double>{333.333, 333.333, 333.333, 1000}),
               boost::test_tools::per_element());
    BOOST_TEST(answer.choices()[0].token_events == 3);
    BOOST_TEST(answer.output_tokens() == 6);
    // Usage at the end alone says how many there were, not when.
    const std::string all = R"({"choices":[],"usage":{"prompt_tokens":5,"completion_tokens":9}})";
    const auto at_end = of_events({text_a, text_a, stop, all, "[DONE]"});
    BOOST_TEST((at_end.token_timing() == slo::wire::TokenTiming::event));
    BOOST_TEST(gaps(at_end) == (std::vector<double>{1000}), boost::test_tools::per_element());
    BOOST_TEST(at_end.output_tokens() == 9);
    BOOST_TEST((of_events({stop}).token_timing() == slo::wire::TokenTiming::none));
}

BOOST_AUTO_TEST_CASE(a_stream_of_responses)
{
    const auto delta = [](const std::string& type, const std::string& text, int number) {
        return R"({"type":"response.)" + type + R"(.delta","sequence_number":)" + std::to_string(number) +
               R"(,"delta":")" + text + "\"}";
    };
    const std::string created =
        R"({"type":"response.created","response":{"status":"in_progress","error":null}})";
    const std::string text_done = R"({"type":"response.output_text.done","text":"abcd"})";
    const auto end = [](const std::string& how, const std::string& more = "") {
        return R"({"type":"response.)" + how + R"(","response":{"status":")" + how + "\"" + more +
               R"(,"usage":{"input_tokens":11,"output_tokens":4,"input_tokens_details":{"cached_tokens":10},)"
               R"("output_tokens_details":{"reasoning_tokens":1}}}})";
    };
    const auto answer = of_events({created, delta("reasoning_text", "why", 1), delta("output_text", "ab", 2),
                                   delta("output_text", "cd", 3), text_done,
                                   delta("function_call_arguments", "{}", 4), end("completed"), text_a});
    BOOST_TEST((answer.outcome() == Outcome::ok));
    BOOST_TEST(answer.done());
    BOOST_TEST(answer.first_token_s().value() == 2);
    BOOST_TEST(answer.first_content_s().value() == 3);
    BOOST_TEST(answer.last_token_s().value() == 6);
    BOOST_TEST(gaps(answer) == (std::vector<double>{1000, 1000, 2000}), boost::test_tools::per_element());
    BOOST_TEST(answer.content_chars() == 4);
    BOOST_TEST(answer.reasoning_chars() == 3);
    BOOST_TEST(answer.input_tokens().value() == 11);
    BOOST_TEST(answer.cached_tokens().value() == 10);
    BOOST_TEST(answer.reasoning_tokens().value() == 1);
    BOOST_TEST(answer.output_tokens() == 4);
    BOOST_REQUIRE(answer.choices().size() == 1u);
    BOOST_TEST(answer.choices()[0].finish_reason == "stop");
    BOOST_TEST(answer.choices()[0].chars == 9);

    const auto text = delta("output_text", "ab", 1);
    const auto cut = of_events(
        {created, text, end("incomplete", R"(,"incomplete_details":{"reason":"max_output_tokens"})")});
    BOOST_TEST((cut.outcome() == Outcome::ok));
    BOOST_TEST(cut.choices().at(0).finish_reason == "length");
    const auto failed =
        of_events({created, text, end("failed", R"(,"error":{"code":"server_error","message":"broke"})")});
    BOOST_TEST(failed.error_text() == "error in the answer: broke");
    BOOST_TEST((of_events({created, text}).outcome() == Outcome::truncated));
    BOOST_TEST((of_events({created, end("completed")}).outcome() == Outcome::ok)); // tokens without text
    BOOST_TEST((of_events({created}).outcome() == Outcome::empty));
    BOOST_TEST(of_events({R"({"type":"response.completed","response":null})"}).done());
    // A whole response in one event has come by then.
    const auto at_once = of_events(
        {R"({"object":"response","status":"completed","output":[{"content":[{"text":"ab"}]}]})", text_a});
    BOOST_TEST((at_once.outcome() == Outcome::ok));
    BOOST_TEST(at_once.first_token_s().value() == 1);
    BOOST_TEST(at_once.content_chars() == 2);
}

BOOST_AUTO_TEST_CASE(errors_inside_a_stream_in_the_words_of_every_server)
{
    const std::vector<std::string> all{
        R"({"error":{"message":"out of blocks","type":"InternalServerError","param":null,"code":500}})",
        R"({"error":{"object":"error","message":"out of blocks","code":400}})",
        R"({"error":"out of blocks","error_type":"overloaded"})",
        R"({"object":"error","message":"out of blocks","type":"BadRequestError","code":400})",
        R"({"code":400,"message":"out of blocks","object":"error"})",
        R"({"type":"error","code":"server_error","message":"out of blocks","param":null})",
        R"({"type":"error","error":{"type":"overloaded_error","message":"out of blocks"}})",
        R"({"choices":[],"error":{"message":"out of blocks"}})"};
    for (const auto& error : all) {
        const auto answer = of_events({text_a, error, "[DONE]"});
        BOOST_TEST((answer.outcome() == Outcome::stream_error), error);
        BOOST_TEST(answer.error_text() == "error in the answer: out of blocks", error);
    }
    Answer named;
    named.on_event(text_a, "message", 1);
    named.on_event(R"({"message":"out of blocks"})", "error", 2);
    BOOST_TEST(named.error_text() == "error in the answer: out of blocks");
}

BOOST_AUTO_TEST_CASE(halves_of_a_character_escaped_in_two_events_are_text)
{
    const auto chunk = [](const std::string& text) {
        return R"({"choices":[{"index":0,"delta":{"content":")" + text + R"("}}]})";
    };
    const auto answer =
        of_events({chunk("a"), chunk(R"(\ud83d)"), chunk(R"(\ude42)"), chunk(R"(\ud83d\ude42)"), stop});
    BOOST_TEST((answer.outcome() == Outcome::ok));
    BOOST_TEST(answer.choices().at(0).token_events == 4);
    BOOST_TEST(answer.content_chars() == 4); // each half counts by itself
    BOOST_TEST((of_events({R"({"a":"\ud83d)"}).outcome() == Outcome::protocol));
}

BOOST_AUTO_TEST_CASE(the_cut_of_reads_changes_times_only)
{
    for (const std::string folder :
         {"S01-utf8-split", "S03-crlf-nospace", "S06-multi-data-lines", "S10-cumulative-usage"}) {
        const auto bytes = slo::io::read_all("tests/data/sse/" + folder + "/response.sse", 1 << 20);
        const auto read = [&](std::size_t cut) {
            AnswerReader reader;
            reader.begin(200, "text/event-stream");
            reader.feed(std::string(bytes.substr(0, cut)), 1);
            reader.feed(std::string(bytes.substr(cut)), 1);
            reader.end(true);
            return tests::text_of_answer(reader);
        };
        const auto uncut = read(bytes.size());
        for (std::size_t cut = 0; cut < bytes.size(); ++cut)
            BOOST_REQUIRE_MESSAGE(read(cut) == uncut, folder << " cut at " << cut);
    }
}

BOOST_AUTO_TEST_CASE(events_of_megabytes)
{
    const std::string large(std::size_t{4} << 20, 'x');
    const auto event = R"({"choices":[{"index":0,"delta":{"content":")" + large + R"("}}]})";
    for (const auto scanning : {Answer::Scanning::templates, Answer::Scanning::parse}) {
        Answer answer(scanning);
        answer.on_event(text_a, "", 1);
        answer.on_event(event, "", 2);
        answer.on_event(event, "", 3);
        answer.on_event(stop, "", 4);
        BOOST_TEST((answer.outcome() == Outcome::ok));
        BOOST_TEST(answer.content_chars() == (std::int64_t{8} << 20) + 1);
    }
}

BOOST_AUTO_TEST_CASE(hostile_events_are_protocol_errors_not_crashes)
{
    for (const std::string bad :
         {"garbage", "{", "[1]", "5", "\"text\"", R"({"choices":[5]})", R"({"choices":[{"index":-1}]})",
          R"({"choices":[{"index":99999999}]})", "{\"a\":\"\xFF\"}", "\x01\x02", "NaN"}) {
        const auto answer = of_events({text_a, bad, stop});
        BOOST_TEST((answer.outcome() == Outcome::protocol), bad);
        BOOST_TEST(answer.error_text().starts_with("no valid answer: "));
        BOOST_TEST(answer.error_text().find('\n') == std::string::npos);
    }
    std::string deep;
    for (int i = 0; i < 100000; ++i)
        deep += "{\"a\":";
    BOOST_TEST((of_events({deep}).outcome() == Outcome::protocol));
    BOOST_TEST(of_events({deep}).error_text().size() < 400u);
    // Odd, but no reason to fail.
    for (const std::string odd :
         {"null", "{}", R"({"choices":null})", R"({"choices":{}})", R"({"choices":[{}]})",
          R"({"choices":[{"delta":5,"finish_reason":7}],"usage":[]})", R"({"error":0})", R"({"error":{}})"})
        BOOST_TEST((of_events({text_a, odd, stop}).outcome() == Outcome::ok), odd);
}
