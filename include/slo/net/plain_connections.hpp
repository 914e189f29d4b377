// SPDX-License-Identifier: MIT
// All connections of the plain transport: in use, kept, or waiting for a socket.

#ifndef SLO_NET_PLAIN_CONNECTIONS_HPP
#define SLO_NET_PLAIN_CONNECTIONS_HPP

#include <slo/net/event_loop.hpp>
#include <slo/net/plain_connection.hpp>
#include <slo/net/plain_endpoint.hpp>
#include <slo/net/plain_exchange.hpp>
#include <slo/net/plain_socket.hpp>

#include <memory>
#include <utility>
#include <vector>

namespace slo::net {

/// Gives out connections and takes them back.
class PlainConnections {
public:
    /// Both must outlive it.
    PlainConnections(EventLoop& loop, PlainConnectionOwner& owner) : loop_(loop), owner_(owner) {}

    /// A kept connection to `endpoint`, the last used first; null when there is none. Those that were closed
    /// meanwhile, or bring what nobody asked for, are given up.
    PlainConnection* take_kept(PlainEndpoint& endpoint) noexcept
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

    /// A connection without a socket, for `exchange`.
    PlainConnection& take_closed(PlainExchange& exchange)
    {
        if (closed_.empty())
            add();
        auto& connection = *closed_.back();
        closed_.pop_back();
        join(connection, exchange);
        return connection;
    }

    static void join(PlainConnection& connection, PlainExchange& exchange) noexcept
    {
        connection.exchange = &exchange;
        exchange.connection = &connection;
    }

    /// Closes it.
    void release(PlainConnection& connection) noexcept
    {
        part(connection);
        connection.close();
        closed_.push_back(&connection);
    }

    /// Its exchange is over, and another may follow.
    static void keep(PlainConnection& connection)
    {
        part(connection);
        connection.state = PlainConnection::State::kept;
        connection.reused = true;
        connection.endpoint->kept.push_back(&connection);
    }

    /// A kept connection woke up: the server closed it, or sends what nobody asked for.
    void drop_kept(PlainConnection& connection)
    {
        std::erase(connection.endpoint->kept, &connection);
        release(connection);
    }

    const std::vector<std::unique_ptr<PlainConnection>>& all() const noexcept { return all_; }

private:
    void add()
    {
        all_.push_back(std::make_unique<PlainConnection>(loop_, owner_));
        closed_.reserve(all_.capacity()); // so that release() never allocates
        closed_.push_back(all_.back().get());
    }

    static void part(PlainConnection& connection) noexcept
    {
        if (connection.exchange)
            std::exchange(connection.exchange, nullptr)->connection = nullptr;
    }

    EventLoop& loop_;
    PlainConnectionOwner& owner_;
    std::vector<std::unique_ptr<PlainConnection>> all_;
    std::vector<PlainConnection*> closed_;
};

} // namespace slo::net

#endif
