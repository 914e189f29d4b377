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
/// the context).
struct StepModel {
    double base_s = 0;              ///< a: kernel launches, sampling, reading the weights once
    double per_sequence_s = 0;      ///< b
    double per_prefill_token_s = 0; ///< c
    double per_context_token_s = 0; ///< d

    /// Duration of a step in seconds.
    double step_s(const StepLoad& load) const noexcept
    {
        return base_s + per_sequence_s * static_cast<double>(load.decoding_sequences) +
               per_prefill_token_s * static_cast<double>(load.prefill_tokens) +
               per_context_token_s * static_cast<double>(load.context_tokens);
    }
};

} // namespace slo::engine

#endif
