// SPDX-License-Identifier: MIT
// Rules about number formats: what weights are made of, and what the cards compute with.

#ifndef SLO_SERVING_PRECISION_RULES_HPP
#define SLO_SERVING_PRECISION_RULES_HPP

#include <slo/base/spelling.hpp>
#include <slo/base/text.hpp>
#include <slo/serving/facts.hpp>
#include <slo/serving/finding.hpp>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace slo::serving {

namespace detail {

inline std::string nearest_precision(const std::string& typed)
{
    std::vector<std::string_view> names;
    for (const auto& precision : precisions)
        names.push_back(precision.name);
    const auto nearest = nearest_name(lower_case(typed), names);
    return nearest.value_or("");
}

// "1, 2 or 4".
inline std::string alternatives(const std::vector<std::int64_t>& numbers)
{
    std::string text;
    for (std::size_t i = 0; i < numbers.size(); ++i)
        text += (i == 0 ? "" : i + 1 == numbers.size() ? " or " : ", ") + std::to_string(numbers[i]);
    return text;
}

} // namespace detail

/// The weights' and the cache's formats have names that are known.
inline void quantization_names_rule(const Facts& facts, RuleReport& report)
{
    const auto& weights = facts.model.quantization;
    const auto cache = facts.sidecar().text("engine.kv_cache_dtype");
    if (!weights && !cache)
        return report.not_applicable("neither weights nor cache have a quantization");
    if (weights && !find_precision(*weights)) {
        const auto reason = "'" + printable(*weights, 60) + "' is no quantization known here";
        if (weights.where.starts_with("model."))
            report.fail(reason, weights.where, detail::nearest_precision(*weights));
        else
            report.not_judged(reason, weights.where, "say model.quantization in the sidecar");
    }
    if (!cache || *cache == "auto" || *cache == "float16" || *cache == "bfloat16" || find_precision(*cache))
        return;
    if (!cache->starts_with("fp8_")) // engines have variants of it: fp8_inc, fp8_ds_mla
        report.fail("'" + printable(*cache, 60) + "' is no format of a KV cache known here",
                    "engine.kv_cache_dtype", detail::nearest_precision(*cache));
}

/// The cards have arithmetic for the weights' format, and for that of the KV cache.
inline void precision_rule(const Facts& facts, RuleReport& report)
{
    const auto& weights = facts.model.quantization;
    const auto* precision = weights ? find_precision(*weights) : nullptr;
    Known<std::string> used = weights;
    if (!precision || precision->name == "none") { // then the checkpoint's own type counts
        const auto& dtype = facts.model.dtype;
        precision = !dtype ? precision
                           : find_precision(*dtype == "bfloat16"  ? "bf16"
                                            : *dtype == "float16" ? "fp16"
                                                                  : *dtype);
        used = dtype ? dtype : weights;
    }
    const auto cache = facts.sidecar().text("engine.kv_cache_dtype");
    const bool cache_is_fp8 = cache && cache->starts_with("fp8");
    if (!precision && !cache_is_fp8)
        return report.not_applicable("the weights' format is not known");
    const auto& gpu = facts.gpu;
    const bool needs_none = !precision || precision->computes_from == 0;
    if (needs_none && !cache_is_fp8)
        return;
    if (!gpu.capability) {
        if (gpu.name || facts.sidecar().at("infrastructure.gpu.arch"))
            report.not_judged("whether the cards compute in " +
                                  std::string(precision ? precision->name : "fp8") +
                                  " is not known: their compute capability is not",
                              "infrastructure.gpu", "say infrastructure.gpu.arch (sm_90)");
        else
            report.not_applicable("the cards are not known");
        return;
    }
    const auto has = capability_name(*gpu.capability);
    if (!needs_none && *gpu.capability < precision->computes_from) {
        std::string reason = has + " has no arithmetic for " + std::string(precision->name) +
                             ", which needs " + capability_name(precision->computes_from);
        if (!precision->falls_back.empty())
            reason += "; an engine that starts nevertheless computes otherwise: " +
                      std::string(precision->falls_back);
        // gpt-oss is served so on Hopper by every engine.
        const bool is_usual = precision->name == "mxfp4" && *gpu.capability >= 80;
        const auto fix = precision->name == "bf16" ? "fp16"
                                                   : "another quantization, or cards from " +
                                                         capability_name(precision->computes_from) + " on";
        report.add(is_usual ? Verdict::warn : Verdict::fail, reason, places(used, gpu.capability), fix);
    }
    if (cache_is_fp8 && *gpu.capability < 89)
        report.warn(
            has + " has no arithmetic for fp8, which needs sm_89: the KV cache is converted at every read",
            "engine.kv_cache_dtype, " + gpu.capability.where, "kv_cache_dtype auto");
}

