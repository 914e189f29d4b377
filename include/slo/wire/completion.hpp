// SPDX-License-Identifier: MIT
// What an answer to /chat/completions, /completions or /responses says, streamed or whole: tokens, their
// times, the end.

#ifndef SLO_WIRE_COMPLETION_HPP
#define SLO_WIRE_COMPLETION_HPP

#include <slo/base/json.hpp>
#include <slo/base/text.hpp>
#include <slo/wire/answer_tally.hpp>
#include <slo/wire/api_error.hpp>
#include <slo/wire/chunk.hpp>
#include <slo/wire/chunk_template.hpp>
#include <slo/wire/json_scan.hpp>
#include <slo/wire/response_event.hpp>
#include <slo/wire/usage.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace slo::wire {

/// Reads one answer. Times are parameters: seconds on the caller's clock, never going back.
class Answer : public AnswerTally {
public:
    /// How events are read; the figures are the same.
    enum class Scanning {
        templates, ///< parsed until their form is known
        parse      ///< each parsed
    };

    explicit Answer(Scanning scanning = Scanning::templates) : scanning_(scanning) {}

    /// Takes one server-sent event. What is wrong with it shows in outcome().
    void on_event(std::string_view data, std::string_view event_name, double t_s);

    /// Takes the whole body of an answer that is not streamed. Its end says nothing about tokens: no token of
    /// it has a time.
    void on_body(std::string_view body);

private:
    void take_text(std::string_view text, std::optional<double> t_s);
    void take(std::string_view text, const json::object& chunk, std::optional<double> t_s);
    void take_choices(std::string_view text, const json::object& chunk, std::optional<double> t_s);
    void take_plain(const PlainChunk& chunk, double t_s);
    void take_response_event(std::string_view text, const json::object& event, std::optional<double> t_s);
    void take_response(const json::object& response, std::optional<double> t_s);
    void end_response(const ResponseEnd& end, std::optional<double> t_s);
    bool learns_from(std::string_view event) const noexcept;

    ChunkTemplates templates_;
    Scanning scanning_;
};

inline void Answer::on_event(std::string_view data, std::string_view event_name, double t_s)
{
    if (done() || failed_protocol())
        return;
    if (event_name == "error")
        return fail_stream(error_message(data));
    if (const auto* plain = templates_.match(data))
        return take_plain(*plain, t_s);
    if (trim(data).starts_with("[DONE]")) {
        set_done(t_s);
        return;
    }
    take_text(data, t_s);
}

inline void Answer::on_body(std::string_view body)
{
    set_whole();
    take_text(body, std::nullopt);
    set_done(std::nullopt);
}

inline void Answer::take_text(std::string_view text, std::optional<double> t_s)
{
    const auto parse = [](std::string_view json_text) {
        try {
            return parse_json(json_text);
        } catch (const JsonError&) {
            if (const auto mended = mend_lone_surrogates(json_text))
                return parse_json(*mended);
            throw;
        }
    };
    try {
        const auto value = parse(text);
        if (const auto* object = value.if_object())
            take(text, *object, t_s);
        else if (!value.is_null()) // `data: null` occurs in streams of real servers
            fail_protocol("neither an object nor null: " + std::string(text.substr(0, max_error_text_bytes)));
    } catch (const JsonError& error) {
        fail_protocol(std::string(error.what()) + ": " + std::string(text.substr(0, max_error_text_bytes)));
    }
}

inline void Answer::take(std::string_view text, const json::object& chunk, std::optional<double> t_s)
{
    if (const auto error = error_in(chunk))
        return fail_stream(*error);
    if (is_response_event(chunk))
        return take_response_event(text, chunk, t_s);
    if (is_response(chunk))
        return take_response(chunk, t_s);
    take_choices(text, chunk, t_s);
}

inline void Answer::take_choices(std::string_view text, const json::object& chunk, std::optional<double> t_s)
{
    static const json::array none;
    const auto* listed = array_at(chunk, "choices");
    const auto& choices = listed ? *listed : none;
    const bool single = choices.size() == 1;
    std::optional<Usage> usage;
    if (const auto* object = object_at(chunk, "usage"))
        usage = usage_of(*object);
    AnswerChoice* choice = nullptr;
    std::int64_t position = 0;
    for (const auto& value : choices) {
        const auto* object = value.if_object();
        choice = object ? choice_at(integer_at(*object, "index").value_or(position)) : nullptr;
        if (!choice)
            return fail_protocol("a choice without a sensible index");
        ++position;
        const auto reason = finish_reason_of(*object);
        if (!reason.empty())
            finish(*choice, reason);
        add_text(*choice, text_of(*object), single && usage ? usage->completion_tokens : std::nullopt, t_s);
        if (!single || !reason.empty() || !learns_from(text))
            continue;
        if (const auto sole = sole_text_of(*object))
            templates_.learn(text, sole->text, {choice->index, sole->channel, 0, usage});
    }
    if (usage)
        add_usage(*usage, single ? choice : nullptr);
}

inline void Answer::take_plain(const PlainChunk& chunk, double t_s)
{
    auto* choice = choice_at(chunk.choice);
    ChannelChars chars;
    chars.of(chunk.channel) = chunk.chars;
    add_text(*choice, chars, chunk.usage ? chunk.usage->completion_tokens : std::nullopt, t_s);
    if (chunk.usage)
        add_usage(*chunk.usage, choice);
}

inline void Answer::take_response_event(std::string_view text, const json::object& event,
                                        std::optional<double> t_s)
{
    if (const auto delta = response_delta(event)) {
        ChannelChars chars;
        chars.of(delta->channel) = static_cast<std::int64_t>(count_code_points(delta->text));
        add_text(*choice_at(0), chars, std::nullopt, t_s);
        if (learns_from(text))
            templates_.learn(text, delta->text, {0, delta->channel, 0, std::nullopt});
        return;
    }
    static const json::object none;
    const auto* response = object_at(event, "response");
    const auto type = string_at(event, "type").value_or("");
    if (const auto end = end_of_response(response ? *response : none, type.substr(type.find('.') + 1)))
        end_response(*end, t_s);
}

inline void Answer::take_response(const json::object& response, std::optional<double> t_s)
{
    add_text(*choice_at(0), text_of_response(response), std::nullopt, t_s);
    if (const auto end = end_of_response(response, string_at(response, "status").value_or("")))
        end_response(*end, t_s);
}

inline void Answer::end_response(const ResponseEnd& end, std::optional<double> t_s)
{
    if (end.usage)
        add_usage(*end.usage, nullptr);
    if (!end.error.empty())
        fail_stream(end.error);
    else
        finish(*choice_at(0), end.finish_reason);
    set_done(t_s);
}

// The text must be an event's: of a whole body there is only one.
inline bool Answer::learns_from(std::string_view event) const noexcept
{
    return scanning_ == Scanning::templates && streamed() && templates_.wants(event);
}

} // namespace slo::wire

#endif
