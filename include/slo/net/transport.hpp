// SPDX-License-Identifier: MIT
// Which transport carries the requests of a run.

#ifndef SLO_NET_TRANSPORT_HPP
#define SLO_NET_TRANSPORT_HPP

#include <slo/base/error.hpp>
#include <slo/net/curl_transport.hpp>
#include <slo/net/event_loop.hpp>
#include <slo/net/http.hpp>
#include <slo/net/plain_transport.hpp>
#include <slo/net/proxy.hpp>
#include <slo/net/url_parts.hpp>

#include <memory>
#include <string>

namespace slo::net {

/// What carries requests: libcurl, or the house's own HTTP/1.1 client, which costs a fraction of it.
enum class TransportKind {
    automatic, ///< plain where it can do what is asked
    curl,
    plain
};

/// Why the plain transport cannot carry requests for `url`; empty when it can. Throws Error when that is no
/// URL.
inline std::string plain_obstacle(const std::string& url, const TransportOptions& options,
                                  const Environment& environment = process_environment)
{
    const auto parts = parse_url(url);
    if (parts.scheme != "http")
        return "plain does not speak TLS";
    if (options.http2)
        return "plain does not speak HTTP/2";
    if (parts.has_user)
        return "plain takes no user name in a URL";
    if (const auto proxy = proxy_for(parts.scheme, parts.host, environment); !proxy.empty())
        return "plain does not use proxies, and the environment names " + shown_proxy(proxy) + " for " +
               printable(parts.host, 100);
    return {};
}

/// A transport for requests to `url`, whose host the plain one looks up here. Throws UsageError for `plain`
/// where it cannot do what is asked, Error when there is no transport to be had.
inline std::unique_ptr<HttpTransport> make_transport(TransportKind kind, const std::string& url,
                                                     const TransportOptions& options, EventLoop& loop,
                                                     const Environment& environment = process_environment)
{
    std::string obstacle;
    try {
        obstacle = kind == TransportKind::curl ? "not wanted" : plain_obstacle(url, options, environment);
    } catch (const Error& error) {
        obstacle = error.what();
    }
    if (kind == TransportKind::plain && !obstacle.empty())
        throw UsageError("--transport", obstacle);
    if (!obstacle.empty())
        return std::make_unique<CurlTransport>(loop, options);
    auto transport = std::make_unique<PlainTransport>(loop, options);
    transport->prepare(url);
    return transport;
}

} // namespace slo::net

#endif
