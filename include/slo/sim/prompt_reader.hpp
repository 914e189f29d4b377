// SPDX-License-Identifier: MIT
// From the prompt of a request body to tokens.

#ifndef SLO_SIM_PROMPT_READER_HPP
#define SLO_SIM_PROMPT_READER_HPP

#include <slo/base/error.hpp>
#include <slo/base/json.hpp>
#include <slo/engine/chat_tokens.hpp>
#include <slo/engine/tokenizer.hpp>
#include <slo/sim/api_error.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace slo::sim {

using Tokens = std::vector<engine::Token>;

/// The tokens of a list of chat messages, by the made-up template. Throws ApiError for what is no message
/// list.
inline Tokens tokens_of_messages(const json::array& messages)
{
    try {
        return engine::tokens_of_messages(messages);
    } catch (const InputError& error) {
        throw ApiError(400, error.what(), "messages");
    }
}

namespace detail {

inline std::string_view view(const json::string& text)
{
    return {text.data(), text.size()};
}

inline Tokens tokens_of_numbers(const json::array& numbers)
{
    Tokens tokens;
    tokens.reserve(numbers.size());
    for (const auto& number : numbers) {
        if (!number.is_int64() || number.get_int64() < 0 || number.get_int64() > 0x7FFFFFFF)
            throw ApiError(400, "token numbers must be from 0 to 2147483647", "prompt");
        tokens.push_back(static_cast<engine::Token>(number.get_int64()));
    }
    return tokens;
}

} // namespace detail

/// The prompts of a completion request: a text, a list of token numbers, or a list of at most `most` of
/// either. Throws ApiError for anything else, and for an empty prompt.
inline std::vector<Tokens> tokens_of_prompts(const json::value& prompt, std::size_t most)
{
    std::vector<Tokens> prompts;
    const auto one = [&](const json::value& value) {
        if (value.is_string())
            prompts.push_back(engine::tokenize(detail::view(value.get_string())));
        else if (value.is_array())
            prompts.push_back(detail::tokens_of_numbers(value.get_array()));
        else
            throw ApiError(400, "prompt must be a text, a list of token numbers, or a list of these",
                           "prompt");
        if (prompts.back().empty())
            throw ApiError(400, "prompt must not be empty", "prompt");
    };
    const auto* list = prompt.if_array();
    if (!list || (!list->empty() && list->front().is_number())) {
        one(prompt);
        return prompts;
    }
    if (list->empty() || list->size() > most)
        throw ApiError(400, "prompt must be a list of 1 to " + std::to_string(most), "prompt");
    for (const auto& value : *list)
        one(value);
    return prompts;
}

} // namespace slo::sim

#endif
