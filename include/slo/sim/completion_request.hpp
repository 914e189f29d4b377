// SPDX-License-Identifier: MIT
// The body of a completion request, checked.

#ifndef SLO_SIM_COMPLETION_REQUEST_HPP
#define SLO_SIM_COMPLETION_REQUEST_HPP

#include <slo/base/json.hpp>
#include <slo/engine/lengths.hpp>
#include <slo/engine/prompt.hpp>
#include <slo/sim/api_error.hpp>
#include <slo/sim/prompt_reader.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace slo::sim {

/// The two completion endpoints.
enum class Api { chat, text };

/// What a client asks for.
struct CompletionRequest {
    Api api = Api::chat;
    std::string model; ///< empty when the body names none
    std::vector<std::shared_ptr<const engine::Prompt>> prompts;
    std::size_t n = 1; ///< answers to each prompt
    engine::OutputLimits limits;
    std::vector<std::string> stop;
    std::optional<std::int64_t> seed;
    bool stream = false;
    bool include_usage = false;
    bool continuous_usage = false;

    std::size_t choices() const noexcept { return prompts.size() * n; }
};

namespace detail {

inline constexpr std::size_t most_choices = 128;

// Reads optional fields of a body; null counts as absent, as the official clients send it.
class BodyReader {
public:
    explicit BodyReader(const json::object& body, std::string prefix = {})
        : body_(body), prefix_(std::move(prefix))
    {
    }

    const json::value* field(std::string_view key) const
    {
        const auto* value = find(body_, key);
        return value && !value->is_null() ? value : nullptr;
    }

    bool boolean(std::string_view key) const
    {
        const auto* value = field(key);
        if (value && !value->is_bool())
            fail(key, "must be true or false");
        return value && value->get_bool();
    }

    std::optional<std::int64_t> integer(std::string_view key, std::int64_t least, std::int64_t most) const
    {
        if (!field(key))
            return std::nullopt;
        const auto value = integer_at(body_, key);
        if (!value || *value < least || *value > most)
            fail(key, "must be an integer from " + std::to_string(least) + " to " + std::to_string(most));
        return value;
    }

    void number(std::string_view key, double least, double most) const
    {
        if (!field(key))
            return;
        const auto value = number_at(body_, key);
        if (!value || *value < least || *value > most)
            fail(key, "must be a number from " + format_double(least) + " to " + format_double(most));
    }

    std::string text(std::string_view key) const
    {
        if (!field(key))
            return {};
        const auto value = string_at(body_, key);
        if (!value)
            fail(key, "must be a text");
        return std::string(*value);
    }

    [[noreturn]] void fail(std::string_view key, std::string_view reason) const
    {
        const auto name = prefix_ + std::string(key);
        throw ApiError(400, name + " " + std::string(reason), name);
    }

private:
    const json::object& body_;
    std::string prefix_;
};

inline std::vector<std::string> read_stop(const BodyReader& reader)
{
    const auto* value = reader.field("stop");
    if (!value)
        return {};
    const auto checked = [&](const json::value& text) {
        if (!text.is_string() || text.get_string().empty() || text.get_string().size() > 1000)
            reader.fail("stop", "must be a text of 1 to 1000 bytes, or a list of at most 16 of them");
        return std::string(view(text.get_string()));
    };
    if (!value->is_array())
        return {checked(*value)};
    std::vector<std::string> stop;
    for (const auto& text : value->get_array())
        stop.push_back(checked(text));
    if (stop.size() > 16)
        reader.fail("stop", "must be a text of 1 to 1000 bytes, or a list of at most 16 of them");
    return stop;
}

inline void read_prompts(const BodyReader& reader, CompletionRequest& request)
{
    const auto* value = reader.field(request.api == Api::chat ? "messages" : "prompt");
    if (request.api == Api::chat) {
        if (!value || !value->is_array())
            reader.fail("messages", "must be a list of messages");
        request.prompts.push_back(std::make_shared<engine::Prompt>(tokens_of_messages(value->get_array())));
        return;
    }
    if (!value)
        reader.fail("prompt", "is missing");
    for (const auto& tokens : tokens_of_prompts(*value, most_choices))
        request.prompts.push_back(std::make_shared<engine::Prompt>(tokens));
}

} // namespace detail

/// Reads a request body. Sampling fields are checked and have no effect: the engine's words are made up.
/// Throws ApiError.
inline CompletionRequest read_completion_request(std::string_view text, Api api)
{
    json::value value;
    try {
        value = parse_json(text);
    } catch (const JsonError& error) {
        throw ApiError(400, std::string("the body is ") + error.what());
    }
    if (!value.is_object())
        throw ApiError(400, "the body must be a JSON object");
    const detail::BodyReader reader(value.get_object());
    CompletionRequest request;
    request.api = api;
    request.model = reader.text("model");
    constexpr std::int64_t most_tokens = 1 << 24;
    request.limits.max_tokens = reader.integer("max_tokens", 1, most_tokens);
    if (const auto newer = reader.integer("max_completion_tokens", 1, most_tokens))
        request.limits.max_tokens = newer;
    // The default of the completions API.
    if (!request.limits.max_tokens && api == Api::text)
        request.limits.max_tokens = 16;
    request.limits.min_tokens = reader.integer("min_tokens", 0, most_tokens).value_or(0);
    if (request.limits.max_tokens && request.limits.min_tokens > *request.limits.max_tokens)
        reader.fail("min_tokens", "must not be above max_tokens");
    request.limits.ignore_eos = reader.boolean("ignore_eos");
    request.n = static_cast<std::size_t>(reader.integer("n", 1, detail::most_choices).value_or(1));
    request.seed = reader.integer("seed", INT64_MIN, INT64_MAX);
    request.stop = detail::read_stop(reader);
    request.stream = reader.boolean("stream");
    reader.number("temperature", 0, 100);
    reader.number("top_p", 0, 1);
    reader.number("presence_penalty", -2, 2);
    reader.number("frequency_penalty", -2, 2);
    if (const auto* options = reader.field("stream_options")) {
        if (!options->is_object())
            reader.fail("stream_options", "must be an object");
        if (!request.stream)
            reader.fail("stream_options", "is allowed only with stream");
        const detail::BodyReader nested(options->get_object(), "stream_options.");
        request.include_usage = nested.boolean("include_usage");
        request.continuous_usage = request.include_usage && nested.boolean("continuous_usage_stats");
    }
    detail::read_prompts(reader, request);
    if (request.choices() > detail::most_choices)
        reader.fail("n",
                    "times the number of prompts must not be above " + std::to_string(detail::most_choices));
    return request;
}

/// How many tokens each answer to `prompt` may have. Throws ApiError when the prompt, or the prompt and
/// max_tokens, are more than the engine's context holds.
inline std::int64_t room_for_answer(const engine::Prompt& prompt, const engine::OutputLimits& limits,
                                    std::int64_t max_model_len)
{
    const auto wanted = limits.max_tokens.value_or(1);
    if (prompt.tokens() + wanted > max_model_len)
        throw ApiError(400,
                       "the context holds " + std::to_string(max_model_len) + " tokens, the prompt has " +
                           std::to_string(prompt.tokens()) + " and the answer asks for " +
                           (limits.max_tokens ? "" : "at least ") + std::to_string(wanted),
                       "messages", "context_length_exceeded");
    return max_model_len - prompt.tokens();
}

} // namespace slo::sim

#endif
