// SPDX-License-Identifier: MIT
// The endpoint that shows the engine's metrics, and what can be made wrong with it.

#ifndef SLO_SIM_METRICS_ENDPOINT_HPP
#define SLO_SIM_METRICS_ENDPOINT_HPP

#include <slo/base/clock.hpp>
#include <slo/base/error.hpp>
#include <slo/base/text.hpp>
#include <slo/engine/metrics_dialect.hpp>
#include <slo/sim/connection.hpp>
#include <slo/sim/pacer.hpp>

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include <chrono>
#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace slo::sim {

/// How a server shows its metrics.
struct MetricsOptions {
    std::string dialect = "vllm";
    std::optional<double> restart_after_s; ///< then all counters are zero again, as after a restart
    std::vector<std::string> hidden;       ///< patterns of names that are left out
    double stall_s = 0;                    ///< each answer comes that much later

    /// Adds the options to a table of the cli layer, which this layer does not know.
    template <class Table>
    void describe(Table& table)
    {
        table.section("Metrics");
        table.add("metrics-dialect", dialect, "ENGINE", "whose names /metrics shows: " + dialect_names());
        table.add("restart-metrics-after", restart_after_s, "SECONDS",
                  "set all counters to zero then, as a restart does");
        table.add_repeatable("hide-metrics", hidden, "PATTERN",
                             "leave out metrics whose names match or begin so");
        table.add("stall-metrics", stall_s, "SECONDS", "answer /metrics that much later");
    }

    /// The dialect that is meant. Throws UsageError for options that make no sense.
    const engine::MetricsDialect& checked() const
    {
        constexpr double longest_s = 1e6;
        if (restart_after_s && !(*restart_after_s >= 0 && *restart_after_s <= longest_s))
            throw UsageError("--restart-metrics-after", "must be from 0 to 1000000");
        if (!(stall_s >= 0 && stall_s <= longest_s))
            throw UsageError("--stall-metrics", "must be from 0 to 1000000");
        for (const auto& pattern : hidden)
            if (pattern.empty() || pattern.size() > 200)
                throw UsageError("--hide-metrics", "must be a text of 1 to 200 bytes");
        if (const auto* found = engine::find_dialect(dialect))
            return *found;
        throw UsageError("--metrics-dialect",
                         "'" + printable(dialect, 80) + "' is none of " + dialect_names());
    }

    static std::string dialect_names()
    {
        std::string names;
        for (const auto& known : engine::metrics_dialects)
            names += (names.empty() ? "" : ", ") + std::string(known.name);
        return names;
    }
};

/// Answers the requests for metrics.
class MetricsEndpoint {
public:
    /// Throws UsageError. `pacer` must outlive the endpoint.
    MetricsEndpoint(boost::asio::io_context& context, MetricsOptions options, std::string model, Pacer& pacer)
        : context_(context), options_(std::move(options)), dialect_(options_.checked()),
          model_(std::move(model)), pacer_(pacer), restart_(context), started_s_(now_s())
    {
        if (!options_.restart_after_s)
            return;
        restart_.expires_after(to_duration(*options_.restart_after_s));
        restart_.async_wait([this](const boost::system::error_code& error) {
            if (!error)
                restart();
        });
    }

    /// True for the paths at which an engine of the dialect shows its metrics.
    bool is_at(std::string_view path) const noexcept
    {
        return path == "/metrics" || (dialect_.name == "trtllm" && path == "/prometheus/metrics");
    }

    /// Answers now, or late where that was asked for; what is shown is as of the moment of the answer.
    void answer(const std::shared_ptr<Connection>& connection)
    {
        if (options_.stall_s == 0)
            return respond(*connection);
        auto timer = std::make_shared<boost::asio::steady_timer>(context_, to_duration(options_.stall_s));
        timer->async_wait([this, timer, connection](const boost::system::error_code& error) {
            if (!error)
                respond(*connection);
        });
    }

private:
    static double now_s() { return std::round(wall_clock_s() * 100) / 100; }

    static std::chrono::nanoseconds to_duration(double seconds)
    {
        return std::chrono::nanoseconds(to_ns(seconds));
    }

    void restart()
    {
        pacer_.restart_metrics();
        started_s_ = now_s();
    }

    void respond(Connection& connection) const
    {
        std::string headers;
        if (dialect_.name == "llamacpp")
            headers =
                "Process-Start-Time-Unix: " + std::to_string(static_cast<std::int64_t>(started_s_)) + "\r\n";
        connection.respond(200, "text/plain; version=0.0.4; charset=utf-8",
                           engine::render_metrics(dialect_, {pacer_.metrics(), pacer_.scheduler()}, model_,
                                                  started_s_, options_.hidden),
                           headers);
    }

    boost::asio::io_context& context_;
    MetricsOptions options_;
    const engine::MetricsDialect& dialect_;
    std::string model_;
    Pacer& pacer_;
    boost::asio::steady_timer restart_;
    double started_s_;
};

} // namespace slo::sim

#endif
