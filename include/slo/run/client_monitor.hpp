// SPDX-License-Identifier: MIT
// Watches the load generator itself, so that its own failings are never taken for the server's.

#ifndef SLO_RUN_CLIENT_MONITOR_HPP
#define SLO_RUN_CLIENT_MONITOR_HPP

#include <slo/record/round_window.hpp>
#include <slo/stats/sample.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

namespace slo::run {

/// What one reporting window says about the client, or about one of its event loops.
struct ClientWindow {
    /// Lateness above this (p99) makes a window saturated; 1 % of the smallest SLO where that is more.
    static constexpr double lateness_limit_s = 0.005;
    /// So does a turn of the event loop longer than this,
    static constexpr std::int64_t stall_limit_ns = 50'000'000;
    /// or a share of the due requests sent in time that is below this.
    static constexpr double dispatched_share = 0.98;

    /// Of each request that was dispatched. Few are kept one by one: to bring them into a sketch all at once
    /// must not hold the event loop up.
    stats::Sample lateness_s{4096};
    std::int64_t due = 0;    ///< requests
    std::int64_t missed = 0; ///< of these, not sent in the window through a fault of this machine
    std::int64_t in_flight_max = 0;
    std::int64_t longest_turn_ns = 0; ///< of the event loop
    std::int64_t wall_ns = 0;
    std::int64_t cpu_ns = 0; ///< of the whole process

    /// Adds what another event loop of the same process has seen in the same window. The peaks of the loops
    /// need not fall together: their sum is an upper bound.
    void merge(const ClientWindow& other)
    {
        lateness_s.merge(other.lateness_s);
        due += other.due;
        missed += other.missed;
        in_flight_max += other.in_flight_max;
        longest_turn_ns = std::max(longest_turn_ns, other.longest_turn_ns);
        wall_ns = std::max(wall_ns, other.wall_ns);
        cpu_ns = std::max(cpu_ns, other.cpu_ns);
    }

    /// The figures and the judgement. `smallest_slo_s`: the smallest of the latency SLOs, if any.
    record::ClientHealth health(std::optional<double> smallest_slo_s) const
    {
        record::ClientHealth health;
        if (const auto lateness = lateness_s.summary()) {
            health.lateness_p50_s = lateness->p50;
            health.lateness_p99_s = lateness_p99_s();
            health.lateness_max_s = lateness->max;
        }
        if (wall_ns > 0)
            health.busy_pct = 100 * static_cast<double>(cpu_ns) / static_cast<double>(wall_ns);
        health.in_flight_max = in_flight_max;
        health.loop_stall_max_s = static_cast<double>(longest_turn_ns) / 1e9;
        health.missed = missed;
        const double limit_s = std::max(lateness_limit_s, 0.01 * smallest_slo_s.value_or(0));
        if (health.lateness_p99_s.value_or(0) > limit_s)
            health.saturated_by.emplace_back("lateness");
        if (static_cast<double>(missed) > (1 - dispatched_share) * static_cast<double>(due))
            health.saturated_by.emplace_back("missed");
        if (longest_turn_ns > stall_limit_ns)
            health.saturated_by.emplace_back("stall");
        health.saturated = !health.saturated_by.empty();
        return health;
    }

private:
    // The value that at most 1 % of the requests exceed, but always one may: interpolated, the p99 of fewer
    // than a hundred would be close to their maximum, and one hiccup would void the window.
    double lateness_p99_s() const
    {
        const auto size = lateness_s.size();
        const auto beyond = std::max<std::size_t>(1, size / 100);
        return lateness_s.ranked(size - std::min(size, 1 + beyond));
    }
};

/// Collects what one reporting window says about the client. Time is a parameter.
class ClientMonitor {
public:
    /// A window begins: wall clock (monotonic) and CPU time of the process.
    void begin(std::int64_t now_ns, std::int64_t cpu_ns) noexcept
    {
        began_ns_ = now_ns;
        cpu_ns_ = cpu_ns;
    }

    /// A request fell due.
    void due() noexcept { ++window_.due; }

    /// A request could be handed to the transport this much after it was due, or after its predecessor in the
    /// conversation had ended.
    void dispatched(double lateness_s) { window_.lateness_s.add(lateness_s); }

    /// A due request could not be sent in its window through a fault of this machine.
    void missed() noexcept { ++window_.missed; }

    /// Requests on the wire right now.
    void in_flight(std::int64_t count) noexcept
    {
        in_flight_ = count;
        window_.in_flight_max = std::max(window_.in_flight_max, count);
    }

    /// Closes the window and begins the next. `longest_turn_ns`: of the event loop in the window.
    ClientWindow take(std::int64_t now_ns, std::int64_t cpu_ns, std::int64_t longest_turn_ns)
    {
        auto window = std::exchange(window_, {});
        window.longest_turn_ns = longest_turn_ns;
        window.wall_ns = std::max<std::int64_t>(0, now_ns - began_ns_);
        window.cpu_ns = cpu_ns - cpu_ns_;
        window_.in_flight_max = in_flight_;
        begin(now_ns, cpu_ns);
        return window;
    }

private:
    ClientWindow window_;
    std::int64_t began_ns_ = 0;
    std::int64_t cpu_ns_ = 0;
    std::int64_t in_flight_ = 0;
};

} // namespace slo::run

#endif
