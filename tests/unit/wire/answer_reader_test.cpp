// SPDX-License-Identifier: MIT
// Whole responses: forms of bodies, limits, and what real servers and proxies answered.

#include <slo/wire/answer_reader.hpp>

#define BOOST_TEST_MODULE wire_answer_reader
#include <boost/test/unit_test.hpp>

#include <slo/io/fd.hpp>

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace {

using slo::wire::AnswerReader;
using slo::wire::Outcome;
using slo::wire::TokenTiming;

AnswerReader of_body(int status, std::string_view type, std::string_view body)
{
    AnswerReader reader;
    reader.begin(status, type);
    reader.feed(body, 1);
    reader.end(true);
    return reader;
}

// A recorded response: status line, headers, body.
AnswerReader of_capture(const std::string& name)
{
    const auto bytes = slo::io::read_all("tests/data/captures/" + name + ".txt", 1 << 20);
    const auto head_end = bytes.find("\r\n\r\n");
    BOOST_REQUIRE(head_end != std::string::npos);
    const auto head = bytes.substr(0, head_end);
    std::string type;
    for (const std::string key : {"Content-Type: ", "content-type: "}) {
        if (const auto at = head.find(key); at != std::string::npos)
            type = head.substr(at + key.size(), head.find('\r', at) - at - key.size());
    }
    return of_body(std::stoi(head.substr(9, 3)), type, std::string_view(bytes).substr(head_end + 4));
}

const std::string text_a = R"({"choices":[{"index":0,"delta":{"content":"a"}}]})";

} // namespace

BOOST_AUTO_TEST_CASE(a_whole_body_arrives_at_once)
{
    const auto reader =
        of_body(200, "application/json",
                R"({"choices":[{"index":0,"message":{"content":"hé"},"finish_reason":"stop"}],)"
                R"("usage":{"prompt_tokens":3,"completion_tokens":2}})");
    BOOST_TEST((reader.answer().outcome() == Outcome::ok));
    BOOST_TEST(reader.answer().content_chars() == 2);
    BOOST_TEST(reader.answer().output_tokens() == 2);
    BOOST_TEST(reader.answer().done());
    // Its end says nothing about tokens.
    BOOST_TEST(!reader.answer().streamed());
    BOOST_TEST(reader.answer().has_text());
    BOOST_TEST(!reader.answer().first_token_s());
    BOOST_TEST(!reader.answer().last_token_s());
    BOOST_TEST(reader.answer().itl_ms().empty());
    BOOST_TEST((reader.answer().token_timing() == TokenTiming::none));
}

