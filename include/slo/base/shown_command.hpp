// SPDX-License-Identifier: MIT
// Command lines fit for files and messages: nothing secret in them.

#ifndef SLO_BASE_SHOWN_COMMAND_HPP
#define SLO_BASE_SHOWN_COMMAND_HPP

#include <slo/base/secret_names.hpp>
#include <slo/base/shown_url.hpp>
#include <slo/base/text.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace slo {

/// What stands in the place of a secret.
inline constexpr std::string_view redacted = "REDACTED";

namespace detail {

// Some names speak of tokens or keys and hold none, and what they say is wanted in records.
inline bool names_a_hidden_value(std::string_view name)
{
    const auto lower = lower_case(name);
    return names_a_secret(name) && lower.find("tokenize") == std::string::npos && !lower.ends_with("file") &&
           !lower.ends_with("path");
}

inline std::string hidden_value(std::string_view name, std::string_view value)
{
    const bool limit = lower_case(name).find("tokens") != std::string::npos && parse_double(value);
    const bool plain = limit || value == "true" || value == "false";
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

// "NAME=VALUE", "--env=NAME=VALUE", "Name: value", "Bearer KEY", URLs.
inline std::string shown_word(std::string_view word)
{
    const auto quote = word.find_first_not_of("\"'");
    if (quote != std::string_view::npos && looks_like_key(word.substr(quote)))
        return std::string(redacted);
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
    if (end != std::string_view::npos && word[end] == ':' && word.substr(end + 1).starts_with(' '))
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
