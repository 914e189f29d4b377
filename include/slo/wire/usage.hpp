// SPDX-License-Identifier: MIT
// Usage objects of completions: what an answer says it cost, in tokens.

#ifndef SLO_WIRE_USAGE_HPP
#define SLO_WIRE_USAGE_HPP

#include <slo/base/json.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace slo::wire {

namespace detail {

// Above this it is no count of tokens, and sums of counts stay far from overflow.
inline constexpr std::int64_t max_count = 1'000'000'000'000;

inline std::optional<std::int64_t> plausible_count(std::optional<std::int64_t> count) noexcept
{
    return count && *count >= 0 && *count <= max_count ? count : std::nullopt;
}

inline std::optional<std::int64_t> count_at(const json::object* object, std::string_view key) noexcept
{
    return plausible_count(object ? integer_at(*object, key) : std::nullopt);
}

} // namespace detail

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
