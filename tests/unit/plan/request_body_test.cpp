// SPDX-License-Identifier: MIT
// Bodies made from rows, against what the recorded client sent.

#include <slo/plan/request_body.hpp>

#define BOOST_TEST_MODULE plan_request_body
#include <boost/test/unit_test.hpp>

#include <slo/io/jsonl.hpp>
#include <slo/plan/sampling.hpp>

#include <map>
#include <string>
#include <string_view>

namespace {

namespace json = slo::json;
using slo::plan::Endpoint;
using slo::plan::RequestConfig;
using slo::record::RouteRow;

RequestConfig config_of(const json::object& values)
{
    const auto number = [&](std::string_view key) { return slo::number_at(values, key).value(); };
    const auto flag = [&](std::string_view key) { return slo::find(values, key)->as_bool(); };
    RequestConfig config;
    config.api_base = slo::string_at(values, "api_base").value();
    config.model = slo::string_at(values, "model").value();
    config.endpoint = flag("use_chat") ? Endpoint::chat : Endpoint::completions;
    config.sampling.max_tokens = slo::integer_at(values, "max_tokens").value();
    config.sampling.temperature = number("temperature");
    config.sampling.top_p = number("top_p");
    config.sampling.top_k = slo::integer_at(values, "top_k").value();
    config.sampling.min_p = slo::number_at(values, "min_p").value_or(0.1);
    config.sampling.frequency_penalty = number("frequency_penalty");
    config.sampling.presence_penalty = number("presence_penalty");
    config.sampling.repetition_penalty = number("repetition_penalty");
    config.prefer_log_body = flag("prefer_log_body");
    config.send_min_p = flag("min_p_supported");
    config.forward_kv_evict = flag("forward_kv_evict");
    if (const auto* extra = slo::object_at(values, "extra_body"))
        config.extra_body = *extra;
    config.omit_none_extra_body = flag("omit_none_extra_body");
    return config;
}

// The row on a line, or why there is none.
std::optional<RouteRow> row_on(std::string_view line, std::string& reason)
{
    try {
        const auto text = slo::trim(line);
        auto row = text.starts_with('{') ? slo::record::parse_route_object(text)
                                         : slo::record::parse_route_log_line(text);
        if (!row)
            reason = "no request on the line";
        return row;
    } catch (const slo::Error& error) {
        reason = error.what();
        return std::nullopt;
    }
}

// Lines on which ours differ from the recorded client on purpose: it took the first group and made something
// up (a time of 0, a message "None"), and dropped the second.
bool is_refused(std::string_view reason)
{
    for (const std::string_view start :
         {"ts is missing", "ts is not a number", "ts is negative", "conv_id is neither text nor an integer",
          "the prompt is neither text nor a list of messages", "body has neither prompt nor messages",
          "the prompt is empty"}) {
        if (reason.starts_with(start))
            return true;
    }
    return false;
}

bool is_taken(std::string_view line)
{
    return line == R"({"ts": 1, "body": {"prompt": [{"role": "user", "content": "hi"}]}})" || // no conv_id:
                                                                                              // an empty one
           line.starts_with("2025-05-07T12:34:56.123Z ") ||    // a fraction of a second
           line.find("has } brace") != std::string_view::npos; // a brace inside a string
}

RouteRow row_of(std::string_view body, std::string_view conv_id = "c")
{
    RouteRow row;
    row.conv_id = conv_id;
    row.body = slo::parse_json(body).as_object();
    return row;
}

std::string body_of(const RequestConfig& config, std::string_view body)
{
    auto row = row_of(body);
    return slo::plan::request_body(config, row);
}

RequestConfig chat()
{
    RequestConfig config;
    config.model = "m";
    config.endpoint = Endpoint::chat;
    return config;
}

} // namespace

