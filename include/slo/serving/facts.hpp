// SPDX-License-Identifier: MIT
// All that rules may look at: the sidecar, and what other files add to it.

#ifndef SLO_SERVING_FACTS_HPP
#define SLO_SERVING_FACTS_HPP

#include <slo/base/error.hpp>
#include <slo/base/json.hpp>
#include <slo/base/text.hpp>
#include <slo/card/sidecar.hpp>
#include <slo/serving/gpu_arch.hpp>
#include <slo/serving/known.hpp>
#include <slo/serving/model_shape.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace slo::serving {

inline constexpr double gib_bytes = 1024.0 * 1024 * 1024;

/// The cards, as far as they are known.
struct GpuKnowledge {
    Known<std::string> name, interconnect;
    Known<int> capability;
    Known<std::int64_t> count;
    Known<double> memory_bytes;
};

/// What is deployed, from the sidecar first; where another file says the same thing otherwise, `conflicts`
/// has a line.
class Facts {
public:
    explicit Facts(card::Sidecar sidecar) : sidecar_(std::move(sidecar))
    {
        if (const auto* keys = sidecar_.map("model"))
            model = read_model_shape(*keys, "model.");
        gpu.name = known_text("infrastructure.gpu.name");
        gpu.interconnect = known_text("infrastructure.gpu.interconnect");
        if (gpu.interconnect)
            gpu.interconnect.value = lower_case(*gpu.interconnect);
        gpu.count = known_count("infrastructure.gpu.count");
        if (const auto vram = sidecar_.number("infrastructure.gpu.vram_gb"))
            gpu.memory_bytes = {*vram * gib_bytes, "infrastructure.gpu.vram_gb"};
        if (const auto arch = sidecar_.text("infrastructure.gpu.arch"))
            if (const auto capability = parse_compute_capability(*arch))
                gpu.capability = {*capability, "infrastructure.gpu.arch"};
        if (const auto gb = sidecar_.number("infrastructure.host_memory_gb"))
            host_memory_bytes = {*gb * gib_bytes, "infrastructure.host_memory_gb"};
        take_capability_of_name();
    }

    /// Adds a model card or a config.json; `name` is its file. Throws InputError where it says nothing of a
    /// model.
    void add_model(const json::object& document, const std::string& name)
    {
        auto other = read_model_shape(document, name + ": ");
        if (other.is_empty())
            throw InputError(
                name, "says nothing of a model (no max_position_embeddings, no num_attention_heads, …)");
        // A checkpoint's type is a name, not the architecture's description.
        if (model.architecture)
            other.architecture = {};
        if (model.quantization && other.quantization && find_precision(*model.quantization) &&
            find_precision(*other.quantization) == nullptr)
            other.quantization = {};
        ModelShape::visit([this](auto& ours, const auto& theirs) { take(ours, theirs, conflicts); }, model,
                          other);
        model.unread.insert(model.unread.end(), other.unread.begin(), other.unread.end());
    }

    /// Adds what a preflight found (sloutils.preflight/1). Throws InputError for another record.
    void add_preflight(const json::object& record, const std::string& name)
    {
        const auto* cards = array_at(record, "gpus");
        if (!cards)
            throw InputError(name, "is no record of gpu-preflight (no gpus)");
        std::int64_t usable = 0;
        Known<double> least;
        for (const auto& each : *cards) {
            const auto* card = each.if_object();
            if (!card || (find(*card, "lost") && *find(*card, "lost") == true) ||
                (find(*card, "visible") && *find(*card, "visible") == false))
                continue;
            ++usable;
            if (const auto mib = number_at(*card, "memory_total_mib"))
                if (const auto bytes = *mib * 1024 * 1024; !least || bytes < *least)
                    least = {bytes, name + ": memory_total_mib"};
            if (const auto found = string_at(*card, "name"); found && !found_name)
                found_name = {std::string(*found), name + ": name"};
        }
        found_count = {usable, name + ": gpus"};
        found_memory_bytes = least;
        if (!gpu.count)
            gpu.count = found_count;
        if (!gpu.name)
            gpu.name = found_name;
        if (least) // measured: better than what is declared
            gpu.memory_bytes = least;
        take_capability_of_name();
        const auto* host = object_at(record, "host");
        const auto available = host ? number_at(*host, "available_memory_bytes") : std::nullopt;
        if (available && !host_memory_bytes)
            host_memory_bytes = {*available, name + ": available memory"};
    }

