// SPDX-License-Identifier: MIT
// URLs fit for files and messages: nothing secret in them.

#ifndef SLO_BASE_SHOWN_URL_HPP
#define SLO_BASE_SHOWN_URL_HPP

#include <slo/base/secret_names.hpp>

#include <algorithm>
#include <string>
#include <string_view>

namespace slo {

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

} // namespace slo

#endif
