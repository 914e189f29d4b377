// SPDX-License-Identifier: MIT
// libcurl's result codes in the words of this project.

#ifndef SLO_NET_CURL_ERRORS_HPP
#define SLO_NET_CURL_ERRORS_HPP

#include <slo/base/text.hpp>
#include <slo/net/http.hpp>

#include <curl/curl.h>

#include <cerrno>
#include <string>

namespace slo::net {

/// True for errors of the system that a client brings on itself: too few descriptors, ports or buffers.
constexpr bool is_local_fault(int os_error) noexcept
{
    return os_error == EMFILE || os_error == ENFILE || os_error == EADDRNOTAVAIL || os_error == ENOBUFS ||
           os_error == ENOMEM;
}

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

/// One printable line on what went wrong.
inline std::string curl_message(CURLcode code, const char* detail)
{
    return printable(detail && *detail ? detail : curl_easy_strerror(code), 200);
}

} // namespace slo::net

#endif
