// SPDX-License-Identifier: MIT
// Rules about how a model is cut over GPUs.

#ifndef SLO_SERVING_PARALLEL_RULES_HPP
#define SLO_SERVING_PARALLEL_RULES_HPP

#include <slo/base/text.hpp>
#include <slo/serving/facts.hpp>
#include <slo/serving/finding.hpp>

#include <cmath>
#include <cstdint>
#include <string>

namespace slo::serving {

namespace detail {

inline std::string times(std::int64_t tensor, std::int64_t pipeline, std::int64_t data)
{
    return "tensor_parallel " + std::to_string(tensor) + " x pipeline_parallel " + std::to_string(pipeline) +
           " x data_parallel " + std::to_string(data);
}

// Of the ranks below `tp`, the most that divide the number; 1 at least.
inline std::int64_t largest_divisor(std::int64_t number, std::int64_t tp)
{
    while (tp > 1 && number % tp != 0)
        --tp;
    return tp;
}

} // namespace detail

/// Attention heads, heads of keys and values, and feed-forward columns split evenly over the ranks; layers
/// over the stages.
inline void heads_rule(const Facts& facts, RuleReport& report)
{
    const auto tp = facts.tensor_parallel();
    const auto pp = facts.parallel("pipeline");
    const auto& model = facts.model;
    if (tp == 1 && pp == 1)
        return report.not_applicable("the model is not cut");
    if (pp > 1 && model.layers && pp > *model.layers)
        report.fail("pipeline_parallel " + std::to_string(pp) + " is above the " +
                        std::to_string(*model.layers) + " layers",
                    "engine.pipeline_parallel, " + model.layers.where);
    if (tp == 1)
        return;
    if (!model.heads) {
        report.not_judged("tensor_parallel is " + std::to_string(tp) +
                              ", but the number of attention heads is not "
                              "known",
                          "engine.tensor_parallel", "give --model-config");
        return;
    }
    const auto ranks = "tensor_parallel " + std::to_string(tp);
    if (*model.heads % tp != 0)
        report.fail(std::to_string(*model.heads) + " attention heads do not split over " + ranks,
                    "engine.tensor_parallel, " + model.heads.where,
                    "tensor_parallel " + std::to_string(detail::largest_divisor(*model.heads, tp)));
    const auto kv_heads = model.kv_heads ? *model.kv_heads : *model.heads;
    const auto kv_source = "engine.tensor_parallel, " + places(model.kv_heads, model.heads);
    if (facts.is_mla())
        report.info("latent attention (MLA) does not split its KV cache: each of the " + std::to_string(tp) +
                        " ranks holds all of it",
                    "engine.tensor_parallel, " + places(model.kv_lora_rank, model.is_mla, model.architecture),
                    "data-parallel attention");
    else if (kv_heads >= tp ? kv_heads % tp != 0 : tp % kv_heads != 0)
        report.fail(std::to_string(kv_heads) + " heads of keys and values do not split over " + ranks,
                    kv_source);
    else if (kv_heads < tp)
        report.warn(std::to_string(kv_heads) + " heads of keys and values are fewer than " + ranks +
                        ": the KV cache is kept " + std::to_string(tp / kv_heads) + " times",
                    kv_source, "tensor_parallel " + std::to_string(kv_heads));
    if (model.intermediate_size && *model.intermediate_size % tp != 0)
        report.fail("intermediate_size " + std::to_string(*model.intermediate_size) +
                        " does not split over " + ranks,
                    "engine.tensor_parallel, " + model.intermediate_size.where);
}

/// The cards that the cut needs are there.
inline void gpus_rule(const Facts& facts, RuleReport& report)
{
    const auto tp = facts.tensor_parallel(), pp = facts.parallel("pipeline"), dp = facts.parallel("data");
    const auto replicas = facts.sidecar().integer("engine.replicas").value_or(1);
    const auto& count = facts.gpu.count;
    // SGLang's attention is data-parallel within the ranks of the tensor-parallel group.
    const bool is_inner = facts.engine() == "sglang" && facts.extra_is_on({"enable-dp-attention"});
    const double wanted =
        static_cast<double>(tp) * static_cast<double>(pp) * (is_inner ? 1.0 : static_cast<double>(dp));
    if (!count) {
        if (wanted > 1)
            report.not_judged(format_fixed(wanted, 0) +
                                  " GPUs are needed, but how many there are is not known",
                              "engine.tensor_parallel", "say infrastructure.gpu.count");
        else
            report.not_applicable("neither cut nor cards are known");
        return;
    }
    const auto have = static_cast<double>(*count);
    const auto gpus = " of " + std::to_string(*count) + (*count == 1 ? " GPU" : " GPUs");
    report.figures() = {
        {"gpus_needed", static_cast<std::int64_t>(wanted)}, {"gpus", *count}, {"replicas", replicas}};
    const auto source = "engine, " + count.where;
    const auto cut = detail::times(tp, pp, is_inner ? 1 : dp);
    if (is_inner && tp % dp != 0)
        report.fail("with data-parallel attention data_parallel " + std::to_string(dp) +
                        " must divide tensor_parallel " + std::to_string(tp),
                    "engine.data_parallel, engine.extra_args");
    if (wanted > have)
        report.fail(cut + " needs " + format_fixed(wanted, 0) + gpus, source);
    else if (wanted * static_cast<double>(replicas) > have)
        report.warn(std::to_string(replicas) + " replicas of " + cut + " need " +
                        format_fixed(wanted * static_cast<double>(replicas), 0) + gpus +
                        ": the others must be on other machines, and gpu.count counts one",
                    source + ", engine.replicas");
    else if (wanted * static_cast<double>(replicas) < have && !facts.sidecar().at("framework.config"))
        report.info("the deployment uses " + format_fixed(wanted * static_cast<double>(replicas), 0) + gpus +
                        "; price and power count all",
                    source);
}

/// Experts split evenly, where they are spread.
inline void experts_rule(const Facts& facts, RuleReport& report)
{
    const auto* spread = facts.sidecar().at("engine.expert_parallel");
    const auto number = as_number(spread);
    if (!spread || *spread == false || number == 0.0)
        return report.not_applicable("experts are not spread");
    if (!facts.is_moe() && !facts.model.experts)
        return void(report.warn("expert_parallel is on, but nothing says that the model has experts",
                                "engine.expert_parallel",
                                "say model.architecture (moe), or give --model-config"));
    const auto& experts = facts.model.experts;
    const auto ranks =
        number ? static_cast<std::int64_t>(*number) : facts.tensor_parallel() * facts.parallel("data");
    if (!experts)
        report.not_judged("experts are spread over " + std::to_string(ranks) +
                              " ranks, but their number is not known",
                          "engine.expert_parallel", "give --model-config");
    else if (*experts % ranks != 0)
        report.warn(std::to_string(*experts) + " experts do not split evenly over " + std::to_string(ranks) +
                        " ranks",
                    "engine.expert_parallel, " + experts.where);
}

} // namespace slo::serving

#endif
