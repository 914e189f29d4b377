// SPDX-License-Identifier: MIT
// libcurl's result codes in the words of this project.

#ifndef SLO_NET_CURL_ERRORS_HPP
#define SLO_NET_CURL_ERRORS_HPP

#include <slo/base/text.hpp>
#include <slo/net/http.hpp>
#include <slo/net/http_errors.hpp>
#include <slo/net/proxy.hpp>

#include <curl/curl.h>

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>

namespace slo::net {

/// The status by which a proxy, and nobody else, asks for a user name.
inline constexpr int proxy_wants_password = 407;

/// All that libcurl knows of a transfer that did not go well.
struct CurlFailure {
    CURLcode code = CURLE_OK;
    int os_error = 0;          ///< CURLINFO_OS_ERRNO
    bool sent = false;         ///< the request had gone out
    int status = 0;            ///< of the answer
    int connect_status = 0;    ///< of a proxy's answer to CONNECT
    std::string_view detail{}; ///< what CURLOPT_ERRORBUFFER holds
    std::string_view url{};
};

namespace detail {

// "OpenSSL SSL_read: …:SSL routines::tlsv13 alert certificate required, errno 0": what follows the colons.
inline std::string_view openssl_reason(std::string_view text) noexcept
{
    const auto library = text.find("SSL routines:");
    if (library == std::string_view::npos)
        return {};
    const auto reason = text.substr(text.find("::", library) + 2);
    return reason.substr(0, reason.find(", errno"));
}

// A client learns that its certificate is not wanted only when it reads: TLS 1.3 has no answer to wait for.
inline bool is_tls_alert(const CurlFailure& failure) noexcept
{
    return openssl_reason(failure.detail).find(" alert ") != std::string_view::npos;
}

// curl has no code of its own for it.
inline bool is_malformed_chunk(const CurlFailure& failure) noexcept
{
    return failure.code == CURLE_RECV_ERROR && failure.detail.ends_with(" in chunked-encoding");
}

// What curl says of a line of the head that is longer than 100 kB is that it is out of memory.
inline bool is_head_too_large(const CurlFailure& failure) noexcept
{
    return failure.detail.starts_with("Too large response headers") ||
           (failure.code == CURLE_OUT_OF_MEMORY && failure.sent && failure.status != 0);
}

inline bool is_no_tunnel(const CurlFailure& failure) noexcept
{
    return failure.connect_status != 0 && failure.connect_status / 100 != 2;
}

// The proxy of a URL as messages show it; empty: none.
inline std::string proxy_of(std::string_view url)
{
    struct Cleanup {
        void operator()(CURLU* parts) const noexcept { curl_url_cleanup(parts); }
    };
    const std::unique_ptr<CURLU, Cleanup> parts(curl_url());
    if (!parts || curl_url_set(parts.get(), CURLUPART_URL, std::string(url).c_str(), 0) != CURLUE_OK)
        return {};
    const auto part = [&](CURLUPart which) {
        char* text = nullptr;
        curl_url_get(parts.get(), which, &text, 0);
        const std::unique_ptr<char, void (*)(void*)> owned(text, curl_free);
        return std::string(text ? text : "");
    };
    auto host = part(CURLUPART_HOST);
    if (host.starts_with('['))
        host = host.substr(1, host.size() - 2);
    return shown_proxy(proxy_for(part(CURLUPART_SCHEME), host));
}

constexpr Ending ending_of_code(CURLcode code, bool sent) noexcept
{
    switch (code) {
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_RESOLVE_PROXY:
    case CURLE_COULDNT_CONNECT:
    case CURLE_PROXY:
        // Refused after the request had gone out: a kept connection broke and could not be replaced.
        return sent ? Ending::reset : Ending::connect;
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_CERTPROBLEM:
    case CURLE_SSL_CIPHER:
    case CURLE_SSL_ENGINE_NOTFOUND:
    case CURLE_SSL_ENGINE_SETFAILED:
    case CURLE_SSL_ENGINE_INITFAILED:
    case CURLE_SSL_CRL_BADFILE:
    case CURLE_SSL_ISSUER_ERROR:
    case CURLE_SSL_PINNEDPUBKEYNOTMATCH:
    case CURLE_SSL_INVALIDCERTSTATUS:
    case CURLE_SSL_CLIENTCERT:
    case CURLE_SSL_SHUTDOWN_FAILED:
    case CURLE_USE_SSL_FAILED:
        return Ending::tls;
    case CURLE_OPERATION_TIMEDOUT:
        return Ending::timeout;
    case CURLE_SEND_ERROR:
    case CURLE_RECV_ERROR:
    case CURLE_GOT_NOTHING:
    case CURLE_SEND_FAIL_REWIND:
    case CURLE_HTTP2_STREAM:
        return Ending::reset;
    case CURLE_PARTIAL_FILE:
        return Ending::cut;
    case CURLE_OUT_OF_MEMORY:
    case CURLE_FAILED_INIT:
    case CURLE_INTERFACE_FAILED:
        return Ending::local;
    default:
        return Ending::protocol;
    }
}

} // namespace detail

/// What a failed transfer means.
inline Ending ending_of(const CurlFailure& failure)
{
    const auto ending = detail::ending_of_code(failure.code, failure.sent);
    const bool no_connection = ending == Ending::connect || failure.code == CURLE_COULDNT_CONNECT;
    if (no_connection && is_local_fault(failure.os_error))
        return Ending::local;
    if (detail::is_tls_alert(failure))
        return Ending::tls;
    if (detail::is_malformed_chunk(failure) || detail::is_head_too_large(failure))
        return Ending::protocol;
    if (failure.status == proxy_wants_password || detail::is_no_tunnel(failure))
        return Ending::connect;
    // What breaks before the request goes out is the way to the server, where there is a proxy on it.
    const bool broken = ending == Ending::reset || ending == Ending::protocol;
    return broken && !failure.sent && !detail::proxy_of(failure.url).empty() ? Ending::connect : ending;
}

/// One printable line on what went wrong, the same for the same cause: curl's own texts name milliseconds,
/// bytes and streams. A proxy is named without its password.
inline std::string message_of(const CurlFailure& failure, const HttpLimits& limits)
{
    const std::string general = curl_easy_strerror(failure.code);
    // The first thing that curl met with, which need not be what it failed for.
    const bool beside_the_point = failure.detail.starts_with("getpeername()");
    auto text = failure.detail.empty() || beside_the_point ? general : std::string(failure.detail);
    const auto proxy = failure.sent && failure.status != proxy_wants_password ? std::string()
                                                                              : detail::proxy_of(failure.url);
    const auto reason = detail::openssl_reason(failure.detail);
    if (failure.status == proxy_wants_password || failure.connect_status == proxy_wants_password)
        return printable("the proxy " + proxy + " wants another user name and password (status 407)", 200);
    if (detail::is_no_tunnel(failure))
        return printable("the proxy " + proxy + " opens no tunnel (status " +
                             std::to_string(failure.connect_status) + ")",
                         200);
    if (failure.code == CURLE_OPERATION_TIMEDOUT)
        text = timeout_message(failure.sent, limits);
    else if (failure.code == CURLE_PARTIAL_FILE)
        text = closed_before_end;
    else if (failure.code == CURLE_GOT_NOTHING)
        text = closed_before_answer;
    else if (failure.code == CURLE_UNSUPPORTED_PROTOCOL || failure.code == CURLE_WEIRD_SERVER_REPLY)
        text = does_not_speak_http;
    else if (detail::is_malformed_chunk(failure))
        text = malformed_chunk;
    else if (detail::is_head_too_large(failure))
        text = "the head of the answer is too large";
    else if (failure.code == CURLE_HTTP2 && text.find("SETTINGS expected") != std::string::npos)
        text = "what answers does not speak HTTP/2";
    else if (failure.code == CURLE_HTTP2_STREAM && text.starts_with("HTTP/2 stream "))
        text = "HTTP/2 stream" + text.substr(std::min(text.find(' ', 14), text.size()));
    else if (failure.code == CURLE_COULDNT_CONNECT && proxy.empty())
        text = text.substr(0, text.find(" after ")) + ": " +
               (failure.os_error != 0 ? std::generic_category().message(failure.os_error) : general);
    else if (failure.code == CURLE_COULDNT_CONNECT)
        text = "Failed to connect: " +
               (failure.os_error != 0 ? std::generic_category().message(failure.os_error) : general);
    else if (text.starts_with("Unsupported proxy"))
        text = "Unsupported proxy"; // and then the whole of it, with its password
    else if (reason == "wrong version number")
        text = "what answers does not speak TLS";
    else if (!reason.empty())
        text = "TLS: " + std::string(reason);
    if (!proxy.empty())
        text += " (the way goes through the proxy " + proxy + ")";
    return printable(text, 200);
}

} // namespace slo::net

#endif
