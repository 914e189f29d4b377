// SPDX-License-Identifier: MIT
// The head of an HTTP/1.1 request, as libcurl would write it: servers see the same from both transports.

#ifndef SLO_NET_PLAIN_REQUEST_HPP
#define SLO_NET_PLAIN_REQUEST_HPP

#include <slo/base/text.hpp>
#include <slo/base/version.hpp>
#include <slo/net/http.hpp>
#include <slo/net/url_parts.hpp>
#include <slo/wire/http_fields.hpp>

#include <charconv>
#include <cstddef>
#include <string>
#include <string_view>

namespace slo::net {

/// Writes the heads of requests for one URL.
class PlainRequestHead {
public:
    explicit PlainRequestHead(const UrlParts& parts)
        : line_(" " + parts.target + " HTTP/1.1\r\n"), host_("Host: " + parts.host_field + "\r\n"),
          agent_(std::string("User-Agent: sloutils/") + version + "\r\n")
    {
    }

    /// Replaces `head` with the head of `request`. A header given by the caller takes the place of ours of
    /// the same name; one without a value takes ours away.
    void write(const HttpRequest& request, std::string& head) const
    {
        std::string_view host; // the caller's
        bool agent = true;
        bool accept = true;
        bool type = request.post;
        for (const auto header : request.headers) {
            // Their first letters tell most headers from those we would write.
            switch (header.empty() ? '\0' : header.front() | 0x20) {
            case 'h':
                host = is_named(header, "host:") ? header : host;
                break;
            case 'u':
                agent = agent && !is_named(header, "user-agent:");
                break;
            case 'a':
                accept = accept && !is_named(header, "accept:");
                break;
            case 'c':
                type = type && !is_named(header, "content-type:");
                break;
            default:
                break;
            }
        }
        head = request.post ? "POST" : "GET";
        head += line_;
        if (host.empty())
            head += host_;
        else if (has_value(host))
            head.append("Host: ").append(trim(host.substr(host.find(':') + 1))).append("\r\n");
        if (agent)
            head += agent_;
        if (accept)
            head += "Accept: */*\r\n";
        for (const auto header : request.headers) {
            if (has_value(header) && header.data() != host.data())
                head.append(header).append("\r\n");
        }
        if (request.post) {
            char length[24];
            const auto end = std::to_chars(length, length + sizeof length, request.body.size()).ptr;
            head.append("Content-Length: ").append(length, end).append("\r\n");
        }
        if (type)
            head += "Content-Type: application/x-www-form-urlencoded\r\n";
        head += "\r\n";
    }

private:
    static bool is_named(std::string_view header, std::string_view name) noexcept
    {
        return wire::equal_ignoring_case(header.substr(0, name.size()), name);
    }

    static bool has_value(std::string_view header) noexcept
    {
        const auto colon = header.find(':');
        return colon != std::string_view::npos && !trim(header.substr(colon + 1)).empty();
    }

    std::string line_; // of the request, without the method
    std::string host_;
    std::string agent_;
};

} // namespace slo::net

#endif
