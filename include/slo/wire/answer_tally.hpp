// SPDX-License-Identifier: MIT
// What an answer adds up to: its choices, tokens, their times, and what it was worth.

#ifndef SLO_WIRE_ANSWER_TALLY_HPP
#define SLO_WIRE_ANSWER_TALLY_HPP

#include <slo/base/text.hpp>
#include <slo/wire/api_error.hpp>
#include <slo/wire/chunk.hpp>
#include <slo/wire/token_clock.hpp>
#include <slo/wire/usage.hpp>

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

/// The figures of one answer, for what reads it to add to. A token event of a choice is an event in which it
/// carries text in any channel. Text is counted, not kept.
class AnswerTally {
public:
    /// A choice index from here on is a protocol error.
    static constexpr std::int64_t max_choices = 1024;

    /// Notes that what came is no answer (an event over the limit, HTML in place of a stream); the first note
    /// stands.
    void fail_protocol(std::string_view reason);

    /// The verdict once all that came was taken. An answer is finished when each of its choices has a finish
    /// reason, or when none has but it came whole or closed with [DONE], for some servers send no reasons.
    /// The reasons "error" and "abort" are errors of the server's.
    Outcome outcome() const noexcept;

    /// One printable line saying why outcome() is not ok; empty when it is.
    std::string error_text() const;

    /// True once [DONE], the end of a response or a whole body came: nothing after it counts, not even how
    /// the connection ends.
    bool done() const noexcept { return done_; }

    /// When what ends a stream came; absent while it goes on, and of a whole body.
    std::optional<double> done_s() const noexcept { return done_s_; }

    /// False when a whole body came.
    bool streamed() const noexcept { return !whole_; }

    /// By index; the one choice of a response has index 0.
    const std::vector<AnswerChoice>& choices() const noexcept { return choices_; }

    /// True once any choice carried text in any channel.
    bool has_text() const noexcept { return clock_.chars().all() > 0; }

    /// The first and the last token event of any choice, and the first with content, if there were such.
    std::optional<double> first_token_s() const noexcept { return clock_.first_token_s(); }
    std::optional<double> first_content_s() const noexcept { return clock_.first_content_s(); }
    std::optional<double> last_token_s() const noexcept { return clock_.last_token_s(); }

    /// Gaps between tokens as TokenClock::itl_ms has them, and what they rest on.
    const std::vector<double>& itl_ms() const noexcept { return clock_.itl_ms(); }
    TokenTiming token_timing() const noexcept { return clock_.timing(); }

    /// Unicode code points over all choices.
    std::int64_t content_chars() const noexcept { return clock_.chars().content; }
    std::int64_t reasoning_chars() const noexcept { return clock_.chars().reasoning; }

    /// True when the server sent usage; without it output tokens are counted from the events.
    bool has_usage() const noexcept { return usage_.seen(); }
    std::optional<std::int64_t> input_tokens() const noexcept { return usage_.last().prompt_tokens; }
    std::optional<std::int64_t> cached_tokens() const noexcept { return usage_.last().cached_tokens; }
    std::optional<std::int64_t> reasoning_tokens() const noexcept { return usage_.last().reasoning_tokens; }

    /// Output tokens over all choices. Usage is cumulative, so the last one counts; where the server reports
    /// each choice by itself, the sum of their last ones, and of the events of those it says nothing of.
    std::int64_t output_tokens() const noexcept;

    /// Output tokens of one of choices(): all when it is the only one, else its own usage, else its events.
    /// Some servers send the usage of all choices with the last event of one: where only one of several has
    /// any, none came for all, and it covers the events of all, it is not that choice's own.
    std::int64_t tokens_of(const AnswerChoice& choice) const noexcept;

protected:
    AnswerTally() = default;

    void add_text(AnswerChoice& choice, const ChannelChars& chars, std::optional<std::int64_t> tokens,
                  std::optional<double> t_s);
    void add_usage(const Usage& usage, AnswerChoice* only_choice) noexcept;
    void finish(AnswerChoice& choice, std::string_view reason);
    void fail_stream(std::string_view reason);
    bool failed_protocol() const noexcept { return !protocol_error_.empty(); }
    void set_done(std::optional<double> t_s) noexcept
    {
        done_ = true;
        done_s_ = t_s;
    }
    void set_whole() noexcept { whole_ = true; }

