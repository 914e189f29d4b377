// SPDX-License-Identifier: MIT
// Where the API key comes from, and how it stays out of sight.

#ifndef SLO_NET_API_KEY_HPP
#define SLO_NET_API_KEY_HPP

#include <slo/base/error.hpp>
#include <slo/base/text.hpp>
#include <slo/io/fd.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <string>
#include <string_view>

namespace slo::net {

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

} // namespace slo::net

#endif