BOOST_AUTO_TEST_CASE(recorded_requests)
{
    slo::io::LineReader lines("tests/data/routes/request_vectors.jsonl");
    std::map<std::string, int> seen;
    while (const auto vector = slo::io::next_object(lines)) {
        const auto config = config_of(*slo::object_at(*vector, "cfg_values"));
        const std::string line(slo::string_at(*vector, "line").value());
        const auto* job = slo::object_at(*vector, "job");
        const auto context = "vector " + std::to_string(lines.line()) + ": " + line;
        std::string reason;
        auto row = row_on(line, reason);
        if (!row) {
            BOOST_TEST((!job || is_refused(reason)), context << ": " << reason);
            ++seen[job ? "refused" : "dropped by both"];
            continue;
        }
        const auto& sample = *slo::array_at(*vector, "sample");
        if (!slo::find(*vector, "preselected")->as_bool()) {
            const slo::plan::SampleRange range(*slo::as_number(&sample[0]), *slo::as_number(&sample[1]));
            if (!range.keeps(row->conv_id)) {
                BOOST_TEST(!job, context);
                ++seen["not in the range"];
                continue;
            }
        }
        std::string body;
        try {
            body = slo::plan::request_body(config, *row);
        } catch (const slo::record::RowError& error) {
            BOOST_TEST((!job || is_refused(error.what())), context << ": " << error.what());
            ++seen[job ? "refused" : "dropped by both"];
            continue;
        } catch (const slo::UsageError&) {
            // The recorded client nests a message list, or drops the line; a server refuses what it sends.
            BOOST_TEST((config.endpoint != Endpoint::chat), context);
            ++seen["refused"];
            continue;
        }
        if (!job) {
            BOOST_TEST(is_taken(line), context << ": made " << body);
            ++seen["taken by ours only"];
            continue;
        }
        auto expected = *slo::object_at(*job, "wire_body");
        if (config.endpoint != Endpoint::chat) // there the recorded client forgets its extra body
            expected["n"] = 2;
        BOOST_TEST(body == slo::to_json(expected), context);
        BOOST_TEST(slo::plan::endpoint_url(config.api_base, config.endpoint) ==
                   slo::string_at(*job, "url").value());
        BOOST_TEST(slo::plan::conversation_header(row->conv_id) ==
                   slo::string_at(*job, "conv_header").value());
        if (row->utc)
            BOOST_TEST(row->ts.to_ns(slo::record::TsUnit::ns).value() ==
                       slo::integer_at(*job, "timestamp").value());
        else
            BOOST_TEST(row->ts.whole() == slo::integer_at(*job, "timestamp").value());
        ++seen["equal"];
    }
    BOOST_TEST(lines.line() == 372u);
    for (const auto& [what, count] : seen)
        BOOST_TEST_MESSAGE(what << ": " << count);
    BOOST_TEST(seen["equal"] >= 80);
    BOOST_TEST(seen["dropped by both"] >= 80);
}

BOOST_AUTO_TEST_CASE(values_of_the_row_win_unless_told_otherwise)
{
    auto config = chat();
    const std::string row =
        R"({"prompt":"x","max_tokens":9,"temperature":null,"top_k":null,"top_p":0.5,"min_p":0.3,"stop":["z"]})";
    BOOST_TEST(
        body_of(config, row) ==
        R"({"model":"m","messages":[{"role":"user","content":"x"}],"max_tokens":9,"temperature":null,"stream":true,)"
        R"("stream_options":{"include_usage":true},"top_p":0.5,"frequency_penalty":0.4,"presence_penalty":0.1,)"
        R"("repetition_penalty":1.0})");
    config.prefer_log_body = false;
    config.send_min_p = true;
    BOOST_TEST(
        body_of(config, row) ==
        R"({"model":"m","messages":[{"role":"user","content":"x"}],"max_tokens":200,"temperature":0.7,"stream":true,)"
        R"("stream_options":{"include_usage":true},"top_p":0.85,"top_k":40,"min_p":0.1,"frequency_penalty":0.4,)"
        R"("presence_penalty":0.1,"repetition_penalty":1.0})");
}

BOOST_AUTO_TEST_CASE(extra_keys_win_over_all_and_keep_the_order)
{
    auto config = chat();
    config.extra_body = slo::plan::parse_extra_body(R"({"n":3,"max_tokens":5,"top_k":null,"stream":false})");
    const auto body = body_of(config, R"({"prompt":"x","max_tokens":9})");
    BOOST_TEST(body.find(R"("max_tokens":5,"temperature":0.7,"stream":false,)") != std::string::npos);
    BOOST_TEST(body.find(R"("top_k":null,)") != std::string::npos);
    BOOST_TEST(body.ends_with(R"("repetition_penalty":1.0,"n":3})"));
    config.omit_none_extra_body = true;
    BOOST_TEST(body_of(config, R"({"prompt":"x"})").find(R"("top_k":40,)") != std::string::npos);
    config.endpoint = Endpoint::completions;
    BOOST_TEST(body_of(config, R"({"prompt":"x"})").ends_with(R"("n":3})"));
}

BOOST_AUTO_TEST_CASE(extra_bodies_are_objects)
{
    BOOST_TEST(slo::plan::parse_extra_body("null").empty());
    BOOST_TEST(slo::plan::parse_extra_body("{}").empty());
    for (const std::string bad : {"", "[]", "5", "\"x\"", "{", "{\"a\":NaN}"})
        BOOST_CHECK_THROW(slo::plan::parse_extra_body(bad), slo::UsageError);
}

BOOST_AUTO_TEST_CASE(a_message_list_wants_the_chat_endpoint)
{
    RequestConfig config;
    BOOST_TEST(body_of(config, R"({"prompt":"x"})").starts_with(R"({"model":"","prompt":["x"],)"));
    BOOST_CHECK_EXCEPTION(
        body_of(config, R"({"messages":[{"role":"user","content":"x"}]})"), slo::UsageError,
        [](const slo::UsageError& error) { return std::string(error.what()).starts_with("--use-chat: "); });
}

