// SPDX-License-Identifier: MIT
// Text that says nothing, in place of text that does: as many tokens, and equal where that was equal.

#ifndef SLO_WORKLOAD_ANONYMOUS_TEXT_HPP
#define SLO_WORKLOAD_ANONYMOUS_TEXT_HPP

#include <slo/base/digest.hpp>
#include <slo/base/error.hpp>
#include <slo/engine/tokenizer.hpp>
#include <slo/tokens/tokenizer.hpp>
#include <slo/workload/synthetic_text.hpp>

#include <boost/unordered/unordered_flat_map.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace slo::workload {

/// Replaces texts under a key. Nothing of a text can be told from its replacement without the key, but its
/// length and what it shares with others.
class AnonymousText {
public:
    /// `words` must outlive this; `block` is the length in tokens of the blocks whose sharing is kept.
    AnonymousText(const SyntheticText& words, std::string key, std::int64_t block)
        : words_(words), key_(std::move(key)), block_(block),
          surely_different_tokens_(static_cast<std::int64_t>(std::ceil(40 / std::log2(words.choices()))))
    {
    }

    /// A name for a name: a letter and ten digits.
    std::string identifier(std::string_view name) const { return "x" + digits("name", name, 10); }

    /// 20 digits for the id of a conversation.
    std::string conversation(std::string_view id) const { return digits("conversation", id, 20); }

    /// A text of its own, outside prompts: equal for equal texts.
    std::string alone(std::string_view text, std::int64_t tokens) const
    {
        return words_.text(number("text", text), tokens);
    }

    /// How far a prompt has come.
    struct Prefix {
        std::uint64_t original = 0; ///< names the tokens of all texts so far
        std::uint64_t made = 0;     ///< names what stands in their place
    };

    /// A text of a prompt whose tokens are `tokens`, the first of them the prompt's number `position`
    /// (0-based). Two prompts whose first k tokens are equal have the blocks within these k equal, and no
    /// other; `joined`: it stands right behind another text of its message.
    std::string in_prompt(Prefix& prefix, const tokens::TokenList& tokens, std::int64_t position, bool joined)
    {
        std::string text = joined ? "." : "";
        const auto count = static_cast<std::int64_t>(tokens.size());
        for (std::int64_t begin = 0; begin < count;) {
            const auto end = std::min(count, begin + block_ - (position + begin) % block_);
            append_group(text, prefix, tokens.data() + begin, end - begin, begin);
            begin = end;
        }
        return joined ? text.substr(1) : text;
    }

    /// Goes on to a message of this role.
    static void begin_message(Prefix& prefix, std::string_view role)
    {
        const auto mark = std::uint64_t{engine::token_of(role)} << 20;
        prefix.original = engine::mix64(prefix.original ^ mark ^ 0x5bd1e995);
        prefix.made = engine::mix64(prefix.made ^ mark ^ 0x5bd1e995);
    }

    /// Names kept to tell short pieces of text apart, and pieces that could not be told apart, since there
    /// are more of them than words.
    std::size_t kept_names() const noexcept { return owners_.size(); }
    std::uint64_t collisions() const noexcept { return collisions_; }

private:
    // The tokens of one text that fall into one block. What stands for them is drawn from all tokens up to
    // the last of them, so that blocks are equal as wholes or not at all.
    void append_group(std::string& text, Prefix& prefix, const tokens::Token* tokens, std::int64_t count,
                      std::int64_t position)
    {
        std::string bytes(reinterpret_cast<const char*>(&prefix.original), sizeof prefix.original);
        bytes.append(reinterpret_cast<const char*>(tokens), static_cast<std::size_t>(count) * sizeof *tokens);
        const auto name = number("block", bytes);
        prefix.original = name;
        if (count >= surely_different_tokens_) {
            words_.append(text, {name, count}, position);
            prefix.made = engine::mix64(prefix.made ^ name);
            return;
        }
        // Of few words there may be the same by chance in place of other tokens: the first to have them
        // keeps them, and what is the same again comes to the same words by the same way.
        constexpr std::uint64_t most_tries = 4096;
        const auto start = text.size();
        for (std::uint64_t salt = 0; salt < most_tries; ++salt) {
            words_.append(text, {engine::mix64(name + salt), count}, position);
            const auto made = name_of_words(prefix.made, std::string_view(text).substr(start));
            if (owners_.try_emplace(made, name).first->second == name) {
                prefix.made = made;
                return;
            }
            if (salt + 1 < most_tries)
                text.resize(start);
        }
        ++collisions_;
        prefix.made = name_of_words(prefix.made, std::string_view(text).substr(start));
    }

    static std::uint64_t name_of_words(std::uint64_t before, std::string_view words)
    {
        auto name = before;
        for (const char c : words)
            name = engine::mix64(name ^ static_cast<unsigned char>(c));
        return name;
    }

    std::uint64_t number(std::string_view purpose, std::string_view text) const
    {
        std::string input(purpose);
        input += '\0';
        input += text;
        const auto digest = hmac_sha256(key_, input);
        std::uint64_t value = 0;
        for (std::size_t i = 0; i < 8; ++i)
            value = value << 8 | digest[i];
        return value;
    }

    std::string digits(std::string_view purpose, std::string_view text, std::size_t count) const
    {
        auto decimal = std::to_string(number(purpose, text));
        decimal.insert(0, 20 - decimal.size(), '0');
        return decimal.substr(20 - count);
    }

    const SyntheticText& words_;
    std::string key_;
    std::int64_t block_;
    std::int64_t surely_different_tokens_;
    boost::unordered_flat_map<std::uint64_t, std::uint64_t> owners_;
    std::uint64_t collisions_ = 0;
};

} // namespace slo::workload

#endif
