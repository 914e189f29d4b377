// SPDX-License-Identifier: MIT
// HttpTransport for plain HTTP/1.1, straight on epoll.

#ifndef SLO_NET_PLAIN_TRANSPORT_HPP
#define SLO_NET_PLAIN_TRANSPORT_HPP

#include <slo/base/clock.hpp>
#include <slo/base/error.hpp>
#include <slo/net/event_loop.hpp>
#include <slo/net/http.hpp>
#include <slo/net/http_errors.hpp>
#include <slo/net/plain_connection.hpp>
#include <slo/net/plain_connections.hpp>
#include <slo/net/plain_exchange.hpp>
#include <slo/net/plain_servers.hpp>
#include <slo/net/plain_socket.hpp>
#include <slo/wire/http_response.hpp>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace slo::net {

/// HTTP/1.1 over TCP, with kept connections, as many as there are exchanges in flight. No TLS, no proxies.
/// Moments of the answer are those at which the kernel took the bytes from the network. An exchange whose
/// handler throws is over: no further event comes, as after cancel().
class PlainTransport final : public HttpTransport, private PlainConnectionOwner {
public:
    /// `kernel_stamps`: false takes the moments from the clock when bytes are read. Throws IoError.
    PlainTransport(EventLoop& loop, const TransportOptions& options, bool kernel_stamps = true)
        : limits_(options.limits), kernel_stamps_(kernel_stamps), buffer_(buffer_bytes),
          timer_(loop, [this] { on_time(); }), connections_(loop, *this)
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
            fail(exchange, Ending::protocol, error.what());
        }
        if (exchange.endpoint) {
            if (auto* const kept = connections_.take_kept(*exchange.endpoint))
                send(*kept, exchange);
            else
                connect(exchange);
        }
        settle();
    }

    void cancel(HttpEvents& events) noexcept override
    {
        auto* const exchange = exchanges_.find(events);
        if (!exchange)
            return;
        if (exchange->connection)
            connections_.release(*exchange->connection);
        exchanges_.forget(*exchange);
    }

    std::size_t in_flight() const noexcept override { return exchanges_.size(); }

    std::string_view name() const noexcept override { return "plain"; }

