// SPDX-License-Identifier: MIT
// How the service of a replay is reached: its key, the headers of every request, the transport.

#ifndef SLO_RUN_SERVICE_ACCESS_HPP
#define SLO_RUN_SERVICE_ACCESS_HPP

#include <slo/net/api_key.hpp>
#include <slo/net/event_loop.hpp>
#include <slo/net/http.hpp>
#include <slo/net/tls_files.hpp>
#include <slo/net/transport.hpp>
#include <slo/run/preflight.hpp>
#include <slo/run/replay_options.hpp>
#include <slo/run/replay_plan.hpp>

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace slo::run {

/// Made once a run, before its clock starts.
class ServiceAccess {
public:
    /// The options must outlive it. Throws Error for a key or a header that cannot be sent.
    ServiceAccess(const ReplayOptions& options, const ReplayPlan& plan)
        : options_(options), kind_(plan.transport),
          headers_(plan.headers.merged_with(
              {"Authorization: Bearer " + net::find_api_key(options.api_key, options.api_key_file),
               "Content-Type: application/json"}))
    {
        net::check_tls_files(options.tls);
    }

    /// "Name: value", the same for all requests.
    const std::vector<std::string>& headers() const noexcept { return headers_; }

    /// A transport of its own for a loop. Throws Error.
    std::unique_ptr<net::HttpTransport> transport(net::EventLoop& loop) const
    {
        return transport(loop, options_.request_timeout_s);
    }

    /// Tries one connection, unless that is not wanted, and returns the version of HTTP that the answer had
    /// (10, 11, 20; 0 when none came). `stopped` ends it early. Throws Error.
    int check(net::EventLoop& loop, const std::function<bool()>& stopped) const
    {
        if (options_.no_connect_check)
            return 0;
        const auto transport = this->transport(loop, std::min(check_timeout_s, options_.request_timeout_s));
        return check_connection(loop, *transport, options_.api_base, headers_, stopped);
    }

    /// Why the service does not take min_p; nothing when it does.
    std::optional<std::string> refusal_of_min_p(net::EventLoop& loop, const plan::RequestConfig& config,
                                                const std::function<bool()>& stopped) const
    {
        const auto transport = this->transport(loop, std::min(probe_timeout_s, options_.request_timeout_s));
        return min_p_refusal(loop, *transport, config, headers_, stopped);
    }

private:
    static constexpr double check_timeout_s = 10;
    static constexpr double probe_timeout_s = 30;

    std::unique_ptr<net::HttpTransport> transport(net::EventLoop& loop, double request_timeout_s) const
    {
        net::TransportOptions how;
        how.limits.connect_timeout_s = std::min(options_.connect_timeout_s, request_timeout_s);
        how.limits.request_timeout_s = request_timeout_s;
        how.tls = options_.tls;
        how.http2 = options_.http2;
        return net::make_transport(kind_, options_.api_base, how, loop);
    }

    const ReplayOptions& options_;
    net::TransportKind kind_;
    std::vector<std::string> headers_;
};

} // namespace slo::run

#endif
