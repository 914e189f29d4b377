// SPDX-License-Identifier: MIT
// What is settled with the server and the system before the clock starts.

#ifndef SLO_RUN_PREFLIGHT_HPP
#define SLO_RUN_PREFLIGHT_HPP

#include <slo/base/error.hpp>
#include <slo/base/json.hpp>
#include <slo/base/shown_url.hpp>
#include <slo/net/fetch.hpp>
#include <slo/net/http.hpp>
#include <slo/plan/request_body.hpp>
#include <slo/run/system_limits.hpp> // raise_descriptor_limit()
#include <slo/wire/api_error.hpp>

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace slo::run {

/// Tries one connection to the API base: any HTTP answer will do. Returns its version of HTTP as
/// HttpResult::http_version has it. Throws Error otherwise.
inline int check_connection(net::EventLoop& loop, net::HttpTransport& transport, const std::string& api_base,
                            const std::vector<std::string>& headers, const std::function<bool()>& stopped)
{
    auto base = api_base;
    while (base.ends_with('/'))
        base.pop_back();
    const auto url = base + "/models";
    const auto reply =
        net::fetch(loop, transport, {url, {headers.begin(), headers.end()}, {}, false}, stopped);
    if (reply.result.ending != net::Ending::cancelled && reply.result.status == 0)
        throw Error(shown_url(api_base), reply.result.message);
    return reply.result.http_version;
}

/// Asks the server with one short request whether it takes min_p; the reason why not, or nothing when it
/// does.
inline std::optional<std::string> min_p_refusal(net::EventLoop& loop, net::HttpTransport& transport,
                                                const plan::RequestConfig& config,
                                                const std::vector<std::string>& headers,
                                                const std::function<bool()>& stopped)
{
    const auto url = plan::endpoint_url(config.api_base, plan::Endpoint::chat);
    const auto body = plan::min_p_probe_body(config);
    const auto reply =
        net::fetch(loop, transport, {url, {headers.begin(), headers.end()}, body, true}, stopped);
    if (reply.result.ending != net::Ending::complete)
        return reply.result.message;
    if (reply.result.status < 200 || reply.result.status > 299)
        return wire::http_error_text(reply.result.status, reply.body);
    return std::nullopt;
}

/// A request body without min_p, except where `config.extra_body` brings one. `body` is one that
/// plan::request_body() made with `send_min_p`.
inline std::string without_min_p(const plan::RequestConfig& config, const std::string& body)
{
    auto request = parse_json(body).as_object();
    const auto* own = find(config.extra_body, "min_p");
    request.stable_erase("min_p");
    if (own && !(own->is_null() && config.omit_none_extra_body))
        request["min_p"] = *own;
    return to_json(request);
}

} // namespace slo::run

#endif