    const card::Sidecar& sidecar() const noexcept { return sidecar_; }

    std::string engine() const { return lower_case(sidecar_.text("engine.name").value_or("")); }
    std::int64_t parallel(const char* kind) const
    {
        return sidecar_.integer(std::string("engine.") + kind + "_parallel").value_or(1);
    }
    std::int64_t tensor_parallel() const { return parallel("tensor"); }
    /// GPUs that hold one copy of the weights.
    std::int64_t group_gpus() const { return tensor_parallel() * parallel("pipeline"); }

    /// A member of engine.extra_args by any of its names, however it is written (--a-b, a_b); nullptr: not
    /// there, or null.
    const json::value* extra(std::initializer_list<std::string_view> names) const
    {
        const auto* extra_args = sidecar_.map("engine.extra_args");
        if (!extra_args)
            return nullptr;
        for (const auto& member : *extra_args) {
            auto key = lower_case(std::string_view(member.key().data(), member.key().size()));
            key.erase(0, std::min(key.find_first_not_of('-'), key.size()));
            std::replace(key.begin(), key.end(), '_', '-');
            if (std::find(names.begin(), names.end(), key) != names.end() && !member.value().is_null())
                return &member.value();
        }
        return nullptr;
    }
    /// The same as a number, which may be written as text.
    std::optional<double> extra_number(std::initializer_list<std::string_view> names) const
    {
        const auto* value = extra(names);
        if (value && value->is_string())
            return parse_double({value->get_string().data(), value->get_string().size()});
        return as_number(value);
    }
    /// True where it is there and says yes: true, a number but 0, any text but "false", "0" and "".
    bool extra_is_on(std::initializer_list<std::string_view> names) const
    {
        const auto* value = extra(names);
        if (!value)
            return false;
        if (value->is_string())
            return *value != "false" && *value != "0" && *value != "";
        const auto number = as_number(value);
        return number ? *number != 0 : !value->is_bool() || value->get_bool();
    }

    bool architecture_has(std::initializer_list<std::string_view> words) const
    {
        const auto text = lower_case(model.architecture.value.value_or(""));
        return std::any_of(words.begin(), words.end(),
                           [&](std::string_view word) { return text.find(word) != std::string::npos; });
    }
    bool is_moe() const { return architecture_has({"moe"}) || (model.experts && *model.experts > 1); }
    bool is_mla() const
    {
        return model.is_mla.value.value_or(false) || model.kv_lora_rank ||
               architecture_has({"mla", "nsa", "dsa", "latent"});
    }
    bool is_mamba_hybrid() const
    {
        return model.is_mamba_hybrid.value.value_or(false) ||
               architecture_has({"mamba", "deltanet", "hybrid"});
    }
    bool is_fp8() const
    {
        const auto name = lower_case(model.quantization.value.value_or(""));
        return name == "fp8" || name == "fp8_e4m3" || name == "fp8_e5m2";
    }

    /// engine.speculative_decode, or nullptr where there is none; {} is none.
    const json::object* speculation() const
    {
        const auto* keys = sidecar_.map("engine.speculative_decode");
        return keys && !keys->empty() ? keys : nullptr;
    }
    /// Its algorithm, else its method, in small letters.
    std::string speculation_method() const
    {
        const auto* keys = speculation();
        auto method = keys ? string_at(*keys, "algorithm") : std::nullopt;
        if (keys && !method)
            method = string_at(*keys, "method");
        return lower_case(method.value_or(""));
    }

    ModelShape model;
    GpuKnowledge gpu;
    Known<std::string> found_name;    ///< of a preflight
    Known<std::int64_t> found_count;  ///< of a preflight
    Known<double> found_memory_bytes; ///< of a preflight
    Known<double> host_memory_bytes;
    std::vector<std::string> conflicts;

private:
    Known<std::string> known_text(const std::string& path) const
    {
        const auto text = sidecar_.text(path);
        return text ? Known<std::string>{*text, path} : Known<std::string>{};
    }
    Known<std::int64_t> known_count(const std::string& path) const
    {
        const auto count = sidecar_.integer(path);
        return count ? Known<std::int64_t>{*count, path} : Known<std::int64_t>{};
    }

    void take_capability_of_name()
    {
        const auto by_name = gpu.name ? capability_of(*gpu.name) : std::nullopt;
        if (by_name && !gpu.capability)
            gpu.capability = {*by_name, gpu.name.where};
    }

    card::Sidecar sidecar_;
};

} // namespace slo::serving

#endif
