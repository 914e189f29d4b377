// SPDX-License-Identifier: MIT
// One choice or usage object of a completion, chat or not, streamed or whole: how much text, how many tokens.

#ifndef SLO_WIRE_CHUNK_HPP
#define SLO_WIRE_CHUNK_HPP

#include <slo/base/json.hpp>
#include <slo/base/text.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace slo::wire {

/// Unicode code points of text in each channel of one choice.
struct ChannelChars {
    std::int64_t content = 0;   ///< content, refusal, and `text` of /completions
    std::int64_t reasoning = 0; ///< reasoning or reasoning_content
    std::int64_t arguments = 0; ///< arguments of tool calls

    std::int64_t all() const noexcept { return content + reasoning + arguments; }
};

namespace detail {

// Text itself, or the `text` members of a list of parts; null and anything else is no text.
inline std::int64_t chars_of(const json::value* value) noexcept
{
    if (!value)
        return 0;
    if (const auto* text = value->if_string())
        return static_cast<std::int64_t>(count_code_points({text->data(), text->size()}));
    std::int64_t chars = 0;
    if (const auto* parts = value->if_array()) {
        for (const auto& part : *parts) {
            const auto* object = part.if_object();
            if (const auto text = object ? string_at(*object, "text") : std::nullopt)
                chars += static_cast<std::int64_t>(count_code_points(*text));
        }
    }
    return chars;
}

inline std::int64_t argument_chars(const json::object* function) noexcept
{
    return function ? chars_of(find(*function, "arguments")) : 0;
}

inline std::optional<std::int64_t> count_at(const json::object* object, std::string_view key) noexcept
{
    const auto count = object ? integer_at(*object, key) : std::nullopt;
    return count && *count >= 0 ? count : std::nullopt;
}

} // namespace detail

/// The text that a choice carries: in its `delta` (streamed), `message` (whole) or `text` (/completions).
inline ChannelChars text_of(const json::object& choice) noexcept
{
    ChannelChars chars;
    chars.content = detail::chars_of(find(choice, "text"));
    const auto* message = object_at(choice, "delta");
    if (!message)
        message = object_at(choice, "message");
    if (!message)
        return chars;
    chars.content +=
        detail::chars_of(find(*message, "content")) + detail::chars_of(find(*message, "refusal"));
    // A server in between the two names sends the same text under both.
    chars.reasoning = std::max(detail::chars_of(find(*message, "reasoning")),
                               detail::chars_of(find(*message, "reasoning_content")));
    chars.arguments = detail::argument_chars(object_at(*message, "function_call"));
    if (const auto* calls = array_at(*message, "tool_calls")) {
        for (const auto& call : *calls) {
            if (const auto* object = call.if_object())
                chars.arguments += detail::argument_chars(object_at(*object, "function"));
        }
    }
    return chars;
}

/// Why a choice ended, or empty when it goes on.
inline std::string finish_reason_of(const json::object& choice)
{
    const auto* object = object_at(choice, "finish_reason");
    return std::string(string_at(object ? *object : choice, object ? "type" : "finish_reason").value_or(""));
}

/// Token counts of a usage object; what is missing, null, negative or no integer is absent.
struct Usage {
    std::optional<std::int64_t> prompt_tokens;
    std::optional<std::int64_t> completion_tokens;
    std::optional<std::int64_t> cached_tokens;
    std::optional<std::int64_t> reasoning_tokens;
};

/// Reads a usage object, with its details under the names that servers give them.
inline Usage usage_of(const json::object& object) noexcept
{
    Usage usage;
    usage.prompt_tokens = detail::count_at(&object, "prompt_tokens");
    usage.completion_tokens = detail::count_at(&object, "completion_tokens");
    usage.cached_tokens = detail::count_at(object_at(object, "prompt_tokens_details"), "cached_tokens");
    usage.reasoning_tokens =
        detail::count_at(object_at(object, "completion_tokens_details"), "reasoning_tokens");
    if (!usage.reasoning_tokens)
        usage.reasoning_tokens = detail::count_at(&object, "reasoning_tokens");
    return usage;
}

/// The usage objects of one answer. Usage is cumulative: of each count the last value stands.
class UsageTally {
public:
    /// Takes a usage object; `of_one_choice` when it came with one choice, whose completion tokens then are
    /// that choice's and no business of this class.
    void add(const Usage& usage, bool of_one_choice) noexcept
    {
        seen_ = true;
        const auto replace = [](auto& old, const auto& now) { old = now ? now : old; };
        replace(last_.prompt_tokens, usage.prompt_tokens);
        replace(last_.cached_tokens, usage.cached_tokens);
        replace(last_.reasoning_tokens, usage.reasoning_tokens);
        if (of_one_choice || !usage.completion_tokens)
            return;
        last_.completion_tokens = usage.completion_tokens;
        sum_ += *usage.completion_tokens;
        ++count_;
    }

    bool seen() const noexcept { return seen_; }

    /// The last counts; completion_tokens only of usage that came without a choice.
    const Usage& last() const noexcept { return last_; }

    /// Completion tokens of the whole answer, or nothing where usage came with choices only. Some server
    /// closes each choice with a usage of its own: then the last one alone is less than the events seen, and
    /// their sum is meant.
    std::optional<std::int64_t> completion_tokens(std::size_t choices,
                                                  std::int64_t token_events) const noexcept
    {
        const bool one_each = count_ > 1 && count_ == choices && *last_.completion_tokens < token_events;
        return one_each ? sum_ : last_.completion_tokens;
    }

private:
    Usage last_;
    std::int64_t sum_ = 0;
    std::size_t count_ = 0;
    bool seen_ = false;
};

} // namespace slo::wire

#endif
