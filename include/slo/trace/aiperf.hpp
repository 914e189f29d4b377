// SPDX-License-Identifier: MIT
// The inputs of AIPerf: single and multi turn, its superset of Mooncake's trace, inputs.json.

#ifndef SLO_TRACE_AIPERF_HPP
#define SLO_TRACE_AIPERF_HPP

#include <slo/base/json.hpp>
#include <slo/record/route.hpp>
#include <slo/trace/fields.hpp>
#include <slo/trace/hash_trace.hpp>
#include <slo/trace/payload.hpp>
#include <slo/trace/request.hpp>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace slo::trace {

namespace detail {

inline bool has_media(const json::object& record)
{
    for (const std::string_view key : {"image", "images", "audio", "audios", "video", "videos"}) {
        if (is_there(record, key))
            return true;
    }
    return false;
}

// The content of a turn's message: its `text`, or its `texts` as parts.
inline json::value turn_content(const json::object& turn)
{
    if (const auto text = string_at(turn, "text"); text && has_text(*text))
        return json_text(*text);
    const auto* texts = array_at(turn, "texts");
    if (!texts || texts->empty())
        throw record::RowError("turn without text");
    json::array parts;
    for (const auto& text : *texts) {
        if (!text.is_string())
            throw record::RowError("texts is no list of texts");
        parts.push_back(json::object{{"type", "text"}, {"text", text}});
    }
    return parts;
}

// What all records have: times, length of the answer, fields for the body.
inline TraceRequest timed_request(const json::object& record, const std::string& digits = {})
{
    TraceRequest request;
    request.time_ns = time_at(record, "timestamp", record::TsUnit::ms, digits);
    request.delay_ns = time_at(record, "delay", record::TsUnit::ms);
    request.output_tokens = tokens_at(record, "output_length");
    if (const auto* extra = object_at(record, "extra")) {
        if (extra->contains("messages") || extra->contains("prompt"))
            throw record::RowError("extra takes the place of the prompt");
        request.body = *extra;
    }
    if (is_there(record, "tools"))
        request.body["tools"] = *find(record, "tools");
    return request;
}

inline TraceRequest turn_request(const json::object& turn, const std::string& digits = {})
{
    auto request = timed_request(turn, digits);
    const auto role = string_at(turn, "role").value_or("user");
    request.prompt = json::array{json::object{{"role", json_text(role)}, {"content", turn_content(turn)}}};
    return request;
}

inline TraceRecord multi_turn(const json::object& record, const json::array& turns)
{
    TraceRecord result;
    for (const auto& turn : turns) {
        const auto* object = turn.if_object();
        if (!object)
            throw record::RowError("turn that is no object");
        if (has_media(*object)) {
            result.skipped.push_back("rest of a conversation from a turn that is not text alone");
            break;
        }
        auto request = turn_request(*object);
        request.is_delta = true;
        request.source = others(*object, {"text", "texts", "timestamp", "delay", "output_length", "extra",
                                          "tools", "role", "type"});
        result.requests.push_back(std::move(request));
    }
    if (turns.empty())
        result.skipped.push_back("empty");
    const auto id = id_at(record, "session_id");
    for (auto& request : result.requests)
        request.conversation = id;
    if (!result.requests.empty())
        result.requests.back().ends_conversation = true;
    return result;
}

// `payloads` of a session, or perf_analyzer's `payload` with a `timestamp` for each.
inline TraceRecord payload_list(const json::object& record, const json::array& payloads)
{
    TraceRecord result;
    const auto* times = array_at(record, "timestamp");
    if (times && times->size() != payloads.size())
        throw record::RowError("not as many timestamps as payloads");
    const auto id = id_at(record, "session_id");
    for (std::size_t i = 0; i < payloads.size(); ++i) {
        const auto* body = payloads[i].if_object();
        if (!body)
            throw record::RowError("payload that is no object");
        const auto first = result.requests.size();
        add_payload(result, *body);
        for (auto next = first; next < result.requests.size(); ++next) {
            auto& request = result.requests[next];
            request.conversation = id;
            if (times)
                request.time_ns = time_at({{"timestamp", (*times)[i]}}, "timestamp", record::TsUnit::ms);
        }
    }
    if (payloads.empty())
        result.skipped.push_back("empty");
    return result;
}

// One line of the trace: exactly one of four kinds of input.
inline TraceRequest trace_line(const json::object& record, const std::string& digits,
                               std::int64_t block_tokens)
{
    auto request = timed_request(record, digits);
    request.conversation = id_at(record, "session_id");
    const bool has_session = !request.conversation.empty();
    const auto mode = string_at(record, "message_mode").value_or("history");
    if (mode != "history" && mode != "delta")
        throw record::RowError("message_mode is neither history nor delta");
    if (mode == "delta" && (!is_there(record, "messages") || !has_session))
        throw record::RowError("message_mode delta without messages or session_id");
    if (is_there(record, "messages")) {
        request.prompt = *find(record, "messages");
        if (!is_message_list(request.prompt))
            throw record::RowError("messages is no list of messages");
        request.is_delta = mode == "delta";
        if (!request.is_delta)
            request.prompt_key = "messages";
    } else if (const auto text = string_at(record, "text_input")) {
        if (!has_text(*text))
            throw record::RowError("text_input is empty");
        request.prompt = json::array{json::object{{"role", "user"}, {"content", json_text(*text)}}};
        request.is_delta = has_session;
    } else {
        request.input_tokens = tokens_at(record, "input_length");
        if (!request.input_tokens)
            throw record::RowError("neither a prompt nor an input_length");
        request.hash_ids = hash_ids_of(record);
        if (!request.hash_ids.empty())
            check_blocks(request.hash_ids.size(), *request.input_tokens, block_tokens);
        request.is_delta = has_session;
    }
    return request;
}

} // namespace detail

/// Each of AIPerf's forms, told by the members it has; times count milliseconds. Throws JsonError, RowError.
inline TraceRecord parse_aiperf(std::string_view text, const ParseOptions& options)
{
    std::string digits;
    const auto record = parse_record(text, "timestamp", &digits);
    for (const std::string_view key : {"payloads", "payload"}) {
        if (const auto* payloads = array_at(record, key))
            return detail::payload_list(record, *payloads);
    }
    if (const auto* turns = array_at(record, "turns"))
        return detail::multi_turn(record, *turns);
    TraceRecord result;
    if (detail::has_media(record)) {
        result.skipped.push_back("not text alone");
        return result;
    }
    if (const auto* payload = object_at(record, "payload")) {
        add_payload(result, *payload);
        const auto timed = detail::timed_request(record, digits);
        for (auto& request : result.requests) {
            request.time_ns = timed.time_ns;
            request.delay_ns = timed.delay_ns;
            request.conversation = id_at(record, "session_id");
        }
        return result;
    }
    const auto block_tokens = options.block_tokens > 0 ? options.block_tokens : mooncake_block_tokens;
    const bool is_turn = record.contains("text") || record.contains("texts");
    auto request =
        is_turn ? detail::turn_request(record, digits) : detail::trace_line(record, digits, block_tokens);
    if (is_turn)
        request.conversation = id_at(record, "session_id");
    request.source = others(record, {"text", "texts", "timestamp", "delay", "output_length", "extra", "tools",
                                     "role", "type", "session_id", "messages", "message_mode", "text_input",
                                     "input_length", "hash_ids"});
    result.requests.push_back(std::move(request));
    return result;
}

} // namespace slo::trace

#endif
