// SPDX-License-Identifier: MIT
// Tokens by length alone, for when nothing better is at hand.

#ifndef SLO_TOKENS_APPROX_TOKENIZER_HPP
#define SLO_TOKENS_APPROX_TOKENIZER_HPP

#include <slo/base/error.hpp>
#include <slo/base/json.hpp>
#include <slo/base/text.hpp>
#include <slo/engine/tokenizer.hpp>
#include <slo/tokens/chat_template.hpp>
#include <slo/tokens/prompt.hpp>
#include <slo/tokens/tokenizer.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace slo::tokens {

/// Takes `chars` code points for one token: a text of c code points has ceil(c / chars) tokens. A token is
/// named by its text, so that equal prefixes give equal tokens.
class ApproxTokenizer final : public Tokenizer {
public:
    /// `chars`: 0.1 to 1000. Throws UsageError.
    explicit ApproxTokenizer(double chars, ChatTemplate chat_template = ChatTemplate::plain)
        : chars_(chars), template_(chat_template)
    {
        if (!(chars >= 0.1 && chars <= 1000))
            throw UsageError("--tokenizer", "approx takes 0.1 to 1000 characters a token");
    }

    std::vector<TokenList> encode_texts(std::span<const std::string> texts) override
    {
        std::vector<TokenList> lists;
        lists.reserve(texts.size());
        for (const auto& text : texts)
            lists.push_back(encode(text));
        return lists;
    }

    std::vector<TokenList> encode_prompts(std::span<const json::value* const> prompts) override
    {
        std::vector<TokenList> lists;
        lists.reserve(prompts.size());
        for (const auto* prompt : prompts)
            lists.push_back(visit_prompt(
                *prompt, [&](const json::array& messages) { return encode(render(template_, messages)); },
                [&](std::string_view text) { return encode(text); }));
        return lists;
    }

    json::object description() const override
    {
        return {{"kind", "approx"}, {"chars_per_token", chars_}, {"template", json_text(name_of(template_))}};
    }

private:
    // Token i takes the code points from i * chars to (i + 1) * chars, both rounded down, but at least one:
    // with less than a character a token, neighbours share it.
    TokenList encode(std::string_view text) const
    {
        const auto points = count_points(text);
        // A hair less, so that 63 / 0.7 is 90.
        const auto count = static_cast<std::size_t>(std::ceil(static_cast<double>(points) / chars_ - 1e-9));
        TokenList tokens;
        tokens.reserve(count);
        std::size_t begin = 0;
        for (std::size_t i = 0; i < count; ++i) {
            const auto end = bytes_of(text, std::max<std::size_t>(1, boundary(i + 1) - begin));
            tokens.push_back(engine::token_of(text.substr(0, end)));
            text.remove_prefix(bytes_of(text, boundary(i + 1) - begin));
            begin = boundary(i + 1);
        }
        return tokens;
    }

    std::size_t boundary(std::size_t token) const
    {
        return static_cast<std::size_t>(std::floor(static_cast<double>(token) * chars_));
    }

    // A byte that is no UTF-8 counts as a character.
    static std::size_t point_bytes(std::string_view text)
    {
        return std::max<std::size_t>(1, utf8_sequence_bytes(text.substr(0, 4)));
    }

    static std::size_t count_points(std::string_view text)
    {
        std::size_t points = 0;
        for (; !text.empty(); ++points)
            text.remove_prefix(point_bytes(text));
        return points;
    }

    // Bytes of the first `points` code points, or of all.
    static std::size_t bytes_of(std::string_view text, std::size_t points)
    {
        std::size_t bytes = 0;
        for (; points > 0 && bytes < text.size(); --points)
            bytes += point_bytes(text.substr(bytes));
        return bytes;
    }

    double chars_;
    ChatTemplate template_;
};

} // namespace slo::tokens

#endif
