// SPDX-License-Identifier: MIT
// What a prompt is to those who count its tokens: a list of chat messages, or a text.

#ifndef SLO_TOKENS_PROMPT_HPP
#define SLO_TOKENS_PROMPT_HPP

#include <slo/base/error.hpp>
#include <slo/base/json.hpp>

#include <string_view>

namespace slo::tokens {

/// Calls `on_messages(array)` or `on_text(view)` for a prompt. Throws InputError for what is neither.
template <class OnMessages, class OnText>
auto visit_prompt(const json::value& prompt, OnMessages&& on_messages, OnText&& on_text)
{
    if (const auto* messages = prompt.if_array())
        return on_messages(*messages);
    if (const auto* text = prompt.if_string())
        return on_text(std::string_view(text->data(), text->size()));
    throw InputError("a prompt must be a list of messages or a text");
}

} // namespace slo::tokens

#endif
