// SPDX-License-Identifier: MIT
// One choice of a completion, chat or not, streamed or whole: how much text, in which channel, and its end.

#ifndef SLO_WIRE_CHUNK_HPP
#define SLO_WIRE_CHUNK_HPP

#include <slo/base/json.hpp>
#include <slo/base/text.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace slo::wire {

/// What the text of an answer is for.
enum class Channel {
    content,   ///< content, refusal, and `text` of /completions
    reasoning, ///< reasoning or reasoning_content
    arguments  ///< arguments of tool calls
};

/// Unicode code points of text in each channel.
struct ChannelChars {
    std::int64_t content = 0;
    std::int64_t reasoning = 0;
    std::int64_t arguments = 0;

    std::int64_t all() const noexcept { return content + reasoning + arguments; }

    std::int64_t& of(Channel channel) noexcept
    {
        return channel == Channel::content ? content : channel == Channel::reasoning ? reasoning : arguments;
    }

    ChannelChars& operator+=(const ChannelChars& other) noexcept
    {
        content += other.content;
        reasoning += other.reasoning;
        arguments += other.arguments;
        return *this;
    }
};

namespace detail {

// Text itself, or the `text` members of a list of parts; null and anything else is no text.
template <class Take>
void visit_text(const json::value* value, Take&& take)
{
    if (!value)
        return;
    if (const auto* text = value->if_string())
        return take(std::string_view(text->data(), text->size()));
    if (const auto* parts = value->if_array()) {
        for (const auto& part : *parts) {
            const auto* object = part.if_object();
            if (const auto text = object ? string_at(*object, "text") : std::nullopt)
                take(*text);
        }
    }
}

} // namespace detail

/// Calls `take(channel, text, second_name)` for each text that a choice carries in its `delta` (streamed),
/// `message` (whole) or `text` (/completions). A server in between the two names of reasoning sends the same
/// text under both: the one under `reasoning_content` is marked as the second.
template <class Take>
void for_each_text(const json::object& choice, Take&& take)
{
    const auto visit = [&](const json::object& object, std::string_view key, Channel channel,
                           bool second_name = false) {
        detail::visit_text(find(object, key),
                           [&](std::string_view text) { take(channel, text, second_name); });
    };
    visit(choice, "text", Channel::content);
    const auto* message = object_at(choice, "delta");
    if (!message)
        message = object_at(choice, "message");
    if (!message)
        return;
    visit(*message, "content", Channel::content);
    visit(*message, "refusal", Channel::content);
    visit(*message, "reasoning", Channel::reasoning);
    visit(*message, "reasoning_content", Channel::reasoning, true);
    if (const auto* function = object_at(*message, "function_call"))
        visit(*function, "arguments", Channel::arguments);
    if (const auto* calls = array_at(*message, "tool_calls")) {
        for (const auto& call : *calls) {
            const auto* object = call.if_object();
            if (const auto* function = object ? object_at(*object, "function") : nullptr)
                visit(*function, "arguments", Channel::arguments);
        }
    }
}

/// The text that a choice carries; reasoning under two names counts once.
inline ChannelChars text_of(const json::object& choice)
{
    ChannelChars chars;
    std::int64_t reasoning_again = 0;
    for_each_text(choice, [&](Channel channel, std::string_view text, bool second_name) {
        (second_name ? reasoning_again : chars.of(channel)) +=
            static_cast<std::int64_t>(count_code_points(text));
    });
    chars.reasoning = std::max(chars.reasoning, reasoning_again);
    return chars;
}

/// A text and its channel; the view lives as long as the object it was found in.
struct ChannelText {
    Channel channel = Channel::content;
    std::string_view text;
};

/// The text of a choice that carries exactly one that is not empty, or nothing.
inline std::optional<ChannelText> sole_text_of(const json::object& choice)
{
    ChannelText sole;
    std::size_t texts = 0;
    for_each_text(choice, [&](Channel channel, std::string_view text, bool) {
        if (!text.empty() && ++texts == 1)
            sole = {channel, text};
    });
    return texts == 1 ? std::optional(sole) : std::nullopt;
}

/// Why a choice ended, or empty when it goes on.
inline std::string finish_reason_of(const json::object& choice)
{
    const auto* object = object_at(choice, "finish_reason");
    return std::string(string_at(object ? *object : choice, object ? "type" : "finish_reason").value_or(""));
}

} // namespace slo::wire

#endif
