// SPDX-License-Identifier: MIT
// The rounds of a run in virtual time, handed over one by one, so that the run ends once enough are seen.

#ifndef SLO_TESTS_STUDY_ROUNDS_HPP
#define SLO_TESTS_STUDY_ROUNDS_HPP

#include "cell.hpp"

#include <slo/engine/objective.hpp>
#include <slo/engine/simulate.hpp>
#include <slo/stats/objective.hpp>
#include <slo/stats/quantile.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace study {

/// The length of every round, in seconds.
inline constexpr double round_s = 30;

/// What a round measured. Latencies in the order of the requests' due times.
struct Round {
    std::vector<double> e2e_s;
    std::vector<double> limited_s; ///< of the latency that the objective limits
    std::int64_t missed = 0;       ///< requests that did not meet the objective
    std::int64_t completed = 0;    ///< requests, of any round, that ended within this one

    std::int64_t requests() const noexcept { return static_cast<std::int64_t>(e2e_s.size()); }
};

/// The quantile q of values in any order, interpolated as in round records; nothing where there are none.
inline std::optional<double> quantile_of(std::vector<double> values, double q)
{
    if (values.empty())
        return std::nullopt;
    std::sort(values.begin(), values.end());
    return stats::quantile_sorted(values, q);
}

namespace detail {

// What ends a simulation before its load does.
struct EnoughSeen {};

} // namespace detail

/// Runs a cell from an empty engine at `qps` for at most `most_rounds`. A round is complete once all requests
/// due in it have ended, while the load goes on. After each, `go_on` is asked with all complete rounds so
/// far; the run ends where it says no. The seed decides the arrivals, the answers and the first row.
template <class GoOn>
std::vector<Round> run_rounds(const Cell& cell, double qps, std::uint64_t seed, std::size_t most_rounds,
                              GoOn go_on)
{
    engine::SimulationOptions load;
    load.arrival = cell.arrival;
    load.arrival.qps = qps;
    load.arrival.seed = seed;
    load.seed = engine::mix64(seed);
    load.duration_s = round_s * static_cast<double>(most_rounds);

    // The serial numbers at which the rounds end.
    std::vector<std::size_t> ends;
    engine::DueTimes due_times(load.arrival);
    double next_s = due_times.next_s();
    std::size_t due = 0;
    for (std::size_t round = 1; round <= most_rounds; ++round, ends.push_back(due))
        for (; next_s < round_s * static_cast<double>(round); next_s = due_times.next_s())
            ++due;

    std::vector<Round> rounds(most_rounds);
    std::vector<std::size_t> open(most_rounds);
    for (std::size_t i = 0; i < most_rounds; ++i) {
        open[i] = ends[i] - (i == 0 ? 0 : ends[i - 1]);
        rounds[i].e2e_s.resize(open[i]);
        rounds[i].limited_s.resize(open[i]);
    }
    std::size_t complete = 0;
    const bool limits_ttft = cell.objective.limits.front().metric == stats::LatencyMetric::ttft;
    try {
        const auto route = cell.route(engine::mix64(seed + 1));
        engine::Simulation(cell.profile, route, load).run([&](const engine::Outcome& outcome) {
            const auto round = static_cast<std::size_t>(
                std::upper_bound(ends.begin(), ends.end(), outcome.serial) - ends.begin());
            const auto measured = engine::measured_of(outcome);
            const auto first = round == 0 ? 0 : ends[round - 1];
            const auto ended = static_cast<std::size_t>(outcome.end_s / round_s);
            auto& own = rounds[round];
            own.e2e_s[outcome.serial - first] = measured.e2e_s.value_or(0);
            own.limited_s[outcome.serial - first] =
                (limits_ttft ? measured.ttft_s : measured.e2e_s).value_or(0);
            if (ended < most_rounds)
                ++rounds[ended].completed;
            own.missed += !stats::meets(cell.objective, measured).value_or(true);
            --open[round];
            while (complete < most_rounds && open[complete] == 0)
                if (!go_on(std::span<const Round>(rounds).first(++complete)))
                    throw detail::EnoughSeen{};
        });
    } catch (const detail::EnoughSeen&) {
        rounds.resize(complete);
    }
    return rounds;
}

} // namespace study

#endif
