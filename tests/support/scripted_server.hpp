// SPDX-License-Identifier: MIT
// A TCP server for tests that does with each connection what a function says.

#ifndef SLO_TESTS_SUPPORT_SCRIPTED_SERVER_HPP
#define SLO_TESTS_SUPPORT_SCRIPTED_SERVER_HPP

#include <slo/base/error.hpp>
#include <slo/io/fd.hpp>

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace slo::test {

/// One connection, as the script sees it.
class ScriptedPeer {
public:
    ScriptedPeer(io::Fd fd, int number, const std::atomic<bool>& stopping)
        : fd_(std::move(fd)), number_(number), stopping_(stopping)
    {
        const int on = 1;
        ::setsockopt(fd_.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    }

    /// 1 for the first connection.
    int number() const noexcept { return number_; }

    /// Reads until a request without a body has come; false when the peer closed.
    bool take_request()
    {
        while (buffer_.find("\r\n\r\n") == std::string::npos) {
            char block[65536];
            if (!readable())
                return false;
            const auto got = ::recv(fd_.get(), block, sizeof block, 0);
            if (got <= 0)
                return false;
            buffer_.append(block, static_cast<std::size_t>(got));
        }
        const auto end = buffer_.find("\r\n\r\n") + 4;
        request_ = buffer_.substr(0, end);
        buffer_.erase(0, end);
        return true;
    }
    const std::string& request() const noexcept { return request_; }

    bool send(std::string_view bytes) const
    {
        while (!bytes.empty()) {
            const auto put = ::send(fd_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
            if (put <= 0)
                return false;
            bytes.remove_prefix(static_cast<std::size_t>(put));
        }
        return true;
    }

    /// Until the peer closes; takes none of what it sends.
    void wait_for_hangup() const
    {
        pollfd watched{fd_.get(), POLLRDHUP, 0};
        while (!stopping_ && ::poll(&watched, 1, 20) == 0) {
        }
    }

    /// Sends piece by piece, each in a segment of its own.
    void send_in_pieces(std::string_view bytes, std::size_t size) const
    {
        for (std::size_t from = 0; from < bytes.size(); from += size) {
            send(bytes.substr(from, size));
            std::this_thread::sleep_for(std::chrono::microseconds(200));
        }
    }

    /// Closes with a reset.
    void reset()
    {
        const linger at_once{1, 0};
        ::setsockopt(fd_.get(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
        fd_ = io::Fd();
    }

    void wait_for_close() const
    {
        char block[65536];
        while (readable() && ::recv(fd_.get(), block, sizeof block, 0) > 0) {
        }
    }

    int fd() const noexcept { return fd_.get(); }

    /// Waits until there is something to read; false when the server is to end.
    bool readable() const
    {
        pollfd watched{fd_.get(), POLLIN, 0};
        while (!stopping_) {
            if (::poll(&watched, 1, 20) > 0)
                return true;
        }
        return false;
    }

private:
    io::Fd fd_;
    int number_;
    const std::atomic<bool>& stopping_;
    std::string buffer_;
    std::string request_;
};

/// Listens on a free port of the loopback; one thread a connection, which is closed when the script returns.
class ScriptedServer {
public:
    explicit ScriptedServer(std::function<void(ScriptedPeer&)> script, int family = AF_INET)
        : script_(std::move(script)), family_(family),
          listener_(::socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0))
    {
        sockaddr_in v4{};
        v4.sin_family = AF_INET;
        v4.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        sockaddr_in6 v6{};
        v6.sin6_family = AF_INET6;
        v6.sin6_addr = in6addr_loopback;
        auto* const address =
            family == AF_INET ? reinterpret_cast<sockaddr*>(&v4) : reinterpret_cast<sockaddr*>(&v6);
        socklen_t length = family == AF_INET ? sizeof v4 : sizeof v6;
        if (::bind(listener_.get(), address, length) != 0 || ::listen(listener_.get(), 4096) != 0 ||
            ::getsockname(listener_.get(), address, &length) != 0)
            throw IoError("scripted server", errno);
        port_ = ntohs(family == AF_INET ? v4.sin_port : v6.sin6_port);
        acceptor_ = std::thread([this] { accept_all(); });
    }
    ScriptedServer(const ScriptedServer&) = delete;
    ScriptedServer& operator=(const ScriptedServer&) = delete;
    ~ScriptedServer()
    {
        stopping_ = true;
        if (acceptor_.joinable())
            acceptor_.join();
        for (auto& peer : peers_)
            peer.join();
    }

    std::string url(const std::string& path = "/v1") const
    {
        return (family_ == AF_INET ? "http://127.0.0.1:" : "http://[::1]:") + std::to_string(port_) + path;
    }
    int port() const noexcept { return port_; }

    /// Refuses all connections from now on.
    void close_listener()
    {
        closing_ = true;
        acceptor_.join();
        listener_ = io::Fd();
    }

    /// Connections accepted so far.
    int accepted() const noexcept { return accepted_; }

private:
    void accept_all()
    {
        pollfd watched{listener_.get(), POLLIN, 0};
        while (!stopping_ && !closing_) {
            if (::poll(&watched, 1, 20) <= 0)
                continue;
            io::Fd fd(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
            if (!fd)
                continue;
            const int number = ++accepted_;
            peers_.emplace_back([this, number, peer_fd = std::move(fd)]() mutable {
                ScriptedPeer peer(std::move(peer_fd), number, stopping_);
                script_(peer);
            });
        }
    }

    std::function<void(ScriptedPeer&)> script_;
    int family_;
    io::Fd listener_;
    int port_ = 0;
    std::atomic<int> accepted_{0};
    std::atomic<bool> stopping_{false};
    std::atomic<bool> closing_{false};
    std::vector<std::thread> peers_;
    std::thread acceptor_;
};

} // namespace slo::test

#endif
