// SPDX-License-Identifier: MIT
// One connection of the plain transport.

#ifndef SLO_NET_PLAIN_CONNECTION_HPP
#define SLO_NET_PLAIN_CONNECTION_HPP

#include <slo/base/clock.hpp>
#include <slo/io/fd.hpp>
#include <slo/net/event_loop.hpp>
#include <slo/net/http_errors.hpp>
#include <slo/net/plain_endpoint.hpp>
#include <slo/net/plain_socket.hpp>
#include <slo/wire/http_response.hpp>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace slo::net {

struct PlainExchange;

/// Who is told when a connection has something to do.
class PlainConnectionOwner {
public:
    virtual ~PlainConnectionOwner() = default;
    virtual void connection_ready(PlainConnection& connection, std::uint32_t events) = 0;
};

/// A socket in the loop and what it is used for; used again for another socket after close().
class PlainConnection final : public Watcher {
public:
    enum class State {
        closed,
        connecting,
        active, ///< carries its exchange
        kept    ///< waits for the next
    };

    /// Both must outlive it.
    PlainConnection(EventLoop& loop, PlainConnectionOwner& owner) : loop_(loop), owner_(owner) {}
    PlainConnection(const PlainConnection&) = delete;
    PlainConnection& operator=(const PlainConnection&) = delete;
    ~PlainConnection() override { close(); }

    void ready(std::uint32_t events) override { owner_.connection_ready(*this, events); }

    /// Begins to connect to one address of `server` after the other, until one neither fails nor takes longer
    /// than its share of `timeout_ns`. Returns 0, or an errno when none is left. Throws IoError when a socket
    /// cannot be watched.
    int open(PlainEndpoint& server, std::int64_t timeout_ns, bool stamps)
    {
        endpoint = &server;
        reused = false;
        stamps_ = stamps;
        address_ = server.preferred;
        untried_ = server.addresses().size();
        share_ns_ = timeout_ns / static_cast<std::int64_t>(untried_);
        return try_addresses(0);
    }

    /// The address in turn failed with `error`: goes on to the next. Returns and throws as open().
    int open_next(int error)
    {
        --untried_;
        address_ = (address_ + 1) % endpoint->addresses().size();
        return try_addresses(error);
    }

    /// The connection stands: others to this server try the same address first.
    void established() noexcept { endpoint->preferred = address_; }

    void close() noexcept
    {
        loop_.forget(fd_.get());
        fd_ = io::Fd();
        state = State::closed;
    }

    /// Sends as much as goes out at once of `head` and `body`, adds it to `done`, and has the loop watch for
    /// what can be done next. Returns 0 or an errno. Throws IoError when the loop cannot.
    int send(std::string_view head, std::string_view body, std::size_t& done)
    {
        int error = 0;
        while (error == 0 && done < head.size() + body.size())
            error = send_some(fd_, head, body, done);
        const std::uint32_t wanted = error == EAGAIN ? EPOLLIN | EPOLLOUT : EPOLLIN;
        if (wanted != wanted_)
            loop_.rewatch(fd_.get(), wanted);
        wanted_ = wanted;
        return error == EAGAIN ? 0 : error;
    }

    const io::Fd& fd() const noexcept { return fd_; }
    std::int64_t deadline_ns() const noexcept { return deadline_ns_; } ///< of the address in turn to connect

    State state = State::closed;
    bool reused = false; ///< has carried an exchange before this one
    PlainEndpoint* endpoint = nullptr;
    PlainExchange* exchange = nullptr;
    wire::HttpResponseParser parser;

private:
    int try_addresses(int error)
    {
        // What this machine lacks it lacks for every address.
        while (untried_ > 0 && !is_local_fault(error)) {
            close();
            error = begin_connect(endpoint->addresses()[address_], stamps_, fd_);
            if (error == 0) {
                wanted_ = EPOLLOUT;
                loop_.watch(fd_.get(), wanted_, *this);
                state = State::connecting;
                deadline_ns_ = monotonic_ns() + share_ns_;
                return 0;
            }
            --untried_;
            address_ = (address_ + 1) % endpoint->addresses().size();
        }
        return error;
    }

    EventLoop& loop_;
    PlainConnectionOwner& owner_;
    io::Fd fd_;
    std::uint32_t wanted_ = 0;
    bool stamps_ = true;
    std::size_t address_ = 0; // of the endpoint's, the one in turn
    std::size_t untried_ = 0; // addresses, with the one in turn
    std::int64_t share_ns_ = 0;
    std::int64_t deadline_ns_ = 0;
};

} // namespace slo::net

#endif
