// SPDX-License-Identifier: MIT
// What an answer to /chat/completions or /completions says, streamed or whole: tokens, their times, the end.

#ifndef SLO_WIRE_COMPLETION_HPP
#define SLO_WIRE_COMPLETION_HPP

#include <slo/base/json.hpp>
#include <slo/base/text.hpp>
#include <slo/wire/api_error.hpp>
#include <slo/wire/chunk.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace slo::wire {

/// What an answer with status 200, taken for itself, was worth.
enum class Outcome {
    ok,
    stream_error, ///< the server reported an error inside the answer
    truncated,    ///< it ended without saying that it is finished
    empty,        ///< it ended without text in any channel and without an output token
    protocol      ///< what came is no such answer at all
};

/// What is known of one choice of an answer.
struct AnswerChoice {
    int index = 0;
    std::string finish_reason;                ///< empty while the server named none
    std::int64_t token_events = 0;            ///< events with text of any channel
    std::int64_t chars = 0;                   ///< Unicode code points of all channels
    std::optional<std::int64_t> usage_tokens; ///< its own count, where the server sends usage per choice
    std::optional<double> first_token_s;
    std::optional<double> last_token_s;
};

/// Accumulates one answer. Times are parameters: seconds on the caller's clock, never going back. A token
/// event of a choice is an event in which it carries text in any channel. Text is counted, not kept.
class Answer {
public:
    /// A choice index from here on is a protocol error.
    static constexpr std::int64_t max_choices = 1024;

    /// Takes one server-sent event. What is wrong with it shows in outcome().
    void on_event(std::string_view data, std::string_view event_name, double t_s);

    /// Takes the whole body of an answer that is not streamed; all its tokens arrive at `t_s`.
    void on_body(std::string_view body, double t_s);

    /// Notes that what came is no answer (an event over the limit, HTML in place of a stream); the first note
    /// stands.
    void fail_protocol(std::string_view reason);

    /// The verdict once all that came was taken. An answer is finished when each of its choices has a finish
    /// reason, or when none has but it came whole or closed with [DONE], for some servers send no reasons.
    /// The reasons "error" and "abort" are errors of the server's.
    Outcome outcome() const noexcept;

    /// One printable line saying why outcome() is not ok; empty when it is.
    std::string error_text() const;

    /// True once [DONE] or a whole body came: nothing after it counts, not even how the connection ends.
    bool done() const noexcept { return done_; }

    /// By index.
    const std::vector<AnswerChoice>& choices() const noexcept { return choices_; }

    /// The first and the last token event of any choice, and the first with content, if there were such.
    std::optional<double> first_token_s() const noexcept { return first_token_s_; }
    std::optional<double> first_content_s() const noexcept { return first_content_s_; }
    std::optional<double> last_token_s() const noexcept { return last_token_s_; }

    /// Gaps in milliseconds between token events of the same choice, in order of arrival over all choices.
    const std::vector<double>& itl_ms() const noexcept { return itl_ms_; }

    /// Unicode code points over all choices.
    std::int64_t content_chars() const noexcept { return chars_.content; }
    std::int64_t reasoning_chars() const noexcept { return chars_.reasoning; }

    /// True when the server sent usage; without it output tokens are counted from the events.
    bool has_usage() const noexcept { return usage_.seen(); }
    std::optional<std::int64_t> input_tokens() const noexcept { return usage_.last().prompt_tokens; }
    std::optional<std::int64_t> cached_tokens() const noexcept { return usage_.last().cached_tokens; }
    std::optional<std::int64_t> reasoning_tokens() const noexcept { return usage_.last().reasoning_tokens; }

    /// Output tokens over all choices. Usage is cumulative, so the last one counts; where the server reports
    /// each choice by itself, the sum of their last ones.
    std::int64_t output_tokens() const noexcept;

    /// Output tokens of one of choices(): all when it is the only one, else its own usage, else its events.
    std::int64_t tokens_of(const AnswerChoice& choice) const noexcept;

private:
    void take_text(std::string_view text, double t_s);
    void take(const json::object& chunk, double t_s);
    void take_choice(const json::object& object, AnswerChoice& choice, double t_s);
    void fail_stream(std::string_view reason);
    AnswerChoice* choice_at(std::int64_t index);
    std::int64_t token_events() const noexcept;
    bool finished() const noexcept;

    std::vector<AnswerChoice> choices_;
    std::vector<double> itl_ms_;
    std::optional<double> first_token_s_;
    std::optional<double> first_content_s_;
    std::optional<double> last_token_s_;
    ChannelChars chars_;
    UsageTally usage_;
    bool done_ = false;
    std::string stream_error_;
    std::string protocol_error_;
};

inline void Answer::on_event(std::string_view data, std::string_view event_name, double t_s)
{
    if (done_ || !protocol_error_.empty())
        return;
    if (event_name == "error")
        return fail_stream(error_message(data));
    if (trim(data).starts_with("[DONE]")) {
        done_ = true;
        return;
    }
    take_text(data, t_s);
}

inline void Answer::on_body(std::string_view body, double t_s)
{
    take_text(body, t_s);
    done_ = true;
}

