// SPDX-License-Identifier: MIT
// An engine described by a JSON object.

#ifndef SLO_ENGINE_PROFILE_HPP
#define SLO_ENGINE_PROFILE_HPP

#include <slo/base/error.hpp>
#include <slo/base/json.hpp>
#include <slo/base/text.hpp>
#include <slo/engine/lengths.hpp>
#include <slo/engine/limits.hpp>
#include <slo/engine/step_model.hpp>

#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace slo::engine {

/// What a client that fail_above_running refuses is told.
inline constexpr std::string_view refusal_message = "as many requests are under way as the engine takes";

/// Everything that makes an engine what it is.
struct Profile {
    std::string name = "unnamed";
    std::string description;
    std::string model = "made-up-model"; ///< the name it is served under
    StepModel step;
    SchedulerLimits limits;
    LengthLaw output;
    /// A request that finds as many under way is refused with an error; absent: never.
    std::optional<std::int64_t> fail_above_running = std::nullopt;
};

namespace detail {

inline constexpr std::array<std::string_view, 3> length_law_names{"limit", "fixed", "lognormal"};

// Reads the members of one object and, at the end, refuses those nobody asked for.
class ProfileReader {
public:
    ProfileReader(const json::object& object, std::string where) : object_(object), where_(std::move(where))
    {
    }

    void number(std::string_view key, double& value, double scale, double least, double most)
    {
        if (!note(key))
            return;
        const auto read = number_at(object_, key);
        if (!read || *read < least || *read > most)
            fail(key, "must be a number from " + format_double(least) + " to " + format_double(most));
        value = *read * scale;
    }

    template <class Integer>
    void integer(std::string_view key, Integer& value, std::int64_t least = 1)
    {
        if (!note(key))
            return;
        const auto read = integer_at(object_, key);
        if (!read || *read < least || *read > (1 << 24))
            fail(key, "must be an integer from " + std::to_string(least) + " to 16777216");
        value = *read;
    }

    void boolean(std::string_view key, bool& value)
    {
        if (!note(key))
            return;
        if (!find(object_, key)->is_bool())
            fail(key, "must be true or false");
        value = find(object_, key)->get_bool();
    }

    void text(std::string_view key, std::string& value, std::size_t longest)
    {
        if (!note(key))
            return;
        const auto read = string_at(object_, key);
        if (!read || read->empty() || read->size() > longest)
            fail(key, "must be a text of 1 to " + std::to_string(longest) + " bytes");
        value = *read;
    }

    const json::object* object(std::string_view key)
    {
        if (!note(key))
            return nullptr;
        if (const auto* member = object_at(object_, key))
            return member;
        fail(key, "must be an object");
    }

    void end() const
    {
        if (seen_ == object_.size())
            return;
        for (const auto& member : object_)
            if (known_.find("," + std::string(member.key()) + ",") == std::string::npos)
                fail(printable({member.key().data(), member.key().size()}, 60), "no such field in a profile");
    }

    [[noreturn]] void fail(std::string_view key, std::string_view reason) const
    {
        throw InputError(where_ + std::string(key) + " " + std::string(reason));
    }

private:
    bool note(std::string_view key)
    {
        known_ += std::string(key) + ",";
        const bool present = find(object_, key) != nullptr;
        seen_ += present;
        return present;
    }

    const json::object& object_;
    std::string where_;
    std::string known_ = ",";
    std::size_t seen_ = 0;
};

} // namespace detail

