// SPDX-License-Identifier: MIT
// Answers of /v1/responses: typed events with text, and the response object that ends them or comes whole.

#ifndef SLO_WIRE_RESPONSE_EVENT_HPP
#define SLO_WIRE_RESPONSE_EVENT_HPP

#include <slo/base/json.hpp>
#include <slo/base/text.hpp>
#include <slo/wire/api_error.hpp>
#include <slo/wire/chunk.hpp>
#include <slo/wire/usage.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace slo::wire {

namespace detail {

inline std::optional<Channel> channel_of_response(std::string_view type) noexcept
{
    const auto names = [type](std::string_view part) { return type.find(part) != std::string_view::npos; };
    if (names("reasoning"))
        return Channel::reasoning;
    if (names("output_text") || names("refusal"))
        return Channel::content;
    if (names("_call"))
        return Channel::arguments;
    return std::nullopt; // audio, images and what may come
}

} // namespace detail

/// Whether a parsed event belongs to the stream of a response: its type says so.
inline bool is_response_event(const json::object& event) noexcept
{
    return string_at(event, "type").value_or("").starts_with("response.");
}

/// Whether a parsed body is a response object.
inline bool is_response(const json::object& body) noexcept
{
    return string_at(body, "object") == "response";
}

/// The text that an event adds, or nothing: of output and refusals (content), of reasoning and its summary
/// (reasoning), of calls (arguments). The `.done` events repeat what came and add none.
inline std::optional<ChannelText> response_delta(const json::object& event) noexcept
{
    const auto type = string_at(event, "type").value_or("");
    const auto text = string_at(event, "delta");
    const auto channel = detail::channel_of_response(type);
    if (!type.ends_with(".delta") || !channel || !text || text->empty())
        return std::nullopt;
    return ChannelText{*channel, *text};
}

/// All text of a response object's output.
inline ChannelChars text_of_response(const json::object& response)
{
    ChannelChars chars;
    const auto* output = array_at(response, "output");
    if (!output)
        return chars;
    for (const auto& value : *output) {
        const auto* item = value.if_object();
        if (!item)
            continue;
        const bool reasoning = string_at(*item, "type") == "reasoning";
        const auto add = [&](std::string_view key, Channel channel) {
            detail::visit_text(find(*item, key), [&](std::string_view text) {
                chars.of(channel) += static_cast<std::int64_t>(count_code_points(text));
            });
        };
        add("content", reasoning ? Channel::reasoning : Channel::content);
        add("summary", Channel::reasoning);
        add("arguments", Channel::arguments);
        add("input", Channel::arguments);
        if (const auto* parts = array_at(*item, "content")) {
            for (const auto& part : *parts) {
                if (const auto* object = part.if_object())
                    detail::visit_text(find(*object, "refusal"), [&](std::string_view text) {
                        chars.content += static_cast<std::int64_t>(count_code_points(text));
                    });
            }
        }
    }
    return chars;
}

/// How a response ended.
struct ResponseEnd {
    std::string finish_reason; ///< in the words of /chat/completions: "stop", "length", "content_filter"
    std::string error;         ///< not empty where it failed or was cancelled
    std::optional<Usage> usage;
};

/// The end of a response of this status (that of a whole body; of an event what follows "response." in its
/// type), or nothing while it goes on.
inline std::optional<ResponseEnd> end_of_response(const json::object& response, std::string_view status)
{
    ResponseEnd end;
    if (const auto* usage = object_at(response, "usage")) {
        end.usage.emplace();
        end.usage->prompt_tokens = detail::count_at(usage, "input_tokens");
        end.usage->completion_tokens = detail::count_at(usage, "output_tokens");
        end.usage->cached_tokens =
            detail::count_at(object_at(*usage, "input_tokens_details"), "cached_tokens");
        end.usage->reasoning_tokens =
            detail::count_at(object_at(*usage, "output_tokens_details"), "reasoning_tokens");
    }
    if (status == "completed") {
        end.finish_reason = "stop";
    } else if (status == "incomplete") {
        const auto* details = object_at(response, "incomplete_details");
        const auto reason = details ? string_at(*details, "reason").value_or("") : "";
        end.finish_reason = reason == "max_output_tokens" || reason == "max_tokens" ? "length"
                            : reason.empty()                                        ? "incomplete"
                                                                                    : reason;
    } else if (status == "failed" || status == "cancelled") {
        end.error = error_in(response).value_or("response " + std::string(status));
    } else {
        return std::nullopt;
    }
    return end;
}

} // namespace slo::wire

#endif
