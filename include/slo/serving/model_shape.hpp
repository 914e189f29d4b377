// SPDX-License-Identifier: MIT
// What rules need to know of a model, out of a sidecar, a model card or a Hugging Face config.json.

#ifndef SLO_SERVING_MODEL_SHAPE_HPP
#define SLO_SERVING_MODEL_SHAPE_HPP

#include <slo/base/error.hpp>
#include <slo/base/json.hpp>
#include <slo/base/text.hpp>
#include <slo/serving/known.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace slo::serving {

/// Every field may be unknown.
struct ModelShape {
    Known<std::string> architecture, quantization, fp8_granularity, dtype, parameters_total;
    Known<std::int64_t> max_model_len, max_position_embeddings, heads, kv_heads, hidden_size, layers,
        head_dim, intermediate_size, moe_intermediate_size, experts, kv_lora_rank, qk_rope_head_dim,
        sliding_window, mtp_layers, weight_block;
    Known<std::int64_t> full_layers, sliding_layers; ///< only where not every layer keeps the same
    Known<bool> is_mla, is_mamba_hybrid, supports_mtp;
    std::vector<std::string> unread; ///< what stands there, but cannot be read

    /// Calls `f` for each field of this and the same one of the others.
    template <class F, class... Others>
    static void visit(F f, Others&... shape)
    {
        f(shape.architecture...), f(shape.quantization...), f(shape.fp8_granularity...), f(shape.dtype...);
        f(shape.parameters_total...), f(shape.max_model_len...), f(shape.max_position_embeddings...);
        f(shape.heads...), f(shape.kv_heads...), f(shape.hidden_size...), f(shape.layers...);
        f(shape.head_dim...), f(shape.intermediate_size...), f(shape.moe_intermediate_size...);
        f(shape.experts...), f(shape.kv_lora_rank...), f(shape.qk_rope_head_dim...);
        f(shape.sliding_window...), f(shape.mtp_layers...), f(shape.weight_block...);
        f(shape.full_layers...), f(shape.sliding_layers...);
        f(shape.is_mla...), f(shape.is_mamba_hybrid...), f(shape.supports_mtp...);
    }

    bool is_empty() const
    {
        bool empty = true;
        visit([&](const auto& field) { empty = empty && !field; }, *this);
        return empty;
    }
};

namespace detail {

class ShapeReader {
public:
    ShapeReader(const json::object& object, std::string prefix, ModelShape& shape)
        : object_(object), prefix_(std::move(prefix)), shape_(shape)
    {
    }

    // The first of the names that is there and not null.
    const json::value* first(std::initializer_list<const char*> names, std::string& name) const
    {
        for (const char* each : names) {
            const auto* value = find(object_, each);
            if (value && !value->is_null()) {
                name = each;
                return value;
            }
        }
        return nullptr;
    }

