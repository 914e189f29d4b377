// SPDX-License-Identifier: MIT
// What each inference engine calls its metrics: one row an engine.

#ifndef SLO_PLAN_ENGINE_DIALECTS_HPP
#define SLO_PLAN_ENGINE_DIALECTS_HPP

#include <slo/plan/engine_dialect.hpp>

#include <array>

namespace slo::plan {

namespace dialect {

// vLLM: the V1 engine. gpu_prefix_cache_* until 0.9, without gpu_ since, both for some versions between.
inline constexpr std::array vllm_caches{
    CacheNames{"local", "vllm:prefix_cache_hits", "vllm:prefix_cache_queries"},
    CacheNames{"local", "vllm:gpu_prefix_cache_hits", "vllm:gpu_prefix_cache_queries"},
    CacheNames{"external", "vllm:external_prefix_cache_hits", "vllm:external_prefix_cache_queries"},
    CacheNames{"external", "vllm:connector_prefix_cache_hits", "vllm:connector_prefix_cache_queries"},
    CacheNames{"multimodal", "vllm:mm_cache_hits", "vllm:mm_cache_queries"},
};
inline constexpr std::array vllm_histograms{
    MetricNames{"ttft", "vllm:time_to_first_token_seconds"},
    MetricNames{"tpot", "vllm:request_time_per_output_token_seconds|vllm:time_per_output_token_seconds"},
    MetricNames{"itl", "vllm:inter_token_latency_seconds"},
    MetricNames{"e2e", "vllm:e2e_request_latency_seconds"},
    MetricNames{"queue", "vllm:request_queue_time_seconds"},
    MetricNames{"prefill", "vllm:request_prefill_time_seconds"},
    MetricNames{"decode", "vllm:request_decode_time_seconds"},
    MetricNames{"inference", "vllm:request_inference_time_seconds"},
};
inline constexpr std::array vllm_gauges{
    MetricNames{"kv_cache_usage", "vllm:kv_cache_usage_perc|vllm:gpu_cache_usage_perc"},
    MetricNames{"running", "vllm:num_requests_running"},
    MetricNames{"waiting", "vllm:num_requests_waiting"},
};
inline constexpr std::array vllm_counters{
    MetricNames{"preemptions", "vllm:num_preemptions"},
    MetricNames{"prompt_tokens", "vllm:prompt_tokens"},
    MetricNames{"generation_tokens", "vllm:generation_tokens"},
};
inline constexpr std::array vllm_success{SuccessNames{"vllm:request_success", "finished_reason"}};
inline constexpr SpecNames vllm_spec{"vllm:spec_decode_num_drafts", "vllm:spec_decode_num_draft_tokens",
                                     "vllm:spec_decode_num_accepted_tokens",
                                     "vllm:spec_decode_num_accepted_tokens_per_pos"};

// SGLang: cached tokens by where they were found; the third tier (cache_source "storage…") is external.
inline constexpr std::array sglang_caches{
    CacheNames{"local",
               "sglang:cached_tokens",
               "sglang:prompt_tokens",
               {},
               {"cache_source", "storage", false},
               "cache_source"},
    CacheNames{"external",
               "sglang:cached_tokens",
               "sglang:prompt_tokens",
               {},
               {"cache_source", "storage", true},
               "cache_source"},
};
inline constexpr std::array sglang_histograms{
    MetricNames{"ttft", "sglang:time_to_first_token_seconds"},
    MetricNames{"tpot", "sglang:request_time_per_output_token_seconds|sglang:time_per_output_token_seconds"},
    MetricNames{"itl", "sglang:inter_token_latency_seconds"},
    MetricNames{"e2e", "sglang:e2e_request_latency_seconds"},
    MetricNames{"queue", "sglang:queue_time_seconds|sglang:request_queue_time_seconds"},
    MetricNames{"prefill", "sglang:per_stage_req_latency_seconds", {"stage", "prefill_forward"}},
};
inline constexpr std::array sglang_gauges{
    MetricNames{"kv_cache_usage", "sglang:token_usage"},
    MetricNames{"running", "sglang:num_running_reqs"},
    MetricNames{"waiting", "sglang:num_queue_reqs"},
};
inline constexpr std::array sglang_counters{
    MetricNames{"preemptions", "sglang:num_retracted_requests"},
    MetricNames{"prompt_tokens", "sglang:prompt_tokens"},
    MetricNames{"generation_tokens", "sglang:generation_tokens"},
};
inline constexpr std::array sglang_success{SuccessNames{"sglang:num_requests", "", "ended"},
                                           SuccessNames{"sglang:num_aborted_requests", "", "abort"}};

// TensorRT-LLM: trtllm-serve counts blocks; its Triton backend only shows levels.
inline constexpr std::array trtllm_caches{
    CacheNames{"local", "trtllm_kv_cache_reused_blocks", "", "trtllm_kv_cache_missed_blocks"},
    CacheNames{"local", "trtllm_kv_cache_iter_reused_blocks", "", "trtllm_kv_cache_iter_missed_blocks"},
};
inline constexpr std::array trtllm_histograms{
    MetricNames{"ttft", "trtllm_time_to_first_token_seconds"},
    MetricNames{"tpot", "trtllm_time_per_output_token_seconds"},
    MetricNames{"e2e", "trtllm_e2e_request_latency_seconds"},
    MetricNames{"queue", "trtllm_request_queue_time_seconds"},
    MetricNames{"prefill", "trtllm_request_prefill_time_seconds"},
    MetricNames{"decode", "trtllm_request_decode_time_seconds"},
    MetricNames{"inference", "trtllm_request_inference_time_seconds"},
};
inline constexpr std::array trtllm_gauges{
    MetricNames{"kv_cache_usage", "trtllm_kv_cache_utilization"},
    MetricNames{"running", "trtllm_num_requests_running"},
    MetricNames{"waiting", "trtllm_num_requests_waiting"},
};
inline constexpr std::array trtllm_counters{
    MetricNames{"prompt_tokens", "trtllm_prompt_tokens"},
    MetricNames{"generation_tokens", "trtllm_generation_tokens"},
};
inline constexpr std::array trtllm_success{SuccessNames{"trtllm_request_success", "finished_reason"}};
inline constexpr std::array triton_gauges{
    MetricNames{"running", "nv_trt_llm_request_metrics", {"request_type", "active"}},
    MetricNames{"waiting", "nv_trt_llm_request_metrics", {"request_type", "waiting"}},
};
inline constexpr std::array triton_success{SuccessNames{"nv_inference_request_success", "", "ended"}};

// LMDeploy: tokens since it counts queries, blocks before.
inline constexpr std::array lmdeploy_caches{
    CacheNames{"local", "lmdeploy:prefix_cache_hits", "lmdeploy:prefix_cache_queries"},
    CacheNames{"local", "lmdeploy:prefix_cache_hit_blocks", "", "lmdeploy:prefix_cache_miss_blocks"},
    CacheNames{"external", "lmdeploy:external_prefix_cache_hits", "lmdeploy:external_prefix_cache_queries"},
};
inline constexpr std::array lmdeploy_histograms{
    MetricNames{"ttft", "lmdeploy:time_to_first_token_seconds"},
    MetricNames{"tpot", "lmdeploy:time_per_output_token_seconds"},
    MetricNames{"itl", "lmdeploy:iter_token_latency"},
    MetricNames{"e2e", "lmdeploy:e2e_request_latency_seconds"},
    MetricNames{"queue", "lmdeploy:request_queue_time_seconds"},
    MetricNames{"prefill", "lmdeploy:request_prefill_time_seconds"},
    MetricNames{"decode", "lmdeploy:request_decode_time_seconds"},
    MetricNames{"inference", "lmdeploy:request_inference_time_seconds"},
};
inline constexpr std::array lmdeploy_gauges{
    MetricNames{"kv_cache_usage", "lmdeploy:gpu_cache_usage_perc"},
    MetricNames{"running", "lmdeploy:num_requests_running"},
    MetricNames{"waiting", "lmdeploy:num_requests_waiting"},
};
inline constexpr std::array lmdeploy_counters{
    MetricNames{"prompt_tokens", "lmdeploy:prompt_tokens"},
    MetricNames{"generation_tokens", "lmdeploy:generation_tokens"},
};
inline constexpr std::array lmdeploy_success{SuccessNames{"lmdeploy:request_success", "finished_reason"}};

// llama.cpp server: prompt_tokens leaves out what came from the cache.
inline constexpr std::array llamacpp_caches{
    CacheNames{"local", "llamacpp:prompt_tokens_cached", "", "llamacpp:prompt_tokens"},
};
inline constexpr std::array llamacpp_gauges{
    MetricNames{"kv_cache_usage", "llamacpp:kv_cache_usage_ratio"},
    MetricNames{"running", "llamacpp:requests_processing"},
    MetricNames{"waiting", "llamacpp:requests_deferred"},
};
inline constexpr std::array llamacpp_counters{
    MetricNames{"prompt_tokens", "llamacpp:prompt_tokens+llamacpp:prompt_tokens_cached"},
    MetricNames{"generation_tokens", "llamacpp:tokens_predicted"},
};

// Text Generation Inference: its mean time per token takes the prefill in.
inline constexpr std::array tgi_histograms{
    MetricNames{"tpot", "tgi_request_mean_time_per_token_duration"},
    MetricNames{"e2e", "tgi_request_duration"},
    MetricNames{"queue", "tgi_request_queue_duration"},
    MetricNames{"inference", "tgi_request_inference_duration"},
};
inline constexpr std::array tgi_gauges{
    MetricNames{"running", "tgi_batch_current_size"},
    MetricNames{"waiting", "tgi_queue_size"},
};
inline constexpr std::array tgi_counters{
    MetricNames{"prompt_tokens", "tgi_request_input_length_sum"},
    MetricNames{"generation_tokens", "tgi_request_generated_tokens_sum"},
};
inline constexpr std::array tgi_success{SuccessNames{"tgi_request_success", "", "ended"}};

} // namespace dialect

/// All engines known; of those whose mark is there the first with its signature counts.
inline constexpr std::array engine_dialects{
    EngineDialect{
        .name = "vllm-0.6",
        .mark = "vllm:",
        .signature = "vllm:gpu_prefix_cache_hit_rate|vllm:num_requests_swapped|vllm:cpu_cache_usage_perc",
        .caches = dialect::vllm_caches,
        .rate_gauges = "vllm:gpu_prefix_cache_hit_rate|vllm:cpu_prefix_cache_hit_rate",
        .rate_gauges_are = "rolling means over more than the window",
        .histograms = dialect::vllm_histograms,
        .gauges = dialect::vllm_gauges,
        .counters = dialect::vllm_counters,
        .success = dialect::vllm_success,
        .spec = dialect::vllm_spec,
        .block_tokens = {"block_size", "vllm:cache_config_info"},
        .choices_n = "vllm:request_params_n",
    },
    EngineDialect{
        .name = "vllm",
        .mark = "vllm:",
        .caches = dialect::vllm_caches,
        .histograms = dialect::vllm_histograms,
        .gauges = dialect::vllm_gauges,
        .counters = dialect::vllm_counters,
        .success = dialect::vllm_success,
        .spec = dialect::vllm_spec,
        .tokens_by_source = "vllm:prompt_tokens_by_source",
        .block_tokens = {"block_size", "vllm:cache_config_info"},
        .choices_n = "vllm:request_params_n",
    },
    EngineDialect{
        .name = "sglang",
        .mark = "sglang:",
        .caches = dialect::sglang_caches,
        .rate_gauges = "sglang:cache_hit_rate",
        .rate_gauges_are = "of the last batch only",
        .histograms = dialect::sglang_histograms,
        .gauges = dialect::sglang_gauges,
        .counters = dialect::sglang_counters,
        .success = dialect::sglang_success,
        .block_tokens = {"page_size", "sglang:cache_config_info"},
    },
    EngineDialect{
        .name = "trtllm",
        .mark = "trtllm_",
        .caches = dialect::trtllm_caches,
        .rate_gauges = "trtllm_kv_cache_hit_rate|trtllm_kv_cache_iter_reuse_rate",
        .rate_gauges_are = "ratios since the start or of one iteration",
        .histograms = dialect::trtllm_histograms,
        .gauges = dialect::trtllm_gauges,
        .counters = dialect::trtllm_counters,
        .success = dialect::trtllm_success,
        .spec = {"", "trtllm_spec_decode_num_draft_tokens|trtllm_spec_decode_drafted_tokens",
                 "trtllm_spec_decode_num_accepted_tokens|trtllm_spec_decode_accepted_tokens", ""},
        .block_tokens = {"", "trtllm_kv_cache_tokens_per_block"},
    },
    EngineDialect{
        .name = "triton-trtllm",
        .mark = "nv_trt_llm_",
        .gauges = dialect::triton_gauges,
        .success = dialect::triton_success,
        .block_tokens = {"", "nv_trt_llm_kv_cache_block_metrics", {"kv_cache_block_type", "tokens_per"}},
    },
    EngineDialect{
        .name = "lmdeploy",
        .mark = "lmdeploy:",
        .caches = dialect::lmdeploy_caches,
        .rate_gauges = "lmdeploy:prefix_cache_hit_rate|lmdeploy:external_prefix_cache_hit_rate",
        .rate_gauges_are = "ratios since the start",
        .histograms = dialect::lmdeploy_histograms,
        .gauges = dialect::lmdeploy_gauges,
        .counters = dialect::lmdeploy_counters,
        .success = dialect::lmdeploy_success,
        .spec = {"lmdeploy:spec_decode_num_drafts", "lmdeploy:spec_decode_num_draft_tokens",
                 "lmdeploy:spec_decode_num_accepted_tokens",
                 "lmdeploy:spec_decode_num_accepted_tokens_per_pos"},
    },
    EngineDialect{
        .name = "llamacpp",
        .mark = "llamacpp:",
        .caches = dialect::llamacpp_caches,
        .gauges = dialect::llamacpp_gauges,
        .counters = dialect::llamacpp_counters,
        .spec = {"llamacpp:spec_decode_num_drafts", "llamacpp:spec_decode_num_draft_tokens",
                 "llamacpp:spec_decode_num_accepted_tokens", ""},
    },
    EngineDialect{
        .name = "tgi",
        .mark = "tgi_",
        .histograms = dialect::tgi_histograms,
        .gauges = dialect::tgi_gauges,
        .counters = dialect::tgi_counters,
        .success = dialect::tgi_success,
    },
};

/// Stands for an engine that is none of these: its prefix cache is looked for by name.
inline constexpr EngineDialect unknown_dialect{.name = "unknown", .mark = ""};

} // namespace slo::plan

#endif
