// SPDX-License-Identifier: MIT
// One server of the plain transport: its addresses, and the connections to it that wait for use.

#ifndef SLO_NET_PLAIN_ENDPOINT_HPP
#define SLO_NET_PLAIN_ENDPOINT_HPP

#include <slo/base/clock.hpp>
#include <slo/net/plain_socket.hpp>

#include <netdb.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace slo::net {

class PlainConnection;

/// A host and port. Its addresses are asked for once and kept; a failure is kept for a second.
class PlainEndpoint {
public:
    PlainEndpoint(std::string host, std::string port) : host_(std::move(host)), port_(std::move(port)) {}

    const std::string& host() const noexcept { return host_; }
    const std::string& port() const noexcept { return port_; }

    /// All addresses, in the system's order of preference; none when the name is not known. The first call
    /// waits for the resolver.
    const std::vector<SocketAddress>& addresses()
    {
        if (addresses_.empty() && monotonic_ns() >= ask_again_ns_) {
            resolve();
            ask_again_ns_ = monotonic_ns() + retry_after_ns;
        }
        return addresses_;
    }

    /// Which of the addresses to try first: the last that answered.
    std::size_t preferred = 0;

    /// Connections without an exchange; the one used last is at the back, and taken first.
    std::vector<PlainConnection*> kept;

private:
    static constexpr std::int64_t retry_after_ns = 1'000'000'000;

    void resolve()
    {
        addrinfo hints{};
        hints.ai_family = AF_UNSPEC;
        hints.ai_socktype = SOCK_STREAM;
        hints.ai_flags = AI_NUMERICSERV;
        addrinfo* found = nullptr;
        if (::getaddrinfo(host_.c_str(), port_.c_str(), &hints, &found) != 0)
            return;
        const std::unique_ptr<addrinfo, void (*)(addrinfo*)> owned(found, ::freeaddrinfo);
        for (const auto* each = found; each; each = each->ai_next) {
            auto& address = addresses_.emplace_back();
            address.length = std::min<socklen_t>(each->ai_addrlen, sizeof address.storage);
            std::memcpy(&address.storage, each->ai_addr, address.length);
        }
    }

    std::string host_;
    std::string port_;
    std::vector<SocketAddress> addresses_;
    std::int64_t ask_again_ns_ = 0;
};

} // namespace slo::net

#endif
