// SPDX-License-Identifier: MIT
// HttpTransport for plain HTTP/1.1, straight on epoll.

#ifndef SLO_NET_PLAIN_TRANSPORT_HPP
#define SLO_NET_PLAIN_TRANSPORT_HPP

#include <slo/base/clock.hpp>
#include <slo/base/error.hpp>
#include <slo/net/event_loop.hpp>
#include <slo/net/http.hpp>
#include <slo/net/http_errors.hpp>
#include <slo/net/plain_carrier.hpp>
#include <slo/net/plain_connection.hpp>
#include <slo/net/plain_exchange.hpp>
#include <slo/net/plain_servers.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace slo::net {

/// HTTP/1.1 over TCP, with kept connections, as many as there are exchanges in flight. No TLS, no proxies.
/// Moments of the answer are those at which the kernel took the bytes from the network.
class PlainTransport final : public HttpTransport, private PlainConnectionOwner {
public:
    /// `kernel_stamps`: false takes the moments from the clock when bytes are read. Throws IoError.
    PlainTransport(EventLoop& loop, const TransportOptions& options, bool kernel_stamps = true)
        : limits_(options.limits), timer_(loop, [this] { on_time(); }),
          carrier_(loop, *this, limits_, kernel_stamps, timer_, exchanges_)
    {
    }
    PlainTransport(const PlainTransport&) = delete;
    PlainTransport& operator=(const PlainTransport&) = delete;

    /// Looks the host up now, so that the first exchange need not wait for it; what is wrong with the URL is
    /// left for that exchange to tell.
    void prepare(const std::string& url)
    {
        try {
            servers_.find(url).endpoint.addresses();
        } catch (const Error&) {
        }
    }

    void submit(const HttpRequest& request, HttpEvents& events) override
    {
        auto& exchange = exchanges_.begin(events);
        exchange.body = request.post ? request.body : std::string_view();
        exchange.deadline_ns = monotonic_ns() + to_ns(limits_.request_timeout_s);
        timer_.set_no_later(exchange.deadline_ns);
        try {
            const auto& server = servers_.find(request.url);
            server.head.write(request, exchange.head);
            exchange.endpoint = &server.endpoint;
        } catch (const Error& error) {
            carrier_.fail(exchange, Ending::protocol, error.what());
        }
        if (exchange.endpoint)
            carrier_.begin(exchange);
        settle();
    }

    void cancel(HttpEvents& events) noexcept override
    {
        if (auto* const exchange = exchanges_.find(events))
            carrier_.give_up(*exchange);
    }

    std::size_t in_flight() const noexcept override { return exchanges_.size(); }

    std::string_view name() const noexcept override { return "plain"; }

private:
    void connection_ready(PlainConnection& connection, std::uint32_t events) override
    {
        carrier_.ready(connection, events);
        settle();
    }

    // Never from within the work on a connection: a handler may submit and cancel.
    void settle()
    {
        try {
            exchanges_.tell();
        } catch (...) {
            timer_.set_no_later(1); // for those that were not told
            throw;
        }
    }

    void on_time()
    {
        const auto now_ns = monotonic_ns();
        for (auto* oldest = exchanges_.oldest(); oldest; oldest = exchanges_.oldest()) {
            if (oldest->deadline_ns > now_ns) {
                timer_.set_no_later(oldest->deadline_ns);
                break;
            }
            carrier_.fail(*oldest, Ending::timeout, timeout_message(oldest->sends > 0, limits_));
        }
        carrier_.on_time(now_ns);
        settle();
    }

    HttpLimits limits_;
    Timer timer_; // for the earliest deadline
    PlainServers servers_;
    PlainExchanges exchanges_;
    PlainCarrier carrier_;
};

} // namespace slo::net

#endif
