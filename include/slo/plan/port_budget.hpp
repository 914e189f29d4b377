// SPDX-License-Identifier: MIT
// Whether this machine has the descriptors and local ports that a rate will need.

#ifndef SLO_PLAN_PORT_BUDGET_HPP
#define SLO_PLAN_PORT_BUDGET_HPP

#include <slo/base/text.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>

namespace slo::plan {

/// A load, and what the system gives for it.
struct PortPlan {
    double qps = 0;
    double latency_s = 0; ///< expected mean, from connecting to the end of the answer
    bool reuse = true;    ///< connections are kept for later requests

    int first_port = 32768; ///< of those the system hands out (net.ipv4.ip_local_port_range), inclusive
    int last_port = 60999;
    double time_wait_s = 60; ///< how long a closed connection keeps its port: Linux's fixed minute
    int destinations = 1;    ///< pairs of server address and port
    int source_addresses = 1;
    std::int64_t sockets_in_use = 0; ///< of this machine already, wherever they lead

    std::int64_t descriptors_soft = 1024;
    std::int64_t descriptors_hard = 1024;
    std::int64_t descriptors_reserved = 64; ///< for all but connections
};

/// What a plan needs and what of it there is.
struct PortBudget {
    std::int64_t connections = 0;        ///< open at once on average
    std::int64_t descriptors_needed = 0; ///< at the peak, with the reserve
    std::int64_t ports_available = 0;
    std::int64_t ports_needed = 0;
    double max_qps = 0;        ///< what the ports allow
    bool ports_ok = true;      ///< there are enough ports
    bool ports_tight = false;  ///< not if all sockets in use lead to the same server
    bool soft_limit_ok = true; ///< descriptors as the limit stands
    bool hard_limit_ok = true; ///< descriptors once the soft limit is raised

    /// False: the load cannot be made from here.
    bool ok() const noexcept { return ports_ok && hard_limit_ok; }
};

/// Ports beyond those the system reserves: what ip_local_port_range can be widened to.
inline constexpr std::int64_t widest_port_range = 65535 - 1024 + 1;

/// By Little's law L = λ W: `connections` = rate · latency are open at once; without reuse each port is taken
/// for latency + TIME_WAIT. The peak of independent arrivals lies within four standard deviations √L.
inline PortBudget port_budget(const PortPlan& plan)
{
    const auto whole = [](double count) {
        return static_cast<std::int64_t>(std::ceil(std::clamp(count * (1 - 1e-12), 0.0, 1e15)));
    };
    const double open = plan.qps * plan.latency_s;
    const double held_s = plan.reuse ? plan.latency_s : plan.latency_s + plan.time_wait_s;
    PortBudget budget;
    budget.connections = whole(open);
    budget.descriptors_needed = whole(open + 4 * std::sqrt(std::max(0.0, open))) + plan.descriptors_reserved;
    budget.ports_available = std::max<std::int64_t>(0, std::int64_t{plan.last_port} - plan.first_port + 1) *
                             plan.destinations * plan.source_addresses;
    budget.ports_needed = whole(plan.qps * held_s);
    budget.max_qps = held_s > 0 ? static_cast<double>(budget.ports_available) / held_s : plan.qps;
    budget.ports_ok = budget.ports_needed <= budget.ports_available;
    budget.ports_tight = budget.ports_needed > budget.ports_available - plan.sockets_in_use;
    budget.soft_limit_ok = budget.descriptors_needed <= plan.descriptors_soft;
    budget.hard_limit_ok = budget.descriptors_needed <= plan.descriptors_hard;
    return budget;
}

/// One line on what is short and what to change; nothing where all is well, or is once the soft limit has
/// been raised.
inline std::optional<std::string> advice(const PortPlan& plan, const PortBudget& budget)
{
    const auto load =
        format_double(plan.qps) + " requests a second of " + format_double(plan.latency_s) + " s";
    if (!budget.hard_limit_ok)
        return std::to_string(budget.descriptors_needed) + " descriptors are needed for " + load +
               ", the hard limit is " + std::to_string(plan.descriptors_hard) +
               ": raise it (ulimit -n, LimitNOFILE=) or divide the load (--shard)";
    if (budget.ports_ok && !budget.ports_tight)
        return std::nullopt;
    auto line = std::to_string(budget.ports_needed) + " local ports are needed for " + load;
    if (budget.ports_ok)
        return line + "; " + std::to_string(plan.sockets_in_use) + " sockets are in use and " +
               std::to_string(budget.ports_available) +
               " ports in all: they may run out if these lead to the same server";
    line += plan.reuse ? "" : " without reuse of connections";
    line += ", there are " + std::to_string(budget.ports_available) + ": ";
    if (budget.ports_needed <= widest_port_range * plan.destinations * plan.source_addresses)
        return line + "widen net.ipv4.ip_local_port_range (sysctl) or divide the load (--shard)";
    return line + "divide the load over more source addresses or machines (--shard)";
}

} // namespace slo::plan

#endif
