// SPDX-License-Identifier: MIT
// What is sent for a route row: URL, conversation header and the exact bytes of the body.

#ifndef SLO_PLAN_REQUEST_BODY_HPP
#define SLO_PLAN_REQUEST_BODY_HPP

#include <slo/base/error.hpp>
#include <slo/base/json.hpp>
#include <slo/base/text.hpp>
#include <slo/record/route.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace slo::plan {

/// Sampling values for rows that bring none of their own.
struct Sampling {
    std::int64_t max_tokens = 200;
    double temperature = 0.7;
    double top_p = 0.85;
    std::int64_t top_k = 40;
    double min_p = 0.1;
    double frequency_penalty = 0.4;
    double presence_penalty = 0.1;
    double repetition_penalty = 1.0;
};

/// The endpoints of the OpenAI API that generate text.
enum class Endpoint { completions, chat, responses };

/// "completions", "chat", "responses"; nothing for another name.
inline std::optional<Endpoint> endpoint_named(std::string_view name) noexcept
{
    return name == "completions" ? std::optional(Endpoint::completions)
           : name == "chat"      ? std::optional(Endpoint::chat)
           : name == "responses" ? std::optional(Endpoint::responses)
                                 : std::nullopt;
}

constexpr std::string_view name_of(Endpoint endpoint) noexcept
{
    return endpoint == Endpoint::chat        ? "chat"
           : endpoint == Endpoint::responses ? "responses"
                                             : "completions";
}

/// How requests are made from rows.
struct RequestConfig {
    std::string api_base; ///< up to and with "/v1"
    std::string model;
    Endpoint endpoint = Endpoint::completions;
    bool stream = true;     ///< ask for the answer token by token
    bool pass_body = false; ///< send all other members of a row's body, too
    Sampling sampling;
    bool prefer_log_body = true;       ///< sampling fields of a row win over `sampling`, also when null
    bool send_min_p = false;           ///< the server takes min_p
    bool forward_kv_evict = false;     ///< pass on a row's boolean enable_kv_evict (chat only)
    json::object extra_body;           ///< merged last: its keys win over all others
    bool omit_none_extra_body = false; ///< do not send the nulls of extra_body
};

/// The text of --extra-body-json as an object; "null" is an empty one. Throws UsageError for anything else.
inline json::object parse_extra_body(std::string_view text)
{
    try {
        auto value = parse_json(text);
        if (value.is_null())
            return {};
        if (auto* object = value.if_object())
            return std::move(*object);
    } catch (const JsonError& error) {
        throw UsageError("--extra-body-json", error.what());
    }
    throw UsageError("--extra-body-json", "wants a JSON object");
}

/// The endpoint below an API base, whose slashes at the end do not matter.
inline std::string endpoint_url(std::string_view api_base, Endpoint endpoint)
{
    while (api_base.ends_with('/'))
        api_base.remove_suffix(1);
    return std::string(api_base) + (endpoint == Endpoint::chat        ? "/chat/completions"
                                    : endpoint == Endpoint::responses ? "/responses"
                                                                      : "/completions");
}

/// The value of the X-Flow-Conversation-Id header: the id, made fit for one header line of at most 4 KiB.
inline std::string conversation_header(std::string_view conv_id)
{
    return printable(conv_id, 4096);
}

namespace detail {

inline void merge_extra(json::object& request, const RequestConfig& config)
{
    for (const auto& member : config.extra_body) {
        if (!config.omit_none_extra_body || !member.value().is_null())
            request[member.key()] = member.value();
    }
}

} // namespace detail

namespace detail {

// The prompt under the name that the endpoint has for it.
inline void put_prompt(json::object& request, Endpoint endpoint, json::value prompt)
{
    if (endpoint == Endpoint::responses) {
        request["input"] = std::move(prompt);
    } else if (endpoint == Endpoint::completions) {
        if (prompt.is_array())
            throw UsageError("--use-chat",
                             "the route holds message lists, which only /chat/completions takes");
        request["prompt"] = json::array{std::move(prompt)};
    } else if (prompt.is_array()) {
        request["messages"] = std::move(prompt);
    } else {
        request["messages"] = json::array{json::object{{"role", "user"}, {"content", std::move(prompt)}}};
    }
}

// What a row brings beyond the prompt and what the request has already.
inline void pass_rest(json::object& request, const json::object& body, Endpoint endpoint)
{
    for (const auto& [key, value] : body) {
        const bool is_ours = key == "prompt" || key == "messages" || key == "stream" || key == "model" ||
                             key == "min_p" || (endpoint == Endpoint::responses && key == "max_tokens");
        if (!is_ours && !value.is_null() && !request.contains(key))
            request[key] = value;
    }
}

} // namespace detail

/// The body of the request for a row, as JSON text with its keys in the order that recorded clients send.
/// Takes the prompt out of the row. Throws record::RowError for a row without a usable prompt, and UsageError
/// for a message list for /completions.
inline std::string request_body(const RequestConfig& config, record::RouteRow& row)
{
    auto prompt = record::prompt_of(row.body);
    const auto value_of = [&](std::string_view key, auto fallback) -> json::value {
        const auto* own = config.prefer_log_body ? find(row.body, key) : nullptr;
        return own ? *own : json::value(fallback);
    };
    const bool is_chat = config.endpoint == Endpoint::chat;
    const bool is_responses = config.endpoint == Endpoint::responses;
    json::object request;
    request["model"] = config.model;
    detail::put_prompt(request, config.endpoint, std::move(prompt));
    const auto& sampling = config.sampling;
    request[is_responses ? "max_output_tokens" : "max_tokens"] = value_of("max_tokens", sampling.max_tokens);
    request["temperature"] = value_of("temperature", sampling.temperature);
    request["stream"] = config.stream;
    if (config.stream && !is_responses)
        request["stream_options"] = json::object{{"include_usage", true}};
    const auto add = [&](std::string_view key, auto fallback) {
        if (auto value = value_of(key, fallback); !value.is_null())
            request[key] = std::move(value);
    };
    add("top_p", sampling.top_p);
    // The rest of them are no parameters of /responses.
    if (!is_responses) {
        add("top_k", sampling.top_k);
        if (config.send_min_p)
            add("min_p", sampling.min_p);
        add("frequency_penalty", sampling.frequency_penalty);
        add("presence_penalty", sampling.presence_penalty);
        add("repetition_penalty", sampling.repetition_penalty);
    }
    if (is_chat) {
        const auto* evict = config.forward_kv_evict ? find(row.body, "enable_kv_evict") : nullptr;
        if (evict && evict->is_bool())
            request["enable_kv_evict"] = *evict;
        if (config.model.find("MiniCPM4") != std::string::npos)
            request["add_special_tokens"] = true;
    }
    if (config.pass_body)
        detail::pass_rest(request, row.body, config.endpoint);
    detail::merge_extra(request, config);
    return to_json(request);
}

/// The body of the one request that finds out, before the run, whether the server takes min_p.
inline std::string min_p_probe_body(const RequestConfig& config)
{
    return to_json(
        json::object{{"model", config.model},
                     {"messages", json::array{json::object{{"role", "user"}, {"content", "ping"}}}},
                     {"max_tokens", 1},
                     {"temperature", config.sampling.temperature},
                     {"top_p", config.sampling.top_p},
                     {"top_k", config.sampling.top_k},
                     {"min_p", config.sampling.min_p}});
}

} // namespace slo::plan

#endif
