// SPDX-License-Identifier: MIT
// What goes into the scheduler, one sequence for each choice of a request, and what comes out of a step.

#ifndef SLO_ENGINE_SEQUENCE_HPP
#define SLO_ENGINE_SEQUENCE_HPP

#include <slo/engine/lengths.hpp>
#include <slo/engine/prefix_cache.hpp>
#include <slo/engine/prompt.hpp>
#include <slo/engine/step_model.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace slo::engine {

/// A sequence to compute: one choice of one request.
struct SequenceSpec {
    std::shared_ptr<const Prompt> prompt;
    OutputPlan output;
    std::uint64_t seed = 0; ///< decides the words of the answer
    std::uint64_t tag = 0;  ///< comes back in every event
};

/// Names a sequence from add() until its last event; a stale id is harmless.
struct SequenceId {
    std::uint32_t slot = 0;
    std::uint32_t generation = 0;
};

/// One token that a sequence produced in a step. Times are virtual seconds.
struct TokenEvent {
    SequenceId id;
    std::uint64_t tag = 0;
    std::size_t word = 0;           ///< index in answer_words
    std::int64_t output_tokens = 0; ///< produced so far, this one included
    std::int64_t prompt_tokens = 0;
    std::int64_t cached_tokens =
        0; ///< of the prompt, found in the cache when the sequence was first scheduled
    double arrival_s = 0;
    double scheduled_s = 0; ///< start of the step that first computed something of it
    double first_token_s = 0;
    double previous_token_s = 0; ///< of the token before, or of this one when it is the first
    bool finished = false;
    FinishReason reason = FinishReason::length; ///< when finished
};

/// What one step did.
struct Step {
    double start_s = 0;
    double end_s = 0; ///< when its tokens come out
    StepLoad load;
    std::int64_t preemptions = 0;
    std::int64_t prefix_queries = 0; ///< prompt tokens looked up in the cache
    std::int64_t prefix_hits = 0;    ///< of these, found
    std::vector<TokenEvent> events;
};

namespace detail {

struct Sequence {
    SequenceSpec spec;
    BlockHashChain chain;
    std::vector<BlockHash> answer_hashes; ///< blocks that answer tokens completed
    std::vector<BlockId> blocks;
    std::int64_t published = 0; ///< leading blocks whose content the cache was told
    std::int64_t computed = 0;
    std::int64_t scheduled = 0; ///< tokens of the present step
    std::int64_t output = 0;
    std::int64_t cached = 0;
    double arrival_s = 0;
    double scheduled_s = -1;
    double first_token_s = 0;
    double last_token_s = 0;
    std::uint32_t generation = 0;
    bool live = false;

    std::int64_t tokens() const noexcept { return spec.prompt->tokens() + output; }
    BlockHash hash(std::size_t block) const
    {
        const auto prompt = spec.prompt->block_hashes();
        return block < prompt.size() ? prompt[block] : answer_hashes[block - prompt.size()];
    }
    std::size_t hashes() const { return spec.prompt->block_hashes().size() + answer_hashes.size(); }
};

} // namespace detail

} // namespace slo::engine

#endif