BOOST_AUTO_TEST_CASE(whole_bodies_of_every_kind)
{
    const auto tools = of_body(
        200, "application/json",
        R"({"choices":[{"index":0,"message":{"content":null,"reasoning_content":"why","tool_calls":[{"function":)"
        R"({"name":"f","arguments":"{}"}}]},"finish_reason":"tool_calls"}],"usage":{"completion_tokens":9}})");
    BOOST_TEST((tools.answer().outcome() == Outcome::ok));
    BOOST_TEST(tools.answer().reasoning_chars() == 3);
    BOOST_TEST(tools.answer().choices().at(0).chars == 5);
    BOOST_TEST(tools.answer().output_tokens() == 9);
    const auto no_text = of_body(200, "application/json",
                                 R"({"choices":[{"message":{"content":""},"finish_reason":"stop"}]})");
    BOOST_TEST((no_text.answer().outcome() == Outcome::empty));
    const auto error = of_body(200, "application/json", R"({"error":{"message":"no"},"choices":[]})");
    BOOST_TEST((error.answer().outcome() == Outcome::stream_error));
    const auto cut = of_body(200, "application/json", R"({"choices":[{"message":{"content":"a)");
    BOOST_TEST((cut.answer().outcome() == Outcome::protocol));
    const auto response = of_body(
        200, "application/json",
        R"({"id":"r","object":"response","status":"incomplete","error":null,"incomplete_details":{"reason":)"
        R"("max_output_tokens"},"output":[{"type":"reasoning","summary":[{"type":"summary_text","text":"ab"}]},)"
        R"({"type":"message","content":[{"type":"output_text","text":"xyz"},{"type":"refusal","refusal":"no"}]},)"
        R"({"type":"function_call","arguments":"{}"}],"usage":{"input_tokens":7,"output_tokens":5,)"
        R"("input_tokens_details":{"cached_tokens":6},"output_tokens_details":{"reasoning_tokens":2}}})");
    BOOST_TEST((response.answer().outcome() == Outcome::ok));
    BOOST_TEST(response.answer().content_chars() == 5);
    BOOST_TEST(response.answer().reasoning_chars() == 2);
    BOOST_TEST(response.answer().choices().at(0).chars == 9);
    BOOST_TEST(response.answer().choices().at(0).finish_reason == "length");
    BOOST_TEST(response.answer().input_tokens().value() == 7);
    BOOST_TEST(response.answer().output_tokens() == 5);
    BOOST_TEST(response.answer().cached_tokens().value() == 6);
    BOOST_TEST(response.answer().reasoning_tokens().value() == 2);
    BOOST_TEST(!response.answer().first_token_s());
    const auto failed = of_body(200, "application/json",
                                R"({"object":"response","status":"failed","error":{"message":"out of it"}})");
    BOOST_TEST(failed.error_text() == "error in the answer: out of it");
    const auto queued = of_body(200, "application/json",
                                R"({"object":"response","status":"queued","output":[],"usage":null})");
    BOOST_TEST((queued.answer().outcome() == Outcome::empty));
}

BOOST_AUTO_TEST_CASE(the_form_of_a_body_of_unknown_type_is_seen_from_it)
{
    BOOST_TEST((of_body(200, "", "\n{\"choices\":[{\"text\":\"a\"}]}").answer().outcome() == Outcome::ok));
    BOOST_TEST((of_body(200, "text/plain", "data: " + text_a + "\n\ndata: [DONE]\n\n").answer().outcome() ==
                Outcome::ok));
    BOOST_TEST(
        (of_body(200, "TEXT/Event-Stream", "data: " + text_a + "\n\ndata: [DONE]\n\n").answer().outcome() ==
         Outcome::ok));
    BOOST_TEST((of_body(200, "application/json", "").answer().outcome() == Outcome::empty));
    const auto html = of_body(200, "text/html", "<html>\n<title>Sign in</title>");
    BOOST_TEST((html.answer().outcome() == Outcome::protocol));
    BOOST_TEST(html.error_text() == "no valid answer: not an event stream: <html>");
}

BOOST_AUTO_TEST_CASE(bodies_are_bounded)
{
    AnswerReader whole({.event_bytes = 0, .body_bytes = 1000});
    whole.begin(200, "application/json");
    for (int i = 0; i < 100; ++i)
        whole.feed(std::string(100, ' '), 1);
    whole.end(true);
    BOOST_TEST(whole.error_text() == "no valid answer: a body larger than 1000 bytes");
    AnswerReader events({.event_bytes = 1000, .body_bytes = 0});
    events.begin(200, "text/event-stream");
    for (int i = 0; i < 100; ++i)
        events.feed("data:" + std::string(100, 'x') + "\n", 1);
    events.end(true);
    BOOST_TEST(events.error_text() == "no valid answer: an event larger than 1000 bytes");
    AnswerReader error({.event_bytes = 1000, .body_bytes = 1000});
    error.begin(500, "text/plain");
    for (int i = 0; i < 10000; ++i)
        error.feed(std::string(100, 'x'), 1);
    error.end(true);
    BOOST_TEST(error.error_text().size() < 400u);
}

