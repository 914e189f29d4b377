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
#include <slo/net/plain_endpoint.hpp>
#include <slo/net/plain_exchange.hpp>
#include <slo/net/plain_servers.hpp>
#include <slo/net/plain_socket.hpp>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <list>
#include <memory>
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
        : loop_(loop), limits_(options.limits), kernel_stamps_(kernel_stamps), buffer_(buffer_bytes),
          timer_(loop, [this] { on_timer(); })
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
        auto& exchange = take_exchange();
        exchange.begin(events, request.post ? request.body : std::string_view(),
                       monotonic_ns() + to_ns(limits_.request_timeout_s));
        enter(exchange);
        try {
            const auto& server = servers_.find(request.url);
            server.head.write(request, exchange.head);
            exchange.endpoint = &server.endpoint;
        } catch (const Error& error) {
            fail(exchange, Ending::protocol, error.what());
        }
        if (exchange.endpoint) {
            wake_at(exchange.deadline_ns);
            if (auto* const kept = take_kept(*exchange.endpoint))
                send(*kept, exchange);
            else
                connect(exchange);
        }
        settle();
    }

    void cancel(HttpEvents& events) noexcept override
    {
        const auto found = index_.find(&events);
        if (found == index_.end())
            return;
        auto& exchange = *found->second;
        if (exchange.connection)
            release(*exchange.connection);
        leave(exchange);
    }

    std::size_t in_flight() const noexcept override { return index_.size(); }

    std::string_view name() const noexcept override { return "plain"; }

