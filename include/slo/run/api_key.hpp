// SPDX-License-Identifier: MIT
// Where the API key comes from, and how it stays out of sight.

#ifndef SLO_RUN_API_KEY_HPP
#define SLO_RUN_API_KEY_HPP

#include <slo/base/error.hpp>
#include <slo/base/secret_names.hpp>
#include <slo/base/text.hpp>
#include <slo/io/fd.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <string>
#include <string_view>

namespace slo::run {

/// Sent when no key is given: servers that want none ignore it, and some clients insist on one.
inline constexpr std::string_view placeholder_api_key = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";

/// The key: given, else the first line of a file, else OPENAI_API_KEY, else a placeholder. Throws UsageError,
/// IoError, InputError; no message holds the key.
inline std::string find_api_key(const std::string& given, const std::string& file)
{
    if (!given.empty() && !file.empty())
        throw UsageError("--api-key-file", "cannot stand with --api-key");
    std::string key = given;
    const char* const environment = std::getenv("OPENAI_API_KEY");
    if (!file.empty()) {
        const auto text = io::read_all(file, 65536);
        key = std::string(trim(std::string_view(text).substr(0, text.find('\n'))));
        if (key.empty())
            throw InputError(io::display_name(file), 1, "no API key in the first line");
    } else if (key.empty()) {
        key = environment && *environment ? environment : std::string(placeholder_api_key);
    }
    const bool visible = std::all_of(key.begin(), key.end(), [](char c) { return c > 0x20 && c < 0x7F; });
    if (!visible)
        throw UsageError("the API key holds a character that no header may carry");
    return key;
}

/// A URL without user name and password.
inline std::string without_credentials(std::string_view url)
{
    const auto scheme = url.find("://");
    if (scheme == std::string_view::npos)
        return std::string(url);
    const auto host = scheme + 3;
    const auto end = std::min(url.find_first_of("/?#", host), url.size());
    const auto at = url.substr(host, end - host).rfind('@');
    if (at == std::string_view::npos)
        return std::string(url);
    return std::string(url.substr(0, host)) + std::string(url.substr(host + at + 1));
}

/// A URL fit for files and messages: without user name, password and fragment, and with what a parameter of
/// the query holds left out where its name speaks of a secret.
inline std::string shown_url(std::string_view url)
{
    const auto bare = without_credentials(url.substr(0, url.find('#')));
    const auto mark = bare.find('?');
    if (mark == std::string::npos)
        return bare;
    std::string shown = bare.substr(0, mark);
    for (auto begin = mark; begin < bare.size();) {
        const auto end = std::min(bare.find('&', begin + 1), bare.size());
        const auto part = std::string_view(bare).substr(begin, end - begin);
        const auto name = part.substr(0, part.find('='));
        if (names_a_secret(name))
            shown.append(name).append("=REDACTED");
        else
            shown += part;
        begin = end;
    }
    return shown;
}

} // namespace slo::run

#endif
