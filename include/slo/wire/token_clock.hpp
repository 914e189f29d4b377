// SPDX-License-Identifier: MIT
// When the tokens of an answer came, per choice and over all.

#ifndef SLO_WIRE_TOKEN_CLOCK_HPP
#define SLO_WIRE_TOKEN_CLOCK_HPP

#include <slo/wire/chunk.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace slo::wire {

/// Where the times of single tokens come from.
enum class TokenTiming {
    none,  ///< there are none: no text, or it came whole
    event, ///< each event with text is taken for one token
    usage  ///< each event with text said how many tokens there were by then
};

/// What is known of one choice of an answer.
struct AnswerChoice {
    int index = 0;
    std::string finish_reason;                ///< empty while the server named none
    std::int64_t token_events = 0;            ///< events with text of any channel
    std::int64_t timed_tokens = 0;            ///< tokens up to the last of them, as far as known
    std::int64_t chars = 0;                   ///< Unicode code points of all channels
    std::optional<std::int64_t> usage_tokens; ///< its own count, where the server sends usage per choice
    std::optional<double> first_token_s;      ///< absent, like the next, where the text came whole
    std::optional<double> last_token_s;
};

/// Takes the token events of one answer. Times are seconds on the caller's clock, never going back.
class TokenClock {
public:
    /// No more gaps are kept; an answer with more is none that a service gives.
    static constexpr std::size_t max_gaps = std::size_t{1} << 20;
    /// No event is spread over more tokens.
    static constexpr std::int64_t max_tokens_per_event = 1024;

    /// An event in which `choice` carries text. `tokens` is how many the choice has by then, where the event
    /// says so (absent otherwise), `t_s` is absent for text that is not streamed. False once there are more
    /// than max_gaps.
    bool add(AnswerChoice& choice, const ChannelChars& chars, std::optional<std::int64_t> tokens,
             std::optional<double> t_s)
    {
        ++choice.token_events;
        choice.chars += chars.all();
        chars_ += chars;
        if (!t_s)
            return true;
        const auto new_tokens = count_tokens(choice, tokens);
        if (choice.last_token_s && !add_gaps((*t_s - *choice.last_token_s) * 1e3, new_tokens))
            return false;
        choice.last_token_s = last_token_s_ = *t_s;
        if (!choice.first_token_s)
            choice.first_token_s = *t_s;
        if (!first_token_s_)
            first_token_s_ = *t_s;
        if (!first_content_s_ && chars.content > 0)
            first_content_s_ = *t_s;
        return true;
    }

    std::optional<double> first_token_s() const noexcept { return first_token_s_; }
    std::optional<double> first_content_s() const noexcept { return first_content_s_; }
    std::optional<double> last_token_s() const noexcept { return last_token_s_; }

    /// In milliseconds between tokens of the same choice, in order of arrival over all choices: an event that
    /// brings k tokens a gap g after the one before counts as k gaps of g / k, up to the first event that
    /// does not say k. The tokens of a choice's first event have none.
    const std::vector<double>& itl_ms() const noexcept { return itl_ms_; }

    /// `usage` where every event said so, each more than the one before.
    TokenTiming timing() const noexcept
    {
        return !first_token_s_ ? TokenTiming::none : by_usage_ ? TokenTiming::usage : TokenTiming::event;
    }

    const ChannelChars& chars() const noexcept { return chars_; }

private:
    std::int64_t count_tokens(AnswerChoice& choice, std::optional<std::int64_t> tokens) noexcept
    {
        // Once an event did not say, the next count would also be of tokens that came before its gap.
        by_usage_ = by_usage_ && tokens && *tokens > choice.timed_tokens;
        if (!by_usage_) {
            ++choice.timed_tokens;
            return 1;
        }
        const auto new_tokens = *tokens - choice.timed_tokens;
        choice.timed_tokens = *tokens;
        return new_tokens;
    }

    bool add_gaps(double gap_ms, std::int64_t tokens)
    {
        const auto count = static_cast<std::size_t>(std::min(tokens, max_tokens_per_event));
        if (itl_ms_.size() + count > max_gaps)
            return false;
        if (itl_ms_.capacity() == 0)
            itl_ms_.reserve(64);
        itl_ms_.insert(itl_ms_.end(), count, gap_ms / static_cast<double>(tokens));
        return true;
    }

    std::vector<double> itl_ms_;
    std::optional<double> first_token_s_;
    std::optional<double> first_content_s_;
    std::optional<double> last_token_s_;
    ChannelChars chars_;
    bool by_usage_ = true;
};

} // namespace slo::wire

#endif