/// Reads a profile. What it leaves out keeps its default, save the step times, all of which but
/// `context_token_us` must be there. Throws InputError naming the field; the caller adds the file.
inline Profile read_profile(const json::value& value)
{
    if (!value.is_object())
        throw InputError("a profile must be a JSON object");
    Profile profile;
    detail::ProfileReader top(value.get_object(), "");
    std::string schema;
    top.text("schema", schema, 64);
    if (!schema.empty() && schema != "sloutils.profile/1")
        top.fail("schema", "is not sloutils.profile/1");
    top.text("name", profile.name, 64);
    top.text("description", profile.description, 1000);
    top.text("model", profile.model, 200);
    const auto* step = top.object("step");
    if (!step)
        top.fail("step", "is missing");
    detail::ProfileReader times(*step, "step.");
    for (const auto key : {"base_ms", "sequence_ms", "prefill_token_ms"})
        if (!find(*step, key))
            times.fail(key, "is missing");
    times.number("base_ms", profile.step.base_s, 1e-3, 0.001, 60e3);
    times.number("sequence_ms", profile.step.per_sequence_s, 1e-3, 0, 60e3);
    times.number("prefill_token_ms", profile.step.per_prefill_token_s, 1e-3, 0, 60e3);
    times.number("context_token_us", profile.step.per_context_token_s, 1e-6, 0, 1e6);
    times.integer("graph_from", profile.step.graph_from);
    times.integer("graph_to", profile.step.graph_to);
    times.number("graph_factor", profile.step.graph_factor, 1, 0.01, 100);
    times.number("drift_per_hour", profile.step.drift_per_hour, 1, 0, 100);
    if (profile.step.graph_to < profile.step.graph_from)
        times.fail("graph_to", "must be at least graph_from");
    times.end();
    top.integer("max_num_seqs", profile.limits.max_num_seqs);
    top.integer("max_num_batched_tokens", profile.limits.max_num_batched_tokens);
    top.integer("kv_blocks", profile.limits.kv_blocks);
    top.integer("max_model_len", profile.limits.max_model_len);
    top.integer("fail_above_running", profile.fail_above_running, 0);
    top.boolean("prefix_caching", profile.limits.prefix_caching);
    if (const auto* output = top.object("output")) {
        detail::ProfileReader law(*output, "output.");
        std::string kind = "limit";
        law.text("law", kind, 32);
        std::size_t index = 0;
        while (index < detail::length_law_names.size() && detail::length_law_names[index] != kind)
            ++index;
        if (index == detail::length_law_names.size())
            law.fail("law", "must be limit, fixed or lognormal");
        profile.output.kind = static_cast<LengthLaw::Kind>(index);
        law.number("median_tokens", profile.output.median_tokens, 1, 1, 1e6);
        law.number("sigma", profile.output.sigma, 1, 0, 3);
        law.end();
    }
    top.end();
    try {
        checked(profile.limits);
    } catch (const UsageError& error) {
        throw InputError(error.what());
    }
    return profile;
}

namespace detail {

// As many digits as a person would have typed: to a billionth of the unit.
inline double rounded(double value)
{
    return std::round(value * 1e9) / 1e9;
}

} // namespace detail

/// The JSON form of a profile; read_profile() reads it back.
inline json::object to_record(const Profile& profile)
{
    const auto law = detail::length_law_names[static_cast<std::size_t>(profile.output.kind)];
    json::object record{
        {"schema", "sloutils.profile/1"},
        {"name", profile.name},
        {"model", profile.model},
        {"step", json::object{{"base_ms", detail::rounded(profile.step.base_s * 1e3)},
                              {"sequence_ms", detail::rounded(profile.step.per_sequence_s * 1e3)},
                              {"prefill_token_ms", detail::rounded(profile.step.per_prefill_token_s * 1e3)},
                              {"context_token_us", detail::rounded(profile.step.per_context_token_s * 1e6)}}},
        {"max_num_seqs", profile.limits.max_num_seqs},
        {"max_num_batched_tokens", profile.limits.max_num_batched_tokens},
        {"kv_blocks", profile.limits.kv_blocks},
        {"max_model_len", profile.limits.max_model_len},
        {"prefix_caching", profile.limits.prefix_caching},
        {"output", json::object{{"law", json_text(law)},
                                {"median_tokens", profile.output.median_tokens},
                                {"sigma", profile.output.sigma}}}};
    auto& step = record["step"].get_object();
    if (profile.step.graph_from > 0) {
        step["graph_from"] = profile.step.graph_from;
        step["graph_to"] = profile.step.graph_to;
        step["graph_factor"] = profile.step.graph_factor;
    }
    if (profile.step.drift_per_hour > 0)
        step["drift_per_hour"] = profile.step.drift_per_hour;
    if (profile.fail_above_running)
        record["fail_above_running"] = *profile.fail_above_running;
    if (!profile.description.empty())
        record["description"] = profile.description;
    return record;
}

} // namespace slo::engine

#endif
