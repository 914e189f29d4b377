// SPDX-License-Identifier: MIT
// How long one step of a continuously batching engine takes.

#ifndef SLO_ENGINE_STEP_MODEL_HPP
#define SLO_ENGINE_STEP_MODEL_HPP

#include <cstdint>

namespace slo::engine {

/// What one scheduler step computes.
struct StepLoad {
    std::int64_t decoding_sequences = 0; ///< sequences that compute one token after their prompt is done
    std::int64_t prefill_tokens = 0;     ///< tokens of prompts (or of recomputed sequences)
    std::int64_t context_tokens = 0;     ///< tokens whose keys and values the decoding sequences read
};

/// The linear step model: a + b * decoding sequences + c * prefill tokens + d * context tokens. It is the
/// form that profiles of real engines fit well (memory-bound decode, compute-bound prefill, attention over
/// the context). Two flaws can be added, both off: batches that happen to be fast, as those of a captured
/// graph are, and a slow drift, as of a card that heats up.
struct StepModel {
    double base_s = 0;              ///< a: kernel launches, sampling, reading the weights once
    double per_sequence_s = 0;      ///< b
    double per_prefill_token_s = 0; ///< c
    double per_context_token_s = 0; ///< d
    /// A step of from `graph_from` to `graph_to` decoding sequences takes `graph_factor` of its time; 0:
    /// none.
    std::int64_t graph_from = 0;
    std::int64_t graph_to = 0;
    double graph_factor = 1;
    double drift_per_hour = 0; ///< the share by which steps get longer in an hour

    /// Duration in seconds of a step that starts `start_s` after the engine did.
    double step_s(const StepLoad& load, double start_s = 0) const noexcept
    {
        double time_s = base_s + per_sequence_s * static_cast<double>(load.decoding_sequences) +
                        per_prefill_token_s * static_cast<double>(load.prefill_tokens) +
                        per_context_token_s * static_cast<double>(load.context_tokens);
        if (graph_from > 0 && load.decoding_sequences >= graph_from && load.decoding_sequences <= graph_to)
            time_s *= graph_factor;
        return time_s * (1 + drift_per_hour * start_s / 3600);
    }

    /// True where more load never makes a step shorter.
    bool is_monotone() const noexcept { return graph_from == 0 || graph_factor >= 1; }
};

} // namespace slo::engine

#endif
