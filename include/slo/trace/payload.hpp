// SPDX-License-Identifier: MIT
// Whole request bodies of the OpenAI API, as batch files and inputs.json hold them.

#ifndef SLO_TRACE_PAYLOAD_HPP
#define SLO_TRACE_PAYLOAD_HPP

#include <slo/base/json.hpp>
#include <slo/record/route.hpp>
#include <slo/trace/fields.hpp>
#include <slo/trace/request.hpp>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace slo::trace {

namespace detail {

inline json::value take_member(json::object& object, std::string_view key)
{
    const json::string_view name(key.data(), key.size());
    auto value = std::move(object.at(name));
    object.stable_erase(name);
    return value;
}

inline bool is_there(const json::object& object, std::string_view key) noexcept
{
    const auto* value = find(object, key);
    return value && !value->is_null();
}

} // namespace detail

/// True for a list of messages that is not empty: objects with a `role`.
inline bool is_message_list(const json::value& value) noexcept
{
    const auto* list = value.if_array();
    return list && !list->empty() && std::all_of(list->begin(), list->end(), [](const json::value& message) {
               return message.is_object() && string_at(message.get_object(), "role");
           });
}

/// Makes requests of a body and puts them into `record`: its `messages`, `prompt` or `input` is the prompt (a
/// list of texts: one request each), and `max_completion_tokens` or `max_output_tokens` counts as
/// `max_tokens`. Throws RowError.
inline void add_payload(TraceRecord& record, json::object body)
{
    TraceRequest request;
    for (const std::string_view key : {"max_tokens", "max_completion_tokens", "max_output_tokens"}) {
        if (!request.output_tokens)
            request.output_tokens = tokens_at(body, key);
        body.stable_erase(json::string_view(key.data(), key.size()));
    }
    std::vector<json::value> prompts;
    if (detail::is_there(body, "messages")) {
        request.prompt_key = "messages";
        prompts.push_back(detail::take_member(body, "messages"));
    } else if (detail::is_there(body, "input")) {
        prompts.push_back(detail::take_member(body, "input"));
    } else if (detail::is_there(body, "prompt")) {
        auto prompt = detail::take_member(body, "prompt");
        auto* list = prompt.if_array();
        if (list && !list->empty() && (list->front().is_number() || list->front().is_array()))
            return record.skipped.push_back("prompt of token ids");
        if (list && !list->empty() && list->front().is_string())
            prompts.assign(list->begin(), list->end());
        else
            prompts.push_back(std::move(prompt));
    } else {
        throw record::RowError("the body has no prompt");
    }
    check_copies(body, prompts.size());
    request.body = std::move(body);
    for (auto& prompt : prompts) {
        const auto* text = prompt.if_string();
        if (text ? text->empty() : !is_message_list(prompt))
            throw record::RowError("the prompt is neither text nor a list of messages");
        auto& next = record.requests.emplace_back(request);
        next.prompt = std::move(prompt);
    }
}

/// A line of a batch file: `{"custom_id", "method", "url", "body"}`. Throws JsonError, RowError.
inline TraceRecord parse_openai_batch(std::string_view text, const ParseOptions&)
{
    auto line = parse_record(text);
    const auto url = string_at(line, "url");
    if (!url || string_at(line, "method").value_or("") != "POST")
        throw record::RowError("not a POST to a url");
    const auto id = id_at(line, "custom_id");
    if (id.empty())
        throw record::RowError("custom_id is missing");
    TraceRecord record;
    auto* body = object_at(line, "body") ? line.at("body").if_object() : nullptr;
    if (!body)
        throw record::RowError("body is no object");
    const bool generates =
        url->ends_with("/chat/completions") || url->ends_with("/completions") || url->ends_with("/responses");
    if (!generates) {
        record.skipped.push_back("request that generates no text");
        return record;
    }
    add_payload(record, std::move(*body));
    const auto source = others(line, {"method", "body"});
    check_copies(source, record.requests.size());
    for (std::size_t i = 0; i < record.requests.size(); ++i) {
        auto& request = record.requests[i];
        request.conversation = record.requests.size() == 1 ? id : id + "/" + std::to_string(i + 1);
        request.source = source;
    }
    return record;
}

/// A line of an old log; nothing where it logs no request. Throws JsonError, RowError.
inline TraceRecord parse_legacy(std::string_view text, const ParseOptions&)
{
    TraceRecord record;
    auto row = record::parse_route_log_line(text);
    if (!row) {
        record.skipped.push_back("log line without a request");
        return record;
    }
    TraceRequest request;
    const bool has_messages = !detail::is_there(row->body, "prompt");
    request.prompt_key = has_messages ? "messages" : "prompt";
    request.prompt = record::prompt_of(row->body);
    request.time_ns = row->ts.whole();
    request.conversation = std::move(row->conv_id);
    row->body.stable_erase("prompt");
    row->body.stable_erase("messages");
    request.body = std::move(row->body);
    record.requests.push_back(std::move(request));
    return record;
}

} // namespace slo::trace

#endif
