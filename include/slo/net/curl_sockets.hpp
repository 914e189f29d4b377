// SPDX-License-Identifier: MIT
// The sockets of a libcurl multi handle in an EventLoop.

#ifndef SLO_NET_CURL_SOCKETS_HPP
#define SLO_NET_CURL_SOCKETS_HPP

#include <slo/net/event_loop.hpp>

#include <curl/curl.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

namespace slo::net {

/// Watches what libcurl wants watched. A socket stays in epoll between two exchanges: taking it out and
/// putting it back would cost two system calls a request. It leaves when it is closed, or when it wakes us
/// while no one uses it.
class CurlSockets {
public:
    /// Receives a ready socket and the CURL_CSELECT bits.
    using Ready = std::function<void(curl_socket_t socket, int what)>;

    CurlSockets(EventLoop& loop, Ready ready) : loop_(loop), ready_(std::move(ready)) {}
    CurlSockets(const CurlSockets&) = delete;
    CurlSockets& operator=(const CurlSockets&) = delete;

    /// What CURLMOPT_SOCKETFUNCTION reports. Throws IoError.
    void update(curl_socket_t socket, int what)
    {
        const auto index = static_cast<std::size_t>(socket);
        if (index >= sockets_.size())
            sockets_.resize(index * 2 + 64);
        auto& state = sockets_[index];
        state.in_use = what != CURL_POLL_REMOVE;
        if (!state.in_use)
            return;
        const std::uint32_t wanted = (what & CURL_POLL_IN ? std::uint32_t{EPOLLIN} : 0) |
                                     (what & CURL_POLL_OUT ? std::uint32_t{EPOLLOUT} : 0);
        if (!state.watched)
            loop_.watch(socket, wanted, [this, socket](std::uint32_t events) { on_ready(socket, events); });
        else if (state.mask != wanted)
            loop_.rewatch(socket, wanted);
        state.watched = true;
        state.mask = wanted;
    }

    /// For CURLOPT_CLOSESOCKETFUNCTION, with the object as its data.
    static int on_close(void* user, curl_socket_t socket)
    {
        static_cast<CurlSockets*>(user)->unwatch(socket);
        return ::close(socket);
    }

private:
    struct Socket {
        std::uint32_t mask = 0;
        bool watched = false;
        bool in_use = false;
    };

    void on_ready(curl_socket_t socket, std::uint32_t events)
    {
        if (!sockets_[static_cast<std::size_t>(socket)].in_use) {
            unwatch(socket);
            return;
        }
        const int what = (events & EPOLLIN ? CURL_CSELECT_IN : 0) |
                         (events & EPOLLOUT ? CURL_CSELECT_OUT : 0) |
                         (events & (EPOLLERR | EPOLLHUP) ? CURL_CSELECT_ERR : 0);
        ready_(socket, what);
    }

    void unwatch(curl_socket_t socket) noexcept
    {
        if (static_cast<std::size_t>(socket) < sockets_.size())
            sockets_[static_cast<std::size_t>(socket)] = {};
        loop_.forget(socket);
    }

    EventLoop& loop_;
    Ready ready_;
    std::vector<Socket> sockets_;
};

} // namespace slo::net

#endif
