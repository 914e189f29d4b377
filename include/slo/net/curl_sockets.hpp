// SPDX-License-Identifier: MIT
// The sockets of a libcurl multi handle in an EventLoop.

#ifndef SLO_NET_CURL_SOCKETS_HPP
#define SLO_NET_CURL_SOCKETS_HPP

#include <slo/net/event_loop.hpp>

#include <curl/curl.h>
#include <sys/socket.h>
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

    /// Who has opened a descriptor, for all objects in a loop. curl closes a socket that did not connect
    /// without a word, so that the number comes again while it is still counted.
    using Owners = std::vector<CurlSockets*>;

    /// `loop` and `owners` must outlive it.
    CurlSockets(EventLoop& loop, Owners& owners, Ready ready)
        : loop_(loop), owners_(owners), ready_(std::move(ready))
    {
    }
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

    /// For CURLOPT_OPENSOCKETFUNCTION: a socket, or CURL_SOCKET_BAD and errno.
    curl_socket_t open(const curl_sockaddr& address) noexcept
    {
        const int fd = ::socket(address.family, address.socktype | SOCK_CLOEXEC, address.protocol);
        if (fd < 0)
            return CURL_SOCKET_BAD;
        const auto index = static_cast<std::size_t>(fd);
        if (index >= owners_.size())
            owners_.resize(index * 2 + 64);
        if (auto* former = std::exchange(owners_[index], this))
            former->lose(fd);
        ++open_;
        return fd;
    }

    /// For CURLOPT_CLOSESOCKETFUNCTION, with the object as its data.
    static int on_close(void* user, curl_socket_t socket)
    {
        auto& self = *static_cast<CurlSockets*>(user);
        self.owners_.at(static_cast<std::size_t>(socket)) = nullptr;
        self.lose(socket);
        return ::close(socket);
    }

    /// Connections, in use or kept. May count one that is gone until its number comes again.
    std::size_t count() const noexcept { return open_; }

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

    void lose(curl_socket_t socket) noexcept
    {
        --open_;
        unwatch(socket);
    }

    void unwatch(curl_socket_t socket) noexcept
    {
        if (static_cast<std::size_t>(socket) < sockets_.size())
            sockets_[static_cast<std::size_t>(socket)] = {};
        loop_.forget(socket);
    }

    EventLoop& loop_;
    Owners& owners_;
    Ready ready_;
    std::vector<Socket> sockets_;
    std::size_t open_ = 0;
};

} // namespace slo::net

#endif
