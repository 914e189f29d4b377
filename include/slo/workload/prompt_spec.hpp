// SPDX-License-Identifier: MIT
// How a prompt is put together from a conversation, as a spec file says it.

#ifndef SLO_WORKLOAD_PROMPT_SPEC_HPP
#define SLO_WORKLOAD_PROMPT_SPEC_HPP

#include <slo/config/section.hpp>

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace slo::workload {

/// A labelled part of the system message: a text field of the conversation.
struct SystemBlock {
    std::string label;
    std::string field;
    bool optional = false; ///< a conversation without the field has an empty one
};

/// A way by which conversations enter the service.
struct EntryKind {
    std::string name;
    std::int64_t every = 0;   ///< takes each conversation whose turn is a multiple of it; 0: all others
    std::string append_first; ///< the list of the pool whose first text ends the history, as the assistant's
    std::string append_otherwise; ///< where that list has no text
};

/// How a prompt is put together.
struct PromptSpec {
    std::vector<SystemBlock> blocks;
    std::vector<std::string> instructions;
    std::string trigger;
    std::int64_t history_last = 50;    ///< messages of the history that are looked at
    std::int64_t budget_tokens = 3743; ///< a longer prompt loses the oldest messages of its history
    std::vector<std::string> padding;  ///< neutral words, the first for the bulk
    bool spread = false;               ///< targets drawn from the whole bucket instead of one length each
    std::vector<EntryKind> entries;    ///< the first kind with every = 0 takes what no other does
};

namespace detail {

inline void read_blocks(config::Section& section, PromptSpec& spec)
{
    std::set<std::string> fields;
    for (auto& block : section.sections("system")) {
        SystemBlock one{block.text("label"), block.text("field"), block.flag("optional", false)};
        static const std::set<std::string, std::less<>> taken{"id", "conversation_id", "history",
                                                              "suggestions", "language"};
        if (one.field.empty() || taken.count(one.field) || !fields.insert(one.field).second)
            throw block.error("field", "is no name of a text field, or stands twice");
        block.finish();
        spec.blocks.push_back(std::move(one));
    }
    spec.instructions = section.texts("instructions");
    if (spec.blocks.empty() && spec.instructions.empty())
        throw section.error("system", "is missing, and so are instructions");
}

inline void read_entries(config::Section& section, PromptSpec& spec)
{
    std::set<std::string> names;
    bool any_default = false;
    for (auto& entry : section.sections("entries")) {
        EntryKind one{entry.text("name"), entry.integer("every", 0, 1'000'000, 0),
                      entry.text("append_first", ""), entry.text("append_otherwise", "...")};
        if (one.name.empty() || !names.insert(one.name).second)
            throw entry.error("name", "is empty or stands twice");
        any_default = any_default || one.every == 0;
        entry.finish();
        spec.entries.push_back(std::move(one));
    }
    if (spec.entries.empty())
        spec.entries.push_back({"direct", 0, {}, {}});
    else if (!any_default)
        throw section.error("entries", "has no kind without `every`, for the other conversations");
}

} // namespace detail

/// Reads the mapping `prompt` of a spec file. Throws InputError.
inline PromptSpec read_prompt_spec(config::Section section)
{
    PromptSpec spec;
    detail::read_blocks(section, spec);
    spec.trigger = section.text("trigger");
    if (spec.trigger.empty())
        throw section.error("trigger", "is empty");
    if (section.has("history")) {
        auto history = section.section("history");
        spec.history_last = history.integer("last", 0, 100'000, spec.history_last);
        spec.budget_tokens = history.integer("budget_tokens", 1, 100'000'000, spec.budget_tokens);
        history.finish();
    }
    auto padding = section.section("padding");
    spec.padding = padding.texts("words");
    if (spec.padding.empty() || std::any_of(spec.padding.begin(), spec.padding.end(), [](const auto& word) {
            return word.empty() || word.size() > 1000;
        }))
        throw padding.error("words", "is no list of words of 1 to 1000 bytes");
    spec.spread = padding.flag("spread", false);
    padding.finish();
    detail::read_entries(section, spec);
    section.finish();
    return spec;
}

} // namespace slo::workload

#endif
