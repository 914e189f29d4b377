// SPDX-License-Identifier: MIT
// The parts of a URL that an HTTP client needs.

#ifndef SLO_NET_URL_PARTS_HPP
#define SLO_NET_URL_PARTS_HPP

#include <slo/base/error.hpp>
#include <slo/base/text.hpp>
#include <slo/net/http_errors.hpp>

#include <curl/curl.h>

#include <memory>
#include <string>

namespace slo::net {

/// The parts of an http or https URL, as libcurl reads it: both transports must ask for the same thing.
struct UrlParts {
    std::string scheme;     ///< "http" or "https"
    std::string host;       ///< a name or an address, IPv6 without its brackets
    std::string port;       ///< decimal, 80 or 443 where the URL names none
    std::string host_field; ///< what the Host header says
    std::string target;     ///< path and query, begins with "/"
    bool has_user = false;  ///< the URL names a user or a password
};

/// Throws Error: no URL, or one of another scheme.
inline UrlParts parse_url(const std::string& url)
{
    struct Cleanup {
        void operator()(CURLU* parts) const noexcept { curl_url_cleanup(parts); }
    };
    const std::unique_ptr<CURLU, Cleanup> parsed(curl_url());
    const auto fail = [](CURLUcode code) { throw Error(printable(curl_url_strerror(code), 200)); };
    if (const auto code = parsed ? curl_url_set(parsed.get(), CURLUPART_URL, url.c_str(),
                                                CURLU_GUESS_SCHEME | CURLU_NON_SUPPORT_SCHEME)
                                 : CURLUE_OUT_OF_MEMORY;
        code != CURLUE_OK)
        fail(code);
    const auto part = [&](CURLUPart which, unsigned flags = 0) {
        char* text = nullptr;
        curl_url_get(parsed.get(), which, &text, flags);
        const std::unique_ptr<char, void (*)(void*)> owned(text, curl_free);
        return std::string(text ? text : "");
    };
    UrlParts parts;
    parts.scheme = part(CURLUPART_SCHEME);
    if (parts.scheme != "http" && parts.scheme != "https")
        throw Error(does_not_speak_http);
    parts.host = part(CURLUPART_HOST);
    if (parts.host.empty())
        fail(CURLUE_NO_HOST);
    parts.port = part(CURLUPART_PORT, CURLU_DEFAULT_PORT);
    parts.host_field = parts.host;
    if (!part(CURLUPART_PORT, CURLU_NO_DEFAULT_PORT).empty())
        parts.host_field += ":" + parts.port;
    if (parts.host.front() == '[') {
        parts.host = parts.host.substr(1, parts.host.size() - 2);
        if (const auto zone = part(CURLUPART_ZONEID); !zone.empty())
            parts.host += "%" + zone;
    }
    parts.target = part(CURLUPART_PATH);
    if (const auto query = part(CURLUPART_QUERY); !query.empty())
        parts.target += "?" + query;
    parts.has_user = !part(CURLUPART_USER).empty() || !part(CURLUPART_PASSWORD).empty();
    return parts;
}

} // namespace slo::net

#endif