    /// Nothing where the index is none.
    AnswerChoice* choice_at(std::int64_t index);

private:
    std::int64_t token_events() const noexcept;
    std::optional<std::int64_t> total_under_one_choice() const noexcept;
    bool finished() const noexcept;

    std::vector<AnswerChoice> choices_;
    TokenClock clock_;
    UsageTally usage_;
    std::optional<double> done_s_;
    bool done_ = false;
    bool whole_ = false;
    std::string stream_error_;
    std::string protocol_error_;
};

inline std::int64_t AnswerTally::output_tokens() const noexcept
{
    if (const auto total = usage_.completion_tokens(choices_.size(), token_events()))
        return *total;
    if (const auto total = total_under_one_choice())
        return *total;
    std::int64_t sum = 0;
    for (const auto& choice : choices_)
        sum += choice.usage_tokens.value_or(choice.token_events);
    return sum;
}

inline std::int64_t AnswerTally::tokens_of(const AnswerChoice& choice) const noexcept
{
    if (choices_.size() == 1)
        return output_tokens();
    return total_under_one_choice() ? choice.token_events : choice.usage_tokens.value_or(choice.token_events);
}

inline Outcome AnswerTally::outcome() const noexcept
{
    if (!stream_error_.empty())
        return Outcome::stream_error;
    if (!protocol_error_.empty())
        return Outcome::protocol;
    if (!has_text() && output_tokens() == 0)
        return Outcome::empty;
    return finished() ? Outcome::ok : Outcome::truncated;
}

inline std::string AnswerTally::error_text() const
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

inline bool AnswerTally::finished() const noexcept
{
    const auto named = std::count_if(choices_.begin(), choices_.end(), [](const AnswerChoice& choice) {
        return !choice.finish_reason.empty();
    });
    return named == 0 ? done_ : named == static_cast<std::ptrdiff_t>(choices_.size());
}

inline std::int64_t AnswerTally::token_events() const noexcept
{
    std::int64_t sum = 0;
    for (const auto& choice : choices_)
        sum += choice.token_events;
    return sum;
}

inline std::optional<std::int64_t> AnswerTally::total_under_one_choice() const noexcept
{
    if (usage_.last().completion_tokens)
        return std::nullopt;
    const AnswerChoice* only = nullptr;
    for (const auto& choice : choices_) {
        if (choice.usage_tokens && only)
            return std::nullopt;
        if (choice.usage_tokens)
            only = &choice;
    }
    const auto events = token_events();
    const bool covers_others = only && events > only->token_events && *only->usage_tokens >= events;
    return covers_others ? only->usage_tokens : std::nullopt;
}

// The choices are few and mostly come in order: a sorted vector.
inline AnswerChoice* AnswerTally::choice_at(std::int64_t index)
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

inline void AnswerTally::fail_protocol(std::string_view reason)
{
    if (protocol_error_.empty())
        protocol_error_ = printable(reason, max_error_text_bytes);
}

inline void AnswerTally::fail_stream(std::string_view reason)
{
    if (stream_error_.empty())
        stream_error_ = reason.empty() ? "no reason given" : printable(reason, max_error_text_bytes);
}

inline void AnswerTally::finish(AnswerChoice& choice, std::string_view reason)
{
    if (reason == "error" || reason == "abort")
        fail_stream("finish reason \"" + std::string(reason) + '"');
    choice.finish_reason = printable(reason, 64);
}

inline void AnswerTally::add_text(AnswerChoice& choice, const ChannelChars& chars,
                                  std::optional<std::int64_t> tokens, std::optional<double> t_s)
{
    if (chars.all() > 0 && !clock_.add(choice, chars, tokens, t_s))
        fail_protocol("more than " + std::to_string(TokenClock::max_gaps) + " tokens");
}

inline void AnswerTally::add_usage(const Usage& usage, AnswerChoice* only_choice) noexcept
{
    usage_.add(usage, only_choice != nullptr);
    if (only_choice && usage.completion_tokens)
        only_choice->usage_tokens = usage.completion_tokens;
}

} // namespace slo::wire

#endif
