// SPDX-License-Identifier: MIT
// How to begin HTTP/2 without TLS where libcurl cannot be told so that it is right on every connection.

#ifndef SLO_NET_CURL_GUESS_HPP
#define SLO_NET_CURL_GUESS_HPP

#include <slo/net/curl_setup.hpp>
#include <slo/net/http.hpp>

#include <curl/curl.h>

#include <string_view>

namespace slo::net {

/// HTTP/2 without TLS and with begins_http2_twice(): prior knowledge is right on a new connection, and wrong
/// on one that speaks HTTP/2. Which it is shows when it is too late to choose.
class CurlGuess {
public:
    /// `easy` must outlive it.
    explicit CurlGuess(CURL* easy) noexcept : easy_(easy) {}

    /// The handle gets another URL; tells it the version to ask for.
    void set_url(const TransportOptions& options, std::string_view url) noexcept
    {
        const long version = http_version(options, url);
        curl_easy_setopt(easy_, CURLOPT_HTTP_VERSION, version);
        needed_ = begins_http2_twice() && version == CURL_HTTP_VERSION_2_PRIOR_KNOWLEDGE;
    }

    /// True when there is a choice to make for this URL.
    bool needed() const noexcept { return needed_; }

    /// For a new exchange; `joins`: there is a connection that may carry it, too.
    void begin(bool joins) noexcept
    {
        joins_ = joins;
        wrong_ = false;
        if (needed_)
            apply();
    }

    /// On a connection, before the request goes out: true when it must not, because the guess was wrong. The
    /// connection is kept where it is one to join.
    bool check() noexcept
    {
        long new_connections = 0;
        curl_easy_getinfo(easy_, CURLINFO_NUM_CONNECTS, &new_connections);
        wrong_ = needed_ && joins_ == (new_connections > 0);
        if (wrong_)
            curl_easy_setopt(easy_, CURLOPT_FORBID_REUSE, joins_ ? 1L : 0L);
        return wrong_;
    }

    /// True when the guess was wrong: the exchange has to begin anew after correct().
    bool wrong() const noexcept { return wrong_; }

    /// The other way.
    void correct() noexcept
    {
        wrong_ = false;
        joins_ = !joins_;
        apply();
        curl_easy_setopt(easy_, CURLOPT_FRESH_CONNECT, joins_ ? 0L : 1L);
    }

private:
    void apply() noexcept
    {
        const long version = joins_ ? CURL_HTTP_VERSION_2_0 : CURL_HTTP_VERSION_2_PRIOR_KNOWLEDGE;
        curl_easy_setopt(easy_, CURLOPT_HTTP_VERSION, version);
        curl_easy_setopt(easy_, CURLOPT_FORBID_REUSE, 0L);
    }

    CURL* easy_;
    bool needed_ = false;
    bool joins_ = false;
    bool wrong_ = false;
};

} // namespace slo::net

#endif
