// SPDX-License-Identifier: MIT
// What an engine counts of itself; how it is shown stands in metrics_dialect.hpp.

#ifndef SLO_ENGINE_METRICS_HPP
#define SLO_ENGINE_METRICS_HPP

#include <slo/engine/histogram.hpp>
#include <slo/engine/lengths.hpp>
#include <slo/engine/limits.hpp>
#include <slo/engine/sequence.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace slo::engine {

/// A request of a client, as it ended.
struct RequestEnd {
    std::int64_t choices = 1; ///< answers to each of its prompts
    std::int64_t prompts = 1;
    std::int64_t prompt_tokens = 0;   ///< of all prompts, each counted once
    std::int64_t reusable_tokens = 0; ///< of these, in full blocks that a later sequence can find
    FinishReason reason = FinishReason::length;
};

/// All counters and histograms of one engine since it started. Unless the name says otherwise, each sequence
/// (choice) counts for itself; times are seconds.
struct Metrics {
    std::int64_t steps = 0, decoded_sequences = 0, preemptions = 0;
    std::int64_t prefix_queries = 0, prefix_hits = 0; ///< prompt tokens looked up, and found, in the cache
    std::int64_t reused_blocks = 0, missed_blocks = 0;
    std::int64_t prompt_tokens = 0, cached_tokens = 0, generation_tokens = 0;
    std::int64_t longest_tokens = 0;         ///< prompt and answer of the longest sequence
    std::int64_t finished_cached_tokens = 0; ///< of sequences that have ended
    std::array<std::int64_t, 3> finished{};  ///< sequences, by FinishReason
    std::array<std::int64_t, 3> requests{};  ///< requests of clients, by FinishReason
    std::int64_t request_prompt_tokens = 0;  ///< of requests that ended well, each prompt counted once
    /// Requests that an engine makes for itself to fill its cache before it computes several answers.
    std::int64_t warm_ups = 0, warm_up_tokens = 0, warm_up_cached_tokens = 0;
    Histogram first_token, token_gap, mean_gap, latency, queue, prefill, decode, inference;
    Histogram prompt_length, answer_length, step_tokens, request_prompt_length;
    Histogram request_choices; ///< n of requests

    explicit Metrics(const HistogramBounds& bounds = vllm_bounds)
        : first_token(bounds.first_token), token_gap(bounds.token_gap), mean_gap(bounds.token_gap),
          latency(bounds.latency), queue(bounds.queue), prefill(bounds.latency), decode(bounds.latency),
          inference(bounds.latency), prompt_length(bounds.token_count), answer_length(bounds.token_count),
          step_tokens(bounds.token_count), request_prompt_length(bounds.token_count),
          request_choices(detail::choices_bounds)
    {
    }

    /// Takes in a step; its token events follow one by one through record_token().
    void record_step(const Step& step)
    {
        ++steps;
        decoded_sequences += step.load.decoding_sequences;
        preemptions += step.preemptions;
        prefix_queries += step.prefix_queries;
        prefix_hits += step.prefix_hits;
        step_tokens.observe(static_cast<double>(step.load.decoding_sequences + step.load.prefill_tokens));
    }

    /// Takes in a token that came out at `end_s`.
    void record_token(const TokenEvent& event, double end_s)
    {
        ++generation_tokens;
        longest_tokens = std::max(longest_tokens, event.prompt_tokens + event.output_tokens);
        if (event.output_tokens > 1) {
            token_gap.observe(end_s - event.previous_token_s);
            return;
        }
        prompt_tokens += event.prompt_tokens;
        cached_tokens += event.cached_tokens;
        reused_blocks += event.cached_tokens / block_tokens;
        missed_blocks += blocks_for(event.prompt_tokens) - event.cached_tokens / block_tokens;
        first_token.observe(end_s - event.arrival_s);
    }

    /// Takes in the end of a sequence whose last token is `event`, which came out at `end_s`.
    void record_finish(const TokenEvent& event, double end_s, FinishReason reason)
    {
        ++finished[static_cast<std::size_t>(reason)];
        finished_cached_tokens += event.cached_tokens;
        latency.observe(end_s - event.arrival_s);
        queue.observe(event.scheduled_s - event.arrival_s);
        prefill.observe(event.first_token_s - event.scheduled_s);
        decode.observe(end_s - event.first_token_s);
        inference.observe(end_s - event.scheduled_s);
        prompt_length.observe(static_cast<double>(event.prompt_tokens));
        answer_length.observe(static_cast<double>(event.output_tokens));
        if (event.output_tokens > 1)
            mean_gap.observe((end_s - event.first_token_s) / static_cast<double>(event.output_tokens - 1));
    }

    /// Counts a sequence that its client gave up.
    void record_abort() { ++finished[static_cast<std::size_t>(FinishReason::abort)]; }

    /// Takes in the end of a whole request.
    void record_request(const RequestEnd& request)
    {
        ++requests[static_cast<std::size_t>(request.reason)];
        if (request.reason == FinishReason::abort)
            return;
        request_prompt_tokens += request.prompt_tokens;
        request_prompt_length.observe(static_cast<double>(request.prompt_tokens));
        request_choices.observe(static_cast<double>(request.choices));
        if (request.choices > 1) {
            warm_ups += request.prompts;
            warm_up_tokens += request.prompt_tokens;
            warm_up_cached_tokens += request.reusable_tokens;
        }
    }
};

} // namespace slo::engine

#endif