BOOST_AUTO_TEST_CASE(megabytes_are_taken_but_not_what_costs_a_gigabyte_to_parse)
{
    const auto event = [](std::size_t bytes) {
        return of_body(200, "text/event-stream",
                       R"(data: {"choices":[{"index":0,"delta":{"content":")" + std::string(bytes, 'x') +
                           "\"}}]}\n\ndata: [DONE]\n\n");
    };
    BOOST_TEST((event(std::size_t{3} << 20).answer().outcome() == Outcome::ok));
    BOOST_TEST(event(std::size_t{4} << 20).error_text() ==
               "no valid answer: an event larger than 4194304 bytes");
    const auto body = [](std::size_t bytes) {
        return of_body(200, "application/json",
                       R"({"choices":[{"index":0,"message":{"content":")" + std::string(bytes, 'x') +
                           "\"}}]}");
    };
    BOOST_TEST((body(std::size_t{15} << 20).answer().outcome() == Outcome::ok));
    BOOST_TEST(body(std::size_t{16} << 20).error_text() ==
               "no valid answer: a body larger than 16777216 bytes");
}

BOOST_AUTO_TEST_CASE(a_body_that_broke_off_is_not_judged)
{
    for (const std::string body : {R"({"choices":[{"message":{"content":"a)", "garbage", ""}) {
        AnswerReader reader;
        reader.begin(200, "application/json");
        reader.feed(body, 1);
        reader.end(false);
        BOOST_TEST(!reader.answer().done());
        BOOST_TEST((reader.answer().outcome() == Outcome::empty));
    }
}

BOOST_AUTO_TEST_CASE(the_moment_at_which_a_stream_is_over_is_kept)
{
    AnswerReader reader;
    reader.begin(200, "text/event-stream");
    reader.feed("data: " + text_a + "\n\n", 1);
    BOOST_TEST(!reader.answer().done_s());
    reader.feed("data: [DO", 2);
    BOOST_TEST(!reader.answer().done_s());
    reader.feed("NE]\n\n", 3);
    reader.feed("data: [DONE]\n\n", 4);
    BOOST_TEST(reader.answer().done_s().value() == 3);
    AnswerReader response;
    response.begin(200, "text/event-stream");
    response.feed("data: {\"type\":\"response.completed\",\"response\":{}}\n\n", 5);
    BOOST_TEST(response.answer().done_s().value() == 5);
    BOOST_TEST(!of_body(200, "application/json", R"({"choices":[]})").answer().done_s());
}

BOOST_AUTO_TEST_CASE(answers_of_real_servers)
{
    struct Expected {
        std::string name;
        Outcome outcome;
        std::int64_t input, output, cached, events;
    };
    const std::vector<Expected> all{
        {"10_chat_stream_usage", Outcome::ok, 32, 32, 0, 32},
        {"12_chat_stream_n2", Outcome::ok, 32, 16, 31, 16},
        {"13_chat_nonstream", Outcome::ok, 32, 32, 31, 1},
        {"14_chat_nonstream_n2", Outcome::ok, 32, 8, 31, 2},
        {"15_chat_stream_eos", Outcome::ok, 32, 11, 31, 10},
        {"16b_chat_stream_emoji_4tokens_1chunk", Outcome::ok, 32, 14, 31, 3},
        {"18b_chat_stream_max0", Outcome::ok, 32, 1, 31, 1},
        {"19_chat_stream_progress_timings", Outcome::ok, 32, 4, 31, 4},
        {"16_chat_stream_bytes_utf8", Outcome::ok, 32, 32, 31, 32},
        {"17_chat_stream_logprobs", Outcome::ok, -1, 3, -1, 3},
        {"18_chat_stream_max1", Outcome::ok, 32, 1, 31, 1},
        {"22b_completions_token_prompt", Outcome::ok, 6, 4, 1, 1},
        {"27_responses_stream", Outcome::ok, 11, 4, 10, 4},
        {"48_gzip_nonstream", Outcome::ok, 32, 64, 31, 1},
        {"20_completions_stream", Outcome::ok, 6, 8, 1, 8},
        {"21_completions_nonstream", Outcome::ok, 6, 8, 5, 1},
        {"22_completions_two_prompts_stream", Outcome::ok, 3, 8, 2, 8},
        {"25_chat_stream_stopword", Outcome::ok, 32, 1, 31, 1},
        {"75_portkey_stream", Outcome::ok, 11, 4, 10, 4},
        {"84_sse_ping_comment", Outcome::ok, 12, 120, 0, 120},
    };
    for (const auto& expected : all) {
        const auto reader = of_capture(expected.name);
        const auto& answer = reader.answer();
        BOOST_TEST((answer.outcome() == expected.outcome), expected.name << ": " << reader.error_text());
        BOOST_TEST(answer.input_tokens().value_or(-1) == expected.input, expected.name);
        BOOST_TEST(answer.output_tokens() == expected.output,
                   expected.name << " output " << answer.output_tokens());
        BOOST_TEST(answer.cached_tokens().value_or(-1) == expected.cached, expected.name);
        std::int64_t events = 0;
        for (const auto& choice : answer.choices())
            events += choice.token_events;
        BOOST_TEST(events == expected.events, expected.name << " events " << events);
    }
}

