// SPDX-License-Identifier: MIT
// Whether this machine has the descriptors and ports that a load needs, before the load is made.

#ifndef SLO_RUN_SYSTEM_CHECK_HPP
#define SLO_RUN_SYSTEM_CHECK_HPP

#include <slo/base/error.hpp>
#include <slo/net/url_parts.hpp>
#include <slo/plan/port_budget.hpp>
#include <slo/record/route_load.hpp>
#include <slo/run/replay_plan.hpp>
#include <slo/run/system_limits.hpp>

#include <algorithm>
#include <functional>
#include <string>

namespace slo::run {

namespace detail {

inline bool is_loopback(const std::string& host)
{
    return host == "localhost" || host == "::1" || host.starts_with("127.");
}

} // namespace detail

/// The highest rate that a plan means to send at, in requests per second; of a trace the mean one, of a
/// closed loop what its users make when each answer takes `latency_s`.
inline double planned_qps(const ReplayPlan& plan, const record::Route& route, double latency_s)
{
    switch (plan.mode) {
    case ReplayMode::closed:
        return static_cast<double>(plan.users) / latency_s;
    case ReplayMode::timestamp: {
        const double span_s = static_cast<double>(route.rows.back().ts_ns - route.rows.front().ts_ns) * 1e-9 /
                              plan.arrival.speed;
        return static_cast<double>(route.rows.size()) / std::max(span_s, 1.0);
    }
    case ReplayMode::rounds:
    case ReplayMode::continuous:
        break;
    }
    return std::max(plan.arrival.qps, plan.arrival.end_qps);
}

/// Raises the limit of descriptors as far as it may be raised, and compares it and the local ports with what
/// the load needs: its rate times the latency expected, which is the SLO's where there is one. What is tight
/// goes to `note`; throws Error, with what to change, for what cannot be done.
inline void check_system_limits(const ReplayPlan& plan, const record::Route& route, double expected_latency_s,
                                const std::function<void(const std::string&)>& note)
{
    raise_descriptor_limit();
    const double latency_s = plan.e2e_slo_s.value_or(expected_latency_s);
    double qps = planned_qps(plan, route, latency_s) * plan.shard.share();
    if (plan.max_in_flight > 0)
        qps = std::min(qps, static_cast<double>(plan.max_in_flight) / latency_s);
    const auto ports = port_plan(read_system_limits(), qps, latency_s,
                                 detail::is_loopback(net::parse_url(plan.request.api_base).host));
    const auto budget = plan::port_budget(ports);
    const auto advice = plan::advice(ports, budget);
    if (!budget.ok())
        throw Error("system limits", advice.value_or("too low for this load") + " (see --expected-latency)");
    if (advice)
        note(*advice);
}

} // namespace slo::run

#endif
