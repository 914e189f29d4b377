// SPDX-License-Identifier: MIT
// The keys of a workload card, and what each may hold.

#ifndef SLO_CARD_CARD_KEYS_HPP
#define SLO_CARD_CARD_KEYS_HPP

#include <slo/base/error.hpp>
#include <slo/base/json.hpp>
#include <slo/card/sidecar_keys.hpp>
#include <slo/config/section.hpp>

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <string_view>

namespace slo::card::card_keys {

using sidecar_keys::check_keys;
using sidecar_keys::check_map;
using enum sidecar_keys::Holds;
using Key = sidecar_keys::SidecarKey;

inline constexpr Key root_keys[] = {
    {"catalog_id", text}, {"use_case", text}, {"description", text},         {"extensions", free},
    {"trace", free},      {"mix", free},      {"cohost_ensemble", anything}, {"target_qps", amount}};
inline constexpr Key dataset_keys[] = {{"type", text},
                                       {"source", text},
                                       {"dataset_path", text},
                                       {"path", text},
                                       {"sample_size", amount},
                                       {"hf_dataset", text},
                                       {"language", text},
                                       {"corpus_uri", text},
                                       {"prompt", text},
                                       {"output", text},
                                       {"osl_reference", amount},
                                       {"system_prompt_tokens", amount},
                                       {"shared_prefix_tokens", amount},
                                       {"shared_system_prompt_tokens", amount},
                                       {"prefix_groups", amount},
                                       {"num_prefixes", amount},
                                       {"random_range_ratio", fraction},
                                       {"approx_prefix_reuse_ceiling", fraction},
                                       {"sample_rate_hz", amount},
                                       {"frame_rate_fps", amount},
                                       {"expected_image_tokens_per_frame", amount}};
inline constexpr std::array<const char*, 14> dataset_counts{
    "input_tokens",         "output_tokens",         "retrieved_context_tokens", "user_question_tokens",
    "unique_suffix_tokens", "per_user_query_tokens", "input_tokens_first_turn",  "input_tokens_subsequent",
    "user_turn_tokens",     "assistant_turn_tokens", "turns_per_session",        "inter_turn_delay_s",
    "duration_s",           "sources_per_request"};
inline constexpr Key tier_keys[] = {
    {"label", text}, {"prefix_tokens", amount}, {"question_tokens", amount}, {"output_tokens", amount}};
inline constexpr Key pair_keys[] = {{"input_tokens", amount}, {"output_tokens", amount}};
inline constexpr Key filter_keys[] = {{"language", text}, {"min_turns", amount}};
inline constexpr Key corpus_keys[] = {
    {"source", text}, {"fallback", text}, {"corpus_size", amount}, {"description", text}};
inline constexpr Key augmentation_keys[] = {
    {"enabled", flag}, {"policy", text}, {"tag_each_request", flag}, {"forbid_identical_replay", flag}};
inline constexpr Key resolution_keys[] = {{"width", amount}, {"height", amount}};
inline constexpr Key fallback_keys[] = {{"source", text}, {"sample_size", amount}};

inline constexpr Key load_keys[] = {{"type", text},
                                    {"num_prompts", amount},
                                    {"num_sessions", amount},
                                    {"num_prompts_per_level", amount},
                                    {"num_prompts_per_rate", amount},
                                    {"num_requests_per_step", amount},
                                    {"num_requests_per_point", amount},
                                    {"concurrent_sessions", amount},
                                    {"max_concurrency", amount},
                                    {"target_qps", amount},
                                    {"duration_s", amount},
                                    {"per_level_duration_s", amount},
                                    {"duration_per_fraction_s", amount},
                                    {"duration_hours", amount},
                                    {"burstiness", amount},
                                    {"warmup_requests", amount},
                                    {"warmup_sessions", amount},
                                    {"rate_fraction_of_ceiling", fraction},
                                    {"measurement_protocol", text},
                                    {"push_beyond_last", flag}};
inline constexpr std::array<const char*, 5> load_lists{"rates", "levels", "fractions", "concurrency_steps",
                                                       "concurrency_sweep"};
inline constexpr Key mode_keys[] = {
    {"id", text}, {"type", text}, {"target_qps", amount}, {"duration_s", amount}, {"latency_slo_ms", amount}};
inline constexpr Key stop_keys[] = {{"p99_ttft_ms", amount},
                                    {"p99_e2e_ms", amount},
                                    {"error_rate_max", fraction},
                                    {"oom_detected", flag},
                                    {"encoder_oom", flag}};
inline constexpr Key noise_keys[] = {{"enabled", flag},
                                     {"ramp_to_pct", amount},
                                     {"rotate_role", flag},
                                     {"per_role_duration_s", amount},
                                     {"adjacent_slice_pressure_pct", amount}};
inline constexpr Key slo_keys[] = {{"ttft_p50_ms", amount},
                                   {"ttft_p99_ms", amount},
                                   {"ttft_cold_p50_ms", amount},
                                   {"ttft_cold_p95_ms", amount},
                                   {"ttft_cold_p99_ms", amount},
                                   {"ttft_warm_p50_ms", amount},
                                   {"ttft_warm_p95_ms", amount},
                                   {"ttft_warm_p99_ms", amount},
                                   {"tpot_p50_ms", amount},
                                   {"tpot_p99_ms", amount},
                                   {"itl_p95_ms", amount},
                                   {"e2e_p50_ms", amount},
                                   {"e2e_p90_ms", amount},
                                   {"e2e_p95_ms", amount},
                                   {"e2e_p99_ms", amount},
                                   {"error_rate_max", fraction},
                                   {"rtfx_min", amount},
                                   {"p99_ttft_ms", amount},
                                   {"per_model_p99_ttft_ms", amount},
                                   {"throughput_drift_pct_max", amount},
                                   {"positive_drift_pct_max", amount},
                                   {"unrecoverable_errors_max", amount},
                                   {"thermal_throttle_events_post_warmup_max", amount},
                                   {"sentinel_divergences_max", amount},
                                   {"quality_gate_required", flag},
                                   {"placeholder", flag},
                                   {"goodput_definition", text}};
inline constexpr Key api_keys[] = {
    {"type", text}, {"endpoint", text}, {"streaming", flag}, {"multimodal_payload_shape", text}};
inline constexpr Key sampling_keys[] = {{"slice_duration_minutes", amount}, {"warmup_minutes", amount}};
inline constexpr Key sentinel_keys[] = {
    {"enabled", flag}, {"fraction_of_traffic", fraction}, {"prompts_file", text}};
inline constexpr Key statistics_keys[] = {
    {"warmup_s", amount}, {"steady_state_s", amount}, {"min_repeats", amount}, {"max_cv", amount}};
inline constexpr Key scenario_keys[] = {
    {"id", text},          {"reuse_pattern", text},          {"force_isl", amount},
    {"total_isl", amount}, {"shared_prefix_tokens", amount}, {"prefix_byte_identical", flag},
    {"output", text},      {"osl_reference", amount},        {"reuse_fraction_target", fraction},
    {"cache", text}};
inline constexpr Key arm_keys[] = {{"id", text}, {"kv_offload", text}};
inline constexpr Key pool_keys[] = {{"prefix_tokens_each", amount},
                                    {"per_codebase_reuse_target", fraction},
                                    {"prefix_byte_identical_within_group", flag},
                                    {"zipf_s", amount}};
inline constexpr Key flag_keys[] = {{"rule", text}, {"action", text}, {"reason", text}};

/// A count is a number, or a mapping of what is known of its distribution. `loose`: figures may be texts
/// ("~16K"), as in descriptions of what was observed.
inline void check_count(config::Section& section, const char* key, bool loose = false)
{
    const auto* found = section.value(key);
    if (!found)
        return;
    if (!found->is_object()) {
        section.number(key, 0, sidecar_keys::most_amount);
        return;
    }
    auto count = section.section(key);
    for (const char* figure : {"mean", "std_dev", "min", "max", "p50", "p90", "p95", "p99", "max_cap"})
        if (const auto* value = count.value(figure); value && !(loose && value->is_string()))
            count.number(figure, 0, sidecar_keys::most_amount);
    count.finish();
}

/// A list of numbers above 0; where `single`, one number may stand for the list.
inline void check_numbers(config::Section& section, const char* key, bool single = false)
{
    const auto* found = section.value(key);
    if (!found || (single && found->is_number() && *as_number(found) > 0))
        return;
    const auto* list = found->if_array();
    const auto positive = [](const json::value& value) {
        const auto number = as_number(&value);
        return number && *number > 0 && *number <= sidecar_keys::most_counted;
    };
    if (!list || !std::all_of(list->begin(), list->end(), positive))
        throw section.error(key, "is no list of numbers above 0");
}

/// Each mapping of a list.
inline void check_list(config::Section& parent, const char* name, std::span<const Key> keys)
{
    for (auto& section : parent.sections(name)) {
        check_keys(section, keys);
        section.finish();
    }
}

inline void check_one_of(config::Section& section, const char* key, std::span<const std::string_view> words)
{
    const auto* found = section.value(key);
    if (found && std::find(words.begin(), words.end(), section.text(key)) == words.end()) {
        const auto nearest = nearest_name(section.text(key), words);
        throw section.error(key, "is '" + printable(section.text(key), 80) + "', which is unknown" +
                                     (nearest ? "; did you mean " + *nearest + "?" : ""));
    }
}

inline void check_dataset(config::Section& dataset)
{
    for (const char* count : dataset_counts)
        check_count(dataset, count);
    check_numbers(dataset, "context_lengths", true);
    check_numbers(dataset, "clip_length_axis_s");
    check_list(dataset, "context_tiers", tier_keys);
    check_list(dataset, "sequence_pairs", pair_keys);
    check_map(dataset, "filter", filter_keys);
    check_map(dataset, "seed_corpus", corpus_keys);
    check_map(dataset, "augmentation", augmentation_keys);
    check_map(dataset, "resolution", resolution_keys);
    check_map(dataset, "fallback", fallback_keys, [](config::Section& fallback) {
        check_count(fallback, "input_tokens");
        check_count(fallback, "output_tokens");
    });
    check_map(dataset, "observed_distribution", {}, [](config::Section& observed) {
        for (const char* count : {"input_tokens", "output_tokens", "turns_per_conversation"})
            check_count(observed, count, true);
    });
    static constexpr std::string_view reuse[] = {"none", "per-session", "cross-session"};
    if (const auto* found = dataset.value("prefix_reuse"); found && !found->is_bool())
        check_one_of(dataset, "prefix_reuse", reuse);
}

inline void check_load(config::Section& load)
{
    for (const char* list : load_lists)
        check_numbers(load, list);
    if (const auto* rate = load.value("request_rate"); rate && *rate != json::value("inf"))
        load.number("request_rate", 0, sidecar_keys::most_amount);
    check_list(load, "modes", mode_keys);
    check_map(load, "stop_condition", stop_keys);
    check_map(load, "noisy_neighbour", noise_keys);
    const auto* signals = load.value("saturation_signals");
    if (signals && !signals->is_array())
        throw load.error("saturation_signals", "is no list");
}

inline void check_validation(config::Section& validation)
{
    validation.texts("required_metrics");
    validation.texts("comparison_fields");
    check_list(validation, "reliability_flags", flag_keys);
    if (validation.has("required_config"))
        validation.section("required_config");
}

/// Throws InputError, "chatbot.yaml: load.request_rat: is unknown; did you mean request_rate?".
inline void check_card(const json::object& root, const std::string& name)
{
    static constexpr std::string_view modalities[] = {"text", "audio", "video", "mixed", "multi-model"};
    config::Section top(root, name);
    check_keys(top, root_keys);
    check_one_of(top, "modality", modalities);
    check_map(top, "dataset", dataset_keys, check_dataset);
    check_map(top, "load", load_keys, check_load);
    check_map(top, "slo", slo_keys);
    check_map(top, "api", api_keys);
    check_map(top, "sampling", sampling_keys);
    check_map(top, "sentinel", sentinel_keys);
    check_map(top, "statistics", statistics_keys);
    check_map(top, "validation", {}, check_validation);
    check_map(top, "cross_check", {}, [](config::Section& check) {
        check.texts("paired_cards");
        check.texts("paired_synthetic_cards");
    });
    top.texts("topologies");
    for (auto& scenario : top.sections("scenarios")) {
        check_keys(scenario, scenario_keys);
        check_count(scenario, "unique_suffix_tokens");
        scenario.finish();
    }
    check_list(top, "kv_architecture_arms", arm_keys);
    check_map(top, "prefix_pool", pool_keys, [](config::Section& pool) {
        check_numbers(pool, "distinct_prefixes_sweep");
        pool.texts("access_distribution_sweep");
    });
    top.finish();
}

} // namespace slo::card::card_keys

#endif