private:
    using State = PlainConnection::State;

    static constexpr std::size_t buffer_bytes = std::size_t{256} << 10;
    static constexpr int reads_in_a_row = 4; // then the others have their turn
    static constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();

    // Exchanges: free_ -> active_ (in the order of their deadlines) -> ended_ -> free_.

    PlainExchange& take_exchange()
    {
        if (free_.empty()) {
            auto& made = free_.emplace_front();
            made.self = free_.begin();
        }
        return free_.front();
    }

    void enter(PlainExchange& exchange)
    {
        if (exchange.index_node) {
            exchange.index_node.key() = exchange.events;
            index_.insert(std::move(exchange.index_node));
        } else {
            index_.emplace(exchange.events, &exchange);
        }
        active_.splice(active_.end(), free_, exchange.self);
    }

    void leave(PlainExchange& exchange) noexcept
    {
        exchange.index_node = index_.extract(exchange.events);
        free_.splice(free_.begin(), exchange.ended ? ended_ : active_, exchange.self);
    }

    // The end of an exchange; told by settle(), never from within the work on a connection.
    void end(PlainExchange& exchange, std::int64_t at_ns)
    {
        exchange.result.reconnects = std::max(0, exchange.sends - 1);
        exchange.result.end_ns = at_ns;
        exchange.ended = true;
        ended_.splice(ended_.end(), active_, exchange.self);
    }

    void fail(PlainExchange& exchange, Ending ending, std::string message)
    {
        if (exchange.connection)
            release(*exchange.connection);
        exchange.result.ending = ending;
        exchange.result.message = std::move(message);
        end(exchange, monotonic_ns());
    }

    void settle()
    {
        if (std::exchange(settling_, true))
            return; // a handler submitted from on_done(): the loop further up goes on
        struct Reset {
            PlainTransport& self;
            ~Reset()
            {
                self.settling_ = false;
                if (!self.ended_.empty()) // a handler threw
                    self.wake_at(1);
            }
        } const reset{*this};
        while (!ended_.empty()) {
            auto& exchange = ended_.front();
            auto& events = *exchange.events;
            const HttpResult result = std::move(exchange.result);
            leave(exchange);
            events.on_done(result);
        }
    }

    // Connections.

    PlainConnection* take_kept(PlainEndpoint& endpoint)
    {
        while (!endpoint.kept.empty()) {
            auto& connection = *endpoint.kept.back();
            endpoint.kept.pop_back();
            if (is_quiet(connection.fd()))
                return &connection;
            release(connection);
        }
        return nullptr;
    }

    PlainConnection& take_spare()
    {
        if (spare_.empty()) {
            PlainConnectionOwner& owner = *this;
            return *connections_.emplace_back(std::make_unique<PlainConnection>(loop_, owner));
        }
        auto& connection = *spare_.back();
        spare_.pop_back();
        return connection;
    }

    void connect(PlainExchange& exchange)
    {
        auto& endpoint = *exchange.endpoint;
        if (endpoint.addresses().empty()) {
            fail(exchange, Ending::connect, "Could not resolve host: " + endpoint.host());
            return;
        }
        auto& connection = take_spare();
        connection.reused = false;
        connection.endpoint = &endpoint;
        connection.exchange = &exchange;
        exchange.connection = &connection;
        connection.address = endpoint.preferred;
        connection.tried = 0;
        open(connection);
    }

    void open(PlainConnection& connection)
    {
        try {
            int error = connection.open(kernel_stamps_);
            while (error != 0 && next_address(connection, error))
                error = connection.open(kernel_stamps_);
            if (error != 0) {
                refuse(connection, error);
                return;
            }
        } catch (const IoError& failure) {
            fail(*connection.exchange, Ending::local, failure.what());
            return;
        }
        const auto shares = static_cast<std::int64_t>(connection.endpoint->addresses().size());
        connection.deadline_ns = monotonic_ns() + to_ns(limits_.connect_timeout_s) / shares;
        wake_at(connection.deadline_ns);
    }

    // False when all have been tried, or another would fare no better.
    bool next_address(PlainConnection& connection, int error) const
    {
        connection.close();
        const auto count = connection.endpoint->addresses().size();
        connection.address = (connection.address + 1) % count;
        return ++connection.tried < count && !is_local_fault(error);
    }

    void refuse(PlainConnection& connection, int error)
    {
        auto& exchange = *connection.exchange;
        const auto& endpoint = *connection.endpoint;
        // Refused after the request had gone out: a kept connection broke and could not be replaced.
        const auto ending = is_local_fault(error) ? Ending::local
                            : exchange.sends > 0  ? Ending::reset
                                                  : Ending::connect;
        fail(exchange, ending, connect_message(endpoint.host(), endpoint.port(), error));
    }

    // The connection is of no more use.
    void release(PlainConnection& connection) noexcept
    {
        if (connection.exchange)
            std::exchange(connection.exchange, nullptr)->connection = nullptr;
        connection.close();
        spare_.push_back(&connection);
    }

    void keep(PlainConnection& connection)
    {
        connection.exchange->connection = nullptr;
        connection.exchange = nullptr;
        connection.state = State::kept;
        connection.reused = true;
        connection.endpoint->kept.push_back(&connection);
    }

    void connection_ready(PlainConnection& connection, std::uint32_t events) override
    {
        if (connection.state == State::kept) {
            // Bytes that nobody asked for, or the end.
            std::erase(connection.endpoint->kept, &connection);
            release(connection);
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
        const int error = connect_error(connection.fd());
        if (error == 0) {
            connection.endpoint->preferred = connection.address;
            send(connection, *connection.exchange);
        } else if (next_address(connection, error)) {
            open(connection);
        } else {
            refuse(connection, error);
        }
    }

    // Exchanges on connections.

    void send(PlainConnection& connection, PlainExchange& exchange)
    {
        connection.state = State::active;
        connection.exchange = &exchange;
        connection.parser.reset();
        exchange.connection = &connection;
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
        while (error == 0 && !exchange.is_sent())
            error = send_some(connection.fd(), exchange.head, exchange.body, exchange.sent_bytes);
        try {
            connection.watch_for(exchange.is_sent() || (error != 0 && error != EAGAIN)
                                     ? std::uint32_t{EPOLLIN}
                                     : EPOLLIN | EPOLLOUT);
        } catch (const IoError& failure) {
            fail(exchange, Ending::local, failure.what());
            return false;
        }
        if (error == 0 || error == EAGAIN)
            return true;
        // A server may answer early and close: what it said comes first.
        read(connection);
        if (connection.exchange == &exchange && !connection.parser.started())
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
            keep(connection);
        else
            release(connection);
        end(exchange, exchange.last_ns);
        return true;
    }

    void end_of_stream(PlainConnection& connection)
    {
        auto& exchange = *connection.exchange;
        if (!connection.parser.started()) {
            break_off(connection, 0, closed_before_answer);
        } else if (connection.parser.end()) {
            release(connection);
            end(exchange, monotonic_ns());
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
            release(connection);
            connect(exchange);
        } else {
            fail(exchange, is_local_fault(os_error) ? Ending::local : Ending::reset, std::move(message));
        }
    }

    // One timer for all: it is set anew only for what is due before it fires.

    void wake_at(std::int64_t at_ns) noexcept
    {
        if (at_ns >= wake_ns_)
            return;
        wake_ns_ = at_ns;
        timer_.set(at_ns);
    }

    void on_timer()
    {
        wake_ns_ = never;
        const auto now_ns = monotonic_ns();
        while (!active_.empty() && active_.front().deadline_ns <= now_ns) {
            auto& exchange = active_.front();
            const bool sent = exchange.sends > 0;
            fail(exchange, Ending::timeout, timeout_message(sent, limits_));
        }
        for (const auto& each : connections_)
            end_slow_connect(*each, now_ns);
        if (!active_.empty())
            wake_at(active_.front().deadline_ns);
        settle();
    }

    void end_slow_connect(PlainConnection& connection, std::int64_t now_ns)
    {
        if (connection.state != State::connecting)
            return;
        if (connection.deadline_ns > now_ns)
            wake_at(connection.deadline_ns);
        else if (next_address(connection, ETIMEDOUT))
            open(connection);
        else
            fail(*connection.exchange, Ending::timeout,
                 timeout_message(connection.exchange->sends > 0, limits_));
    }

    EventLoop& loop_;
    HttpLimits limits_;
    bool kernel_stamps_;
    std::vector<char> buffer_; // of whichever connection is being read
    Timer timer_;
    PlainServers servers_;
    std::list<PlainExchange> free_, active_, ended_;
    PlainExchange::Index index_;
    std::vector<std::unique_ptr<PlainConnection>> connections_;
    std::vector<PlainConnection*> spare_; // of these, the closed ones
    std::int64_t wake_ns_ = never;
    bool settling_ = false;
};

} // namespace slo::net

#endif
