// SPDX-License-Identifier: MIT
// Lists of chat messages: what they say, and their tokens by the made-up template.

#ifndef SLO_ENGINE_CHAT_TOKENS_HPP
#define SLO_ENGINE_CHAT_TOKENS_HPP

#include <slo/base/error.hpp>
#include <slo/base/json.hpp>
#include <slo/engine/tokenizer.hpp>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace slo::engine {

namespace detail {

inline constexpr std::array<std::string_view, 6> chat_roles{"system",    "developer", "user",
                                                            "assistant", "tool",      "function"};

inline std::string text_of_parts(const json::array& parts)
{
    std::string text;
    for (const auto& part : parts) {
        const auto* object = part.if_object();
        const auto piece = object ? string_at(*object, "text") : std::nullopt;
        if (!piece)
            throw InputError("content parts must be of type text");
        text += *piece;
    }
    return text;
}

} // namespace detail

/// Calls `message(role, content)` for each message of a list, in order: content is a text, a list of text
/// parts (joined) or absent (empty). Throws InputError for what is no message list.
template <class Message>
void for_each_message(const json::array& messages, Message&& message)
{
    if (messages.empty())
        throw InputError("messages must not be empty");
    for (const auto& value : messages) {
        const auto* object = value.if_object();
        const auto role = object ? string_at(*object, "role") : std::nullopt;
        if (!role)
            throw InputError("each message must be an object with a role");
        if (std::find(detail::chat_roles.begin(), detail::chat_roles.end(), *role) ==
            detail::chat_roles.end())
            throw InputError(
                "a message's role is not one of system, developer, user, assistant, tool, function");
        const auto* content = find(*object, "content");
        if (!content || content->is_null())
            message(*role, std::string_view());
        else if (content->is_string())
            message(*role, std::string_view(content->get_string().data(), content->get_string().size()));
        else if (content->is_array())
            message(*role, std::string_view(detail::text_of_parts(content->get_array())));
        else
            throw InputError("a message's content must be text or a list of text parts");
    }
}

/// The tokens of a list of chat messages, by the made-up template. Throws InputError for what is no message
/// list.
inline std::vector<Token> tokens_of_messages(const json::array& messages)
{
    std::vector<Token> tokens;
    for_each_message(messages, [&](std::string_view role, std::string_view content) {
        append_message(tokens, role, content);
    });
    append_answer_marker(tokens);
    return tokens;
}

} // namespace slo::engine

#endif
