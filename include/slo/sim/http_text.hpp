// SPDX-License-Identifier: MIT
// The text of HTTP/1.1 responses, and of the targets of requests (RFC 9112).

#ifndef SLO_SIM_HTTP_TEXT_HPP
#define SLO_SIM_HTTP_TEXT_HPP

// Beast 1.81 wants a complete std::ostream, and does not see to it.
#include <ostream>

#include <boost/beast/http/status.hpp>

#include <charconv>
#include <string>
#include <string_view>

namespace slo::sim {

/// Appends the status line and the header lines that every response has; more lines and an empty one must
/// follow.
inline void append_head(std::string& out, int status, bool keep_alive)
{
    const auto reason = boost::beast::http::obsolete_reason(static_cast<boost::beast::http::status>(status));
    out.append("HTTP/1.1 ").append(std::to_string(status)).append(" ").append(reason.data(), reason.size());
    out += "\r\nServer: engine-sim\r\n";
    if (!keep_alive)
        out += "Connection: close\r\n";
}

/// Appends one chunk of a body of unknown length; `part` must not be empty, as that would end the body.
inline void append_chunk(std::string& out, std::string_view part)
{
    char digits[20];
    const auto end = std::to_chars(digits, digits + sizeof digits, part.size(), 16).ptr;
    out.append(digits, end).append("\r\n").append(part).append("\r\n");
}

/// The path of a request's target, without the query. A client that takes us for its proxy sends the whole
/// URL, which every server has to accept (section 3.2.2).
inline std::string_view path_of_target(std::string_view target) noexcept
{
    const auto scheme = target.find("://");
    if (!target.starts_with('/') && scheme != std::string_view::npos) {
        const auto path = target.find_first_of("/?", scheme + 3);
        target = path != std::string_view::npos && target[path] == '/' ? target.substr(path) : "/";
    }
    return target.substr(0, target.find('?'));
}

/// Ends a body of unknown length.
inline constexpr std::string_view last_chunk = "0\r\n\r\n";

} // namespace slo::sim

#endif
