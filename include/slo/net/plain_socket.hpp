// SPDX-License-Identifier: MIT
// A TCP socket that never blocks, and the kernel's own time of what it receives.

#ifndef SLO_NET_PLAIN_SOCKET_HPP
#define SLO_NET_PLAIN_SOCKET_HPP

#include <slo/base/clock.hpp>
#include <slo/io/fd.hpp>

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <ctime>
#include <string_view>

namespace slo::net {

/// Where to connect.
struct SocketAddress {
    sockaddr_storage storage{};
    socklen_t length = 0;
};

/// What one receive brought: bytes at the front of the buffer and the moment they arrived, or an errno.
struct Reception {
    std::size_t bytes = 0;  ///< 0 without an error: the peer has closed
    std::int64_t at_ns = 0; ///< monotonic
    int os_error = 0;
};

/// Begins to connect, without Nagle's delay; `stamps`: have the kernel note when bytes arrive. Returns 0 or
/// an errno, and the socket, which is connected or has failed once it is writable.
inline int begin_connect(const SocketAddress& address, bool stamps, io::Fd& fd) noexcept
{
    const int family = address.storage.ss_family;
    fd = io::Fd(::socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, IPPROTO_TCP));
    if (!fd)
        return errno;
    const int on = 1;
    ::setsockopt(fd.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    if (stamps) // without it receive_some() falls back to the clock
        ::setsockopt(fd.get(), SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof on);
    const auto* const plain = reinterpret_cast<const sockaddr*>(&address.storage);
    if (::connect(fd.get(), plain, address.length) == 0 || errno == EINPROGRESS)
        return 0;
    return errno;
}

/// What became of a begun connection: 0 or an errno.
inline int connect_error(const io::Fd& fd) noexcept
{
    int error = 0;
    socklen_t length = sizeof error;
    return ::getsockopt(fd.get(), SOL_SOCKET, SO_ERROR, &error, &length) == 0 ? error : errno;
}

/// True when a kept connection has nothing to tell: neither bytes nor an end, which would both be a reason
/// not to use it.
inline bool is_quiet(const io::Fd& fd) noexcept
{
    char byte = 0;
    return ::recv(fd.get(), &byte, 1, MSG_PEEK | MSG_DONTWAIT) < 0 && errno == EAGAIN;
}

/// Sends `head` and then `body`, both without the first `done` bytes of the whole, as far as they go out at
/// once. Returns 0 or an errno (EAGAIN: nothing went out), and adds to `done`.
inline int send_some(const io::Fd& fd, std::string_view head, std::string_view body,
                     std::size_t& done) noexcept
{
    iovec parts[2];
    std::size_t count = 0;
    const auto add = [&](std::string_view part, std::size_t skipped) {
        if (part.size() > skipped)
            parts[count++] = {const_cast<char*>(part.data() + skipped), part.size() - skipped};
    };
    add(head, std::min(done, head.size()));
    add(body, done - std::min(done, head.size()));
    msghdr message{};
    message.msg_iov = parts;
    message.msg_iovlen = count;
    for (;;) {
        const auto put = ::sendmsg(fd.get(), &message, MSG_NOSIGNAL);
        if (put >= 0) {
            done += static_cast<std::size_t>(put);
            return 0;
        }
        if (errno != EINTR)
            return errno;
    }
}

/// Receives what there is, up to `size` bytes. The moment is that at which the kernel took the last of these
/// bytes from the network, where it noted it: how late we come to read them does not count.
inline Reception receive_some(const io::Fd& fd, char* data, std::size_t size) noexcept
{
    iovec part{data, size};
    alignas(cmsghdr) char control[CMSG_SPACE(sizeof(timespec))];
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = control;
    message.msg_controllen = sizeof control;
    Reception reception;
    auto got = ::recvmsg(fd.get(), &message, 0);
    while (got < 0 && errno == EINTR)
        got = ::recvmsg(fd.get(), &message, 0);
    if (got < 0) {
        reception.os_error = errno;
        return reception;
    }
    reception.bytes = static_cast<std::size_t>(got);
    reception.at_ns = monotonic_ns();
    const cmsghdr* const note = CMSG_FIRSTHDR(&message);
    if (note && note->cmsg_level == SOL_SOCKET && note->cmsg_type == SCM_TIMESTAMPNS) {
        timespec arrival{};
        timespec now{};
        std::memcpy(&arrival, CMSG_DATA(note), sizeof arrival);
        ::clock_gettime(CLOCK_REALTIME, &now);
        // The stamp is wall-clock time. Only its age is used, so that a step of the clock long ago does no
        // harm.
        const auto age_ns =
            (std::int64_t{now.tv_sec} - arrival.tv_sec) * 1'000'000'000 + now.tv_nsec - arrival.tv_nsec;
        if (arrival.tv_sec != 0 && age_ns > 0)
            reception.at_ns -= age_ns;
    }
    return reception;
}

} // namespace slo::net

#endif
