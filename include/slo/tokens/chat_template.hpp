// SPDX-License-Identifier: MIT
// Chat templates for tokenizers that bring none.

#ifndef SLO_TOKENS_CHAT_TEMPLATE_HPP
#define SLO_TOKENS_CHAT_TEMPLATE_HPP

#include <slo/base/error.hpp>
#include <slo/base/json.hpp>
#include <slo/base/text.hpp>
#include <slo/engine/chat_tokens.hpp>

#include <array>
#include <string>
#include <string_view>

namespace slo::tokens {

/// How a list of chat messages becomes a text. chatml: the markers of ChatML, as Qwen models have them;
/// llama3: those of Llama 3, without its date lines; plain: "role: content" and an empty line.
enum class ChatTemplate { chatml, llama3, plain };

namespace detail {

struct TemplateText {
    std::string_view name;
    std::string_view begin; // of the text
    std::string_view before_role;
    std::string_view after_role;
    std::string_view after_content;
    bool trims = false; // white space around a content
};

inline constexpr std::array<TemplateText, 3> template_texts{
    TemplateText{"chatml", "", "<|im_start|>", "\n", "<|im_end|>\n"},
    TemplateText{"llama3", "<|begin_of_text|>", "<|start_header_id|>", "<|end_header_id|>\n\n", "<|eot_id|>",
                 true},
    TemplateText{"plain", "", "", ": ", "\n\n"}};

inline const TemplateText& text_of(ChatTemplate chosen) noexcept
{
    return template_texts[static_cast<std::size_t>(chosen)];
}

} // namespace detail

/// Its name on the command line and in records.
inline std::string_view name_of(ChatTemplate chosen) noexcept
{
    return detail::text_of(chosen).name;
}

/// Throws UsageError.
inline ChatTemplate parse_chat_template(std::string_view name)
{
    for (const auto chosen : {ChatTemplate::chatml, ChatTemplate::llama3, ChatTemplate::plain})
        if (name_of(chosen) == name)
            return chosen;
    throw UsageError("--chat-template", "'" + printable(name, 60) + "' is not one of chatml, llama3, plain");
}

/// The messages as one text, with the marker after which the answer begins. Throws InputError for what is no
/// message list.
inline std::string render(ChatTemplate chosen, const json::array& messages)
{
    const auto& form = detail::text_of(chosen);
    std::string text(form.begin);
    const auto open = [&](std::string_view role) {
        text.append(form.before_role).append(role).append(form.after_role);
    };
    engine::for_each_message(messages, [&](std::string_view role, std::string_view content) {
        open(role);
        text.append(form.trims ? trim(content) : content).append(form.after_content);
    });
    open("assistant");
    return text;
}

} // namespace slo::tokens

#endif
