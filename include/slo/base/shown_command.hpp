// SPDX-License-Identifier: MIT
// Command lines fit for files and messages: nothing secret in them.

#ifndef SLO_BASE_SHOWN_COMMAND_HPP
#define SLO_BASE_SHOWN_COMMAND_HPP

#include <slo/base/secret_names.hpp>
#include <slo/base/shown_url.hpp>
#include <slo/base/text.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace slo {

/// What stands in the place of a secret.
inline constexpr std::string_view redacted = "REDACTED";

namespace detail {

// Some names speak of tokens of text, and their values are numbers that are wanted in records.
inline bool counts_tokens(std::string_view name, std::string_view value)
{
    constexpr std::size_t longest_number = 12;
    constexpr std::array<std::string_view, 12> secrets{
        "auth", "key", "secret", "pass", "cookie", "session", "sig", "access", "api", "hf", "bearer", "bot"};
    const auto lower = lower_case(name);
    const auto bare = std::string_view(lower).substr(std::min(lower.find_first_not_of('-'), lower.size()));
    return bare != "token" && lower.find("token") != std::string::npos && value.size() <= longest_number &&
           parse_double(value) && std::none_of(secrets.begin(), secrets.end(), [&](std::string_view word) {
               return lower.find(word) != std::string::npos;
           });
}

// Some names speak of tokens or keys and hold none, and what they say is wanted in records.
inline bool names_a_hidden_value(std::string_view name)
{
    const auto lower = lower_case(name);
    return names_a_secret(name) && lower.find("tokenize") == std::string::npos && !lower.ends_with("file") &&
           !lower.ends_with("path");
}

inline std::string hidden_value(std::string_view name, std::string_view value)
{
    const bool plain = counts_tokens(name, value) || value == "true" || value == "false";
    return names_a_hidden_value(name) && !plain ? std::string(redacted) : std::string(value);
}

// Keys of well-known issuers tell themselves apart by how they begin.
inline bool looks_like_key(std::string_view word)
{
    const auto begins = [&](std::string_view prefix) {
        return word.starts_with(prefix) && word.size() >= prefix.size() + 12;
    };
    return begins("hf_") || begins("sk-") || begins("nvapi-") || begins("ghp_") || begins("AKIA");
}

// Where a value that begins at `at` ends, and the length of the quotes around it, which may be escaped.
struct ObjectValue {
    std::size_t end = 0;
    std::size_t quotes = 0;
};

inline ObjectValue value_in_object(std::string_view text, std::size_t at)
{
    const auto begin = at;
    while (at < text.size() && text[at] == '\\')
        ++at;
    const char first = at < text.size() ? text[at] : '\0';
    if (first == '"' || first == '\'') {
        const auto quote = text.substr(begin, at - begin + 1);
        auto end = at + 1;
        for (; end < text.size(); ++end)
            if (text.substr(end).starts_with(quote) && (quote.size() > 1 || text[end - 1] != '\\'))
                return {end + quote.size(), quote.size()};
        return {text.size(), 0};
    }
    int depth = 0;
    for (; at < text.size(); ++at) {
        const char c = text[at];
        if (depth == 0 && (c == ',' || c == '}' || c == ']'))
            break;
        depth += c == '{' || c == '[' ? 1 : c == '}' || c == ']' ? -1 : 0;
        if (depth == 0 && (c == '}' || c == ']'))
            return {at + 1, 0};
    }
    return {at, 0};
}

// A JSON object in one word, or what looks like one: the values of members whose names speak of a secret.
inline std::string shown_object(std::string_view text)
{
    constexpr std::string_view around = " \t\n\\\"'";
    std::string shown;
    std::size_t copied = 0;
    for (auto colon = text.find(':'); colon != std::string_view::npos; colon = text.find(':', colon + 1)) {
        const auto last = text.find_last_not_of(around, colon == 0 ? 0 : colon - 1);
        const auto before = text.find_last_of("{[,:\"'", last);
        const auto begin = before == std::string_view::npos ? 0 : before + 1;
        const auto value = text.find_first_not_of(" \t\n", colon + 1);
        if (last == std::string_view::npos || colon < copied || value == std::string_view::npos)
            continue;
        const auto name = text.substr(begin, last + 1 - begin);
        if (!names_a_hidden_value(name))
            continue;
        const auto [end, quotes] = value_in_object(text, value);
        const auto inner = text.substr(value + quotes, end - value - 2 * quotes);
        shown += text.substr(copied, value + quotes - copied);
        shown += hidden_value(name, inner);
        copied = end - quotes;
        colon = end - 1;
    }
    return shown + std::string(text.substr(copied));
}

// "NAME=VALUE", "--env=NAME=VALUE", "Name: value", "Bearer KEY", URLs.
inline std::string shown_word(std::string_view word)
{
    const auto quote = word.find_first_not_of("\"'");
    if (quote != std::string_view::npos && looks_like_key(word.substr(quote)))
        return std::string(redacted);
    const auto brace = word.find('{');
    const auto object = brace == std::string_view::npos
                            ? std::string()
                            : std::string(word.substr(0, brace)) + shown_object(word.substr(brace));
    if (!object.empty())
        word = object;
    const auto lower = lower_case(word);
    for (const std::string_view scheme : {"bearer ", "basic "}) {
        if (const auto at = lower.find(scheme); at != std::string::npos)
            return std::string(word.substr(0, at + scheme.size())) + std::string(redacted);
    }
    const auto end = word.find_first_of("=:?");
    if (end != std::string_view::npos && word[end] == '=') {
        const auto name = word.substr(0, end);
        const auto value = word.substr(end + 1);
        const auto hidden = hidden_value(name, value);
        return std::string(name) + "=" + (hidden == value ? shown_word(value) : hidden);
    }
    if (word.find("://") != std::string_view::npos)
        return shown_url(word);
    const bool header = end < brace && word[end] == ':' && word.substr(end + 1).starts_with(' ');
    if (header)
        return std::string(word.substr(0, end + 2)) + hidden_value(word.substr(0, end), word.substr(end + 2));
    return std::string(word);
}

inline bool is_long_option(std::string_view word)
{
    return word.starts_with("--") && word.size() > 2;
}

} // namespace detail

