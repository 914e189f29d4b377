// SPDX-License-Identifier: MIT
// Whether artifacts may be compared: what must be the same in them, and where it is not.

#ifndef SLO_ARTIFACT_COMPARABILITY_HPP
#define SLO_ARTIFACT_COMPARABILITY_HPP

#include <slo/artifact/artifact.hpp>
#include <slo/base/error.hpp>
#include <slo/base/json.hpp>
#include <slo/base/spelling.hpp>
#include <slo/base/text.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace slo::artifact {

/// What two results must have in common, or a difference between them says nothing about either. Of a block
/// each member is a key of its own ("workload.load.concurrency").
inline constexpr std::array<std::string_view, 28> comparability_keys{
    "engine.name",
    "engine.version",
    "engine.container_image",
    "engine.tensor_parallel",
    "engine.pipeline_parallel",
    "engine.data_parallel",
    "engine.expert_parallel",
    "engine.replicas",
    "engine.kv_cache_dtype",
    "engine.attention_backend",
    "engine.speculative_decode",
    "engine.extra_args",
    "framework",
    "model.id",
    "model.quantization",
    "model.max_model_len",
    "infrastructure.instance_type",
    "infrastructure.gpu.name",
    "infrastructure.gpu.count",
    "workload.catalog_id",
    "workload.dataset",
    "workload.load",
    "workload.api.type",
    "workload.api.streaming",
    "source_tool.name",
    "extensions.sloutils.client.latency_basis",
    "input_length",
    "output_length",
};

/// Mean lengths of requests may differ by so much: answers end where the model ends them. Lengths drawn from
/// one declared distribution may differ by three standard errors more.
inline constexpr double length_tolerance = 0.05;

/// The keys of an artifact and their values as text; what it does not say is absent.
using KeyValues = std::map<std::string, std::string>;

namespace detail {

// 8 and 8.0 are the same.
inline std::string plain_json(const json::value& value)
{
    if (value.is_string())
        return printable(value.get_string(), 80);
    auto text = to_json(value);
    if (value.is_double() && text.ends_with(".0"))
        text.resize(text.size() - 2);
    return printable(text, 80);
}

inline void collect(const std::string& path, const json::value& value, KeyValues& values)
{
    const auto* block = value.if_object();
    if (!block) {
        if (!value.is_null())
            values[path] = plain_json(value);
        return;
    }
    for (const auto& member : *block)
        collect(path + "." + printable(member.key(), 80), member.value(), values);
}

inline std::optional<double> mean_length(const Artifact& artifact, std::string_view total)
{
    const auto tokens = artifact.number(total);
    const auto completed = artifact.number("metrics.completed");
    return tokens && completed && *completed > 0 ? std::optional(*tokens / *completed) : std::nullopt;
}

// By how much mean lengths may differ that were drawn from one declared distribution: three standard errors
// of the run with the fewest requests, as a share; 0 where nothing is declared.
inline double sampling_tolerance(const std::vector<const Artifact*>& artifacts, const std::string& lengths)
{
    constexpr double standard_errors = 3;
    const auto mean = artifacts[0]->number(lengths + ".mean");
    const auto deviation = artifacts[0]->number(lengths + ".std_dev");
    std::optional<double> fewest;
    for (const auto* artifact : artifacts)
        if (const auto completed = artifact->number("metrics.completed"))
            fewest = std::min(fewest.value_or(*completed), *completed);
    if (!mean || !deviation || !fewest || !(*mean > 0) || !(*deviation > 0) || !(*fewest > 0))
        return 0;
    return standard_errors * *deviation / *mean / std::sqrt(*fewest);
}

// Names are told by their whole path, a block of it, or its last words.
inline bool names_key(std::string_view name, std::string_view key)
{
    return key == name || (key.starts_with(name) && key.substr(name.size()).starts_with('.')) ||
           (key.ends_with(name) && key.substr(0, key.size() - name.size()).ends_with('.'));
}

} // namespace detail

/// What an artifact says of the comparability keys, but for the lengths, which are measured.
inline KeyValues key_values(const Artifact& artifact)
{
    KeyValues values;
    for (const auto key : comparability_keys)
        if (const auto* value = artifact.at(key))
            detail::collect(std::string(key), *value, values);
    return values;
}

