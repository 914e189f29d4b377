// SPDX-License-Identifier: MIT
// The keys of a sidecar, and what each may hold.

#ifndef SLO_CARD_SIDECAR_KEYS_HPP
#define SLO_CARD_SIDECAR_KEYS_HPP

#include <slo/base/error.hpp>
#include <slo/base/json.hpp>
#include <slo/config/section.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <utility>

namespace slo::card {

namespace sidecar_keys {

// What a key of the sidecar may hold. `free` is a mapping that nobody looks into, `listed` a text or texts.
enum class Holds { text, flag, count, ranks, amount, fraction, flag_or_count, free, listed, anything };

struct SidecarKey {
    const char* name;
    Holds holds;
};

inline constexpr std::int64_t most_counted = 1'000'000'000;
inline constexpr std::int64_t most_ranks = 65536;
inline constexpr double most_amount = 1e15;

using enum Holds;
inline constexpr SidecarKey model_keys[] = {{"name", text},
                                            {"id", text},
                                            {"architecture", text},
                                            {"parameters_total", text},
                                            {"parameters_active", text},
                                            {"quantization", text},
                                            {"format", text},
                                            {"max_model_len", count},
                                            {"moe_intermediate_size", count},
                                            {"max_position_embeddings", count},
                                            {"fp8_granularity", text},
                                            {"supports_mtp", flag},
                                            {"is_mla", flag},
                                            {"is_mamba_hybrid", flag}};
inline constexpr SidecarKey engine_keys[] = {{"name", text},
                                             {"version", text},
                                             {"container_image", text},
                                             {"base_image", text},
                                             {"dockerfile", text},
                                             {"tensor_parallel", ranks},
                                             {"pipeline_parallel", ranks},
                                             {"data_parallel", ranks},
                                             {"expert_parallel", flag_or_count},
                                             {"replicas", ranks},
                                             {"reasoning", flag},
                                             {"kv_cache_dtype", text},
                                             {"attention_backend", text},
                                             {"extra_args", free},
                                             {"prefix_caching", flag},
                                             {"gpu_memory_utilization", fraction},
                                             {"max_num_seqs", count},
                                             {"hierarchical_cache", flag},
                                             {"hicache_size_gb", amount},
                                             {"cuda_graph", flag}};
// The acceptance is judged by config-check, so that it can say why a value is none.
inline constexpr SidecarKey speculative_keys[] = {{"algorithm", text},
                                                  {"method", text},
                                                  {"draft_model", text},
                                                  {"draft_attention_backend", text},
                                                  {"num_steps", count},
                                                  {"num_tokens", count},
                                                  {"num_draft_tokens", count},
                                                  {"eagle_topk", count},
                                                  {"measured_acceptance", anything}};
inline constexpr SidecarKey framework_keys[] = {{"name", text}, {"version", text}, {"config", free}};
inline constexpr SidecarKey infrastructure_keys[] = {
    {"substrate", text},      {"instance_type", text},
    {"region", text},         {"eks", free},
    {"hyperpod", free},       {"ami_family", text},
    {"model_source", text},   {"partition_profile", anything},
    {"fs_cache_state", text}, {"host_memory_gb", amount}};
inline constexpr SidecarKey gpu_keys[] = {
    {"name", text}, {"arch", text}, {"count", ranks}, {"vram_gb", amount}, {"interconnect", text}};
inline constexpr SidecarKey workload_keys[] = {
    {"catalog_id", text}, {"override", free}, {"workload_overrides", free}};
inline constexpr SidecarKey custom_keys[] = {
    {"name", text}, {"use_case", text}, {"dataset", free}, {"load", free}};
inline constexpr SidecarKey slo_keys[] = {{"ttft_p99_ms", amount},
                                          {"tpot_p99_ms", amount},
                                          {"e2e_p99_ms", amount},
                                          {"error_rate_max", fraction},
                                          {"throughput_floor_toks", amount}};
inline constexpr SidecarKey cost_keys[] = {{"spot_price_per_hr", amount},
                                           {"on_demand_price_per_hr", amount},
                                           {"utilization_target", fraction},
                                           {"instance_type", text}};
inline constexpr SidecarKey intelligence_keys[] = {
    {"eval_source", text}, {"pass_rate", fraction}, {"human_intervention_cost", amount}};
inline constexpr SidecarKey tokens_keys[] = {
    {"input", amount}, {"output", amount}, {"cached_input_ratio", fraction}};
inline constexpr SidecarKey baseline_keys[] = {{"bf16", amount}, {"tolerance", amount}};
inline constexpr SidecarKey artifact_keys[] = {{"quality", listed},       {"power", text},
                                               {"stability", text},       {"cold_start", text},
                                               {"load_fraction", amount}, {"sentinel_divergences", amount}};

inline void check_value(config::Section& section, const SidecarKey& key)
{
    const auto* found = section.value(key.name);
    if (!found)
        return;
    switch (key.holds) {
    case text:
        if (found->is_number() || found->is_bool())
            throw section.error(key.name, "is no text; put it in quotes");
        section.text(key.name);
        break;
    case flag:
        section.flag(key.name, false);
        break;
    case count:
        section.integer(key.name, 1, most_counted);
        break;
    case ranks:
        section.integer(key.name, 1, most_ranks);
        break;
    case amount:
        section.number(key.name, 0, most_amount);
        break;
    case fraction:
        section.number(key.name, 0, 1);
        break;
    case flag_or_count:
        if (!found->is_bool())
            section.integer(key.name, 1, most_ranks);
        break;
    case free:
        section.section(key.name);
        break;
    case listed:
        if (!found->is_string())
            section.texts(key.name);
        break;
    case anything:
        break;
    }
}

inline void check_keys(config::Section& section, std::span<const SidecarKey> keys)
{
    for (const auto& key : keys)
        check_value(section, key);
}

/// Checks one mapping and, first, what `inner` looks at in it; a missing one is fine.
template <class Inner>
void check_map(config::Section& parent, const char* name, std::span<const SidecarKey> keys, Inner inner)
{
    if (!parent.has(name))
        return;
    auto section = parent.section(name);
    check_keys(section, keys);
    inner(section);
    section.finish();
}

inline void check_map(config::Section& parent, const char* name, std::span<const SidecarKey> keys)
{
    check_map(parent, name, keys, [](config::Section&) {});
}

inline void check_workloads(config::Section& top)
{
    for (auto& workload : top.sections("workloads")) {
        check_keys(workload, workload_keys);
        check_map(workload, "custom", custom_keys);
        if (workload.has("override") && workload.has("workload_overrides"))
            throw workload.error("workload_overrides", "stands beside override; only one is read");
        if (workload.has("catalog_id") == workload.has("custom"))
            throw workload.error("catalog_id", "either it names a card, or custom stands in its place");
        workload.finish();
    }
}

inline void check_sidecar(const json::object& root, const std::string& name)
{
    config::Section top(root, name);
    check_map(top, "model", model_keys);
    check_map(top, "engine", engine_keys,
              [](config::Section& engine) { check_map(engine, "speculative_decode", speculative_keys); });
    check_map(top, "framework", framework_keys);
    check_map(top, "infrastructure", infrastructure_keys,
              [](config::Section& infrastructure) { check_map(infrastructure, "gpu", gpu_keys); });
    check_workloads(top);
    check_map(top, "slo", slo_keys);
    check_map(top, "cost", cost_keys);
    check_map(top, "intelligence", intelligence_keys,
              [](config::Section& intelligence) { check_map(intelligence, "tokens_per_task", tokens_keys); });
    if (top.has("quality_baselines")) {
        auto evals = top.section("quality_baselines");
        for (const auto& eval : top.value("quality_baselines")->get_object())
            check_map(evals, std::string(eval.key()).c_str(), baseline_keys);
    }
    check_map(top, "artifacts", artifact_keys);
    for (const char* free_map : {"workload_overrides", "dynamo_targets"})
        check_value(top, {free_map, free});
    top.finish();
}

/// The documents call it speculative_decoding, the rules speculative_decode: both are read, not both at once.
inline void take_documented_names(json::object& root, const std::string& name)
{
    auto* engine = root.if_contains("engine");
    auto* keys = engine ? engine->if_object() : nullptr;
    auto* documented = keys ? keys->if_contains("speculative_decoding") : nullptr;
    if (!documented)
        return;
    if (keys->contains("speculative_decode"))
        throw InputError(name,
                         "engine.speculative_decoding: stands beside speculative_decode, which is the same");
    auto value = std::move(*documented);
    keys->erase("speculative_decoding");
    (*keys)["speculative_decode"] = std::move(value);
}

} // namespace sidecar_keys

} // namespace slo::card

#endif
