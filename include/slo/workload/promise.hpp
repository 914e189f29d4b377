// SPDX-License-Identifier: MIT
// What a row of a boundary set must be to stand for its category, and the facts by which it is judged.

#ifndef SLO_WORKLOAD_PROMISE_HPP
#define SLO_WORKLOAD_PROMISE_HPP

#include <slo/base/json.hpp>
#include <slo/base/text.hpp>
#include <slo/config/section.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

namespace slo::workload {

/// Whole numbers from `low` to `high`, both included.
struct Range {
    std::int64_t low = 0;
    std::int64_t high = std::numeric_limits<std::int64_t>::max();

    bool holds(std::int64_t value) const noexcept { return value >= low && value <= high; }
};

/// The pair [LOW, HIGH] at `key`, or one number for both. Throws InputError.
inline Range read_range(config::Section& section, std::string_view key)
{
    constexpr std::int64_t most = 1'000'000'000;
    const auto* value = section.value(key);
    const auto* pair = value ? value->if_array() : nullptr;
    if (!pair) {
        const auto number = section.integer(key, 0, most);
        return {number, number};
    }
    const auto is_fit = [](const json::value& end) {
        return end.is_int64() && end.get_int64() >= 0 && end.get_int64() <= most;
    };
    if (pair->size() != 2 || !is_fit((*pair)[0]) || !is_fit((*pair)[1]) ||
        (*pair)[0].get_int64() > (*pair)[1].get_int64())
        throw section.error(key, "is no pair [LOW, HIGH] of whole numbers");
    return {(*pair)[0].get_int64(), (*pair)[1].get_int64()};
}

/// True when the language tag is `language` or one of its variants ("en" holds for "en-US" and "English").
inline bool is_language(std::string_view tag, std::string_view language)
{
    return lower_case(tag).starts_with(lower_case(language));
}

/// What is known of a built row; `assembly` and `model` of its record say the same.
struct RowFacts {
    std::int64_t prompt_tokens = 0; ///< of the padded prompt, chat template and answer marker included
    std::int64_t local_tokens = 0;  ///< of the prompt before it was padded
    std::int64_t turns_in = 0;      ///< messages of the history as it came, an appended suggestion included
    std::int64_t turns_out = 0;     ///< messages of the history that stand in the prompt
    std::int64_t turns_merged = 0;  ///< those of them that were joined from neighbours of one role
    std::int64_t longest_message_chars = 0; ///< code points of the longest message of the history
    bool trimmed = false;
    std::string entry;
    std::string language;
};

/// The facts that the top-level members of a record hold; what is missing is 0, false or empty.
inline RowFacts read_row_facts(const json::object& assembly, const json::object& model)
{
    RowFacts facts;
    facts.prompt_tokens = integer_at(model, "prompt_tokens_chat_template").value_or(0);
    facts.local_tokens = integer_at(assembly, "local_tokens_after_trim").value_or(0);
    facts.turns_in = integer_at(assembly, "turns_in").value_or(0);
    facts.turns_out = integer_at(assembly, "turns_out").value_or(0);
    facts.turns_merged = integer_at(assembly, "turns_merged").value_or(0);
    const auto* trimmed = find(assembly, "trimmed");
    facts.trimmed = trimmed && trimmed->is_bool() && trimmed->get_bool();
    facts.entry = string_at(assembly, "entry").value_or("");
    facts.language = string_at(assembly, "language").value_or("");
    if (const auto* history = array_at(assembly, "history_after_merge")) {
        for (const auto& message : *history) {
            const auto* object = message.if_object();
            const auto text = object ? string_at(*object, "content").value_or("") : "";
            facts.longest_message_chars =
                std::max(facts.longest_message_chars, static_cast<std::int64_t>(count_code_points(text)));
        }
    }
    return facts;
}

/// What each row of a category keeps; an absent member asks for nothing.
struct Promise {
    std::optional<Range> prompt_tokens;
    std::optional<Range> local_tokens;
    std::optional<Range> turns_in;
    std::optional<Range> turns_out;
    std::optional<Range> turns_merged;
    std::optional<Range> longest_message_chars;
    std::optional<bool> trimmed;
    std::string entry;
    std::string language_not;
};

/// Reads the mapping `expect` of a category. Throws InputError.
inline Promise read_promise(config::Section section)
{
    const auto range = [&](std::string_view key) {
        return section.has(key) ? std::optional(read_range(section, key)) : std::nullopt;
    };
    Promise promise;
    promise.prompt_tokens = range("prompt_tokens");
    promise.local_tokens = range("local_tokens");
    promise.turns_in = range("turns_in");
    promise.turns_out = range("turns_out");
    promise.turns_merged = range("turns_merged");
    promise.longest_message_chars = range("longest_message_chars");
    if (section.has("trimmed"))
        promise.trimmed = section.flag("trimmed", false);
    promise.entry = section.text("entry", "");
    promise.language_not = section.text("language_not", "");
    section.finish();
    return promise;
}

/// The first part of the promise that the row breaks, as a phrase ("local_tokens 3700 outside 3720–3743");
/// empty when it keeps all.
inline std::string broken_part(const Promise& promise, const RowFacts& facts)
{
    const auto outside = [](const char* name, const std::optional<Range>& range, std::int64_t value) {
        if (!range || range->holds(value))
            return std::string();
        return name + (" " + std::to_string(value)) + " outside " + std::to_string(range->low) + "–" +
               std::to_string(range->high);
    };
    for (const auto& broken :
         {outside("prompt_tokens", promise.prompt_tokens, facts.prompt_tokens),
          outside("local_tokens", promise.local_tokens, facts.local_tokens),
          outside("turns_in", promise.turns_in, facts.turns_in),
          outside("turns_out", promise.turns_out, facts.turns_out),
          outside("turns_merged", promise.turns_merged, facts.turns_merged),
          outside("longest_message_chars", promise.longest_message_chars, facts.longest_message_chars)}) {
        if (!broken.empty())
            return broken;
    }
    if (promise.trimmed && *promise.trimmed != facts.trimmed)
        return facts.trimmed ? "trimmed" : "not trimmed";
    if (!promise.entry.empty() && promise.entry != facts.entry)
        return "entry " + printable(facts.entry, 40) + " is not " + promise.entry;
    if (!promise.language_not.empty() && is_language(facts.language, promise.language_not))
        return "language " + printable(facts.language, 40);
    return {};
}

} // namespace slo::workload

#endif
