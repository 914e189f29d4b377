// SPDX-License-Identifier: MIT
// Which proxy the environment names for a host, by libcurl's rules.

#ifndef SLO_NET_PROXY_HPP
#define SLO_NET_PROXY_HPP

#include <slo/base/text.hpp>

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

namespace slo::net {

/// The value of a variable of the environment; empty where it is unset.
using Environment = std::function<std::string(const char* name)>;

/// The environment of this process.
inline std::string process_environment(const char* name)
{
    const char* const value = std::getenv(name);
    return value ? value : "";
}

namespace detail {

struct Address {
    std::array<std::uint8_t, 16> bytes{};
    unsigned bits = 0; // 32 or 128
};

inline std::optional<Address> parse_address(const std::string& text)
{
    Address address;
    if (::inet_pton(AF_INET, text.c_str(), address.bytes.data()) == 1)
        address.bits = 32;
    else if (::inet_pton(AF_INET6, text.c_str(), address.bytes.data()) == 1)
        address.bits = 128;
    else
        return std::nullopt;
    return address;
}

// `pattern` is an address, or a network as "10.0.0.0/8".
inline bool in_network(const Address& address, const std::string& pattern)
{
    const auto slash = pattern.find('/');
    const auto network = parse_address(pattern.substr(0, slash));
    if (!network || network->bits != address.bits)
        return false;
    auto bits = address.bits;
    if (slash != std::string::npos) {
        const auto given = parse_integer<unsigned>(pattern.substr(slash + 1));
        if (!given || *given > address.bits)
            return false;
        bits = *given == 0 ? address.bits : *given;
    }
    const auto whole = bits / 8;
    if (std::memcmp(address.bytes.data(), network->bytes.data(), whole) != 0)
        return false;
    const auto rest = bits % 8;
    return rest == 0 || (address.bytes[whole] ^ network->bytes[whole]) >> (8 - rest) == 0;
}

// `pattern` is a domain, with or without a leading dot: it stands for itself and all below it.
inline bool in_domain(std::string_view name, std::string_view pattern)
{
    if (pattern.ends_with('.'))
        pattern.remove_suffix(1);
    if (pattern.starts_with('.'))
        pattern.remove_prefix(1);
    if (!name.ends_with(pattern))
        return false;
    return name.size() == pattern.size() || name[name.size() - pattern.size() - 1] == '.';
}

} // namespace detail

/// True when the list `no_proxy` (domains, addresses, networks, or "*" alone) covers `host`, a name or an
/// address without brackets.
inline bool is_exempt_from_proxy(std::string_view host, std::string_view no_proxy)
{
    if (no_proxy == "*")
        return true;
    auto name = lower_case(host);
    const auto address = detail::parse_address(name);
    if (!address && name.ends_with('.'))
        name.pop_back();
    while (!no_proxy.empty()) {
        const auto end = std::min(no_proxy.find_first_of(", \t"), no_proxy.size());
        const auto pattern = lower_case(no_proxy.substr(0, end));
        no_proxy.remove_prefix(std::min(end + 1, no_proxy.size()));
        if (pattern.empty())
            continue;
        if (address ? detail::in_network(*address, pattern) : detail::in_domain(name, pattern))
            return true;
    }
    return false;
}

/// The proxy that libcurl uses for `scheme` and `host`, as the environment names it; empty: none. HTTP_PROXY
/// does not count: a web server sets it from a header of its client (CVE-2016-5385).
inline std::string proxy_for(std::string_view scheme, std::string_view host,
                             const Environment& environment = process_environment)
{
    const auto first_of = [&](std::initializer_list<const char*> names) {
        std::string value;
        for (const char* name : names)
            if (value.empty())
                value = environment(name);
        return value;
    };
    if (is_exempt_from_proxy(host, first_of({"no_proxy", "NO_PROXY"})))
        return {};
    return scheme == "https" ? first_of({"https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"})
                             : first_of({"http_proxy", "all_proxy", "ALL_PROXY"});
}

/// A proxy fit for messages: without user name and password, and without what follows the host.
inline std::string shown_proxy(std::string_view proxy)
{
    const auto scheme = proxy.find("://");
    const auto host = scheme == std::string_view::npos ? 0 : scheme + 3;
    const auto authority = proxy.substr(host, proxy.find_first_of("/?#", host) - host);
    const auto at = authority.rfind('@');
    return printable(std::string(proxy.substr(0, host)) +
                         std::string(at == std::string_view::npos ? authority : authority.substr(at + 1)),
                     120);
}

} // namespace slo::net

#endif
