// SPDX-License-Identifier: MIT
// What a GPU is called, and what its kind can compute.

#ifndef SLO_SERVING_GPU_ARCH_HPP
#define SLO_SERVING_GPU_ARCH_HPP

#include <slo/base/text.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace slo::serving {

/// 90 of "sm_90", "SM90", "sm_90a" or "9.0"; nothing for what is no compute capability.
inline std::optional<int> parse_compute_capability(std::string_view text)
{
    const auto lower = lower_case(trim(text));
    std::string_view rest = lower;
    const bool is_sm = rest.starts_with("sm");
    if (is_sm)
        rest.remove_prefix(rest.starts_with("sm_") ? 3 : 2);
    if (is_sm && !rest.empty() && (rest.back() == 'a' || rest.back() == 'f'))
        rest.remove_suffix(1);
    const auto dot = rest.find('.');
    if (!is_sm && dot == std::string_view::npos)
        return std::nullopt;
    const auto digits = std::string(rest.substr(0, dot)) +
                        (dot == std::string_view::npos ? "" : std::string(rest.substr(dot + 1)));
    const auto number = parse_integer<int>(digits);
    constexpr int oldest = 30, newest = 300;
    return number && *number >= oldest && *number <= newest ? number : std::nullopt;
}

/// "sm_90".
inline std::string capability_name(int capability)
{
    return "sm_" + std::to_string(capability);
}

namespace detail {

struct NamedGpu {
    std::string_view word;
    int capability;
};

// NVIDIA's list of compute capabilities (developer.nvidia.com/cuda-gpus). A longer word stands before one
// that it contains.
inline constexpr NamedGpu named_gpus[] = {
    {"gb300", 103}, {"b300", 103},        {"gb200", 100}, {"b200", 100}, {"b100", 100}, {"gh200", 90},
    {"h800", 90},   {"h200", 90},         {"h100", 90},   {"h20", 90},   {"l40s", 89},  {"l40", 89},
    {"l20", 89},    {"l4", 89},           {"a100", 80},   {"a800", 80},  {"a30", 80},   {"a40", 86},
    {"a10g", 86},   {"a10", 86},          {"a16", 86},    {"a2", 86},    {"a6000", 86}, {"t4", 75},
    {"v100", 70},   {"4090", 89},         {"4080", 89},   {"3090", 86},  {"5090", 120}, {"5080", 120},
    {"p100", 60},   {"rtx pro 6000", 120}};

} // namespace detail

/// The compute capability of a card by its name ("NVIDIA H100 80GB HBM3"): a word of it is one of the known
/// ones.
inline std::optional<int> capability_of(std::string_view gpu_name)
{
    const auto name = lower_case(gpu_name);
    const auto is_letter = [&](std::size_t at) {
        return at < name.size() &&
               ((name[at] >= 'a' && name[at] <= 'z') || (name[at] >= '0' && name[at] <= '9'));
    };
    for (const auto& gpu : detail::named_gpus) {
        for (auto at = name.find(gpu.word); at != std::string::npos; at = name.find(gpu.word, at + 1))
            if ((at == 0 || !is_letter(at - 1)) && !is_letter(at + gpu.word.size()))
                return gpu.capability;
    }
    return std::nullopt;
}

/// What numbers a kind of weights is made of.
struct Precision {
    std::string_view name;
    double bytes;                ///< of one parameter, scales of blocks included
    int computes_from;           ///< the least compute capability that has its arithmetic
    std::string_view falls_back; ///< what engines do below it, if anything; empty: nothing
};

/// All names of quantization that are known. Sources: NVIDIA's PTX ISA (tensor core types by target), vLLM's
/// page "Supported Hardware" (v0.11), the OCP microscaling formats 1.0 for bytes of block scales.
inline constexpr Precision precisions[] = {
    {"none", 2, 0, ""},
    {"fp32", 4, 0, ""},
    {"fp16", 2, 53, ""},
    {"bf16", 2, 80, ""},
    {"fp8", 1, 89, "8-bit weights with 16-bit arithmetic (W8A16)"},
    {"fp8_e4m3", 1, 89, "8-bit weights with 16-bit arithmetic (W8A16)"},
    {"fp8_e5m2", 1, 89, "8-bit weights with 16-bit arithmetic (W8A16)"},
    {"mxfp8", 1.03125, 100, "8-bit weights with 16-bit arithmetic (W8A16)"},
    {"fp4", 0.5625, 100, "4-bit weights with 16-bit arithmetic (W4A16)"},
    {"nvfp4", 0.5625, 100, "4-bit weights with 16-bit arithmetic (W4A16)"},
    {"mxfp4", 0.53125, 100, "4-bit weights with 16-bit arithmetic (W4A16)"},
    {"int8", 1, 75, ""},
    {"int4", 0.52, 75, ""},
    {"mxint4", 0.53125, 80, ""},
    {"awq", 0.52, 75, ""},
    {"gptq", 0.52, 70, ""}};

/// Nothing for a name that is not known; letters may be large.
inline const Precision* find_precision(std::string_view name)
{
    const auto lower = lower_case(name);
    for (const auto& precision : precisions)
        if (precision.name == lower)
            return &precision;
    return nullptr;
}

} // namespace slo::serving

#endif
