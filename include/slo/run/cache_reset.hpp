// SPDX-License-Identifier: MIT
// Empties a service's prefix cache, so that each probe starts from the same state.

#ifndef SLO_RUN_CACHE_RESET_HPP
#define SLO_RUN_CACHE_RESET_HPP

#include <slo/base/clock.hpp>
#include <slo/base/error.hpp>
#include <slo/base/shown_url.hpp>
#include <slo/io/signals.hpp>
#include <slo/net/api_key.hpp>
#include <slo/net/event_loop.hpp>
#include <slo/net/fetch.hpp>
#include <slo/net/http.hpp>
#include <slo/net/tls_files.hpp>
#include <slo/net/transport.hpp>
#include <slo/net/url_parts.hpp>
#include <slo/run/service_client.hpp>
#include <slo/run/shell_command.hpp>
#include <slo/wire/api_error.hpp>

#include <cstdint>
#include <string>
#include <utility>

namespace slo::run {

/// Posts to a URL of the service, such as /reset_prefix_cache (vLLM) or /flush_cache (SGLang), or runs a line
/// of the shell.
class CacheReset {
public:
    static constexpr double timeout_s = 60;

    /// Throws UsageError for a URL that is none, and what find_api_key() and check_tls_files() throw.
    CacheReset(std::string target, const ServiceClientOptions& client)
        : target_(std::move(target)), tls_{client.ca_file, {}, {}, client.insecure}
    {
        if (!is_url())
            return;
        try {
            net::parse_url(target_);
        } catch (const Error& error) {
            throw UsageError("--reset-cache", error.what());
        }
        net::check_tls_files(tls_);
        authorization_ = "Authorization: Bearer " + net::find_api_key({}, client.api_key_file);
    }

    /// Why it was not done; empty: it was.
    std::string operator()(io::StopSignal& stop) const
    {
        try {
            return is_url() ? post(stop) : run_shell_command(target_, {}, timeout_s, stop);
        } catch (const Error& error) {
            return error.what();
        }
    }

private:
    bool is_url() const { return target_.starts_with("http://") || target_.starts_with("https://"); }

    std::string post(io::StopSignal& stop) const
    {
        net::EventLoop loop;
        net::Timer* self = nullptr;
        constexpr std::int64_t look_ns = 100'000'000;
        net::Timer look(loop, [&] { self->set(monotonic_ns() + look_ns); });
        self = &look;
        look.set(monotonic_ns() + look_ns);
        net::TransportOptions how;
        how.limits.connect_timeout_s = 10;
        how.limits.request_timeout_s = timeout_s;
        how.tls = tls_;
        const auto transport = net::make_transport(net::TransportKind::automatic, target_, how, loop);
        const auto reply = net::fetch(loop, *transport, {target_, {authorization_}, "", true},
                                      [&] { return stop.requested(); });
        const auto http = reply.result.status;
        if (reply.result.ending == net::Ending::cancelled)
            return "interrupted";
        if (reply.result.ending != net::Ending::complete)
            return reply.result.message;
        return http >= 200 && http <= 299 ? "" : wire::http_error_text(http, reply.body);
    }

    std::string target_;
    net::TlsOptions tls_;
    std::string authorization_;
};

} // namespace slo::run

#endif
