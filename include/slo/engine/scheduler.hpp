// SPDX-License-Identifier: MIT
// Continuous batching in virtual time: which sequences compute how many tokens in each step.

#ifndef SLO_ENGINE_SCHEDULER_HPP
#define SLO_ENGINE_SCHEDULER_HPP

#include <slo/base/error.hpp>
#include <slo/engine/limits.hpp>
#include <slo/engine/prefix_cache.hpp>
#include <slo/engine/sequence.hpp>
#include <slo/engine/step_model.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <utility>
#include <vector>

namespace slo::engine {

/// First come, first served. Running sequences go first, each with one token or the next chunk of its prompt;
/// what is left of the step's token budget admits waiting ones. When blocks run out, the sequence that
/// arrived last is preempted: its blocks are freed, and it is computed anew later. The same design as vLLM's
/// V1 scheduler.
class Scheduler {
public:
    /// Throws UsageError when the limits contradict each other.
    Scheduler(const StepModel& model, const SchedulerLimits& limits)
        : model_(model), limits_(checked(limits)), cache_(limits.kv_blocks, limits.prefix_caching)
    {
    }

    /// True when a sequence with this many tokens in all can be computed at all.
    bool fits(std::int64_t tokens) const noexcept { return tokens <= limits_.max_model_len; }

    /// Puts a sequence at the end of the line; it takes part in steps that start at `arrival_s` or later.
    /// Arrivals never go back in time. Throws Error for a sequence that does not fit.
    SequenceId add(SequenceSpec spec, double arrival_s)
    {
        if (spec.output.tokens < 1 || spec.prompt->tokens() < 1 ||
            !fits(spec.prompt->tokens() + spec.output.tokens))
            throw Error("sequence", "does not fit the engine's max_model_len");
        if (vacant_.empty()) {
            vacant_.push_back(static_cast<std::uint32_t>(slots_.size()));
            slots_.emplace_back();
        }
        const auto slot = vacant_.back();
        vacant_.pop_back();
        auto& sequence = slots_[slot];
        sequence.chain = spec.prompt->chain();
        sequence.spec = std::move(spec);
        sequence.arrival_s = arrival_s;
        sequence.live = true;
        waiting_.push_back(slot);
        return {slot, sequence.generation};
    }

    /// Drops a sequence, wherever it is, and frees its blocks; false when it has already ended.
    bool abort(SequenceId id)
    {
        if (id.slot >= slots_.size() || !slots_[id.slot].live || slots_[id.slot].generation != id.generation)
            return false;
        std::erase(running_, id.slot);
        std::erase(waiting_, id.slot);
        retire(id.slot);
        return true;
    }

    /// When the next step can start if the engine is free from `now_s` on; nothing while there is no work.
    std::optional<double> next_start_s(double now_s) const
    {
        if (!running_.empty())
            return now_s;
        if (waiting_.empty())
            return std::nullopt;
        return std::max(now_s, slots_[waiting_.front()].arrival_s);
    }

    /// Computes one step that starts at `start_s`; next_start_s() must have allowed it. Valid until the next
    /// call.
    const Step& step(double start_s)
    {
        step_.start_s = start_s;
        step_.load = {};
        step_.preemptions = step_.prefix_queries = step_.prefix_hits = 0;
        step_.events.clear();
        budget_ = limits_.max_num_batched_tokens;
        schedule_running();
        if (step_.preemptions == 0)
            admit_waiting();
        step_.end_s = start_s + model_.step_s(step_.load, start_s);
        produce();
        return step_;
    }

    std::int64_t running() const noexcept { return static_cast<std::int64_t>(running_.size()); }
    std::int64_t waiting() const noexcept { return static_cast<std::int64_t>(waiting_.size()); }
    const PrefixCache& cache() const noexcept { return cache_; }
    const SchedulerLimits& limits() const noexcept { return limits_; }

private:
    void schedule_running()
    {
        for (std::size_t i = 0; i < running_.size() && budget_ > 0; ++i) {
            auto& sequence = slots_[running_[i]];
            const auto fresh = std::min(sequence.tokens() - sequence.computed, budget_);
            while (!reserve(sequence, sequence.computed + fresh)) {
                preempt(running_.back());
                running_.pop_back();
                if (i == running_.size())
                    return;
            }
            schedule(sequence, fresh);
        }
    }

