// SPDX-License-Identifier: MIT
// Watches the load generator itself, so that its own failings are never taken for the server's.

#ifndef SLO_RUN_CLIENT_MONITOR_HPP
#define SLO_RUN_CLIENT_MONITOR_HPP

#include <slo/record/window_totals.hpp>
#include <slo/stats/quantile.hpp>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

namespace slo::run {

/// Collects what one reporting window says about the client. Time is a parameter.
class ClientMonitor {
public:
    /// Lateness above this (p99) makes a window saturated; 1 % of the smallest SLO where that is more.
    static constexpr double lateness_limit_s = 0.005;
    /// So does a turn of the event loop longer than this,
    static constexpr std::int64_t stall_limit_ns = 50'000'000;
    /// or a share of the due requests sent in time that is below this.
    static constexpr double dispatched_share = 0.98;

    /// `smallest_slo_s`: the smallest of the latency SLOs, if any.
    explicit ClientMonitor(std::optional<double> smallest_slo_s = std::nullopt)
        : limit_s_(std::max(lateness_limit_s, 0.01 * smallest_slo_s.value_or(0)))
    {
    }

    /// A window begins: wall clock (monotonic) and CPU time of the process.
    void begin(std::int64_t now_ns, std::int64_t cpu_ns) noexcept
    {
        began_ns_ = now_ns;
        cpu_ns_ = cpu_ns;
    }

    /// A request fell due.
    void due() noexcept { ++due_; }

    /// A request could be handed to the transport this much after it was due, or after its predecessor in the
    /// conversation had ended.
    void dispatched(double lateness_s) { lateness_s_.push_back(lateness_s); }

    /// A due request could not be sent in its window through a fault of this machine.
    void missed() noexcept { ++missed_; }

    /// Requests on the wire right now.
    void in_flight(std::int64_t count) noexcept
    {
        in_flight_ = count;
        in_flight_max_ = std::max(in_flight_max_, count);
    }

    /// Closes the window and begins the next. `longest_turn_ns`: of the event loop in the window.
    record::ClientHealth take(std::int64_t now_ns, std::int64_t cpu_ns, std::int64_t longest_turn_ns)
    {
        record::ClientHealth health;
        std::sort(lateness_s_.begin(), lateness_s_.end());
        if (!lateness_s_.empty()) {
            health.lateness_p50_s = stats::quantile_sorted(lateness_s_, 0.50);
            health.lateness_p99_s = stats::quantile_sorted(lateness_s_, 0.99);
            health.lateness_max_s = lateness_s_.back();
        }
        if (now_ns > began_ns_)
            health.busy_pct =
                100 * static_cast<double>(cpu_ns - cpu_ns_) / static_cast<double>(now_ns - began_ns_);
        health.in_flight_max = in_flight_max_;
        health.saturated = health.lateness_p99_s.value_or(0) > limit_s_ || longest_turn_ns > stall_limit_ns ||
                           static_cast<double>(missed_) > (1 - dispatched_share) * static_cast<double>(due_);
        lateness_s_.clear();
        due_ = 0;
        missed_ = 0;
        in_flight_max_ = in_flight_;
        begin(now_ns, cpu_ns);
        return health;
    }

private:
    double limit_s_;
    std::vector<double> lateness_s_;
    std::int64_t began_ns_ = 0;
    std::int64_t cpu_ns_ = 0;
    std::int64_t due_ = 0;
    std::int64_t missed_ = 0;
    std::int64_t in_flight_ = 0;
    std::int64_t in_flight_max_ = 0;
};

} // namespace slo::run

#endif
