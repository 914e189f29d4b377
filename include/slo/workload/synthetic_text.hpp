// SPDX-License-Identifier: MIT
// Text of exactly so many tokens, whatever counts them.

#ifndef SLO_WORKLOAD_SYNTHETIC_TEXT_HPP
#define SLO_WORKLOAD_SYNTHETIC_TEXT_HPP

#include <slo/base/error.hpp>
#include <slo/base/json.hpp>
#include <slo/engine/tokenizer.hpp>
#include <slo/tokens/tokenizer.hpp>
#include <slo/workload/vocabulary.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace slo::workload {

/// Makes text of words that are one token each, wherever they stand: N words are N tokens without asking.
/// Which words, the constructor finds out by asking the tokenizer; for one that goes by length alone it makes
/// words of that length. All text is plain ASCII, determined by stream and length.
class SyntheticText {
public:
    /// Asks `tokenizer`, which must outlive this. Throws Error where it gives no such words.
    explicit SyntheticText(tokens::Tokenizer& tokenizer, Words words = Words::any) : tokenizer_(tokenizer)
    {
        const auto about = tokenizer.description();
        if (string_at(about, "kind") == std::string_view("approx"))
            token_chars_ = number_at(about, "chars_per_token");
        if (!token_chars_)
            words_ = find_vocabulary(tokenizer, words);
        else if (*token_chars_ < 1)
            throw Error("tokenizer", "text of an exact length needs tokens of at least one character");
    }

    /// The first `tokens` tokens of an endless stream.
    struct Piece {
        std::uint64_t stream = 0;
        std::int64_t tokens = 0;
    };

    /// The first `tokens` tokens of a stream: equal streams share prefixes exactly, different ones differ
    /// within the first few tokens.
    std::string text(std::uint64_t stream, std::int64_t tokens) const
    {
        const Piece piece{stream, tokens};
        return text({&piece, 1});
    }

    /// Pieces one after the other as one text; as many tokens as they have together.
    std::string text(std::span<const Piece> pieces) const
    {
        std::string out;
        std::int64_t position = 0;
        for (const auto& piece : pieces) {
            append(out, piece, position);
            position += piece.tokens;
        }
        return out;
    }

    /// Appends a piece to a text that has `position` tokens so far.
    void append(std::string& out, const Piece& piece, std::int64_t position) const
    {
        const auto start = engine::mix64(piece.stream ^ 0x736c6f7574696c73ULL);
        if (token_chars_)
            append_made_up(out, start, piece.tokens, position);
        else
            append_words(out, start, piece.tokens);
    }

    /// Tokens that the chat template adds to messages of these roles, with the marker after which the answer
    /// begins; asked once for each list of roles. An empty list: what a prompt that is a text has besides.
    /// Throws Error.
    std::int64_t template_overhead(const std::vector<std::string>& roles)
    {
        std::string key;
        for (const auto& role : roles)
            key += role + '\n';
        if (const auto known = overheads_.find(key); known != overheads_.end())
            return known->second;
        json::value prompt(json_text(text(0, 1)));
        if (!roles.empty()) {
            json::array messages;
            for (const auto& role : roles)
                messages.push_back({{"role", json_text(role)}, {"content", json_text(text(0, 1))}});
            prompt = std::move(messages);
        }
        const auto words = std::max<std::int64_t>(1, static_cast<std::int64_t>(roles.size()));
        return overheads_[key] = tokenizer_.count_prompt(prompt) - words;
    }

    /// How many different tokens a token of the text may be.
    double choices() const noexcept
    {
        return token_chars_ ? std::pow(26.0, std::max(1.0, std::floor(*token_chars_) - 1))
                            : static_cast<double>(words_.size());
    }

    /// True where tokens are counted by length alone.
    bool goes_by_length() const noexcept { return token_chars_.has_value(); }

    /// False where a template shifts the tokens of the text in it, so that a prompt may be a token off and
    /// has to be counted: fractions of a character a token.
    bool additive() const noexcept { return !token_chars_ || *token_chars_ == std::floor(*token_chars_); }

    tokens::Tokenizer& tokenizer() const noexcept { return tokenizer_; }

private:
    void append_words(std::string& out, std::uint64_t start, std::int64_t tokens) const
    {
        std::uint64_t bits = 0;
        out.reserve(out.size() + static_cast<std::size_t>(tokens) * 5);
        for (std::int64_t i = 0; i < tokens; ++i, bits >>= 16) {
            if (i % 4 == 0)
                bits = bits_at(start, i);
            const auto& word = words_[(bits & 0xffff) * words_.size() >> 16];
            out.append(word, out.empty() ? 1 : 0); // each word carries the space before it
        }
    }

    // Token i of a text takes the characters from floor(i · c) to floor((i + 1) · c).
    void append_made_up(std::string& out, std::uint64_t start, std::int64_t tokens,
                        std::int64_t position) const
    {
        const auto boundary = [this](std::int64_t token) {
            return static_cast<std::int64_t>(std::floor(static_cast<double>(token) * *token_chars_));
        };
        for (std::int64_t i = 0; i < tokens; ++i) {
            const auto length = boundary(position + i + 1) - boundary(position + i);
            if (length > 2 || (position + i) % 4 != 3)
                append_made_up_word(out, bits_at(start, i), length);
            else
                out.append(static_cast<std::size_t>(length - 1), ' ')
                    .append(1, static_cast<char>('0' + bits_at(start, i) % 10));
        }
    }

    // Never four letters in a row, so that no word of anybody's text appears by chance.
    static void append_made_up_word(std::string& out, std::uint64_t bits, std::int64_t length)
    {
        for (std::int64_t i = length > 1 ? 0 : 1; i < std::max<std::int64_t>(length, 2); ++i) {
            if (i % 12 == 0)
                bits = engine::mix64(bits + static_cast<std::uint64_t>(i));
            if (i == 0 && !out.empty()) // at the start of a text a template may cut it off
                out += ' ';
            else if (i % 4 == 0)
                out += static_cast<char>('0' + bits % 10);
            else
                out += static_cast<char>('a' + bits % 26);
            bits /= 26;
        }
    }

    static std::uint64_t bits_at(std::uint64_t start, std::int64_t position) noexcept
    {
        return engine::mix64(start + 0x9e3779b97f4a7c15ULL * (static_cast<std::uint64_t>(position) + 1));
    }

    tokens::Tokenizer& tokenizer_;
    std::vector<std::string> words_;
    std::optional<double> token_chars_;
    std::map<std::string, std::int64_t> overheads_;
};

} // namespace slo::workload

#endif
