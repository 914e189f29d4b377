// SPDX-License-Identifier: MIT
// The tokenizer of the simulated engine, without a server.

#ifndef SLO_TOKENS_SIM_TOKENIZER_HPP
#define SLO_TOKENS_SIM_TOKENIZER_HPP

#include <slo/base/json.hpp>
#include <slo/engine/chat_tokens.hpp>
#include <slo/engine/tokenizer.hpp>
#include <slo/tokens/prompt.hpp>
#include <slo/tokens/tokenizer.hpp>

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace slo::tokens {

/// Counts as engine-sim does, to the token.
class SimTokenizer final : public Tokenizer {
public:
    std::vector<TokenList> encode_texts(std::span<const std::string> texts) override
    {
        std::vector<TokenList> lists;
        lists.reserve(texts.size());
        for (const auto& text : texts)
            lists.push_back(engine::tokenize(text));
        return lists;
    }

    std::vector<TokenList> encode_prompts(std::span<const json::value* const> prompts) override
    {
        std::vector<TokenList> lists;
        lists.reserve(prompts.size());
        for (const auto* prompt : prompts)
            lists.push_back(visit_prompt(
                *prompt, [](const json::array& messages) { return engine::tokens_of_messages(messages); },
                [](std::string_view text) { return engine::tokenize(text); }));
        return lists;
    }

    json::object description() const override { return {{"kind", "sim"}, {"template", "engine-sim"}}; }
};

} // namespace slo::tokens

#endif
