// SPDX-License-Identifier: MIT
// Whose fault the end of a request was.

#include <slo/run/outcome.hpp>

#define BOOST_TEST_MODULE run_outcome
#include <boost/test/unit_test.hpp>

#include <string>
#include <string_view>

namespace {

using slo::record::ErrorKind;
using slo::record::Request;
using slo::record::RequestStatus;

Request ended(int http_status, std::string_view body, ErrorKind transport = ErrorKind::none,
              std::string_view transport_error = "")
{
    slo::wire::AnswerReader reader;
    if (http_status != 0) {
        reader.begin(http_status, http_status == 200 ? "text/event-stream" : "application/json");
        reader.feed(body, 1.0);
    }
    reader.end(transport == ErrorKind::none);
    Request request;
    slo::run::record_outcome(request, reader, transport, transport_error, 3.0);
    return request;
}

const std::string text = "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"ab\"}}]}\n\n";
const std::string stop = "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n";
const std::string done = "data: [DONE]\n\n";

} // namespace

BOOST_AUTO_TEST_CASE(a_success_carries_all_figures)
{
    const auto request = ended(200, text + stop + done);
    BOOST_TEST((request.status == RequestStatus::ok));
    BOOST_TEST((request.error_kind == ErrorKind::none));
    BOOST_TEST(request.error == "");
    BOOST_TEST(request.http == 200);
    BOOST_TEST(request.end_s.value() == 3);
    BOOST_TEST(request.first_token_s.value() == 1);
    BOOST_TEST(request.output_tokens.value() == 1);
    BOOST_TEST(request.output_tokens_estimated); // no usage came
    BOOST_TEST(slo::to_json(slo::record::to_record(request)).ends_with(R"("output_tokens_estimated":true})"));
    BOOST_TEST(request.content_chars == 2);
    BOOST_REQUIRE(request.choices.size() == 1u);
    BOOST_TEST(request.choices[0].finish_reason == "stop");
    BOOST_TEST(request.choices[0].tokens.value() == 1);
}

BOOST_AUTO_TEST_CASE(tokens_of_usage_are_not_estimated)
{
    const auto request =
        ended(200, text + stop + "data: {\"choices\":[],\"usage\":{\"completion_tokens\":5}}\n\n" + done);
    BOOST_TEST(request.output_tokens.value() == 5);
    BOOST_TEST(!request.output_tokens_estimated);
    BOOST_TEST(slo::to_json(slo::record::to_record(request)).find("estimated") == std::string::npos);
}

BOOST_AUTO_TEST_CASE(an_answer_that_came_whole_has_tokens_but_no_token_times)
{
    const auto whole = [](const std::string& usage, const std::string& further_choice = "") {
        slo::wire::AnswerReader reader;
        reader.begin(200, "application/json");
        reader.feed(R"({"choices":[{"index":0,"message":{"content":"abc"},"finish_reason":"stop"})" +
                        further_choice + "]" + usage + "}",
                    1.0);
        reader.end(true);
        Request request;
        slo::run::record_outcome(request, reader, ErrorKind::none, "", 3.0);
        return request;
    };
    const auto counted = whole(R"(,"usage":{"prompt_tokens":4,"completion_tokens":2})");
    BOOST_TEST((counted.status == RequestStatus::ok));
    BOOST_TEST(counted.output_tokens.value() == 2);
    BOOST_TEST(counted.choices.at(0).tokens.value() == 2);
    BOOST_TEST(!counted.output_tokens_estimated);
    BOOST_TEST(!counted.first_token_s);
    BOOST_TEST(!counted.first_content_s);
    BOOST_TEST(!counted.last_token_s);
    BOOST_TEST((counted.token_timing == slo::record::TokenTiming::none));
    BOOST_TEST(counted.content_chars == 3);
    // One event says nothing about how many tokens there were.
    const auto uncounted = whole("");
    BOOST_TEST((uncounted.status == RequestStatus::ok));
    BOOST_TEST(!uncounted.output_tokens);
    BOOST_TEST(!uncounted.output_tokens_estimated);
    BOOST_TEST(!uncounted.choices.at(0).tokens);
    // Nor does usage say how they are divided between choices.
    const auto divided = whole(R"(,"usage":{"completion_tokens":5})",
                               R"(,{"index":1,"message":{"content":"d"},"finish_reason":"stop"})");
    BOOST_TEST(divided.output_tokens.value() == 5);
    BOOST_TEST(!divided.choices.at(0).tokens);
    BOOST_TEST(!divided.choices.at(1).tokens);
}

BOOST_AUTO_TEST_CASE(what_token_times_rest_on_is_told)
{
    using slo::record::TokenTiming;
    const std::string counted = "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"ab\"}}],"
                                "\"usage\":{\"completion_tokens\":2}}\n\n";
    BOOST_TEST((ended(200, text + stop + done).token_timing == TokenTiming::event));
    BOOST_TEST((ended(200, counted + stop + done).token_timing == TokenTiming::usage));
    BOOST_TEST((ended(200, counted + text + stop + done).token_timing == TokenTiming::event));
    BOOST_TEST((ended(200, stop + done).token_timing == TokenTiming::none));
    BOOST_TEST((ended(503, "{}").token_timing == TokenTiming::none));
}

BOOST_AUTO_TEST_CASE(a_response_is_over_at_its_end)
{
    const std::string delta = "data: {\"type\":\"response.output_text.delta\",\"delta\":\"ab\"}\n\n";
    const std::string completed = "data: {\"type\":\"response.completed\",\"response\":{\"usage\":"
                                  "{\"input_tokens\":3,\"output_tokens\":2}}}\n\n";
    const auto request = ended(200, delta + completed, ErrorKind::reset, "reset by peer");
    BOOST_TEST((request.status == RequestStatus::ok));
    BOOST_TEST(request.input_tokens.value() == 3);
    BOOST_TEST(request.output_tokens.value() == 2);
    BOOST_TEST((ended(200, delta).error_kind == ErrorKind::truncated));
}