/// A key in which artifacts are not the same.
struct KeyDifference {
    std::string key;
    std::vector<std::string> values; ///< of each, "not known" where it says nothing
    bool allowed = false;            ///< meant to differ
};

/// The differences among artifacts, in the order of the keys; `across` names those that are meant to differ.
/// One that says nothing where another does differs from it.
inline std::vector<KeyDifference> key_differences(const std::vector<const Artifact*>& artifacts,
                                                  const std::vector<std::string>& across)
{
    std::vector<KeyValues> all;
    std::set<std::string> names;
    for (const auto* artifact : artifacts) {
        all.push_back(key_values(*artifact));
        for (const auto& [name, value] : all.back())
            names.insert(name);
    }
    std::vector<KeyDifference> differences;
    const auto add = [&](const std::string& key, std::vector<std::string> values) {
        const bool allowed = std::any_of(across.begin(), across.end(), [&](const std::string& name) {
            return detail::names_key(name, key);
        });
        differences.push_back({key, std::move(values), allowed});
    };
    for (const auto& name : names) {
        std::vector<std::string> values;
        for (const auto& one : all) {
            const auto found = one.find(name);
            values.push_back(found == one.end() ? "not known" : found->second);
        }
        if (std::any_of(values.begin(), values.end(), [&](const auto& value) { return value != values[0]; }))
            add(name, std::move(values));
    }
    const bool is_one_dataset =
        std::none_of(differences.begin(), differences.end(), [](const KeyDifference& difference) {
            return difference.key.starts_with("workload.dataset");
        });
    constexpr std::array<std::array<const char*, 3>, 2> lengths{
        {{"input_length", "metrics.total_input_tokens", "workload.dataset.input_tokens"},
         {"output_length", "metrics.total_output_tokens", "workload.dataset.output_tokens"}}};
    for (const auto& [key, total, drawn] : lengths) {
        std::vector<std::string> values;
        std::optional<double> least, most;
        for (const auto* artifact : artifacts) {
            const auto length = detail::mean_length(*artifact, total);
            values.push_back(length ? format_fixed(*length, 1) + " tokens" : "not known");
            if (length) {
                least = std::min(least.value_or(*length), *length);
                most = std::max(most.value_or(*length), *length);
            }
        }
        const double tolerance =
            length_tolerance + (is_one_dataset ? detail::sampling_tolerance(artifacts, drawn) : 0);
        if (least && *most > *least * (1 + tolerance))
            add(key, std::move(values));
    }
    return differences;
}

/// Those of the most important keys about which no artifact says anything, so that nothing was checked.
inline std::vector<std::string> unknown_keys(const std::vector<const Artifact*>& artifacts)
{
    std::vector<std::string> unknown;
    for (const auto* key :
         {"engine.name", "engine.version", "model.id", "model.quantization", "infrastructure.instance_type",
          "infrastructure.gpu.name", "infrastructure.gpu.count", "workload.catalog_id", "workload.dataset",
          "workload.load", "workload.api.streaming"})
        if (std::none_of(artifacts.begin(), artifacts.end(),
                         [&](const auto* artifact) { return artifact->at(key) != nullptr; }))
            unknown.emplace_back(key);
    return unknown;
}

/// Refuses a name of --across that is no key, nor a block or the last words of one. Throws UsageError with
/// the nearest known key.
inline void check_across(const std::vector<std::string>& across,
                         const std::vector<const Artifact*>& artifacts)
{
    std::set<std::string> known(comparability_keys.begin(), comparability_keys.end());
    for (const auto* artifact : artifacts)
        for (const auto& [name, value] : key_values(*artifact))
            known.insert(name);
    std::set<std::string> spellings = known;
    for (const auto& key : known)
        for (auto dot = key.find('.'); dot != std::string::npos; dot = key.find('.', dot + 1)) {
            spellings.insert(key.substr(0, dot));
            spellings.insert(key.substr(dot + 1));
        }
    for (const auto& name : across) {
        if (spellings.count(name))
            continue;
        const auto meant = nearest_name(name, spellings);
        throw UsageError("--across", "'" + printable(name, 60) + "' is no key that is compared" +
                                         (meant ? "; '" + *meant + "' is one" : ""));
    }
}

} // namespace slo::artifact

#endif
