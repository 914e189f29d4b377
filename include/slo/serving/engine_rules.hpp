// SPDX-License-Identifier: MIT
// Rules about what engines cannot combine: caches, hybrid models, speculative decoding.

#ifndef SLO_SERVING_ENGINE_RULES_HPP
#define SLO_SERVING_ENGINE_RULES_HPP

#include <slo/base/spelling.hpp>
#include <slo/base/text.hpp>
#include <slo/serving/facts.hpp>
#include <slo/serving/finding.hpp>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace slo::serving {

/// LMCache does not know the layout of latent attention (classic rule 4).
inline void lmcache_rule(const Facts& facts, RuleReport& report)
{
    const bool in_name = facts.engine().find("lmcache") != std::string::npos;
    const bool is_used = in_name || facts.extra_is_on({"enable-lmcache"});
    if (!is_used)
        return report.not_applicable("no LMCache");
    const auto source = std::string(in_name ? "engine.name" : "engine.extra_args.enable-lmcache");
    const auto& model = facts.model;
    if (facts.is_mla())
        report.fail("the model has latent attention (MLA), whose cache LMCache does not keep",
                    source + ", " + places(model.is_mla, model.kv_lora_rank, model.architecture),
                    "engine.extra_args without enable-lmcache");
    else if (!model.is_mla && !model.architecture && !model.heads)
        report.not_judged("LMCache is on, but whether the model has latent attention (MLA) is not known",
                          source, "say model.architecture or model.is_mla, or give --model-config");
}

/// State-space layers keep no cache by blocks: with speculative decoding prefix caching must be off (classic
/// rule 7).
inline void mamba_prefix_rule(const Facts& facts, RuleReport& report)
{
    if (!facts.is_mamba_hybrid() || !facts.speculation())
        return report.not_applicable(
            "no hybrid of attention and state-space layers with speculative decoding");
    if (facts.sidecar().flag("engine.prefix_caching") != false)
        report.warn("a hybrid of attention and state-space layers with speculative decoding: prefix caching "
                    "is not off, "
                    "and gives wrong states or does not start",
                    places(facts.model.is_mamba_hybrid, facts.model.architecture) +
                        ", engine.speculative_decode",
                    "prefix_caching: false");
}

/// The same layers with the hierarchical cache: no CUDA graphs (classic rule 8).
inline void hybrid_graph_rule(const Facts& facts, RuleReport& report)
{
    if (!facts.is_mamba_hybrid() || !facts.sidecar().flag("engine.hierarchical_cache").value_or(false))
        return report.not_applicable("no hybrid of attention and state-space layers with hierarchical_cache");
    if (facts.sidecar().flag("engine.cuda_graph") != false)
        report.warn(
            "a hybrid of attention and state-space layers with hierarchical_cache: CUDA graphs are not off",
            places(facts.model.is_mamba_hybrid, facts.model.architecture) + ", engine.hierarchical_cache",
            "cuda_graph: false");
}

/// Drafting over PCIe costs more than it saves for these methods (classic rule 6).
inline void speculation_link_rule(const Facts& facts, RuleReport& report)
{
    if (!facts.speculation())
        return report.not_applicable("no speculative decoding");
    const auto method = facts.speculation_method();
    constexpr std::array<std::string_view, 5> chatty{"mtp", "qwen3_next_mtp", "eagle3", "eagle", "ngram"};
    if (std::find(chatty.begin(), chatty.end(), method) == chatty.end())
        return;
    const auto& link = facts.gpu.interconnect;
    if (!link && facts.tensor_parallel() > 1)
        report.not_judged("speculative decoding (" + method + ") over tensor_parallel " +
                              std::to_string(facts.tensor_parallel()) +
                              ", but what links the cards is not known",
                          "engine.speculative_decode", "say infrastructure.gpu.interconnect");
    else if (link && *link == "pcie")
        report.warn("speculative decoding (" + method +
                        ") on cards linked by PCIe: each draft waits for the link",
                    "engine.speculative_decode, " + link.where, "measure it against the same run without");
}

