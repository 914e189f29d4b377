// SPDX-License-Identifier: MIT
// The options that the load clients of vLLM and SGLang have, so that none is used that is not there.

#ifndef SLO_CARD_TOOL_FLAGS_HPP
#define SLO_CARD_TOOL_FLAGS_HPP

#include <slo/base/error.hpp>
#include <slo/base/spelling.hpp>
#include <slo/card/compiled_plan.hpp>

#include <algorithm>
#include <iterator>
#include <span>
#include <string>
#include <string_view>

namespace slo::card {

/// The options of one release of a tool.
struct ToolFlags {
    std::string_view command;
    std::string_view version;
    std::span<const std::string_view> flags;    ///< in order
    std::span<const std::string_view> datasets; ///< what --dataset-name takes
};

namespace detail {

// `vllm bench serve`: vllm/benchmarks/serve.py and datasets.py of the wheel.
inline constexpr std::string_view vllm_flags[] = {"--append-result",
                                                  "--backend",
                                                  "--base-url",
                                                  "--blazedit-max-distance",
                                                  "--blazedit-min-distance",
                                                  "--burstiness",
                                                  "--custom-output-len",
                                                  "--dataset-name",
                                                  "--dataset-path",
                                                  "--disable-shuffle",
                                                  "--disable-tqdm",
                                                  "--endpoint",
                                                  "--extra-body",
                                                  "--frequency-penalty",
                                                  "--goodput",
                                                  "--header",
                                                  "--hf-name",
                                                  "--hf-output-len",
                                                  "--hf-split",
                                                  "--hf-subset",
                                                  "--host",
                                                  "--ignore-eos",
                                                  "--label",
                                                  "--logprobs",
                                                  "--lora-modules",
                                                  "--max-concurrency",
                                                  "--metadata",
                                                  "--metric-percentiles",
                                                  "--min-p",
                                                  "--model",
                                                  "--no-oversample",
                                                  "--no-reranker",
                                                  "--no-stream",
                                                  "--num-prompts",
                                                  "--num-warmups",
                                                  "--percentile-metrics",
                                                  "--port",
                                                  "--prefix-repetition-num-prefixes",
                                                  "--prefix-repetition-output-len",
                                                  "--prefix-repetition-prefix-len",
                                                  "--prefix-repetition-suffix-len",
                                                  "--presence-penalty",
                                                  "--profile",
                                                  "--ramp-up-end-rps",
                                                  "--ramp-up-start-rps",
                                                  "--ramp-up-strategy",
                                                  "--random-batch-size",
                                                  "--random-input-len",
                                                  "--random-mm-base-items-per-request",
                                                  "--random-mm-bucket-config",
                                                  "--random-mm-limit-mm-per-prompt",
                                                  "--random-mm-num-mm-items-range-ratio",
                                                  "--random-output-len",
                                                  "--random-prefix-len",
                                                  "--random-range-ratio",
                                                  "--ready-check-timeout-sec",
                                                  "--repetition-penalty",
                                                  "--request-id-prefix",
                                                  "--request-rate",
                                                  "--result-dir",
                                                  "--result-filename",
                                                  "--save-detailed",
                                                  "--save-result",
                                                  "--seed",
                                                  "--served-model-name",
                                                  "--sharegpt-output-len",
                                                  "--skip-chat-template",
                                                  "--sonnet-input-len",
                                                  "--sonnet-output-len",
                                                  "--sonnet-prefix-len",
                                                  "--spec-bench-category",
                                                  "--spec-bench-output-len",
                                                  "--temperature",
                                                  "--tokenizer",
                                                  "--tokenizer-mode",
                                                  "--top-k",
                                                  "--top-p",
                                                  "--trust-remote-code",
                                                  "--use-beam-search"};
inline constexpr std::string_view vllm_datasets[] = {
    "burstgpt",      "custom",   "hf",     "prefix_repetition", "random", "random-mm",
    "random-rerank", "sharegpt", "sonnet", "spec_bench"};

// `python3 -m sglang.bench_serving`: sglang/bench_serving.py of the wheel.
inline constexpr std::string_view sglang_flags[] = {"--apply-chat-template",
                                                    "--backend",
                                                    "--base-url",
                                                    "--dataset-name",
                                                    "--dataset-path",
                                                    "--disable-ignore-eos",
                                                    "--disable-stream",
                                                    "--disable-tqdm",
                                                    "--extra-request-body",
                                                    "--flush-cache",
                                                    "--gsp-fast-prepare",
                                                    "--gsp-num-groups",
                                                    "--gsp-num-turns",
                                                    "--gsp-ordered",
                                                    "--gsp-output-len",
                                                    "--gsp-prompts-per-group",
                                                    "--gsp-question-len",
                                                    "--gsp-range-ratio",
                                                    "--gsp-send-routing-key",
                                                    "--gsp-system-prompt-len",
                                                    "--header",
                                                    "--host",
                                                    "--image-content",
                                                    "--image-count",
                                                    "--image-format",
                                                    "--image-resolution",
                                                    "--lora-name",
                                                    "--lora-request-distribution",
                                                    "--lora-zipf-alpha",
                                                    "--max-concurrency",
                                                    "--model",
                                                    "--mooncake-num-rounds",
                                                    "--mooncake-slowdown-factor",
                                                    "--mooncake-workload",
                                                    "--num-prompts",
                                                    "--output-details",
                                                    "--output-file",
                                                    "--pd-separated",
                                                    "--plot-throughput",
                                                    "--port",
                                                    "--print-requests",
                                                    "--profile",
                                                    "--profile-activities",
                                                    "--profile-by-stage",
                                                    "--profile-decode-url",
                                                    "--profile-num-steps",
                                                    "--profile-output-dir",
                                                    "--profile-prefill-url",
                                                    "--profile-prefix",
                                                    "--profile-stages",
                                                    "--prompt-suffix",
                                                    "--random-image-count",
                                                    "--random-input-len",
                                                    "--random-output-len",
                                                    "--random-range-ratio",
                                                    "--request-rate",
                                                    "--return-logprob",
                                                    "--return-routed-experts",
                                                    "--seed",
                                                    "--served-model-name",
                                                    "--sharegpt-context-len",
                                                    "--sharegpt-output-len",
                                                    "--tag",
                                                    "--tokenize-prompt",
                                                    "--tokenizer",
                                                    "--use-trace-timestamps",
                                                    "--warmup-requests"};
inline constexpr std::string_view sglang_datasets[] = {
    "custom",  "generated-shared-prefix", "image", "mmmu", "mooncake", "openai", "random", "random-ids",
    "sharegpt"};

inline constexpr ToolFlags vllm_tool{"vllm bench serve", "0.11.2", vllm_flags, vllm_datasets};
inline constexpr ToolFlags sglang_tool{"sglang.bench_serving", "0.5.9", sglang_flags, sglang_datasets};

} // namespace detail

/// The table of a foreign tool; nullptr for replay, which is ours.
inline const ToolFlags* flags_of(Tool tool) noexcept
{
    return tool == Tool::vllm ? &detail::vllm_tool : tool == Tool::sglang ? &detail::sglang_tool : nullptr;
}

/// Throws Error for an option or a data set that the tool does not have.
inline void check_flags(Tool tool, const Argv& argv)
{
    const auto* table = flags_of(tool);
    if (!table)
        return;
    const auto has = [](std::span<const std::string_view> names, const std::string& name) {
        return std::find(names.begin(), names.end(), name) != names.end();
    };
    const std::string release = std::string(table->command) + " " + std::string(table->version);
    for (auto word = argv.begin(); word != argv.end(); ++word) {
        if (word->starts_with("--") && !has(table->flags, *word))
            throw Error(release, "has no option " + *word);
        if (*word == "--dataset-name" && std::next(word) != argv.end() &&
            !has(table->datasets, *std::next(word)))
            throw Error(release, "has no data set " + *std::next(word));
    }
}

} // namespace slo::card

#endif
