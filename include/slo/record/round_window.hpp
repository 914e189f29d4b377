// SPDX-License-Identifier: MIT
// One reporting window: its place in the run, what is asked of its requests, how the client fared in it.

#ifndef SLO_RECORD_ROUND_WINDOW_HPP
#define SLO_RECORD_ROUND_WINDOW_HPP

#include <slo/stats/objective.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace slo::record {

/// From which moment latencies count.
enum class LatencyBasis {
    due, ///< when the request was due: what a user who came then would have seen
    send ///< when it was handed to the socket: what other load generators report
};

inline constexpr std::array<std::string_view, 2> latency_basis_names{"due", "send"};

/// The name a basis has in records and options.
constexpr std::string_view name_of(LatencyBasis basis) noexcept
{
    return latency_basis_names[static_cast<std::size_t>(basis)];
}

/// The basis of a name, or nothing.
constexpr std::optional<LatencyBasis> latency_basis(std::string_view name) noexcept
{
    for (const auto basis : {LatencyBasis::due, LatencyBasis::send})
        if (name == name_of(basis))
            return basis;
    return std::nullopt;
}

/// By what the requests of a run are measured.
struct RoundTerms {
    std::optional<double> e2e_slo_s;
    std::optional<double> ttft_slo_ms;
    std::optional<double> tpot_slo_ms;
    std::vector<stats::Objective> objectives; ///< of which the requests that meet them are counted
    LatencyBasis basis = LatencyBasis::due;
};

/// The smallest of the SLOs for the whole answer and for the first token, and of the objectives' limits for
/// these, in seconds, where there is one: by it the client's own lateness is judged.
inline std::optional<double> smallest_slo_s(const RoundTerms& terms)
{
    auto smallest = terms.e2e_slo_s;
    if (terms.ttft_slo_ms)
        smallest = std::min(smallest.value_or(*terms.ttft_slo_ms / 1000), *terms.ttft_slo_ms / 1000);
    for (const auto& objective : terms.objectives)
        for (const auto& limit : objective.limits)
            if (limit.metric != stats::LatencyMetric::tpot)
                smallest = std::min(smallest.value_or(limit.seconds), limit.seconds);
    return smallest;
}

/// How well the load generator itself kept up in a window.
struct ClientHealth {
    std::optional<double> lateness_p50_s; ///< how long after its time a request could be dispatched
    std::optional<double> lateness_p99_s;
    std::optional<double> lateness_max_s;
    std::optional<double> busy_pct; ///< CPU time of the process over wall time
    std::int64_t in_flight_max = 0;
    bool saturated = false;                 ///< the client, not the service, limited the load
    std::vector<std::string> saturated_by;  ///< "lateness", "missed", "stall"
    std::optional<double> loop_stall_max_s; ///< longest turn of an event loop
    std::optional<std::int64_t> missed;     ///< due, but not sent in the window through the client's fault
};

/// One reporting window; all `_s` are seconds since the run's start.
struct RoundWindow : RoundTerms {
    int number = 1; ///< 1-based
    double start_s = 0;
    double duration_s = 0; ///< as it really was: shorter where the run was interrupted
    bool continuous = true;
    std::optional<double> target_qps;
    std::optional<std::int64_t> concurrency; ///< users of a closed loop
    std::string shard;                       ///< "I/N" of a run that is shared; empty for a whole one
    std::string model;
    /// Requests written to the wire, and ended, within the window, whichever window they were due in;
    /// counted among those due in it where absent.
    std::optional<std::int64_t> wire_dispatched;
    std::optional<std::int64_t> completed;
    std::optional<ClientHealth> client;
    std::vector<std::string> flags; ///< "interrupted", "decided", "route_exhausted", "runaway", …
};

} // namespace slo::record

#endif
