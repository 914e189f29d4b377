// SPDX-License-Identifier: MIT
// What the plain transport knows of the URLs and servers it was asked for.

#ifndef SLO_NET_PLAIN_SERVERS_HPP
#define SLO_NET_PLAIN_SERVERS_HPP

#include <slo/base/error.hpp>
#include <slo/net/http_errors.hpp>
#include <slo/net/plain_endpoint.hpp>
#include <slo/net/plain_request.hpp>
#include <slo/net/url_parts.hpp>

#include <map>
#include <string>
#include <string_view>
#include <utility>

namespace slo::net {

/// Where a URL leads and how requests for it begin.
struct PlainServer {
    PlainRequestHead head;
    PlainEndpoint& endpoint;
};

/// All URLs seen so far; those of one host and port share its connections.
class PlainServers {
public:
    /// Throws Error: no URL, or one that needs more than HTTP over TCP.
    const PlainServer& find(std::string_view url)
    {
        // Most often it is the one asked for last.
        if (last_ == servers_.end() || last_->first != url) {
            last_ = servers_.find(url);
            if (last_ == servers_.end())
                last_ = add(std::string(url));
        }
        return last_->second;
    }

private:
    using Servers = std::map<std::string, PlainServer, std::less<>>;

    Servers::iterator add(const std::string& url)
    {
        const auto parts = parse_url(url);
        if (parts.scheme != "http")
            throw Error("the plain transport does not speak TLS");
        if (parts.has_user)
            throw Error("the plain transport takes no user name in a URL");
        const auto name = parts.host + " " + parts.port;
        auto& endpoint = endpoints_.try_emplace(name, parts.host, parts.port).first->second;
        return servers_.emplace(url, PlainServer{PlainRequestHead(parts), endpoint}).first;
    }

    std::map<std::string, PlainEndpoint> endpoints_;
    Servers servers_;
    Servers::iterator last_ = servers_.end();
};

} // namespace slo::net

#endif