    void admit_waiting()
    {
        while (!waiting_.empty() && budget_ > 0 && running() < limits_.max_num_seqs) {
            const auto slot = waiting_.front();
            auto& sequence = slots_[slot];
            if (sequence.arrival_s > step_.start_s)
                return;
            // The last token is always computed, since its output is what comes next.
            const auto reusable = std::min<std::size_t>(
                sequence.hashes(), static_cast<std::size_t>((sequence.tokens() - 1) / block_tokens));
            hashes_.clear();
            for (std::size_t block = 0; block < reusable; ++block)
                hashes_.push_back(sequence.hash(block));
            hashes_.resize(cache_.match(hashes_));
            const auto matched = static_cast<std::int64_t>(hashes_.size());
            const auto fresh = std::min(sequence.tokens() - matched * block_tokens, budget_);
            const auto needed = blocks_for(matched * block_tokens + fresh) - matched;
            if (needed + cache_.free_among(hashes_) > cache_.free())
                return;
            for (const auto hash : hashes_)
                sequence.blocks.push_back(cache_.take(hash));
            sequence.computed = matched * block_tokens;
            sequence.published = matched;
            reserve(sequence, sequence.computed + fresh);
            if (sequence.scheduled_s < 0) {
                sequence.scheduled_s = step_.start_s;
                sequence.cached = sequence.computed;
                step_.prefix_queries += sequence.spec.prompt->tokens();
                step_.prefix_hits += sequence.cached;
            }
            waiting_.pop_front();
            running_.push_back(slot);
            schedule(sequence, fresh);
        }
    }

    // Gives the sequence blocks for its first `tokens` tokens; false, and some blocks may have been given,
    // when there are too few.
    bool reserve(detail::Sequence& sequence, std::int64_t tokens)
    {
        const auto needed = static_cast<std::size_t>(blocks_for(tokens));
        while (sequence.blocks.size() < needed) {
            const auto block = cache_.allocate();
            if (!block)
                return false;
            sequence.blocks.push_back(*block);
        }
        return true;
    }

    void schedule(detail::Sequence& sequence, std::int64_t fresh)
    {
        const bool decodes = sequence.output > 0 && fresh == 1 && sequence.computed + 1 == sequence.tokens();
        if (decodes) {
            step_.load.decoding_sequences += 1;
            step_.load.context_tokens += sequence.computed + 1;
        } else {
            step_.load.prefill_tokens += fresh;
        }
        sequence.scheduled = fresh;
        budget_ -= fresh;
        // Published now, not at the step's end: a sibling admitted in this very step shares the prompt's
        // blocks.
        const auto full = std::min<std::int64_t>((sequence.computed + fresh) / block_tokens,
                                                 static_cast<std::int64_t>(sequence.hashes()));
        for (; sequence.published < full; ++sequence.published) {
            const auto block = static_cast<std::size_t>(sequence.published);
            cache_.publish(sequence.blocks[block], sequence.hash(block));
        }
    }

    void preempt(std::uint32_t slot)
    {
        auto& sequence = slots_[slot];
        release_blocks(sequence);
        sequence.computed = 0;
        waiting_.push_front(slot);
        ++step_.preemptions;
    }

    void produce()
    {
        std::size_t kept = 0;
        for (const auto slot : running_) {
            auto& sequence = slots_[slot];
            sequence.computed += std::exchange(sequence.scheduled, 0);
            const bool ended = sequence.computed == sequence.tokens() && produce_token(slot, sequence);
            if (ended)
                retire(slot);
            else
                running_[kept++] = slot;
        }
        running_.resize(kept);
    }

    bool produce_token(std::uint32_t slot, detail::Sequence& sequence)
    {
        const auto word = answer_word(sequence.spec.seed, sequence.output);
        if (sequence.chain.push(answer_token(word)))
            sequence.answer_hashes.push_back(sequence.chain.last());
        const bool first = ++sequence.output == 1;
        if (first)
            sequence.first_token_s = sequence.last_token_s = step_.end_s;
        const bool ended = sequence.output >= sequence.spec.output.tokens;
        step_.events.push_back({{slot, sequence.generation},
                                sequence.spec.tag,
                                word,
                                sequence.output,
                                sequence.spec.prompt->tokens(),
                                sequence.cached,
                                sequence.arrival_s,
                                sequence.scheduled_s,
                                sequence.first_token_s,
                                sequence.last_token_s,
                                ended,
                                sequence.spec.output.reason});
        sequence.last_token_s = step_.end_s;
        return ended;
    }

    // The tail goes first, so that the beginnings of prompts, which others share, are evicted last.
    void release_blocks(detail::Sequence& sequence)
    {
        for (auto block = sequence.blocks.rbegin(); block != sequence.blocks.rend(); ++block)
            cache_.release(*block);
        sequence.blocks.clear();
        sequence.published = 0;
    }

    void retire(std::uint32_t slot)
    {
        auto& sequence = slots_[slot];
        release_blocks(sequence);
        sequence.spec.prompt.reset();
        sequence.answer_hashes.clear();
        sequence.computed = sequence.scheduled = sequence.output = sequence.cached = 0;
        sequence.scheduled_s = -1;
        sequence.live = false;
        ++sequence.generation;
        vacant_.push_back(slot);
    }

    StepModel model_;
    SchedulerLimits limits_;
    PrefixCache cache_;
    std::vector<detail::Sequence> slots_;
    std::vector<std::uint32_t> vacant_;
    std::vector<std::uint32_t> running_; ///< in the order of admission
    std::deque<std::uint32_t> waiting_;
    std::vector<BlockHash> hashes_;
    std::int64_t budget_ = 0;
    Step step_;
};

} // namespace slo::engine

#endif
