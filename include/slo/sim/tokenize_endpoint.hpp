// SPDX-License-Identifier: MIT
// What /tokenize answers, as vLLM does, and for a list of texts as SGLang does.

#ifndef SLO_SIM_TOKENIZE_ENDPOINT_HPP
#define SLO_SIM_TOKENIZE_ENDPOINT_HPP

#include <slo/base/json.hpp>
#include <slo/engine/tokenizer.hpp>
#include <slo/sim/api_error.hpp>
#include <slo/sim/prompt_reader.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace slo::sim {

/// The answer to a body with `messages`, with `prompt` as a text, or with `prompt` as a list of texts: then
/// `count` and `tokens` are lists too. Throws ApiError for any other.
inline json::object tokenize_answer(std::string_view body, std::int64_t max_model_len)
{
    json::value request;
    try {
        request = parse_json(body);
    } catch (const JsonError& error) {
        throw ApiError(400, std::string("the body is ") + error.what());
    }
    const auto answer = [&](json::value count, json::value tokens) {
        return json::object{
            {"count", std::move(count)}, {"max_model_len", max_model_len}, {"tokens", std::move(tokens)}};
    };
    const auto one = [&](const Tokens& tokens) {
        return answer(tokens.size(), json::array(tokens.begin(), tokens.end()));
    };
    const auto* object = request.if_object();
    if (const auto* messages = object ? array_at(*object, "messages") : nullptr)
        return one(tokens_of_messages(*messages));
    if (const auto prompt = object ? string_at(*object, "prompt") : std::nullopt)
        return one(engine::tokenize(*prompt));
    const auto* prompts = object ? array_at(*object, "prompt") : nullptr;
    if (!prompts)
        throw ApiError(400, "prompt must be a text or a list of texts, or messages a list", "prompt");
    json::array counts;
    json::array lists;
    for (const auto& prompt : *prompts) {
        if (!prompt.is_string())
            throw ApiError(400, "a list of prompts must hold texts", "prompt");
        const auto tokens = engine::tokenize(detail::view(prompt.get_string()));
        counts.emplace_back(tokens.size());
        lists.emplace_back(json::array(tokens.begin(), tokens.end()));
    }
    return answer(std::move(counts), std::move(lists));
}

} // namespace slo::sim

#endif
