// SPDX-License-Identifier: MIT
// What every libcurl handle of the tools is told once: the library's start, TLS, and what handles share.

#ifndef SLO_NET_CURL_SETUP_HPP
#define SLO_NET_CURL_SETUP_HPP

#include <slo/base/error.hpp>
#include <slo/base/version.hpp>
#include <slo/net/http.hpp>

#include <curl/curl.h>

#include <memory>
#include <string>
#include <string_view>

namespace slo::net {

/// Starts the library, once a process; that is never undone, as another user of it may still need it. Throws
/// Error.
inline void start_curl()
{
    static const bool ready = curl_global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK;
    if (!ready)
        throw Error("libcurl", "cannot be started");
}

/// Addresses and TLS sessions, kept for all transports of a thread: without it each new easy handle begins
/// with a full handshake, and each multi handle asks for every name again. Throws Error.
inline CURLSH* curl_share()
{
    struct Cleanup {
        void operator()(CURLSH* share) const noexcept { curl_share_cleanup(share); }
    };
    static const auto make = [] {
        std::unique_ptr<CURLSH, Cleanup> made(curl_share_init());
        if (!made)
            throw Error("libcurl", "out of memory");
        curl_share_setopt(made.get(), CURLSHOPT_SHARE, CURL_LOCK_DATA_DNS);
        curl_share_setopt(made.get(), CURLSHOPT_SHARE, CURL_LOCK_DATA_SSL_SESSION);
        return made;
    };
    // Of the thread, so that no lock is needed.
    thread_local const auto share = make();
    return share.get();
}

/// Tells a handle whom it is to trust and who it is.
inline void set_tls(CURL* easy, const TlsOptions& tls)
{
    const auto set_file = [easy](CURLoption option, const std::string& path) {
        if (!path.empty())
            curl_easy_setopt(easy, option, path.c_str());
    };
    curl_easy_setopt(easy, CURLOPT_SSL_VERIFYPEER, tls.insecure ? 0L : 1L);
    curl_easy_setopt(easy, CURLOPT_SSL_VERIFYHOST, tls.insecure ? 0L : 2L);
    set_file(CURLOPT_CAINFO, tls.ca_file);
    set_file(CURLOPT_SSLCERT, tls.cert_file);
    set_file(CURLOPT_SSLKEY, tls.key_file);
    // Or OpenSSL asks for it on the terminal.
    curl_easy_setopt(easy, CURLOPT_KEYPASSWD, "");
}

/// What does not change from one exchange of a transport to the next.
inline void set_transport_options(CURL* easy, const TransportOptions& options)
{
    const auto set = [easy](CURLoption option, auto value) { curl_easy_setopt(easy, option, value); };
    const auto milliseconds = [](double seconds) { return static_cast<long>(seconds * 1000 + 0.5); };
    set(CURLOPT_NOSIGNAL, 1L);
    set(CURLOPT_SHARE, curl_share());
    set(CURLOPT_PROTOCOLS_STR, "http,https");
    set(CURLOPT_HTTP09_ALLOWED, 0L);
    set(CURLOPT_TCP_NODELAY, 1L);
    set(CURLOPT_DNS_CACHE_TIMEOUT, -1L);
    set(CURLOPT_USERAGENT, (std::string("sloutils/") + version).c_str());
    set(CURLOPT_CONNECTTIMEOUT_MS, milliseconds(options.limits.connect_timeout_s));
    set(CURLOPT_TIMEOUT_MS, milliseconds(options.limits.request_timeout_s));
    set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
    set(CURLOPT_HTTPPROXYTUNNEL, options.http2 ? 1L : 0L); // proxies speak HTTP/1.1
    set(CURLOPT_PIPEWAIT, options.http2 ? 1L : 0L);
    set_tls(easy, options.tls);
}

/// The version of HTTP to ask for: with https the server has a choice, without it there is no one to ask.
inline long http_version(const TransportOptions& options, std::string_view url) noexcept
{
    const bool tls = url.size() > 5 && (url[4] == 's' || url[4] == 'S') && url[5] == ':';
    if (!options.http2)
        return CURL_HTTP_VERSION_1_1;
    return tls ? CURL_HTTP_VERSION_2TLS : CURL_HTTP_VERSION_2_PRIOR_KNOWLEDGE;
}

/// True where curl, told of prior knowledge, would begin HTTP/2 again on a connection that speaks it: before
/// version 8.0.
inline bool begins_http2_twice() noexcept
{
    static const bool does = curl_version_info(CURLVERSION_NOW)->version_num < 0x080000;
    return does;
}

} // namespace slo::net

#endif
