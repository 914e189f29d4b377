// SPDX-License-Identifier: MIT
// Rules about the machine, its image, and whether all that is said of one thing says the same.

#ifndef SLO_SERVING_PLATFORM_RULES_HPP
#define SLO_SERVING_PLATFORM_RULES_HPP

#include <slo/base/spelling.hpp>
#include <slo/base/text.hpp>
#include <slo/card/sidecar.hpp>
#include <slo/serving/facts.hpp>
#include <slo/serving/finding.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace slo::serving {

/// Instances with B200 or B300 cards need drivers that Amazon Linux 2 does not have (classic rule 3).
inline void ami_rule(const Facts& facts, RuleReport& report)
{
    const auto instance = lower_case(facts.sidecar().text("infrastructure.instance_type").value_or(""));
    if (!instance.starts_with("p6-b200") && !instance.starts_with("p6-b300"))
        return report.not_applicable("no instance of p6-b200 or p6-b300");
    const auto family = facts.sidecar().text("infrastructure.ami_family");
    if (!family)
        report.not_judged(
            instance + " does not start from Amazon Linux 2, and which image it has is not said",
            "infrastructure.instance_type", "say infrastructure.ami_family (al2023)", Verdict::warn);
    else if (lower_case(*family) == "al2")
        report.fail(instance + " does not start from Amazon Linux 2: the driver for its cards is not there",
                    "infrastructure.instance_type, infrastructure.ami_family", "ami_family al2023");
}

/// Images of CUDA 13.1 have no kernels for sm_120 (classic rule 9).
inline void cuda_tag_rule(const Facts& facts, RuleReport& report)
{
    constexpr int workstation_blackwell = 120;
    if (!facts.gpu.capability || *facts.gpu.capability != workstation_blackwell)
        return report.not_applicable("no cards of sm_120");
    const auto image = facts.sidecar().text("engine.container_image");
    if (!image)
        report.not_judged("which image the engine has is not said", facts.gpu.capability.where,
                          "say engine.container_image");
    else if (image->find("cu131") != std::string::npos)
        report.warn("the image is one of CUDA 13.1 (cu131), and the cards are sm_120",
                    "engine.container_image, " + facts.gpu.capability.where, "an image of cu130 or cu128");
}

/// The architecture that is said is that of the cards' name, and both are known.
inline void gpu_arch_rule(const Facts& facts, RuleReport& report)
{
    const auto said = facts.sidecar().text("infrastructure.gpu.arch");
    const auto& name = facts.gpu.name;
    if (!said && (!name || lower_case(*name) == "none"))
        return report.not_applicable(name ? "no cards" : "the cards are not known");
    const int by_name = name ? capability_of(*name).value_or(0) : 0;
    const int by_arch = said ? parse_compute_capability(*said).value_or(0) : 0;
    if (said && !by_arch)
        report.fail("'" + printable(*said, 60) + "' is no compute capability", "infrastructure.gpu.arch",
                    by_name ? capability_name(by_name) : "one such as sm_90");
    else if (by_arch && by_name && by_arch != by_name)
        report.fail("arch is " + capability_name(by_arch) + ", but " + printable(*name, 60) + " is " +
                        capability_name(by_name),
                    "infrastructure.gpu.arch, " + name.where, capability_name(by_name));
    else if (!by_arch && !by_name)
        report.not_judged("what '" + printable(*name, 60) + "' computes with is not known", name.where,
                          "say infrastructure.gpu.arch (sm_90)");
}

/// The cards that a preflight found are those of the sidecar.
inline void gpus_found_rule(const Facts& facts, RuleReport& report)
{
    const auto& found = facts.found_count;
    if (!found)
        return report.not_applicable("no record of gpu-preflight (--gpus)");
    const auto said = facts.sidecar().integer("infrastructure.gpu.count");
    if (said && *found < *said)
        report.fail("gpu.count is " + std::to_string(*said) + ", but a preflight found " +
                        std::to_string(*found),
                    "infrastructure.gpu.count, " + found.where);
    else if (said && *found > *said)
        report.info("a preflight found " + std::to_string(*found) + " GPUs, and gpu.count is " +
                        std::to_string(*said),
                    "infrastructure.gpu.count, " + found.where);
    const auto name = facts.sidecar().text("infrastructure.gpu.name");
    const auto kind = name ? capability_of(*name) : std::nullopt;
    const auto found_kind = facts.found_name ? capability_of(*facts.found_name) : std::nullopt;
    if (kind && found_kind && *kind != *found_kind)
        report.fail("gpu.name is " + printable(*name, 60) + ", but a preflight found " +
                        printable(*facts.found_name, 60),
                    "infrastructure.gpu.name, " + facts.found_name.where);
    const auto vram = facts.sidecar().number("infrastructure.gpu.vram_gb");
    constexpr double tolerance = 0.10; // makers' GB are neither 10^9 nor 2^30 bytes
    if (vram && facts.found_memory_bytes &&
        std::abs(*facts.found_memory_bytes - *vram * gib_bytes) > tolerance * *vram * gib_bytes)
        report.warn("vram_gb is " + format_double(*vram) + ", but the smallest card found has " +
                        gib_text(*facts.found_memory_bytes) + " GiB",
                    "infrastructure.gpu.vram_gb, " + facts.found_memory_bytes.where);
}

