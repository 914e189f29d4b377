// SPDX-License-Identifier: MIT
// The command lines of vLLM's and of SGLang's load client.

#ifndef SLO_CARD_ARGV_VENDOR_HPP
#define SLO_CARD_ARGV_VENDOR_HPP

#include <slo/base/json.hpp>
#include <slo/card/argv_common.hpp>
#include <slo/card/card_view.hpp>
#include <slo/card/compiled_plan.hpp>
#include <slo/card/dataset_workload.hpp>
#include <slo/card/load_steps.hpp>
#include <slo/card/tool_flags.hpp>

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace slo::card {

namespace detail {

// Sources of traces that vLLM's client reads through the Hugging Face library.
inline bool is_hub_source(const std::string& source)
{
    return source == "hf" || source == "custom" || source == "lmsys-chat-1m";
}

inline Argv trace_argv(Tool tool, const Workload& workload)
{
    const bool hub = is_hub_source(workload.source);
    if (!hub && workload.source != "sharegpt")
        throw Unsupported("trace_source_unknown", "dataset.source",
                          "'" + printable(workload.source, 60) +
                              "' is none of sharegpt, lmsys-chat-1m, hf, custom; --tool replay reads more");
    if (hub && workload.path.empty())
        throw Unsupported("trace_path_required", "dataset.source",
                          "'" + workload.source +
                              "' needs the trace: set workload_overrides.trace.path in the "
                              "sidecar");
    if (hub && tool == Tool::sglang)
        throw Unsupported("trace_source_vllm_only", "dataset.source",
                          "'" + workload.source +
                              "' is not read by sglang.bench_serving: take --tool replay or "
                              "vllm, or a trace in the form of ShareGPT");
    Argv argv{"--dataset-name", hub ? "hf" : "sharegpt"};
    if (!workload.path.empty())
        append(argv, {"--dataset-path", workload.path});
    return argv;
}

inline Argv dataset_argv(Tool tool, const Workload& workload)
{
    const auto number = [](const Count& count) { return std::to_string(count.whole()); };
    if (workload.kind == Workload::Kind::trace)
        return trace_argv(tool, workload);
    if (workload.kind == Workload::Kind::random)
        return {"--dataset-name",      "random",
                "--random-input-len",  number(workload.input),
                "--random-output-len", number(workload.output)};
    const auto groups = std::to_string(workload.groups);
    if (tool == Tool::vllm)
        return {"--dataset-name",
                "prefix_repetition",
                "--prefix-repetition-prefix-len",
                number(workload.prefix),
                "--prefix-repetition-suffix-len",
                number(workload.suffix),
                "--prefix-repetition-num-prefixes",
                groups,
                "--prefix-repetition-output-len",
                number(workload.output)};
    return {
        "--dataset-name",          "generated-shared-prefix", "--gsp-num-groups",   groups,
        "--gsp-system-prompt-len", number(workload.prefix),   "--gsp-question-len", number(workload.suffix),
        "--gsp-output-len",        number(workload.output)};
}

inline Argv load_argv(Tool tool, const LoadStep& load)
{
    Argv argv{"--request-rate", load.rate.is_null() ? "inf" : python_text(load.rate)};
    if (load.concurrency)
        append(argv, {"--max-concurrency", std::to_string(*load.concurrency)});
    if (load.prompts)
        append(argv, {"--num-prompts", std::to_string(*load.prompts)});
    if (load.burstiness && tool == Tool::vllm)
        append(argv, {"--burstiness", python_text(*load.burstiness)});
    return argv;
}

// What vLLM's client ends at, before it has sent anything.
inline void check_for_vllm(const StepContext& step)
{
    const auto& workload = step.workload;
    if (workload.kind == Workload::Kind::random && workload.range_ratio.value_or(0) >= 1)
        throw Unsupported("range_ratio_too_large", "dataset.random_range_ratio",
                          "vllm bench serve takes ratios below 1: set one, or take --tool replay");
    if (workload.kind == Workload::Kind::shared_prefix && step.load.prompts &&
        *step.load.prompts < workload.groups)
        throw Unsupported("fewer_prompts_than_prefixes", "load.num_prompts",
                          std::to_string(*step.load.prompts) + " prompts cannot share " +
                              std::to_string(workload.groups) +
                              " prefixes with vllm bench serve: send more, or set fewer prefix_groups");
}

// What the older compilers left out and the tool can say.
inline Argv vllm_extras(const StepContext& step)
{
    Argv argv;
    if (step.workload.kind == Workload::Kind::random && step.workload.range_ratio)
        append(argv, {"--random-range-ratio", python_text(*step.workload.range_ratio)});
    if (step.workload.exact_output)
        argv.emplace_back("--ignore-eos");
    if (step.load.warm_ups > 0)
        append(argv, {"--num-warmups", std::to_string(step.load.warm_ups)});
    append(argv, {"--seed", std::to_string(step.seed), "--percentile-metrics", "ttft,tpot,itl,e2el",
                  "--metric-percentiles", "50,90,95,99", "--save-result", "--save-detailed",
                  "--result-filename", step.names.file("result", "json")});
    return argv;
}

inline Argv sglang_extras(const StepContext& step)
{
    Argv argv;
    // Its ratio is the least length over the greatest; without it lengths are drawn from 1 on.
    if (step.workload.kind == Workload::Kind::random)
        append(argv, {"--random-range-ratio", "1"});
    if (step.workload.kind == Workload::Kind::shared_prefix)
        append(argv,
               {"--gsp-prompts-per-group",
                std::to_string(prompts_per_group(step.load.prompts.value_or(1000), step.workload.groups))});
    if (!step.workload.exact_output)
        argv.emplace_back("--disable-ignore-eos");
    if (!step.api.streaming)
        argv.emplace_back("--disable-stream");
    append(argv, {"--warmup-requests", std::to_string(step.load.warm_ups), "--seed",
                  std::to_string(step.seed), "--output-file", step.names.file("result"), "--output-details"});
    return argv;
}

// What a client draws otherwise than the card says.
inline void lose_for_vendor(CardView& card, Tool tool, const Api& api, const Dataset& set, const Load& load)
{
    if (tool == Tool::vllm && !api.streaming)
        card.lose("api.streaming", "vllm bench serve streams every answer");
    if (tool == Tool::sglang && api.base != "/v1")
        card.lose("api.endpoint", "sglang.bench_serving asks under /v1 alone");
    for (const auto& step : load.steps) {
        if (!step.rate.is_null() && !step.random_arrivals && card.peek("load.type"))
            card.lose("load.type", "the client spaces requests as a Poisson process, not evenly");
        if (step.by_duration && step.rate.is_null())
            card.lose("load.per_level_duration_s", "the client counts prompts, not seconds: it ends after " +
                                                       std::to_string(step.prompts.value_or(1000)));
    }
    if (tool == Tool::vllm)
        return;
    if (card.peek("load.burstiness"))
        card.lose("load.burstiness", "sglang.bench_serving knows Poisson arrivals only");
    for (const auto& workload : set.workloads)
        if (workload.range_ratio && *workload.range_ratio != 0)
            card.lose("dataset.random_range_ratio", "SGLang draws from R·N to N, not from N(1-R) to N(1+R): "
                                                    "sent with N tokens each");
}

inline std::vector<std::string> vendor_notes(Tool tool, const Dataset& set, const Load& load)
{
    std::vector<std::string> notes;
    const auto& workload = set.workloads.front();
    const auto prompts = load.steps.front().prompts.value_or(1000);
    if (load.steps.front().warm_ups > 0)
        notes.emplace_back("the client's warm-up sends its first prompt again and again");
    if (workload.kind == Workload::Kind::trace && workload.path.empty())
        notes.emplace_back(tool == Tool::vllm
                               ? "no path of the trace is known: vllm bench serve ends without one; set "
                                 "workload_overrides.trace.path in the sidecar"
                               : "no path of the trace is known: sglang.bench_serving downloads ShareGPT");
    if (workload.kind == Workload::Kind::trace && is_hub_source(workload.source))
        notes.emplace_back(
            "vLLM reads only the data sets of the Hugging Face hub that it has a reader for; a file "
            "of your own is what --tool replay takes");
    if (workload.kind == Workload::Kind::random && tool == Tool::sglang)
        notes.emplace_back("sglang.bench_serving cuts its random prompts from ShareGPT, which it downloads");
    if (workload.kind == Workload::Kind::shared_prefix && prompts % workload.groups != 0)
        notes.push_back(tool == Tool::vllm
                            ? "vLLM sends as many prompts of each prefix, so fewer than --num-prompts"
                            : "SGLang sends as many prompts of each prefix, so more than --num-prompts");
    return notes;
}

} // namespace detail

/// The command of one step for vLLM or SGLang. Throws Unsupported; Error for an option that its release does
/// not have.
inline Argv vendor_argv(Tool tool, const StepContext& step, const Argv& goodput)
{
    if (tool == Tool::vllm)
        detail::check_for_vllm(step);
    const auto backend = std::string(step.api.chat ? "-chat" : "");
    Argv argv =
        tool == Tool::vllm
            ? Argv{"vllm", "bench", "serve", "--backend", "openai" + backend, "--endpoint", step.api.path()}
            : Argv{"python3", "-m", "sglang.bench_serving", "--backend", "sglang-oai" + backend};
    append(argv, {"--base-url", step.target.base_url, "--model", step.target.model});
    append(argv, detail::dataset_argv(tool, step.workload));
    append(argv, detail::load_argv(tool, step.load));
    append(argv, goodput);
    append(argv, tool == Tool::vllm ? detail::vllm_extras(step) : detail::sglang_extras(step));
    check_flags(tool, argv);
    return argv;
}

} // namespace slo::card

#endif
