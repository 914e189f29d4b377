// SPDX-License-Identifier: MIT
// libcurl's result codes in the words of this project.

#ifndef SLO_NET_CURL_ERRORS_HPP
#define SLO_NET_CURL_ERRORS_HPP

#include <slo/base/text.hpp>
#include <slo/net/http.hpp>
#include <slo/net/http_errors.hpp>

#include <curl/curl.h>

#include <string>
#include <system_error>

namespace slo::net {

/// What a failed transfer means; `os_error` is CURLINFO_OS_ERRNO, `sent` whether the request had gone out.
constexpr Ending ending_of(CURLcode code, int os_error, bool sent) noexcept
{
    switch (code) {
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_RESOLVE_PROXY:
    case CURLE_COULDNT_CONNECT:
    case CURLE_PROXY:
        // Refused after the request had gone out: a kept connection broke and could not be replaced.
        if (is_local_fault(os_error))
            return Ending::local;
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

/// One printable line on what went wrong, the same for the same cause: curl's own texts name milliseconds and
/// bytes.
inline std::string curl_message(CURLcode code, int os_error, bool sent, const HttpLimits& limits,
                                const char* detail)
{
    std::string text = detail && *detail ? detail : curl_easy_strerror(code);
    if (code == CURLE_OPERATION_TIMEDOUT)
        text = timeout_message(sent, limits);
    else if (code == CURLE_PARTIAL_FILE)
        text = closed_before_end;
    else if (code == CURLE_GOT_NOTHING)
        text = closed_before_answer;
    else if (code == CURLE_UNSUPPORTED_PROTOCOL || code == CURLE_WEIRD_SERVER_REPLY)
        text = does_not_speak_http;
    else if (code == CURLE_COULDNT_CONNECT)
        text = text.substr(0, text.find(" after ")) + ": " +
               (os_error != 0 ? std::generic_category().message(os_error)
                              : std::string(curl_easy_strerror(code)));
    return printable(text, 200);
}

} // namespace slo::net

#endif