BOOST_AUTO_TEST_CASE(only_booleans_are_forwarded_to_the_cache)
{
    auto config = chat();
    config.forward_kv_evict = true;
    BOOST_TEST(body_of(config, R"({"prompt":"x","enable_kv_evict":false})")
                   .ends_with(R"("enable_kv_evict":false})"));
    BOOST_TEST(body_of(config, R"({"prompt":"x","enable_kv_evict":1})").find("evict") == std::string::npos);
    config.forward_kv_evict = false;
    BOOST_TEST(body_of(config, R"({"prompt":"x","enable_kv_evict":true})").find("evict") ==
               std::string::npos);
}

BOOST_AUTO_TEST_CASE(urls_and_headers)
{
    BOOST_TEST(slo::plan::endpoint_url("http://h:1/v1///", Endpoint::chat) ==
               "http://h:1/v1/chat/completions");
    BOOST_TEST(slo::plan::endpoint_url("http://h:1/v1", Endpoint::completions) ==
               "http://h:1/v1/completions");
    // A row must not be able to add headers of its own.
    BOOST_TEST(slo::plan::conversation_header("a\r\nX-Evil: 1") == "a??X-Evil: 1");
    BOOST_TEST(slo::plan::conversation_header(std::string(100000, 'x')).size() < 4200u);
}

BOOST_AUTO_TEST_CASE(the_min_p_probe_asks_for_one_token)
{
    auto config = chat();
    config.sampling.min_p = 0.25;
    BOOST_TEST(
        slo::plan::min_p_probe_body(config) ==
        R"({"model":"m","messages":[{"role":"user","content":"ping"}],"max_tokens":1,"temperature":0.7,)"
        R"("top_p":0.85,"top_k":40,"min_p":0.25})");
}

BOOST_AUTO_TEST_CASE(responses_take_their_own_names)
{
    RequestConfig config;
    config.endpoint = Endpoint::responses;
    config.model = "m";
    config.send_min_p = true;
    RouteRow row;
    row.body = slo::parse_json(R"({"messages":[{"role":"user","content":"hi"}],"max_tokens":7})").as_object();
    BOOST_TEST(slo::plan::request_body(config, row) ==
               R"({"model":"m","input":[{"role":"user","content":"hi"}],"max_output_tokens":7,)"
               R"("temperature":0.7,"stream":true,"top_p":0.85})");
    row.body =
        slo::parse_json(R"({"prompt":"hi","max_tokens":7,"seed":3,"min_p":1,"user":null})").as_object();
    config.pass_body = true;
    config.stream = false;
    BOOST_TEST(slo::plan::request_body(config, row) ==
               R"({"model":"m","input":"hi","max_output_tokens":7,"temperature":0.7,"stream":false,)"
               R"("top_p":0.85,"seed":3})");
    BOOST_TEST(slo::plan::endpoint_url("http://h/v1", Endpoint::responses) == "http://h/v1/responses");
}

BOOST_AUTO_TEST_CASE(what_else_a_row_brings_is_passed_only_where_that_is_wanted)
{
    const auto body = R"({"prompt":"p","n":3,"stop":["x"],"stream":false,"model":"other","top_k":null})";
    RequestConfig config;
    config.endpoint = Endpoint::chat;
    config.model = "m";
    const auto of = [&] {
        RouteRow row;
        row.body = slo::parse_json(body).as_object();
        return slo::parse_json(slo::plan::request_body(config, row)).as_object();
    };
    BOOST_TEST(!of().contains("n"));
    config.pass_body = true;
    const auto request = of();
    BOOST_TEST(request.at("n").as_int64() == 3);
    BOOST_TEST(request.at("stop").as_array().size() == 1U);
    BOOST_TEST(request.at("stream").as_bool());
    BOOST_TEST(request.at("model").as_string() == "m");
    BOOST_TEST(!request.contains("top_k"));
    BOOST_TEST(!request.contains("prompt"));
    config.extra_body = slo::parse_json(R"({"n":2})").as_object();
    BOOST_TEST(of().at("n").as_int64() == 2);
}

BOOST_AUTO_TEST_CASE(an_answer_in_one_piece_is_asked_for_without_stream_options)
{
    RequestConfig config;
    config.stream = false;
    RouteRow row;
    row.body = slo::parse_json(R"({"prompt":"p"})").as_object();
    const auto request = slo::parse_json(slo::plan::request_body(config, row)).as_object();
    BOOST_TEST(!request.at("stream").as_bool());
    BOOST_TEST(!request.contains("stream_options"));
}

BOOST_AUTO_TEST_CASE(endpoints_have_names)
{
    BOOST_TEST((slo::plan::endpoint_named("chat") == Endpoint::chat));
    BOOST_TEST((slo::plan::endpoint_named("completions") == Endpoint::completions));
    BOOST_TEST((slo::plan::endpoint_named("responses") == Endpoint::responses));
    BOOST_TEST(!slo::plan::endpoint_named("embeddings").has_value());
}