/// FP8 weights in blocks split evenly over the ranks (classic rule 1).
inline void fp8_moe_rule(const Facts& facts, RuleReport& report)
{
    if (!facts.is_moe() || !facts.is_fp8())
        return report.not_applicable("no mixture of experts in fp8");
    const auto granularity = lower_case(facts.model.fp8_granularity.value.value_or(""));
    for (const char* free : {"per-tensor", "per_tensor", "per-channel", "per_channel", "tensor", "channel"})
        if (granularity == free)
            return report.not_applicable("scales are " + granularity + ", not by block");
    const auto& size = facts.model.moe_intermediate_size;
    if (!size) {
        report.not_judged(
            "fp8 weights of experts are scaled by blocks of 128, but moe_intermediate_size is not known",
            "model.quantization, model.architecture",
            "say model.moe_intermediate_size, or give --model-config", Verdict::warn);
        return;
    }
    const auto block = facts.model.weight_block.value.value_or(128);
    const auto tp = facts.tensor_parallel();
    const auto divides = [&](std::int64_t ranks) { return *size % (ranks * block) == 0; };
    if (divides(tp))
        return;
    std::vector<std::int64_t> suggested;
    const auto most = std::max(tp, facts.gpu.count.value.value_or(1));
    for (const std::int64_t ranks : {1, 2, 4, 8})
        if (ranks <= most && divides(ranks))
            suggested.push_back(ranks);
    auto& finding =
        report.fail("moe_intermediate_size " + std::to_string(*size) + " is no multiple of tensor_parallel " +
                        std::to_string(tp) + " x " + std::to_string(block) + " (the block of fp8 scales)",
                    places(size, facts.model.quantization) + ", engine.tensor_parallel",
                    suggested.empty() ? "" : "tensor_parallel " + detail::alternatives(suggested));
    if (!suggested.empty())
        finding.figures["suggested_tp"] = json::array(suggested.begin(), suggested.end());
}

/// The context that is served is one the model was made for (classic rule 2).
inline void context_rule(const Facts& facts, RuleReport& report)
{
    const auto& served = facts.model.max_model_len;
    const auto& positions = facts.model.max_position_embeddings;
    if (!served)
        return report.not_applicable("no max_model_len");
    if (!positions) {
        report.not_judged("max_model_len is " + std::to_string(*served) +
                              ", but how far the model's positions reach "
                              "is not known",
                          served.where, "say model.max_position_embeddings, or give --model-config");
        return;
    }
    if (*served <= *positions)
        return;
    const auto reason = "max_model_len " + std::to_string(*served) + " is above max_position_embeddings " +
                        std::to_string(*positions);
    const auto source = places(served, positions);
    if (facts.extra({"rope-scaling", "hf-overrides", "json-model-override-args"}))
        report.not_judged(reason + "; extra_args stretch the positions, and how far is not judged",
                          source + ", engine.extra_args", "", Verdict::warn);
    else
        report.fail(reason, source, "max_model_len " + std::to_string(*positions));
}

} // namespace slo::serving

#endif
