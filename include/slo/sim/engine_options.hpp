// SPDX-License-Identifier: MIT
// Which engine is meant: a profile, and what the command line changes in it.

#ifndef SLO_SIM_ENGINE_OPTIONS_HPP
#define SLO_SIM_ENGINE_OPTIONS_HPP

#include <slo/base/error.hpp>
#include <slo/base/json.hpp>
#include <slo/base/text.hpp>
#include <slo/engine/named_profile.hpp>
#include <slo/engine/profile.hpp>
#include <slo/io/fd.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace slo::sim {

/// The profile named `name`, or read from the file of that name ("-" is stdin). Throws IoError, InputError.
inline engine::Profile load_profile(const std::string& name)
{
    if (const auto known = engine::named_profile(name))
        return *known;
    try {
        return engine::read_profile(parse_json(io::read_all(name, 1 << 20)));
    } catch (const IoError& error) {
        if (error.error_number() == ENOENT && name.find('/') == std::string::npos)
            throw InputError(printable(name, 100),
                             "no such profile (" + engine::all_profile_names() + "), nor such a file");
        throw;
    } catch (const Error& error) {
        throw InputError(io::display_name(name), error.what());
    }
}

/// The options that all verbs share.
struct EngineOptions {
    std::string profile = "small";
    std::optional<std::string> model;
    std::optional<std::int64_t> max_num_seqs;
    std::optional<std::int64_t> max_num_batched_tokens;
    std::optional<std::int64_t> kv_blocks;
    std::optional<std::int64_t> max_model_len;
    std::optional<double> step_base_ms;
    std::optional<double> step_sequence_ms;
    std::optional<double> step_prefill_token_ms;
    std::optional<double> step_context_token_us;
    bool prefix_caching = true;
    std::uint64_t seed = 1;

    /// Adds the options to a table of the cli layer, which this layer does not know.
    template <class Table>
    void describe(Table& table)
    {
        table.section("Engine");
        table.add("profile", profile, "NAME|FILE",
                  "small, chat, rag, a sick one (see the manual), or a JSON file");
        table.add("model", model, "NAME", "name of the model instead of the profile's");
        table.add("max-num-seqs", max_num_seqs, "COUNT", "sequences that share a step at most");
        table.add("max-num-batched-tokens", max_num_batched_tokens, "COUNT",
                  "tokens computed a step at most");
        table.add("kv-blocks", kv_blocks, "COUNT", "KV cache, in blocks of 16 tokens");
        table.add("max-model-len", max_model_len, "TOKENS", "prompt and answer together at most");
        table.add("step-base", step_base_ms, "MS", "time that every step takes");
        table.add("step-sequence", step_sequence_ms, "MS", "and for each sequence that decodes");
        table.add("step-prefill-token", step_prefill_token_ms, "MS", "and for each token of a prompt");
        table.add("step-context-token", step_context_token_us, "US", "and for each token of context read");
        table.toggle("prefix-caching", prefix_caching, "find blocks of earlier prompts again");
        table.add("seed", seed, "N", "seed of everything random");
    }

    /// The engine that is meant. Throws UsageError for limits that make no sense, and what load_profile()
    /// throws.
    engine::Profile resolve() const
    {
        auto result = load_profile(profile);
        const auto set = [](auto& target, const auto& given) {
            if (given)
                target = *given;
        };
        set(result.model, model);
        if (result.model.empty() || result.model.size() > 200 || !is_utf8(result.model))
            throw UsageError("--model", "must be a text of 1 to 200 bytes");
        set(result.limits.max_num_seqs, max_num_seqs);
        set(result.limits.max_num_batched_tokens, max_num_batched_tokens);
        set(result.limits.kv_blocks, kv_blocks);
        set(result.limits.max_model_len, max_model_len);
        result.limits.prefix_caching = result.limits.prefix_caching && prefix_caching;
        engine::checked(result.limits);
        const auto set_time = [](double& target_s, const std::optional<double>& given, double scale,
                                 const char* name, double least) {
            if (given && !(*given >= least && *given <= 60e3))
                throw UsageError(name, "must be from " + format_double(least) + " to 60000");
            if (given)
                target_s = *given * scale;
        };
        set_time(result.step.base_s, step_base_ms, 1e-3, "--step-base", 0.001);
        set_time(result.step.per_sequence_s, step_sequence_ms, 1e-3, "--step-sequence", 0);
        set_time(result.step.per_prefill_token_s, step_prefill_token_ms, 1e-3, "--step-prefill-token", 0);
        set_time(result.step.per_context_token_s, step_context_token_us, 1e-6, "--step-context-token", 0);
        return result;
    }
};

} // namespace slo::sim

#endif