inline void Answer::take_text(std::string_view text, double t_s)
{
    try {
        const auto value = parse_json(text);
        if (const auto* object = value.if_object())
            take(*object, t_s);
        else if (!value.is_null()) // `data: null` occurs in streams of real servers
            fail_protocol("neither an object nor null: " + std::string(text.substr(0, max_error_text_bytes)));
    } catch (const JsonError& error) {
        fail_protocol(std::string(error.what()) + ": " + std::string(text.substr(0, max_error_text_bytes)));
    }
}

inline void Answer::take(const json::object& chunk, double t_s)
{
    if (const auto error = error_in(chunk))
        return fail_stream(*error);
    AnswerChoice* only_choice = nullptr;
    if (const auto* choices = array_at(chunk, "choices")) {
        std::int64_t position = 0;
        for (const auto& value : *choices) {
            const auto* object = value.if_object();
            auto* choice = object ? choice_at(integer_at(*object, "index").value_or(position)) : nullptr;
            if (!choice)
                return fail_protocol("a choice without a sensible index");
            take_choice(*object, *choice, t_s);
            only_choice = position++ == 0 ? choice : nullptr;
        }
    }
    if (const auto* object = object_at(chunk, "usage")) {
        const auto usage = usage_of(*object);
        usage_.add(usage, only_choice != nullptr);
        if (only_choice && usage.completion_tokens)
            only_choice->usage_tokens = usage.completion_tokens;
    }
}

inline void Answer::take_choice(const json::object& object, AnswerChoice& choice, double t_s)
{
    if (auto reason = finish_reason_of(object); !reason.empty()) {
        if (reason == "error" || reason == "abort")
            fail_stream("finish reason \"" + reason + '"');
        choice.finish_reason = printable(reason, 64);
    }
    const auto chars = text_of(object);
    if (chars.all() == 0)
        return;
    if (choice.last_token_s)
        itl_ms_.push_back((t_s - *choice.last_token_s) * 1e3);
    ++choice.token_events;
    choice.chars += chars.all();
    choice.first_token_s = choice.first_token_s.value_or(t_s);
    choice.last_token_s = t_s;
    first_token_s_ = first_token_s_.value_or(t_s);
    last_token_s_ = t_s;
    if (chars.content > 0)
        first_content_s_ = first_content_s_.value_or(t_s);
    chars_.content += chars.content;
    chars_.reasoning += chars.reasoning;
}

inline std::int64_t Answer::output_tokens() const noexcept
{
    if (const auto total = usage_.completion_tokens(choices_.size(), token_events()))
        return *total;
    std::int64_t sum = 0;
    bool counted = false;
    for (const auto& choice : choices_) {
        counted = counted || choice.usage_tokens;
        sum += choice.usage_tokens.value_or(0);
    }
    return counted ? sum : token_events();
}

inline std::int64_t Answer::tokens_of(const AnswerChoice& choice) const noexcept
{
    return choices_.size() == 1 ? output_tokens() : choice.usage_tokens.value_or(choice.token_events);
}

inline Outcome Answer::outcome() const noexcept
{
    if (!stream_error_.empty())
        return Outcome::stream_error;
    if (!protocol_error_.empty())
        return Outcome::protocol;
    if (!first_token_s_ && output_tokens() == 0)
        return Outcome::empty;
    return finished() ? Outcome::ok : Outcome::truncated;
}

inline std::string Answer::error_text() const
{
    switch (outcome()) {
    case Outcome::ok:
        break;
    case Outcome::stream_error:
        return "error in the answer: " + stream_error_;
    case Outcome::truncated:
        return "answer ended without a finish reason";
    case Outcome::empty:
        return "answer without any text or token";
    case Outcome::protocol:
        return "no valid answer: " + protocol_error_;
    }
    return {};
}

inline bool Answer::finished() const noexcept
{
    const auto named = std::count_if(choices_.begin(), choices_.end(), [](const AnswerChoice& choice) {
        return !choice.finish_reason.empty();
    });
    return named == 0 ? done_ : named == static_cast<std::ptrdiff_t>(choices_.size());
}

inline std::int64_t Answer::token_events() const noexcept
{
    std::int64_t sum = 0;
    for (const auto& choice : choices_)
        sum += choice.token_events;
    return sum;
}

// The choices are few and mostly come in order: a sorted vector.
inline AnswerChoice* Answer::choice_at(std::int64_t index)
{
    if (index < 0 || index >= max_choices)
        return nullptr;
    auto at = std::find_if(choices_.begin(), choices_.end(),
                           [index](const AnswerChoice& choice) { return choice.index >= index; });
    if (at == choices_.end() || at->index != index) {
        at = choices_.emplace(at);
        at->index = static_cast<int>(index);
    }
    return &*at;
}

inline void Answer::fail_protocol(std::string_view reason)
{
    if (protocol_error_.empty())
        protocol_error_ = printable(reason, max_error_text_bytes);
}

inline void Answer::fail_stream(std::string_view reason)
{
    if (stream_error_.empty())
        stream_error_ = reason.empty() ? "no reason given" : printable(reason, max_error_text_bytes);
}

} // namespace slo::wire

#endif