/// Sources that speak of the model agree, and all of them can be read.
inline void sources_rule(const Facts& facts, RuleReport& report)
{
    for (const auto& conflict : facts.conflicts)
        report.warn(conflict + "; the first counts here", conflict.substr(0, conflict.find(" is ")));
    for (const auto& field : facts.model.unread)
        report.not_judged(printable(field, 120) + " is not what it must be, and is taken as unknown",
                          printable(field, 120));
}

namespace detail {

// An option of an engine that says again what a key of the sidecar says.
struct SaidTwice {
    const char* path;
    std::initializer_list<std::string_view> options;
};

inline std::string plain_text(const json::value& value)
{
    return value.is_string() ? lower_case({value.get_string().data(), value.get_string().size()})
                             : to_json(value);
}

} // namespace detail

/// engine.extra_args do not say otherwise what a key of its own says.
inline void extra_args_rule(const Facts& facts, RuleReport& report)
{
    if (!facts.sidecar().map("engine.extra_args"))
        return report.not_applicable("no extra_args");
    const detail::SaidTwice twice[] = {
        {"engine.tensor_parallel", {"tensor-parallel-size", "tp-size", "tp"}},
        {"engine.pipeline_parallel", {"pipeline-parallel-size", "pp-size", "pp"}},
        {"engine.data_parallel", {"data-parallel-size", "dp-size", "dp"}},
        {"engine.gpu_memory_utilization", {"gpu-memory-utilization", "mem-fraction-static"}},
        {"engine.max_num_seqs", {"max-num-seqs", "max-running-requests"}},
        {"engine.kv_cache_dtype", {"kv-cache-dtype"}},
        {"engine.attention_backend", {"attention-backend"}},
        {"engine.hicache_size_gb", {"hicache-size"}},
        {"model.max_model_len", {"max-model-len", "context-length"}},
        {"model.quantization", {"quantization"}}};
    for (const auto& each : twice) {
        const auto* said = facts.sidecar().at(each.path);
        const auto* extra = facts.extra(each.options);
        if (!said || !extra)
            continue;
        const auto first = as_number(said), second = facts.extra_number(each.options);
        if (first && second ? *first == *second : detail::plain_text(*said) == detail::plain_text(*extra))
            continue;
        report.fail(std::string(each.path) + " is " + printable(to_json(*said), 60) +
                        ", but extra_args say " + printable(to_json(*extra), 60) +
                        ": the artifact would claim what did not run",
                    std::string(each.path) + ", engine.extra_args", "say it once");
    }
}

/// A key and the words that the artifact's schema allows it.
struct WordList {
    std::string_view path;
    std::span<const std::string_view> words;
};

namespace detail {

inline constexpr std::string_view engine_words[] = {"vllm",          "sglang", "trt-llm",
                                                    "sglang-native", "dynamo", "custom"};
inline constexpr std::string_view framework_words[] = {"dynamo", "llmd", "ray-serve", "custom"};
inline constexpr std::string_view substrate_words[] = {"eks", "hyperpod-eks", "hyperpod", "bare-metal",
                                                       "ec2", "ec2-spot",     "local"};
inline constexpr std::string_view quantization_words[] = {"fp16", "bf16", "fp8", "fp4",  "nvfp4",  "mxfp4",
                                                          "int8", "int4", "awq", "gptq", "mxint4", "none"};
inline constexpr std::string_view link_words[] = {"nvswitch", "nvswitch-nvl5", "nvswitch-nv18", "nvlink",
                                                  "pcie",     "efa",           "none"};

} // namespace detail

inline constexpr WordList artifact_words[] = {{"engine.name", detail::engine_words},
                                              {"model.quantization", detail::quantization_words},
                                              {"framework.name", detail::framework_words},
                                              {"infrastructure.substrate", detail::substrate_words},
                                              {"infrastructure.gpu.interconnect", detail::link_words}};

/// What the artifact needs of the sidecar is there, in words that its schema allows.
inline void artifact_rule(const Facts& facts, RuleReport& report)
{
    constexpr std::string_view names[] = {"model.id", "engine.name", "infrastructure.instance_type"};
    constexpr std::string_view quantization = "model.quantization";
    const auto list = [](const std::vector<std::string>& paths) {
        std::string text;
        for (const auto& path : paths)
            text += (text.empty() ? "" : ", ") + path;
        return text;
    };
    std::vector<std::string> nameless, others;
    for (auto& path : facts.sidecar().missing(card::needed_of_sidecar)) {
        const bool is_name = std::find(std::begin(names), std::end(names), path) != std::end(names);
        (is_name ? nameless : others).push_back(std::move(path));
    }
    if (!nameless.empty())
        report.warn("what is deployed has no name: " + list(nameless) +
                        (nameless.size() > 1 ? " are" : " is") +
                        " not said, and no claim can be made of a run",
                    list(nameless));
    if (!others.empty())
        report.info("the artifact needs besides: " + list(others), list(others));
    for (const auto& each : artifact_words) {
        const auto said = facts.sidecar().text(each.path);
        const auto is_word = [&](const std::string& text) {
            return std::find(each.words.begin(), each.words.end(), text) != each.words.end();
        };
        if (!said || is_word(*said))
            continue;
        const auto lower = lower_case(*said);
        const auto what = std::string(each.path) + " '" + printable(*said, 60) + "'";
        if (is_word(lower))
            report.info(what + " is written " + lower + " in the artifact's schema", std::string(each.path),
                        lower);
        else if (each.path != quantization || find_precision(*said)) // else another rule's
            report.warn(what + " is none of the words that the artifact's schema allows",
                        std::string(each.path), nearest_name(lower, each.words).value_or(""));
    }
}

} // namespace slo::serving

#endif
