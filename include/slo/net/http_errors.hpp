// SPDX-License-Identifier: MIT
// What goes wrong with an exchange, in the same words whichever transport carries it.

#ifndef SLO_NET_HTTP_ERRORS_HPP
#define SLO_NET_HTTP_ERRORS_HPP

#include <slo/base/clock.hpp>
#include <slo/base/text.hpp>
#include <slo/net/http.hpp>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <system_error>

namespace slo::net {

/// True for errors of the system that a client brings on itself: too few descriptors, ports or buffers.
constexpr bool is_local_fault(int os_error) noexcept
{
    return os_error == EMFILE || os_error == ENFILE || os_error == EADDRNOTAVAIL || os_error == ENOBUFS ||
           os_error == ENOMEM;
}

inline constexpr const char* closed_before_answer = "the connection was closed before any answer";
inline constexpr const char* closed_before_end = "the connection was closed before the end of the answer";
inline constexpr const char* does_not_speak_http = "what answers does not speak HTTP";
inline constexpr const char* malformed_chunk = "a malformed chunk in the answer";

/// True when a kept connection that broke at `broken_ns`, before any byte of an answer, shows by that to have
/// been closed before it was given its request at `sent_ns`.
inline bool was_stale(std::int64_t sent_ns, std::int64_t broken_ns, const HttpLimits& limits) noexcept
{
    return broken_ns - sent_ns <= to_ns(limits.stale_within_s);
}

/// Why an exchange took too long; `sent`: whether the request had gone out.
inline std::string timeout_message(bool sent, const HttpLimits& limits)
{
    return sent ? "no whole answer within " + format_double(limits.request_timeout_s) + " s"
                : "no connection within " + format_double(limits.connect_timeout_s) + " s";
}

/// The answer is larger than max_answer_bytes.
inline std::string too_large_message(const HttpLimits& limits)
{
    return "answer larger than " + std::to_string(limits.max_answer_bytes) + " bytes";
}

/// A call of the system failed: "Recv failure: Connection reset by peer".
inline std::string system_message(std::string_view what, int os_error)
{
    return printable(std::string(what) + ": " + std::generic_category().message(os_error), 200);
}

/// No connection to host and port, and why.
inline std::string connect_message(std::string_view host, std::string_view port, int os_error)
{
    return system_message("Failed to connect to " + std::string(host) + " port " + std::string(port),
                          os_error);
}

} // namespace slo::net

#endif