BOOST_AUTO_TEST_CASE(real_servers_without_usage_cut_short_or_of_other_forms)
{
    const auto no_usage = of_capture("11_chat_stream_nousage");
    BOOST_TEST((no_usage.answer().outcome() == Outcome::ok));
    BOOST_TEST(!no_usage.answer().has_usage());
    BOOST_TEST(no_usage.answer().output_tokens() == 8);
    BOOST_TEST((of_capture("85_server_KILL").answer().outcome() == Outcome::truncated));
    BOOST_TEST(of_capture("85_server_KILL").answer().output_tokens() > 100);
    const auto parser_error = of_capture("51_instream_error_no_done");
    BOOST_TEST(parser_error.error_text() ==
               "error in the answer: The model produced output that does not match the "
               "expected peg-native format");
    const auto tool = of_capture("23_chat_stream_tool_required");
    BOOST_TEST((tool.answer().outcome() == Outcome::stream_error));
    BOOST_TEST((of_capture("26_anthropic_messages_stream").answer().outcome() == Outcome::empty));
    const auto response = of_capture("27_responses_stream");
    BOOST_TEST(response.answer().done());
    BOOST_TEST(response.answer().choices().at(0).finish_reason == "stop");
    BOOST_TEST(of_capture("82_instream_error_context").error_text() ==
               "error in the answer: Context size has been exceeded.");
}

BOOST_AUTO_TEST_CASE(http_errors_of_real_servers_are_one_line)
{
    const std::map<std::string, std::string> all{
        {"24_chat_stream_json_schema", "HTTP 400: Failed to initialize samplers: std::exception"},
        {"32_err_too_long_stream",
         "HTTP 400: request (4511 tokens) exceeds the available context size (2048 tokens), "
         "try increasing it"},
        {"38_err_bad_role",
         "HTTP 500: Failed to parse messages: Missing 'role' in message: {\"content\":\"x\"}"},
        {"39_err_embeddings_unsupported",
         "HTTP 501: This server does not support embeddings. Start it with `--embeddings`"},
        {"40_err_404", "HTTP 404: File Not Found"},
        {"72_nginx_429", "HTTP 429: Rate limit reached"},
        {"73_nginx_503", "HTTP 503: The server is overloaded"},
        {"74_nginx_502_upstream_down_html", "HTTP 502: 502 Bad Gateway 502 Bad Gateway nginx/1.22.1"},
        {"74b_haproxy_503_upstream_down",
         "HTTP 503: 503 Service Unavailable No server is available to handle this request."},
        {"74c_caddy_502_upstream_down", "HTTP 502"},
        {"76_portkey_bad_json", "HTTP 500: Something went wrong"},
        {"77_portkey_upstream_400",
         "HTTP 400: openai error: Field 'n': Value must be between 1 <= value <= 8, but got 100"},
        {"78_portkey_no_provider",
         "HTTP 400: Either x-portkey-config or x-portkey-provider header is required"},
        {"80_err_401_no_key", "HTTP 401: Invalid API Key"},
        {"81_err_503_loading", "HTTP 503: Loading model"},
    };
    for (const auto& [name, text] : all)
        BOOST_TEST(of_capture(name).error_text() == text);
}