/// The words of a command with what is secret in them left out: values of options and of variables whose
/// name speaks of a secret, keys that look like keys, user names and passwords in URLs.
inline std::vector<std::string> shown_command(const std::vector<std::string>& words)
{
    std::vector<std::string> shown;
    std::string_view name; // of the option whose value comes next
    for (const auto& word : words) {
        // Servers take several keys behind one --api-key.
        const bool more = name == "--api-key" || name == "--api_key";
        if (!name.empty() && !word.starts_with("--")) {
            shown.push_back(detail::hidden_value(name, word));
            name = more ? name : std::string_view{};
            continue;
        }
        const bool option = detail::is_long_option(word) && word.find('=') == std::string::npos;
        name = option && detail::names_a_hidden_value(word) ? std::string_view(word) : std::string_view{};
        shown.push_back(detail::shown_word(word));
    }
    return shown;
}

/// The same for a line that a shell takes apart.
inline std::string shown_shell_line(std::string_view line)
{
    std::vector<std::string> words;
    std::vector<std::string> blanks{""};
    char quote = 0;
    bool inside = false;
    for (const char c : line) {
        const bool blank =
            quote == 0 && (c == ' ' || c == '\t' || c == '\n' || c == ';' || c == '|' || c == '&');
        if (blank) {
            if (inside)
                blanks.emplace_back();
            blanks.back() += c;
            inside = false;
            continue;
        }
        if (!inside)
            words.emplace_back();
        inside = true;
        words.back() += c;
        if (quote != 0)
            quote = c == quote ? 0 : quote;
        else if (c == '"' || c == '\'')
            quote = c;
    }
    const auto shown = shown_command(words);
    std::string text;
    for (std::size_t i = 0; i < shown.size(); ++i)
        text += blanks[i] + shown[i];
    return text + (blanks.size() > shown.size() ? blanks.back() : "");
}

} // namespace slo

#endif