private:
    using State = PlainConnection::State;

    static constexpr std::size_t buffer_bytes = std::size_t{256} << 10;
    static constexpr int reads_in_a_row = 4; // then the others have their turn

    void connect(PlainExchange& exchange)
    {
        if (exchange.endpoint->addresses().empty()) {
            fail(exchange, Ending::connect, "Could not resolve host: " + exchange.endpoint->host());
            return;
        }
        auto& connection = connections_.take_closed(exchange);
        open(connection, [&] {
            return connection.open(*exchange.endpoint, to_ns(limits_.connect_timeout_s), kernel_stamps_);
        });
    }

    // `begin` opens the connection; when that fails, the exchange is over.
    template <class Begin>
    void open(PlainConnection& connection, Begin&& begin)
    {
        auto& exchange = *connection.exchange;
        try {
            if (const int error = begin())
                refuse(exchange, error);
            else
                timer_.set_no_later(connection.deadline_ns());
        } catch (const IoError& failure) {
            fail(exchange, Ending::local, failure.what());
        }
    }

    void refuse(PlainExchange& exchange, int error)
    {
        const auto& endpoint = *exchange.endpoint;
        const bool sent = exchange.sends > 0; // then a kept connection broke and could not be replaced
        if (error == ETIMEDOUT)
            fail(exchange, Ending::timeout, timeout_message(sent, limits_));
        else
            fail(exchange,
                 is_local_fault(error) ? Ending::local
                 : sent                ? Ending::reset
                                       : Ending::connect,
                 connect_message(endpoint.host(), endpoint.port(), error));
    }

    void connection_ready(PlainConnection& connection, std::uint32_t events) override
    {
        if (connection.state == State::kept) {
            connections_.drop_kept(connection);
            return;
        }
        if (connection.state == State::connecting)
            finish_connecting(connection);
        else if ((!(events & EPOLLOUT) || write(connection)) && (events & ~std::uint32_t{EPOLLOUT}))
            read(connection);
        settle();
    }

    void finish_connecting(PlainConnection& connection)
    {
        if (const int error = connect_error(connection.fd()); error != 0) {
            open(connection, [&] { return connection.open_next(error); });
            return;
        }
        connection.established();
        send(connection, *connection.exchange);
    }

    void send(PlainConnection& connection, PlainExchange& exchange)
    {
        PlainConnections::join(connection, exchange);
        connection.state = State::active;
        connection.parser.reset();
        exchange.sent_bytes = 0;
        ++exchange.sends;
        exchange.last_ns = monotonic_ns();
        guarded(exchange, [&] { exchange.events->on_sent(exchange.last_ns); });
        write(connection);
    }

    // Runs a handler; when that throws, the exchange is over and its connection closed.
    template <class Body>
    void guarded(PlainExchange& exchange, Body&& body)
    {
        try {
            body();
        } catch (...) {
            cancel(*exchange.events);
            throw;
        }
    }

    // False when the connection has come to its end over this.
    bool write(PlainConnection& connection)
    {
        auto& exchange = *connection.exchange;
        int error = 0;
        try {
            error = connection.send(exchange.head, exchange.body, exchange.sent_bytes);
        } catch (const IoError& failure) {
            fail(exchange, Ending::local, failure.what());
            return false;
        }
        if (error == 0)
            return true;
        // A server may answer early and close: what it said comes first.
        read(connection);
        if (exchange.connection == &connection && connection.state == State::active &&
            !connection.parser.started())
            break_off(connection, error, system_message("Send failure", error));
        return false;
    }

    void read(PlainConnection& connection)
    {
        for (int i = 0; i < reads_in_a_row; ++i) {
            const auto got = receive_some(connection.fd(), buffer_.data(), buffer_.size());
            if (got.os_error == EAGAIN)
                return;
            if (got.os_error != 0) {
                break_off(connection, got.os_error, system_message("Recv failure", got.os_error));
                return;
            }
            if (got.bytes == 0) {
                end_of_stream(connection);
                return;
            }
            if (take(connection, {buffer_.data(), got.bytes}, got.at_ns) || got.bytes < buffer_.size())
                return;
        }
    }

    // True when the exchange has come to its end.
    bool take(PlainConnection& connection, std::string_view bytes, std::int64_t at_ns)
    {
        auto& exchange = *connection.exchange;
        auto& parser = connection.parser;
        exchange.last_ns = std::max(exchange.last_ns, at_ns);
        std::size_t used = 0;
        guarded(exchange, [&] { used = parser.feed(bytes, PlainSink{exchange, limits_.max_answer_bytes}); });
        if (parser.failed()) {
            const auto fault = parser.fault();
            fail(exchange, fault == wire::HttpFault::refused ? Ending::too_large : Ending::protocol,
                 fault_message(fault, limits_));
            return true;
        }
        if (!parser.complete())
            return false;
        if (parser.keep_alive() && used == bytes.size() && exchange.is_sent())
            PlainConnections::keep(connection);
        else
            connections_.release(connection);
        exchanges_.end(exchange, exchange.last_ns);
        return true;
    }

    void end_of_stream(PlainConnection& connection)
    {
        auto& exchange = *connection.exchange;
        if (!connection.parser.started()) {
            break_off(connection, 0, closed_before_answer);
        } else if (connection.parser.end()) {
            connections_.release(connection);
            exchanges_.end(exchange, monotonic_ns());
        } else {
            fail(exchange, Ending::cut, closed_before_end);
        }
    }

    // The connection broke. A kept one that brought no byte of an answer was dead before, and is replaced
    // once.
    void break_off(PlainConnection& connection, int os_error, std::string message)
    {
        auto& exchange = *connection.exchange;
        if (connection.reused && !connection.parser.started()) {
            connections_.release(connection);
            connect(exchange);
        } else {
            fail(exchange, is_local_fault(os_error) ? Ending::local : Ending::reset, std::move(message));
        }
    }

    void fail(PlainExchange& exchange, Ending ending, std::string message)
    {
        if (exchange.connection)
            connections_.release(*exchange.connection);
        exchange.result.ending = ending;
        exchange.result.message = std::move(message);
        exchanges_.end(exchange, monotonic_ns());
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
            fail(*oldest, Ending::timeout, timeout_message(oldest->sends > 0, limits_));
        }
        for (const auto& connection : connections_.all()) {
            if (connection->state != State::connecting)
                continue;
            if (connection->deadline_ns() > now_ns)
                timer_.set_no_later(connection->deadline_ns());
            else
                open(*connection, [&] { return connection->open_next(ETIMEDOUT); });
        }
        settle();
    }

    HttpLimits limits_;
    bool kernel_stamps_;
    std::vector<char> buffer_; // of whichever connection is being read
    Timer timer_;              // for the earliest deadline
    PlainServers servers_;
    PlainExchanges exchanges_;
    PlainConnections connections_;
};

} // namespace slo::net

#endif
