// SPDX-License-Identifier: MIT
// What counts tokens, whoever does it.

#ifndef SLO_TOKENS_TOKENIZER_HPP
#define SLO_TOKENS_TOKENIZER_HPP

#include <slo/base/json.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace slo::tokens {

/// A token's number in the vocabulary of its tokenizer.
using Token = std::uint32_t;
using TokenList = std::vector<Token>;

/// Turns texts and prompts into tokens. Many at once are far cheaper than one by one where a server does the
/// work: hand over batches.
class Tokenizer {
public:
    virtual ~Tokenizer() = default;

    /// The tokens of each text as it stands: no template, no special tokens. Throws Error.
    virtual std::vector<TokenList> encode_texts(std::span<const std::string> texts) = 0;

    /// The tokens of each prompt: a list of chat messages goes through the chat template, with the marker
    /// after which the answer begins; a text stands for itself. Throws Error, also for what is neither.
    virtual std::vector<TokenList> encode_prompts(std::span<const json::value* const> prompts) = 0;

    /// Which tokenizer this is, for records: `kind`, what it was made from, and how a chat template is
    /// applied (`template`: "server", "chatml" …). Holds no secret.
    virtual json::object description() const = 0;

    /// Tokens of one text.
    std::int64_t count_text(const std::string& text)
    {
        return static_cast<std::int64_t>(encode_texts({&text, 1}).front().size());
    }

    /// Tokens of one prompt.
    std::int64_t count_prompt(const json::value& prompt)
    {
        const json::value* const one = &prompt;
        return static_cast<std::int64_t>(encode_prompts({&one, 1}).front().size());
    }
};

} // namespace slo::tokens

#endif
