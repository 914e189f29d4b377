// SPDX-License-Identifier: MIT
// Whether somebody listens at a port of this machine.

#ifndef SLO_SYS_PORT_HPP
#define SLO_SYS_PORT_HPP

#include <slo/io/fd.hpp>

#include <netinet/in.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstdint>

namespace slo::sys {

/// True where a server that wants this TCP port on all addresses would not get it; false, too, where that
/// cannot be said. Sends nothing to whoever has it.
inline bool port_taken(int port)
{
    const io::Fd fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    // As servers do, or ports of connections that ended just now would count.
    const int on = 1;
    ::setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_ANY);
    return ::bind(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 &&
           errno == EADDRINUSE;
}

} // namespace slo::sys

#endif
