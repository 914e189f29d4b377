// SPDX-License-Identifier: MIT
// The limits under which an engine batches.

#ifndef SLO_ENGINE_LIMITS_HPP
#define SLO_ENGINE_LIMITS_HPP

#include <slo/base/error.hpp>
#include <slo/engine/prompt.hpp>

#include <cstdint>
#include <string>

namespace slo::engine {

/// The limits under which an engine batches.
struct SchedulerLimits {
    std::int64_t max_num_seqs = 128;
    std::int64_t max_num_batched_tokens = 2048; ///< tokens a step; longer prompts are computed in chunks
    std::int64_t kv_blocks = 4096;              ///< of block_tokens tokens each
    std::int64_t max_model_len = 8192;          ///< prompt and answer together
    bool prefix_caching = true;
};

/// The limits themselves. Throws UsageError, naming the limit, when one is out of range or they contradict
/// each other.
inline const SchedulerLimits& checked(const SchedulerLimits& limits)
{
    const auto bounded = [](const char* name, std::int64_t value, std::int64_t most) {
        if (value < 1 || value > most)
            throw UsageError(name,
                             "must be from 1 to " + std::to_string(most) + ", is " + std::to_string(value));
    };
    bounded("max_num_seqs", limits.max_num_seqs, 65536);
    bounded("max_num_batched_tokens", limits.max_num_batched_tokens, 1 << 24);
    bounded("kv_blocks", limits.kv_blocks, 1 << 24);
    bounded("max_model_len", limits.max_model_len, 1 << 24);
    if (limits.max_num_batched_tokens < limits.max_num_seqs)
        throw UsageError("max_num_batched_tokens",
                         "must be at least max_num_seqs, or some sequences never get a token");
    if (blocks_for(limits.max_model_len) > limits.kv_blocks)
        throw UsageError("max_model_len", std::to_string(limits.max_model_len) + " tokens need " +
                                              std::to_string(blocks_for(limits.max_model_len)) +
                                              " KV blocks, and there are " +
                                              std::to_string(limits.kv_blocks));
    return limits;
}

} // namespace slo::engine

#endif
