// SPDX-License-Identifier: MIT
// The work of the plain transport on its connections: from a request to the end of its answer.

#ifndef SLO_NET_PLAIN_CARRIER_HPP
#define SLO_NET_PLAIN_CARRIER_HPP

#include <slo/base/clock.hpp>
#include <slo/base/error.hpp>
#include <slo/net/event_loop.hpp>
#include <slo/net/http.hpp>
#include <slo/net/http_errors.hpp>
#include <slo/net/plain_connection.hpp>
#include <slo/net/plain_connections.hpp>
#include <slo/net/plain_exchange.hpp>
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

/// Carries exchanges on connections that it makes and keeps. It ends them, and leaves it to others to tell
/// that. What a handler throws goes through; its exchange is given up.
class PlainCarrier {
public:
    /// All must outlive it. `owner` hands its connections to ready(); `timer` is set for on_time().
    PlainCarrier(EventLoop& loop, PlainConnectionOwner& owner, const HttpLimits& limits, bool kernel_stamps,
                 Timer& timer, PlainExchanges& exchanges)
        : limits_(limits), kernel_stamps_(kernel_stamps), timer_(timer), exchanges_(exchanges),
          connections_(loop, owner), buffer_(buffer_bytes)
    {
    }

    /// Sends the request on a kept connection, or begins to make one.
    void begin(PlainExchange& exchange)
    {
        if (auto* const kept = connections_.take_kept(*exchange.endpoint))
            send(*kept, exchange);
        else
            connect(exchange);
    }

    /// The loop has something for a connection.
    void ready(PlainConnection& connection, std::uint32_t events)
    {
        if (connection.state == State::kept)
            connections_.drop_kept(connection);
        else if (connection.state == State::connecting)
            finish_connecting(connection);
        else if ((!(events & EPOLLOUT) || write(connection)) && (events & ~std::uint32_t{EPOLLOUT}))
            read(connection);
    }

    /// Goes on to the next address where one has taken too long.
    void on_time(std::int64_t now_ns)
    {
        for (const auto& connection : connections_.all()) {
            if (connection->state != State::connecting)
                continue;
            if (connection->deadline_ns() > now_ns)
                timer_.set_no_later(connection->deadline_ns());
            else
                open(*connection, [&] { return connection->open_next(ETIMEDOUT); });
        }
    }

    /// Ends it; its connection is closed.
    void fail(PlainExchange& exchange, Ending ending, std::string message)
    {
        if (exchange.connection)
            connections_.release(*exchange.connection);
        exchange.result.ending = ending;
        exchange.result.message = std::move(message);
        exchanges_.end(exchange, monotonic_ns());
    }

    /// Forgets it; its connection is closed.
    void give_up(PlainExchange& exchange) noexcept
    {
        if (exchange.connection)
            connections_.release(*exchange.connection);
        exchanges_.forget(exchange);
    }

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
            give_up(exchange);
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

    // The connection broke. A kept one that was dead before is replaced, once.
    void break_off(PlainConnection& connection, int os_error, std::string message)
    {
        auto& exchange = *connection.exchange;
        const bool unanswered = connection.reused && !connection.parser.started();
        if (unanswered && was_stale(exchange.last_ns, monotonic_ns(), limits_)) {
            connections_.release(connection);
            connect(exchange);
        } else {
            fail(exchange, is_local_fault(os_error) ? Ending::local : Ending::reset, std::move(message));
        }
    }

    const HttpLimits& limits_;
    bool kernel_stamps_;
    Timer& timer_;
    PlainExchanges& exchanges_;
    PlainConnections connections_;
    std::vector<char> buffer_; // of whichever connection is being read
};

} // namespace slo::net

#endif