/// What is said of the drafts fits the method and the model.
inline void speculation_shape_rule(const Facts& facts, RuleReport& report)
{
    const auto* keys = facts.speculation();
    if (!keys)
        return report.not_applicable("no speculative decoding");
    const std::string source = "engine.speculative_decode";
    const auto method = facts.speculation_method();
    constexpr std::array<std::string_view, 14> known{
        "mtp",        "qwen3_next_mtp", "deepseek_mtp",   "nextn",    "eagle",
        "eagle3",     "draft-model",    "draft_model",    "ngram",    "medusa",
        "standalone", "suffix",         "mlp_speculator", "lookahead"};
    if (method.empty()) {
        report.not_judged("neither algorithm nor method is said", source,
                          "say method (mtp, eagle3, draft-model)");
        return;
    }
    if (std::find(known.begin(), known.end(), method) == known.end()) {
        const auto nearest = nearest_name(method, known);
        report.not_judged("'" + printable(method, 60) + "' is no method known here", source,
                          nearest.value_or(""), Verdict::warn);
        return;
    }
    constexpr std::array<std::string_view, 5> written{"mtp", "eagle", "eagle3", "draft-model", "ngram"};
    if (const auto said = string_at(*keys, "method");
        said && std::find(written.begin(), written.end(), *said) == written.end())
        report.info("method '" + printable(*said, 60) +
                        "' is none of the words that the artifact's schema allows",
                    source, "say it as algorithm");
    const bool has_model = string_at(*keys, "draft_model").has_value();
    if ((method == "draft-model" || method == "draft_model" || method == "standalone") && !has_model)
        report.fail("method " + method + " needs a draft_model", source, "say draft_model");
    else if ((method == "eagle" || method == "eagle3" || method == "medusa") && !has_model)
        report.not_judged("method " + method + " takes its heads from a draft_model, and none is said",
                          source, "say draft_model");
    const auto& supports = facts.model.supports_mtp;
    const bool is_mtp = method == "nextn" || method.find("mtp") != std::string::npos;
    if (is_mtp && supports && !*supports)
        report.fail("method " + method + ", but supports_mtp is false", source + ", " + supports.where);
    else if (is_mtp && !supports && facts.model.heads && !facts.model.mtp_layers)
        report.warn("method " + method +
                        ", but the model's configuration names no layers for it "
                        "(num_nextn_predict_layers)",
                    source + ", " + facts.model.heads.where,
                    "say model.supports_mtp where the engine has them");
    const auto steps = integer_at(*keys, "num_steps"), topk = integer_at(*keys, "eagle_topk");
    const auto drafts = integer_at(*keys, "num_draft_tokens");
    // SGLang: a chain of steps has one token a step, and the one that is verified with them.
    if (steps && drafts && topk.value_or(1) == 1 && facts.engine() == "sglang" && *drafts != *steps + 1)
        report.warn("num_draft_tokens " + std::to_string(*drafts) + " with num_steps " +
                        std::to_string(*steps) + " and eagle_topk 1: the engine takes num_steps + 1",
                    source, "num_draft_tokens " + std::to_string(*steps + 1));
}

/// Drafts that are mostly refused cost time (classic rule 10).
inline void acceptance_rule(const Facts& facts, RuleReport& report)
{
    const auto* keys = facts.speculation();
    if (!keys)
        return report.not_applicable("no speculative decoding");
    const std::string source = "engine.speculative_decode.measured_acceptance";
    const auto* said = find(*keys, "measured_acceptance");
    if (!said || said->is_null()) {
        report.not_judged(
            "no acceptance was measured", source,
            "measure it (prom-diff gives spec_decode.acceptance_rate), and say it as a fraction");
        return;
    }
    auto acceptance = as_number(said);
    if (said->is_string())
        acceptance = parse_double({said->get_string().data(), said->get_string().size()});
    if (!acceptance) {
        report.not_judged("measured_acceptance is no number: " + printable(to_json(*said), 60), source,
                          "a fraction from 0 to 1", Verdict::warn);
        return;
    }
    constexpr double least = 0.60;
    const auto shown = format_double(*acceptance);
    if (!(*acceptance >= 0 && *acceptance <= 1))
        report.fail("measured_acceptance " + shown + " is no fraction from 0 to 1", source,
                    *acceptance > 1 && *acceptance <= 100
                        ? format_double(*acceptance / 100) + ", if it is a percentage"
                        : "");
    else if (*acceptance < least)
        report.fail("measured_acceptance " + shown + " is below 0.6: drafts cost more than they give", source,
                    "no speculative_decode, or a better draft");
}

} // namespace slo::serving

#endif