    void read(Known<std::int64_t>& field, std::initializer_list<const char*> names)
    {
        std::string name;
        const auto* value = first(names, name);
        if (!value)
            return;
        const auto number = integer_at(object_, name);
        if (number && *number >= 1 && *number <= 1'000'000'000)
            field = {*number, prefix_ + name};
        else if (!(value->is_int64() && value->get_int64() == 0))
            shape_.unread.push_back(prefix_ + name);
    }
    void read(Known<std::string>& field, std::initializer_list<const char*> names)
    {
        std::string name;
        const auto* value = first(names, name);
        if (!value)
            return;
        if (const auto text = string_at(object_, name))
            field = {std::string(*text), prefix_ + name};
        else
            shape_.unread.push_back(prefix_ + name);
    }
    void read(Known<bool>& field, const char* name)
    {
        const auto* value = find(object_, name);
        if (!value || value->is_null())
            return;
        if (value->is_bool())
            field = {value->get_bool(), prefix_ + name};
        else
            shape_.unread.push_back(prefix_ + name);
    }

    const json::object& object() const { return object_; }
    std::string at(const char* name) const { return prefix_ + name; }

private:
    const json::object& object_;
    std::string prefix_;
    ModelShape& shape_;
};

// How far positions reach once they are stretched: transformers' rope_scaling, as vLLM takes it.
inline void stretch_positions(const ShapeReader& reader, ModelShape& shape)
{
    const auto* rope = object_at(reader.object(), "rope_scaling");
    const auto factor = rope ? number_at(*rope, "factor") : std::nullopt;
    if (!factor || !shape.max_position_embeddings || !(*factor >= 1) || !(*factor <= 1e6))
        return;
    auto kind = string_at(*rope, "rope_type");
    if (!kind)
        kind = string_at(*rope, "type");
    if (kind == "llama3" || kind == "longrope" || kind == "su" || kind == "default" || kind == "mrope")
        return;
    auto base = static_cast<double>(*shape.max_position_embeddings);
    if (kind == "yarn")
        if (const auto original = number_at(*rope, "original_max_position_embeddings"))
            base = *original;
    const auto reach = std::max(base * *factor, static_cast<double>(*shape.max_position_embeddings));
    if (reach < 9e15)
        shape.max_position_embeddings = {static_cast<std::int64_t>(reach),
                                         reader.at("max_position_embeddings with rope_scaling")};
}

inline void read_layer_kinds(const ShapeReader& reader, ModelShape& shape)
{
    const auto put = [&](std::int64_t full, std::int64_t sliding, const char* name) {
        shape.full_layers = {full, reader.at(name)};
        shape.sliding_layers = {sliding, reader.at(name)};
    };
    if (const auto* kinds = array_at(reader.object(), "layer_types")) {
        std::int64_t full = 0, sliding = 0, other = 0;
        for (const auto& kind : *kinds) {
            const auto* text = kind.if_string();
            if (text && (*text == "full_attention" || *text == "attention"))
                ++full;
            else if (text && (*text == "sliding_attention" || *text == "chunked_attention"))
                ++sliding;
            else
                ++other;
        }
        put(full, sliding, "layer_types");
        if (other > 0)
            shape.is_mamba_hybrid = {true, reader.at("layer_types")};
    } else if (const auto pattern = string_at(reader.object(), "hybrid_override_pattern")) {
        put(std::count(pattern->begin(), pattern->end(), '*'), 0, "hybrid_override_pattern");
        shape.is_mamba_hybrid = {true, reader.at("hybrid_override_pattern")};
    } else {
        for (const char* period : {"full_attention_interval", "attn_layer_period"})
            if (const auto every = integer_at(reader.object(), period);
                every && *every >= 1 && shape.layers) {
                put(*shape.layers / *every, 0, period);
                shape.is_mamba_hybrid = {true, reader.at(period)};
            }
    }
}

// "quantization_config" of a checkpoint, by the method that made it.
inline void read_checkpoint_quantization(const ShapeReader& reader, ModelShape& shape)
{
    const auto* config = object_at(reader.object(), "quantization_config");
    if (!config || shape.quantization)
        return;
    auto method = string_at(*config, "quant_algo");
    if (!method)
        method = string_at(*config, "quant_method");
    if (method && (*method == "compressed-tensors" || *method == "modelopt"))
        return;
    if (method)
        shape.quantization = {lower_case(*method), reader.at("quantization_config")};
    if (const auto* block = array_at(*config, "weight_block_size"); block && !block->empty()) {
        if (block->front().is_int64() && block->front().get_int64() >= 1)
            shape.weight_block = {block->front().get_int64(),
                                  reader.at("quantization_config.weight_block_size")};
    } else if (shape.quantization && *shape.quantization == "fp8" && !shape.fp8_granularity) {
        shape.fp8_granularity = {std::string("per-tensor"), reader.at("quantization_config")};
    }
}

} // namespace detail

/// Reads the names of a sidecar's `model`, of a model card and of a config.json alike; unknown keys are not
/// looked at, they are others' documents. `prefix` stands before names in messages ("model.").
inline ModelShape read_model_shape(const json::object& document, const std::string& prefix)
{
    ModelShape shape;
    const auto* object = &document;
    for (const char* inner : {"text_config", "llm_config", "language_config"}) // of multimodal models
        if (const auto* nested = object_at(document, inner); nested && !find(document, "hidden_size"))
            object = nested;
    detail::ShapeReader reader(*object, prefix, shape);
    reader.read(shape.architecture, {"architecture", "model_type"});
    reader.read(shape.quantization, {"quantization"});
    reader.read(shape.fp8_granularity, {"fp8_granularity"});
    reader.read(shape.dtype, {"torch_dtype", "dtype"});
    reader.read(shape.parameters_total, {"parameters_total"});
    reader.read(shape.max_model_len, {"max_model_len"});
    reader.read(shape.max_position_embeddings, {"max_position_embeddings", "n_positions", "max_seq_len"});
    reader.read(shape.heads, {"num_attention_heads", "n_head", "n_heads"});
    reader.read(shape.kv_heads,
                {"num_key_value_heads", "num_kv_heads", "n_kv_heads", "multi_query_group_num"});
    reader.read(shape.hidden_size, {"hidden_size", "n_embd", "d_model"});
    reader.read(shape.layers, {"num_hidden_layers", "n_layer", "n_layers", "num_layers"});
    reader.read(shape.head_dim, {"head_dim", "attention_head_dim"});
    reader.read(shape.intermediate_size, {"intermediate_size", "ffn_hidden_size"});
    reader.read(shape.moe_intermediate_size, {"moe_intermediate_size"});
    reader.read(shape.experts, {"n_routed_experts", "num_experts", "num_local_experts"});
    reader.read(shape.kv_lora_rank, {"kv_lora_rank"});
    reader.read(shape.qk_rope_head_dim, {"qk_rope_head_dim"});
    reader.read(shape.mtp_layers, {"num_nextn_predict_layers", "mtp_num_hidden_layers"});
    const auto* windowed = find(*object, "use_sliding_window");
    if (!windowed || !windowed->is_bool() || windowed->get_bool())
        reader.read(shape.sliding_window, {"sliding_window"});
    reader.read(shape.is_mla, "is_mla");
    reader.read(shape.is_mamba_hybrid, "is_mamba_hybrid");
    reader.read(shape.supports_mtp, "supports_mtp");
    detail::stretch_positions(reader, shape);
    detail::read_layer_kinds(reader, shape);
    detail::read_checkpoint_quantization(reader, shape);
    return shape;
}

/// The number in "120B", "7.6b", "350M" or "1.2T"; nothing for anything else.
inline std::optional<double> parse_parameters(std::string_view text)
{
    text = trim(text);
    if (text.empty())
        return std::nullopt;
    const std::array<std::pair<char, double>, 3> units{{{'m', 1e6}, {'b', 1e9}, {'t', 1e12}}};
    const auto letter = lower_case(text.substr(text.size() - 1))[0];
    for (const auto& [unit, scale] : units)
        if (letter == unit) {
            const auto number = parse_double(trim(text.substr(0, text.size() - 1)));
            return number && *number > 0 && *number < 1e6 ? std::optional(*number * scale) : std::nullopt;
        }
    return std::nullopt;
}

/// The size that a model's name tells: the largest word such as "70B" of "org/Llama-3-70B-Instruct".
inline std::optional<double> parameters_in_name(std::string_view name)
{
    std::optional<double> largest;
    while (!name.empty()) {
        const auto end = name.find_first_of("-_/ :");
        const auto word = name.substr(0, end);
        if (!word.empty() && word[0] >= '0' && word[0] <= '9' && lower_case(word).ends_with('b'))
            if (const auto size = parse_parameters(word))
                largest = std::max(largest.value_or(0), *size);
        name.remove_prefix(end == std::string_view::npos ? name.size() : end + 1);
    }
    return largest;
}

} // namespace slo::serving

#endif
