// SPDX-License-Identifier: MIT
// What any HTTP client of the tools promises: a request goes out, its moments and bytes come back.

#ifndef SLO_NET_HTTP_HPP
#define SLO_NET_HTTP_HPP

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace slo::net {

/// How an exchange ended, as seen from the transport; an HTTP error status is still `complete`.
enum class Ending {
    complete,  ///< the whole answer came
    connect,   ///< no connection: refused, unreachable, unresolvable
    tls,       ///< the TLS handshake or certificate failed
    reset,     ///< the connection broke
    cut,       ///< the connection was closed before the announced end of the answer
    timeout,   ///< the request's time was up
    protocol,  ///< what came is not HTTP
    too_large, ///< the answer is larger than allowed
    local,     ///< this machine is to blame: out of descriptors, ports or memory
    cancelled  ///< given up by cancel()
};

/// One request. All views must live until on_done() or cancel().
struct HttpRequest {
    std::string_view url;                  ///< must end in a NUL: taken from a std::string
    std::vector<std::string_view> headers; ///< "Name: value", each taken from a std::string
    std::string_view body;                 ///< sent with POST; ignored for GET
    bool post = true;
};

/// The end of one exchange.
struct HttpResult {
    Ending ending = Ending::complete;
    std::string message;     ///< one line for people, empty when complete
    int status = 0;          ///< HTTP status, 0 when none came
    int reconnects = 0;      ///< stale pooled connections replaced
    int http_version = 0;    ///< of the answer: 10, 11 or 20; 0 when none came
    std::int64_t end_ns = 0; ///< monotonic
};

/// The head of an answer; the texts are empty where the server sent none, and valid during the call only.
struct HttpHead {
    int status = 0;
    std::string_view content_type;
    std::string_view retry_after; ///< Retry-After, as sent
    std::string_view date;        ///< Date, as sent
};

/// Receives what happens to one exchange, in this order: on_sent up to twice, on_head, on_data…, on_done.
class HttpEvents {
public:
    virtual ~HttpEvents() = default;

    /// The request is being handed to a connected socket (monotonic ns). Again after a reconnect.
    virtual void on_sent(std::int64_t at_ns) = 0;

    /// The status line and headers are there; comes before the first on_data.
    virtual void on_head(const HttpHead& head) = 0;

    /// Bytes of the body, as they came (monotonic ns). Must not submit or cancel anything.
    virtual void on_data(std::int64_t at_ns, std::string_view bytes) = 0;

    /// The last call, except after cancel(). May submit and cancel.
    virtual void on_done(const HttpResult& result) = 0;
};

/// Bounds of every exchange of a transport.
struct HttpLimits {
    double connect_timeout_s = 30;
    double request_timeout_s = 600; ///< from submit to the end of the answer
    std::size_t max_answer_bytes = std::size_t{256} << 20;
    /// A kept connection that breaks so soon after it was given a request, with no byte of an answer, had
    /// been closed by the server before: that is known within a round trip. When it breaks later, the server
    /// may have worked on the request.
    double stale_within_s = 0.05;
};

/// How https connections are made; files in PEM form, empty where there is none.
struct TlsOptions {
    std::string ca_file;   ///< trusted instead of the system's authorities
    std::string cert_file; ///< the client's certificate,
    std::string key_file;  ///< and its key, where that is a file of its own
    bool insecure = false; ///< take any certificate of the server
};

/// All that a transport is told about how to connect.
struct TransportOptions {
    HttpLimits limits{};
    TlsOptions tls{};
    bool http2 = false; ///< many exchanges a connection: by ALPN with https, by prior knowledge with http
};

/// Sends requests on connections it keeps. There are no retries, except that a kept connection that turns
/// out to have been closed before it was given the request (HttpLimits::stale_within_s) is replaced by a new
/// one, once, and counted as a reconnect. One that breaks later is a reset: the server may have worked on the
/// request. What goes wrong on this machine ends the exchange it hits (Ending::local), not the others. An
/// exchange whose handler throws is over: no further event comes, as after cancel().
class HttpTransport {
public:
    virtual ~HttpTransport() = default;

    /// Starts an exchange at once; `events` must live until on_done() or cancel(). Not from on_data().
    virtual void submit(const HttpRequest& request, HttpEvents& events) = 0;

    /// Gives an exchange up: its connection is closed, no further event comes. Not from on_data().
    virtual void cancel(HttpEvents& events) noexcept = 0;

    /// Exchanges that have begun and not ended.
    virtual std::size_t in_flight() const noexcept = 0;

    /// What it is called in records: "curl" or "plain".
    virtual std::string_view name() const noexcept = 0;
};

} // namespace slo::net

#endif
