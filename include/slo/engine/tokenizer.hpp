// SPDX-License-Identifier: MIT
// A made-up but stable tokenizer, and the words the engine answers with.

#ifndef SLO_ENGINE_TOKENIZER_HPP
#define SLO_ENGINE_TOKENIZER_HPP

#include <slo/base/text.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace slo::engine {

/// A token's number; below 2^31, so that every client's integer holds it.
using Token = std::uint32_t;

/// Mixes 64 bits so that each input bit reaches each output bit (the finalizer of MurmurHash3).
constexpr std::uint64_t mix64(std::uint64_t x) noexcept
{
    x ^= x >> 33;
    x *= 0xff51afd7ed558ccdULL;
    x ^= x >> 33;
    x *= 0xc4ceb9fe1a85ec53ULL;
    return x ^ (x >> 33);
}

/// The number of a piece of text: FNV-1a, mixed, cut to 31 bits.
constexpr Token token_of(std::string_view piece) noexcept
{
    std::uint64_t hash = 0xcbf29ce484222325ULL;
    for (const char c : piece)
        hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
    return static_cast<Token>(mix64(hash) >> 33);
}

namespace detail {

inline constexpr std::size_t piece_bytes = 6;

constexpr bool is_word_byte(char c) noexcept
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           static_cast<unsigned char>(c) >= 0x80;
}

inline std::size_t word_piece_bytes(std::string_view text, std::size_t begin) noexcept
{
    auto end = begin;
    while (end < text.size() && is_word_byte(text[end])) {
        auto length = utf8_sequence_bytes(text.substr(end, 4));
        if (length == 0)
            length = 1;
        if (end > begin && end + length > piece_bytes)
            break;
        end += length;
    }
    return end;
}

} // namespace detail

/// Length in bytes of the first piece of `text` (not empty). A piece is part of a word with the space before
/// it, at most six bytes but never part of a character, or a run of up to six equal other characters.
inline std::size_t first_piece_bytes(std::string_view text) noexcept
{
    if (detail::is_word_byte(text[0]))
        return detail::word_piece_bytes(text, 0);
    if (text[0] == ' ' && text.size() > 1 && detail::is_word_byte(text[1]))
        return detail::word_piece_bytes(text, 1);
    std::size_t end = 1;
    while (end < text.size() && end < detail::piece_bytes && text[end] == text[0])
        ++end;
    const bool word_follows = end < text.size() && detail::is_word_byte(text[end]);
    return text[0] == ' ' && word_follows ? end - 1 : end;
}

/// Appends the tokens of `text`.
inline void tokenize(std::string_view text, std::vector<Token>& tokens)
{
    while (!text.empty()) {
        const auto length = first_piece_bytes(text);
        tokens.push_back(token_of(text.substr(0, length)));
        text.remove_prefix(length);
    }
}

/// The tokens of `text`; English comes to about four characters a token.
inline std::vector<Token> tokenize(std::string_view text)
{
    std::vector<Token> tokens;
    tokenize(text, tokens);
    return tokens;
}

/// Appends one chat message as the made-up template lays it out: a marker of the role, the text, an end
/// marker.
inline void append_message(std::vector<Token>& tokens, std::string_view role, std::string_view content)
{
    tokens.push_back(token_of("<|start|>") ^ token_of(role));
    tokenize(content, tokens);
    tokens.push_back(token_of("<|end|>"));
}

/// Appends the marker after which the engine's answer begins.
inline void append_answer_marker(std::vector<Token>& tokens)
{
    tokens.push_back(token_of("<|start|>") ^ token_of("assistant"));
}

/// The words the engine answers with: each, with its leading space, is exactly one token, and remains the
/// same token when the whole answer comes back in the next turn's prompt.
inline constexpr std::array<std::string_view, 96> answer_words{
    " the",   " a",     " of",    " to",    " and",   " in",    " is",    " it",    " that",  " for",
    " on",    " with",  " as",    " was",   " at",    " by",    " from",  " this",  " which", " one",
    " all",   " there", " when",  " more",  " into",  " time",  " than",  " first", " water", " stone",
    " river", " light", " house", " green", " small", " great", " long",  " year",  " day",   " night",
    " part",  " world", " field", " line",  " paper", " voice", " table", " glass", " north", " south",
    " east",  " west",  " tree",  " leaf",  " bird",  " cloud", " rain",  " snow",  " wind",  " fire",
    " earth", " road",  " bread", " salt",  " sea",   " ship",  " sail",  " hand",  " word",  " name",
    " page",  " book",  " song",  " bell",  " clock", " hour",  " door",  " wall",  " roof",  " step",
    " hill",  " lake",  " café",  " über",  " naïf",  " él",    " ça",    " 水",    " 日",    " π",
    " ну",    " да",    " 7",     " 42",    " 365",   " 1024"};

/// The index in answer_words of the word that a sequence of the given seed says at `position` (0-based).
constexpr std::size_t answer_word(std::uint64_t seed, std::int64_t position) noexcept
{
    return mix64(seed + 0x9e3779b97f4a7c15ULL * static_cast<std::uint64_t>(position + 1)) %
           answer_words.size();
}

namespace detail {

constexpr std::array<Token, answer_words.size()> number_answer_words() noexcept
{
    std::array<Token, answer_words.size()> tokens{};
    for (std::size_t i = 0; i < tokens.size(); ++i)
        tokens[i] = token_of(answer_words[i]);
    return tokens;
}

inline constexpr auto answer_tokens = number_answer_words();

} // namespace detail

/// The token of answer_words[word].
constexpr Token answer_token(std::size_t word) noexcept
{
    return detail::answer_tokens[word];
}

} // namespace slo::engine

#endif
