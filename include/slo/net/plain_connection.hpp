// SPDX-License-Identifier: MIT
// One connection of the plain transport.

#ifndef SLO_NET_PLAIN_CONNECTION_HPP
#define SLO_NET_PLAIN_CONNECTION_HPP

#include <slo/io/fd.hpp>
#include <slo/net/event_loop.hpp>
#include <slo/net/plain_endpoint.hpp>
#include <slo/net/plain_exchange.hpp>
#include <slo/wire/http_response.hpp>

#include <cstddef>
#include <cstdint>

namespace slo::net {

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

    /// Begins to connect to the address in turn. Returns 0 or an errno; throws IoError when the socket cannot
    /// be watched.
    int open(bool stamps)
    {
        const auto& addresses = endpoint->addresses();
        const int error = begin_connect(addresses[address], stamps, fd_);
        if (error == 0)
            loop_.watch(fd_.get(), wanted_ = EPOLLOUT, *this);
        state = State::connecting;
        return error;
    }

    void close() noexcept
    {
        loop_.forget(fd_.get());
        fd_ = io::Fd();
        state = State::closed;
    }

    /// Has the loop watch for what is to be done next. Throws IoError.
    void watch_for(std::uint32_t events)
    {
        if (wanted_ == events)
            return;
        loop_.rewatch(fd_.get(), events);
        wanted_ = events;
    }

    const io::Fd& fd() const noexcept { return fd_; }

    State state = State::closed;
    bool reused = false; ///< has carried an exchange before this one
    PlainEndpoint* endpoint = nullptr;
    PlainExchange* exchange = nullptr;
    std::size_t address = 0;      ///< of the endpoint's, the one in use
    std::size_t tried = 0;        ///< addresses tried without success
    std::int64_t deadline_ns = 0; ///< of connecting
    wire::HttpResponseParser parser;

private:
    EventLoop& loop_;
    PlainConnectionOwner& owner_;
    io::Fd fd_;
    std::uint32_t wanted_ = 0;
};

} // namespace slo::net

#endif
