// SPDX-License-Identifier: MIT
// Rules about memory: weights and KV cache on the cards, what is offloaded in the host.

#ifndef SLO_SERVING_MEMORY_RULES_HPP
#define SLO_SERVING_MEMORY_RULES_HPP

#include <slo/base/text.hpp>
#include <slo/serving/facts.hpp>
#include <slo/serving/finding.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>

namespace slo::serving {

/// What one copy of the model has in the memory of its GPUs. All sums are over the group's GPUs.
struct MemoryPlan {
    Known<double> weight_bytes;
    Known<double> token_bytes; ///< of the KV cache for each token of a full layer's context
    double sliding_share = 0;  ///< of token_bytes, kept for the last sliding_window tokens only
    double window_tokens = 0;
    std::int64_t gpus = 1;      ///< that share the weights
    Known<double> usable_bytes; ///< memory x gpu_memory_utilization x GPUs
    std::string unknown, fix;   ///< the first thing that is missing, and what would say it

    std::optional<double> pool_bytes() const
    {
        if (!weight_bytes || !usable_bytes)
            return std::nullopt;
        return *usable_bytes - *weight_bytes;
    }
    /// Of one sequence that is `tokens` long.
    double sequence_bytes(double tokens) const
    {
        return *token_bytes *
               ((1 - sliding_share) * tokens + sliding_share * std::min(tokens, window_tokens));
    }
};

namespace detail {

inline Known<double> weight_bytes(const Facts& facts)
{
    const auto& model = facts.model;
    const auto* precision = model.quantization ? find_precision(*model.quantization) : nullptr;
    double each = precision ? precision->bytes : 2;
    if ((!precision || precision->name == "none") && model.dtype && *model.dtype == "float32")
        each = 4;
    if (const auto total = model.parameters_total ? parse_parameters(*model.parameters_total) : std::nullopt)
        return {*total * each, model.parameters_total.where};
    for (const char* path : {"model.id", "model.name"})
        if (const auto name = facts.sidecar().text(path))
            if (const auto total = parameters_in_name(*name))
                return {*total * each, path};
    return {};
}

// Keys and values of one token over all layers and ranks; what is replicated counts as often.
inline void plan_cache(const Facts& facts, MemoryPlan& plan)
{
    plan.fix = "give --model-config";
    const auto& model = facts.model;
    const auto dtype = lower_case(facts.sidecar().text("engine.kv_cache_dtype").value_or("auto"));
    const auto* format = find_precision(dtype);
    const double each = dtype.starts_with("fp8") ? 1 : format ? format->bytes : 2;
    const auto ranks = static_cast<double>(facts.tensor_parallel());
    if (!model.layers) {
        plan.unknown = "the number of layers";
        return;
    }
    if (facts.is_mamba_hybrid() && !model.full_layers) {
        plan.unknown = "how many layers of the hybrid model keep a KV cache";
        return;
    }
    const auto full = static_cast<double>(model.full_layers.value.value_or(*model.layers));
    const auto sliding = static_cast<double>(model.sliding_layers.value.value_or(0));
    double per_layer = 0;
    if (model.kv_lora_rank) {
        per_layer =
            static_cast<double>(*model.kv_lora_rank + model.qk_rope_head_dim.value.value_or(0)) * ranks;
    } else if (model.heads && (model.head_dim || model.hidden_size)) {
        const auto heads = static_cast<double>(model.kv_heads ? *model.kv_heads : *model.heads);
        const auto width =
            static_cast<double>(model.head_dim ? *model.head_dim : *model.hidden_size / *model.heads);
        per_layer = 2 * std::max(heads, ranks) * width;
    } else {
        plan.unknown = "the heads of keys and values";
        return;
    }
    if (full + sliding < 1) {
        plan.unknown = "which layers keep a KV cache";
        return;
    }
    plan.token_bytes = {(full + sliding) * per_layer * each,
                        places(model.layers, model.kv_heads, model.heads)};
    if (model.sliding_window) {
        // A window without kinds of layers holds for all of them.
        plan.sliding_share = model.full_layers ? sliding / (full + sliding) : 1;
        plan.window_tokens = static_cast<double>(*model.sliding_window);
    }
}

} // namespace detail

/// What can be known of the memory on the cards.
inline MemoryPlan plan_memory(const Facts& facts)
{
    MemoryPlan plan;
    plan.weight_bytes = detail::weight_bytes(facts);
    detail::plan_cache(facts, plan);
    if (const auto& memory = facts.gpu.memory_bytes) {
        // What vLLM takes unless it is told otherwise; SGLang's mem-fraction-static is of the same kind.
        constexpr double usual_share = 0.9;
        auto share = facts.sidecar().number("engine.gpu_memory_utilization");
        if (!share)
            share = facts.extra_number({"gpu-memory-utilization", "mem-fraction-static"});
        plan.gpus = facts.group_gpus();
        const auto* spread = facts.sidecar().at("engine.expert_parallel");
        if (spread &&
            *spread != false) // then the ranks of data parallelism share the experts: the most there can be
            plan.gpus *= facts.parallel("data");
        plan.usable_bytes = {*memory * std::clamp(share.value_or(usual_share), 0.0, 1.0) *
                                 static_cast<double>(plan.gpus),
                             memory.where};
    }
    if (!facts.model.max_model_len) {
        plan.unknown = "max_model_len";
        plan.fix = "say model.max_model_len";
    }
    if (!plan.weight_bytes) {
        plan.unknown = "the number of parameters";
        plan.fix = "say model.parameters_total";
    }
    if (!plan.usable_bytes) {
        plan.unknown = "the memory of the GPUs";
        plan.fix = "say infrastructure.gpu.vram_gb";
    }
    return plan;
}

/// Weights, and at least one sequence of max_model_len, fit on the cards; and as many as max_num_seqs says.
inline void kv_memory_rule(const Facts& facts, RuleReport& report)
{
    if (facts.gpu.memory_bytes && *facts.gpu.memory_bytes == 0)
        return report.not_applicable("the cards have no memory");
    if (const auto share = facts.extra_number({"gpu-memory-utilization", "mem-fraction-static"});
        share && !(*share > 0 && *share <= 1)) {
        report.fail("the share of the cards' memory in extra_args is " + format_double(*share) +
                        ", which is none of 1",
                    "engine.extra_args", "0.9 for 90 %");
        return;
    }
    const auto plan = plan_memory(facts);
    const auto pool = plan.pool_bytes();
    const auto& length = facts.model.max_model_len;
    const auto& names = facts.sidecar();
    if (pool)
        report.figures() = {{"weight_gib", *plan.weight_bytes / gib_bytes},
                            {"usable_gib", *plan.usable_bytes / gib_bytes},
                            {"kv_pool_gib", *pool / gib_bytes}};
    const auto sums = pool ? gib_text(*plan.usable_bytes) + " GiB usable on " +
                                 std::to_string(facts.group_gpus()) + (plan.gpus == 1 ? " GPU" : " GPUs") +
                                 ", weights of about " + gib_text(*plan.weight_bytes) + " GiB"
                           : std::string();
    const auto source = places(plan.usable_bytes, plan.weight_bytes);
    if (pool && *pool <= 0) {
        report.fail("the weights do not fit: " + sums, source,
                    "more tensor_parallel, a smaller quantization, or larger GPUs");
        return;
    }
    if (!pool || !plan.token_bytes || !length) {
        if (!length && !facts.gpu.memory_bytes && !plan.token_bytes)
            return report.not_applicable("neither context nor memory are known");
        report.not_judged("whether a sequence of the whole context fits is not known: " + plan.unknown +
                              " is missing",
                          source.empty() ? "model, infrastructure.gpu" : source, plan.fix);
        return;
    }
    const auto each = plan.sequence_bytes(static_cast<double>(*length));
    const auto fitting = std::floor(*pool / each);
    report.figures()["kv_bytes_per_token"] = *plan.token_bytes;
    report.figures()["sequence_gib"] = each / gib_bytes;
    report.figures()["sequences"] = static_cast<std::int64_t>(std::min(fitting, 1e15));
    const auto need = "one sequence of " + std::to_string(*length) + " tokens keeps " + gib_text(each) +
                      " GiB; " + sums + ", before activations";
    const auto all = places(plan.usable_bytes, plan.weight_bytes, plan.token_bytes, length);
    if (fitting < 1) {
        const auto tokens = plan.sliding_share == 0 ? std::floor(*pool / *plan.token_bytes) : 0;
        report.fail("no sequence of max_model_len fits: " + need, all,
                    tokens >= 1 ? "max_model_len " + format_fixed(tokens, 0) + " at most" : "");
        return;
    }
    auto wanted = names.integer("engine.max_num_seqs");
    if (!wanted)
        if (const auto extra = facts.extra_number({"max-num-seqs", "max-running-requests"}))
            wanted = static_cast<std::int64_t>(std::clamp(*extra, 0.0, 1e9));
    if (wanted && fitting < static_cast<double>(*wanted))
        report.warn(format_fixed(fitting, 0) + " of max_num_seqs " + std::to_string(*wanted) +
                        " sequences fit at their longest, the others wait or are preempted: " + need,
                    all + ", engine.max_num_seqs",
                    "max_num_seqs " + format_fixed(fitting, 0) + ", or a shorter context");
}

namespace detail {

struct Offload {
    double ranks = 1; ///< of one machine
    double bytes = 0;
    std::string from;
};

// What engines keep in the host's memory, over all ranks of the machine.
inline Offload planned_offload(const Facts& facts)
{
    auto ranks = static_cast<double>(facts.group_gpus() * facts.parallel("data")) *
                 static_cast<double>(facts.sidecar().integer("engine.replicas").value_or(1));
    if (facts.gpu.count) // the others are on other machines
        ranks = std::min(ranks, static_cast<double>(*facts.gpu.count));
    Offload sum{ranks, 0, ""};
    const auto add = [&](std::optional<double> gib, double times, const std::string& from) {
        if (!gib || !(*gib > 0))
            return;
        sum.bytes += *gib * gib_bytes * times;
        sum.from += (sum.from.empty() ? "" : ", ") + from;
    };
    add(facts.extra_number({"cpu-offload-gb"}), ranks, "extra_args.cpu-offload-gb");
    add(facts.extra_number({"swap-space"}), ranks, "extra_args.swap-space");
    add(facts.extra_number({"kv-offloading-size"}), 1,
        "extra_args.kv-offloading-size"); // of all ranks already
    add(facts.extra_number({"max-local-cpu-size", "lmcache-max-local-cpu-size"}), ranks,
        "extra_args.max-local-cpu-size");
    if (facts.sidecar().flag("engine.hierarchical_cache").value_or(false) ||
        facts.extra_is_on({"enable-hierarchical-cache"})) {
        auto size = facts.sidecar().number("engine.hicache_size_gb");
        add(size ? size : facts.extra_number({"hicache-size"}), ranks, "engine.hicache_size_gb");
    }
    return sum;
}

} // namespace detail

/// What is offloaded fits into the host's memory.
inline void host_memory_rule(const Facts& facts, RuleReport& report)
{
    const auto sum = detail::planned_offload(facts);
    if (!(sum.bytes > 0))
        return report.not_applicable("nothing is offloaded to the host's memory");
    const auto& memory = facts.host_memory_bytes;
    report.figures()["offload_gib"] = sum.bytes / gib_bytes;
    const auto need = gib_text(sum.bytes) + " GiB of the host's memory are offloaded to (" + sum.from +
                      ", over " + format_fixed(sum.ranks, 0) + " ranks)";
    if (!memory) {
        report.not_judged(need + ", but how much it has is not known", sum.from,
                          "say infrastructure.host_memory_gb, or give --gpus");
        return;
    }
    // The engine, its pinned buffers and the page cache of the weights live there, too.
    constexpr double tight_share = 0.8;
    const auto has = need + "; it has " + gib_text(*memory) + " GiB";
    if (sum.bytes > *memory)
        report.fail(has, sum.from + ", " + memory.where);
    else if (sum.bytes > tight_share * *memory)
        report.warn(has + ": more than 80 % of it", sum.from + ", " + memory.where);
}

/// SGLang's cache in the host is larger than the one on the card that it stands behind (classic rule 5).
inline void hicache_rule(const Facts& facts, RuleReport& report)
{
    if (!facts.sidecar().flag("engine.hierarchical_cache").value_or(false))
        return report.not_applicable("no hierarchical_cache");
    const auto size = facts.sidecar().number("engine.hicache_size_gb");
    if (!size) {
        report.warn("hierarchical_cache is on, but hicache_size_gb is not said: the engine's ratio to the "
                    "pool on the "
                    "card decides how much of the host's memory it takes",
                    "engine.hierarchical_cache", "say engine.hicache_size_gb");
        return;
    }
    const auto plan = plan_memory(facts);
    const auto pool = plan.pool_bytes();
    const auto each = pool ? *pool / static_cast<double>(plan.gpus) : 0;
    if (!pool || each <= 0)
        report.not_judged("hicache_size_gb is " + format_double(*size) +
                              ", but the pool on the card, which it must be "
                              "above, is not known",
                          "engine.hicache_size_gb",
                          "say model.parameters_total and infrastructure.gpu.vram_gb");
    else if (*size * 1e9 <= each)
        report.warn(
            "hicache_size_gb " + format_double(*size) + " is not above the pool on each card, about " +
                gib_text(each) + " GiB: what is evicted there finds no room in the host",
            "engine.hicache_size_gb", "hicache_size_gb above " + format_fixed(std::ceil(each / 1e9), 0));
}

} // namespace slo::serving

#endif