BOOST_AUTO_TEST_CASE(each_cause_has_its_kind)
{
    const auto kind = [](const Request& request) { return std::string(name_of(request.error_kind)); };
    BOOST_TEST(kind(ended(200, text)) == "truncated");
    BOOST_TEST(kind(ended(200, done)) == "empty");
    BOOST_TEST(kind(ended(200, "data: {\"error\":\"x\"}\n\n")) == "stream_error");
    BOOST_TEST(kind(ended(200, "data: {\n\n")) == "protocol");
    BOOST_TEST(kind(ended(429, "{}")) == "http_429");
    BOOST_TEST(kind(ended(404, "{}")) == "http_4xx");
    BOOST_TEST(kind(ended(503, "{}")) == "http_5xx");
    BOOST_TEST(kind(ended(301, "")) == "protocol");
    BOOST_TEST(kind(ended(0, "", ErrorKind::connect, "connection refused")) == "connect");
    BOOST_TEST(kind(ended(200, text, ErrorKind::reset, "reset by peer")) == "reset");
    BOOST_TEST(kind(ended(200, text, ErrorKind::timeout, "timed out")) == "timeout");
}

BOOST_AUTO_TEST_CASE(a_broken_connection_does_not_hide_what_the_server_said)
{
    const auto refused =
        ended(500, R"({"error":{"message":"out of memory"}})", ErrorKind::reset, "reset by peer");
    BOOST_TEST((refused.error_kind == ErrorKind::http_5xx));
    BOOST_TEST(refused.error == "HTTP 500: out of memory");
    const auto failed =
        ended(200, text + "data: {\"error\":\"engine stopped\"}\n\n", ErrorKind::reset, "reset by peer");
    BOOST_TEST((failed.error_kind == ErrorKind::stream_error));
    // After [DONE] the answer is whole; before it, even a finish reason does not make up for a reset.
    BOOST_TEST(
        (ended(200, text + stop + done, ErrorKind::reset, "reset by peer").status == RequestStatus::ok));
    const auto cut = ended(200, text + stop, ErrorKind::reset, "reset\nby peer");
    BOOST_TEST((cut.error_kind == ErrorKind::reset));
    BOOST_TEST((cut.status == RequestStatus::failed));
    BOOST_TEST(cut.error == "reset?by peer");
}

BOOST_AUTO_TEST_CASE(what_was_given_up_is_unfinished)
{
    const auto request = ended(200, text, ErrorKind::cancelled, "given up by the drain");
    BOOST_TEST((request.status == RequestStatus::unfinished));
    BOOST_TEST(request.first_token_s.value() == 1);
}

BOOST_AUTO_TEST_CASE(a_whole_answer_that_breaks_off_has_the_cause_of_that)
{
    const auto broken = [](ErrorKind transport, const std::string& body) {
        slo::wire::AnswerReader reader;
        reader.begin(200, "application/json");
        reader.feed(body, 1.0);
        reader.end(transport == ErrorKind::none);
        Request request;
        slo::run::record_outcome(request, reader, transport, "it broke", 3.0);
        return request;
    };
    const std::string half = R"({"choices":[{"index":0,"message":{"content":"ab)";
    for (const auto transport : {ErrorKind::truncated, ErrorKind::timeout, ErrorKind::reset}) {
        const auto request = broken(transport, half);
        BOOST_TEST((request.status == RequestStatus::failed));
        BOOST_TEST((request.error_kind == transport));
        BOOST_TEST(request.error == "it broke");
        BOOST_TEST(!request.output_tokens);
        BOOST_TEST(request.choices.empty());
        BOOST_TEST(request.end_s.value() == 3);
    }
    BOOST_TEST((broken(ErrorKind::cancelled, half).status == RequestStatus::unfinished));
    // Only of what came whole is it said that it is no answer.
    BOOST_TEST((broken(ErrorKind::none, half).error_kind == ErrorKind::protocol));
    BOOST_TEST((broken(ErrorKind::none, "").error_kind == ErrorKind::empty));
}

BOOST_AUTO_TEST_CASE(an_answer_ends_at_its_done_where_the_connection_does_not_end_in_order)
{
    for (const auto transport : {ErrorKind::timeout, ErrorKind::cancelled, ErrorKind::reset}) {
        const auto request = ended(200, text + stop + done, transport, "it broke");
        BOOST_TEST((request.status == RequestStatus::ok));
        BOOST_TEST(request.end_s.value() == 1);
    }
    BOOST_TEST(ended(200, text + stop + done).end_s.value() == 3);
    BOOST_TEST(ended(200, text + stop, ErrorKind::timeout, "it broke").end_s.value() == 3);
    const std::string completed = "data: {\"type\":\"response.output_text.delta\",\"delta\":\"ab\"}\n\n"
                                  "data: {\"type\":\"response.completed\",\"response\":{}}\n\n";
    BOOST_TEST(ended(200, completed, ErrorKind::timeout, "it broke").end_s.value() == 1);
}

BOOST_AUTO_TEST_CASE(an_error_has_no_tokens)
{
    const auto request = ended(503, R"({"error":"x"})");
    BOOST_TEST(!request.output_tokens);
    BOOST_TEST(!request.first_token_s);
    BOOST_TEST(request.choices.empty());
}
