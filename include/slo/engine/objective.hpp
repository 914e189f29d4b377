// SPDX-License-Identifier: MIT
// What objectives ask of a simulated request.

#ifndef SLO_ENGINE_OBJECTIVE_HPP
#define SLO_ENGINE_OBJECTIVE_HPP

#include <slo/engine/simulate.hpp>
#include <slo/stats/objective.hpp>

#include <algorithm>

namespace slo::engine {

/// The figures of one request; latencies count from its due time, and of several choices the worst time per
/// token.
inline stats::Measured measured_of(const Outcome& outcome)
{
    stats::Measured measured;
    measured.ok = !outcome.refused;
    if (outcome.refused)
        return measured;
    measured.e2e_s = outcome.end_s - outcome.due_s;
    measured.ttft_s = outcome.first_token_s - outcome.due_s;
    for (const auto& choice : outcome.choices) {
        if (choice.tokens > 1)
            measured.tpot_s =
                std::max(measured.tpot_s.value_or(0), (choice.last_token_s - choice.first_token_s) /
                                                          static_cast<double>(choice.tokens - 1));
    }
    return measured;
}

} // namespace slo::engine

#endif
