// SPDX-License-Identifier: MIT
// One table an engine: the names, types and meanings of its metrics.

#ifndef SLO_ENGINE_METRICS_TABLES_HPP
#define SLO_ENGINE_METRICS_TABLES_HPP

#include <slo/engine/metric_row.hpp>

#include <array>
#include <string_view>

namespace slo::engine {

namespace detail {

using enum FinishReason;
using namespace metric;
using M = Metrics;

inline constexpr std::string_view finished_help = "Sequences ended, by reason.";
inline constexpr std::string_view source_help = "Prompt tokens, by where they came from.";

/// vLLM 0.11 and later.
inline constexpr std::array vllm_rows{
    gauge("vllm:num_requests_running", "Sequences in the running batch.", running),
    gauge("vllm:num_requests_waiting", "Sequences waiting in line.", waiting),
    gauge("vllm:kv_cache_usage_perc", "Share of KV blocks in use, 1 is all.", cache_usage),
    counter("vllm:prefix_cache_queries_total", "Prompt tokens looked up in the prefix cache.",
            count<&M::prefix_queries>),
    counter("vllm:prefix_cache_hits_total", "Prompt tokens found in the prefix cache.",
            count<&M::prefix_hits>),
    counter("vllm:external_prefix_cache_queries_total", "Prompt tokens looked up in other instances.", zero),
    counter("vllm:external_prefix_cache_hits_total", "Prompt tokens found in other instances.", zero),
    counter("vllm:num_preemptions_total", "Sequences preempted.", count<&M::preemptions>),
    counter("vllm:prompt_tokens_total", "Prompt tokens processed.", count<&M::prompt_tokens>),
    counter("vllm:prompt_tokens_by_source_total", source_help, computed_tokens, "source=\"local_compute\""),
    counter("vllm:prompt_tokens_by_source_total", source_help, count<&M::cached_tokens>,
            "source=\"local_cache_hit\""),
    counter("vllm:prompt_tokens_by_source_total", source_help, zero, "source=\"external_kv_transfer\""),
    counter("vllm:prompt_tokens_cached_total", "Prompt tokens that were not computed.",
            count<&M::cached_tokens>),
    counter("vllm:generation_tokens_total", "Tokens generated.", count<&M::generation_tokens>),
    counter("vllm:request_success_total", finished_help, finished<stop>, "finished_reason=\"stop\""),
    counter("vllm:request_success_total", finished_help, finished<length>, "finished_reason=\"length\""),
    counter("vllm:request_success_total", finished_help, finished<abort>, "finished_reason=\"abort\""),
    histogram("vllm:iteration_tokens_total", "Tokens computed a step.", &M::step_tokens),
    histogram("vllm:time_to_first_token_seconds", "From arrival to the first token.", &M::first_token),
    histogram("vllm:inter_token_latency_seconds", "Between tokens of a sequence.", &M::token_gap),
    histogram("vllm:request_time_per_output_token_seconds", "Mean time between the tokens of a sequence.",
              &M::mean_gap),
    histogram("vllm:e2e_request_latency_seconds", "From arrival to the last token.", &M::latency),
    histogram("vllm:request_queue_time_seconds", "From arrival to the first step.", &M::queue),
    histogram("vllm:request_prefill_time_seconds", "From the first step to the first token.", &M::prefill),
    histogram("vllm:request_decode_time_seconds", "From the first token to the last.", &M::decode),
    histogram("vllm:request_inference_time_seconds", "From the first step to the last token.", &M::inference),
    histogram("vllm:request_prompt_tokens", "Prompt tokens of a sequence.", &M::prompt_length),
    histogram("vllm:request_generation_tokens", "Tokens generated of a sequence.", &M::answer_length),
    histogram("vllm:request_params_n", "Parameter n of requests.", &M::request_choices),
};

/// vLLM 0.6, its first engine: the hit rate is a gauge.
inline constexpr std::array vllm_0_6_rows{
    gauge("vllm:num_requests_running", "Sequences in the running batch.", running),
    gauge("vllm:num_requests_waiting", "Sequences waiting in line.", waiting),
    gauge("vllm:num_requests_swapped", "Sequences swapped to the host.", zero),
    gauge("vllm:gpu_cache_usage_perc", "Share of KV blocks in use, 1 is all.", cache_usage),
    gauge("vllm:cpu_cache_usage_perc", "Share of the host's KV blocks in use, 1 is all.", zero),
    gauge("vllm:gpu_prefix_cache_hit_rate", "Share of the blocks looked up that were found.", block_hit_rate),
    gauge("vllm:cpu_prefix_cache_hit_rate", "The same on the host.", zero),
    counter("vllm:num_preemptions_total", "Sequences preempted.", count<&M::preemptions>),
    counter("vllm:prompt_tokens_total", "Prompt tokens processed.", count<&M::prompt_tokens>),
    counter("vllm:generation_tokens_total", "Tokens generated.", count<&M::generation_tokens>),
    counter("vllm:request_success_total", finished_help, finished<stop>, "finished_reason=\"stop\""),
    counter("vllm:request_success_total", finished_help, finished<length>, "finished_reason=\"length\""),
    counter("vllm:request_success_total", finished_help, finished<abort>, "finished_reason=\"abort\""),
    histogram("vllm:iteration_tokens_total", "Tokens computed a step.", &M::step_tokens),
    histogram("vllm:time_to_first_token_seconds", "From arrival to the first token.", &M::first_token),
    histogram("vllm:time_per_output_token_seconds", "Between tokens of a sequence.", &M::token_gap),
    histogram("vllm:e2e_request_latency_seconds", "From arrival to the last token.", &M::latency),
    histogram("vllm:request_queue_time_seconds", "From arrival to the first step.", &M::queue),
    histogram("vllm:request_inference_time_seconds", "From the first step to the last token.", &M::inference),
    histogram("vllm:request_prefill_time_seconds", "From the first step to the first token.", &M::prefill),
    histogram("vllm:request_decode_time_seconds", "From the first token to the last.", &M::decode),
    histogram("vllm:request_prompt_tokens", "Prompt tokens of a sequence.", &M::prompt_length),
    histogram("vllm:request_generation_tokens", "Tokens generated of a sequence.", &M::answer_length),
    histogram("vllm:request_params_n", "Parameter n of requests.", &M::request_choices),
};

/// SGLang: counters move when a request ends, and the hit rate is a gauge of the last batch.
inline constexpr std::array sglang_rows{
    gauge("sglang:num_running_reqs", "Requests in the running batch.", running),
    gauge("sglang:num_used_tokens", "Tokens in the KV cache in use.", used_tokens),
    gauge("sglang:token_usage", "Share of the KV cache in use.", cache_usage),
    gauge("sglang:gen_throughput", "Tokens generated a second.", answer_rate),
    gauge("sglang:num_queue_reqs", "Requests waiting in line.", waiting),
    gauge("sglang:cache_hit_rate", "Share of prompt tokens found in the prefix cache.", hit_rate),
    gauge("sglang:max_total_num_tokens", "Tokens the KV cache holds.", cache_tokens),
    counter("sglang:num_retracted_requests_total", "Requests retracted.", count<&M::preemptions>),
    counter("sglang:prompt_tokens_total", "Prompt tokens of ended requests.", prompts_with_warm_ups),
    counter("sglang:generation_tokens_total", "Tokens generated by ended requests.", sum<&M::answer_length>),
    counter("sglang:cached_tokens_total", "Prompt tokens found in the prefix cache.", cached_with_warm_ups,
            "cache_source=\"device\""),
    counter("sglang:num_requests_total", "Requests ended.", with_warm_ups),
    counter("sglang:num_aborted_requests_total", "Requests aborted.", finished<abort>),
    histogram("sglang:time_to_first_token_seconds", "From arrival to the first token.", &M::first_token),
    histogram("sglang:inter_token_latency_seconds", "Between tokens of a request.", &M::token_gap),
    histogram("sglang:e2e_request_latency_seconds", "From arrival to the last token.", &M::latency),
    histogram("sglang:queue_time_seconds", "From arrival to the first batch.", &M::queue),
};

/// TensorRT-LLM (trtllm-serve): requests and their tokens by request, blocks by sequence.
inline constexpr std::array trtllm_rows{
    counter("trtllm_request_success_total", "Requests ended, by reason.", requests<stop>,
            "finished_reason=\"stop\""),
    counter("trtllm_request_success_total", "Requests ended, by reason.", requests<length>,
            "finished_reason=\"length\""),
    counter("trtllm_request_error_total", "Requests failed.", zero),
    counter("trtllm_num_requests_completed_total", "Requests completed.", all_requests),
    counter("trtllm_prompt_tokens_total", "Prompt tokens of ended requests.",
            count<&M::request_prompt_tokens>),
    counter("trtllm_generation_tokens_total", "Tokens generated by ended requests.", sum<&M::answer_length>),
    gauge("trtllm_num_requests_running", "Requests in the running batch.", running),
    gauge("trtllm_num_requests_waiting", "Requests waiting in line.", waiting),
    gauge("trtllm_kv_cache_hit_rate", "Share of the blocks looked up that were found.", block_hit_rate),
    counter("trtllm_kv_cache_reused_blocks_total", "Blocks found.", count<&M::reused_blocks>),
    counter("trtllm_kv_cache_missed_blocks_total", "Blocks looked up and not found.",
            count<&M::missed_blocks>),
    gauge("trtllm_kv_cache_utilization", "Share of KV blocks in use.", cache_usage),
    gauge("trtllm_kv_cache_tokens_per_block", "Tokens a block holds.", tokens_of_a_block),
    histogram("trtllm_e2e_request_latency_seconds", "From arrival to the last token.", &M::latency),
    histogram("trtllm_time_to_first_token_seconds", "From arrival to the first token.", &M::first_token),
    histogram("trtllm_time_per_output_token_seconds", "Mean time between the tokens of a request.",
              &M::mean_gap),
    histogram("trtllm_request_queue_time_seconds", "From arrival to the first batch.", &M::queue),
    histogram("trtllm_request_prefill_time_seconds", "From the first batch to the first token.", &M::prefill),
    histogram("trtllm_request_decode_time_seconds", "From the first token to the last.", &M::decode),
    histogram("trtllm_request_inference_time_seconds", "From the first batch to the last token.",
              &M::inference),
};

/// LMDeploy: the hit rate is a gauge, and so are cumulative counts of requests.
inline constexpr std::array lmdeploy_rows{
    gauge("lmdeploy:num_requests_succeeded", "Requests that succeeded.", all_finished),
    gauge("lmdeploy:num_requests_failed", "Requests that failed.", finished<abort>),
    gauge("lmdeploy:num_api_requests_routed", "Requests that have a handle.", running),
    gauge("lmdeploy:num_api_requests_waiting", "Requests without a handle.", zero),
    gauge("lmdeploy:num_requests_running", "Requests in the running batch.", running),
    gauge("lmdeploy:num_requests_waiting", "Requests waiting in line.", waiting),
    gauge("lmdeploy:gpu_cache_usage_perc", "Share of KV blocks in use, 1 is all.", cache_usage),
    gauge("lmdeploy:prefix_cache_hit_rate", "Share of prompt tokens found in the prefix cache.", hit_rate),
    counter("lmdeploy:prompt_tokens_total", "Prompt tokens processed.", count<&M::prompt_tokens>),
    counter("lmdeploy:generation_tokens_total", "Tokens generated.", count<&M::generation_tokens>),
    counter("lmdeploy:request_success_total", "Requests ended, by kind of response.", all_finished,
            "finished_reason=\"ResponseType.FINISH\""),
    counter("lmdeploy:request_success_total", "Requests ended, by kind of response.", finished<abort>,
            "finished_reason=\"ResponseType.CANCEL\""),
    histogram("lmdeploy:request_prompt_tokens", "Prompt tokens of a request.", &M::prompt_length),
    histogram("lmdeploy:request_generation_tokens", "Tokens generated of a request.", &M::answer_length),
    histogram("lmdeploy:iteration_tokens_total", "Tokens computed a step.", &M::step_tokens),
    histogram("lmdeploy:time_to_first_token_seconds", "From arrival to the first token.", &M::first_token),
    histogram("lmdeploy:time_per_output_token_seconds", "Mean time between the tokens of a request.",
              &M::mean_gap),
    histogram("lmdeploy:iter_token_latency", "Between tokens of a request.", &M::token_gap),
    histogram("lmdeploy:e2e_request_latency_seconds", "From arrival to the last token.", &M::latency),
    histogram("lmdeploy:request_queue_time_seconds", "From arrival to the first step.", &M::queue),
    histogram("lmdeploy:request_inference_time_seconds", "From the first step to the last token.",
              &M::inference),
    histogram("lmdeploy:request_prefill_time_seconds", "From the first step to the first token.",
              &M::prefill),
    histogram("lmdeploy:request_decode_time_seconds", "From the first token to the last.", &M::decode),
};

/// The server of llama.cpp: no requests, no histograms, prompt tokens without the cached ones.
inline constexpr std::array llamacpp_rows{
    counter("llamacpp:prompt_tokens_total", "Prompt tokens computed, cached ones left out.", computed_tokens),
    counter("llamacpp:prompt_tokens_cached_total", "Prompt tokens found in the cache.",
            count<&M::cached_tokens>),
    counter("llamacpp:prompt_seconds_total", "Time spent on prompts.", sum<&M::prefill>),
    counter("llamacpp:tokens_predicted_total", "Tokens generated.", count<&M::generation_tokens>),
    counter("llamacpp:tokens_predicted_seconds_total", "Time spent on generating.", sum<&M::decode>),
    counter("llamacpp:n_decode_total", "Steps computed.", count<&M::steps>),
    counter("llamacpp:n_tokens_max", "Tokens of the longest sequence.", count<&M::longest_tokens>),
    counter("llamacpp:spec_decode_num_draft_tokens_total", "Draft tokens generated.", zero),
    counter("llamacpp:spec_decode_num_accepted_tokens_total", "Draft tokens accepted.", zero),
    counter("llamacpp:spec_decode_num_drafts_total", "Drafts verified.", zero),
    gauge("llamacpp:prompt_tokens_seconds", "Prompt tokens a second.", prompt_rate),
    gauge("llamacpp:predicted_tokens_seconds", "Tokens generated a second.", answer_rate),
    gauge("llamacpp:requests_processing", "Sequences in the running batch.", running),
    gauge("llamacpp:requests_deferred", "Sequences waiting in line.", waiting),
    gauge("llamacpp:n_busy_slots_per_decode", "Mean size of a batch.", busy_slots),
};

/// text-generation-inference: nothing of a prefix cache, tokens only as the sums of histograms.
inline constexpr std::array tgi_rows{
    counter("tgi_request_count", "Requests received.", all_requests),
    counter("tgi_request_success", "Requests that succeeded.", all_requests),
    counter("tgi_request_failure", "Requests that failed.", requests<abort>, "err=\"dropped\""),
    gauge("tgi_queue_size", "Requests waiting in line.", waiting),
    gauge("tgi_batch_current_size", "Requests in the running batch.", running),
    histogram("tgi_request_input_length", "Prompt tokens of a request.", &M::request_prompt_length),
    histogram("tgi_request_generated_tokens", "Tokens generated of an answer.", &M::answer_length),
    histogram("tgi_request_duration", "From arrival to the last token.", &M::latency),
    histogram("tgi_request_queue_duration", "From arrival to the first batch.", &M::queue),
    histogram("tgi_request_inference_duration", "From the first batch to the last token.", &M::inference),
    histogram("tgi_request_mean_time_per_token_duration", "Mean time between the tokens of an answer.",
              &M::mean_gap),
};

} // namespace detail

} // namespace slo::engine

#endif
