// SPDX-License-Identifier: MIT
// From a conversation to a prompt: system message, merged history, trigger.

#ifndef SLO_WORKLOAD_ASSEMBLY_HPP
#define SLO_WORKLOAD_ASSEMBLY_HPP

#include <slo/base/json.hpp>
#include <slo/workload/pool.hpp>
#include <slo/workload/prompt_spec.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace slo::workload {

/// A message of a prompt.
struct Message {
    std::string role;
    std::string content;
    int parts = 1; ///< neighbours of one role that were joined to it
};

/// The system message without padding: each block as label, line end, text; then the instructions in one
/// paragraph.
inline std::string system_text(const PromptSpec& spec, const Conversation& conversation)
{
    std::string text;
    for (std::size_t i = 0; i < spec.blocks.size(); ++i)
        text += spec.blocks[i].label + "\n" + conversation.blocks[i] + "\n\n";
    for (std::size_t i = 0; i < spec.instructions.size(); ++i)
        text += (i > 0 ? " " : "") + spec.instructions[i];
    return text;
}

/// The history as chat templates want it: other roles than user and assistant left out, neighbours of one
/// role joined by a line end.
inline std::vector<Message> merge_turns(std::span<const Turn> history)
{
    std::vector<Message> messages;
    for (const auto& turn : history) {
        if (!turn.is_of_talk())
            continue;
        if (!messages.empty() && messages.back().role == turn.role) {
            messages.back().content += "\n" + turn.content;
            ++messages.back().parts;
        } else {
            messages.push_back({turn.role, turn.content, 1});
        }
    }
    return messages;
}

/// True when two messages of one role stand next to each other in the talk.
inline bool has_same_role_neighbours(std::span<const Turn> history)
{
    for (const auto& message : merge_turns(history))
        if (message.parts > 1)
            return true;
    return false;
}

/// A prompt that can lose its oldest messages and grow by padding.
struct Draft {
    std::string system;
    std::vector<Message> messages;
    std::string_view trigger;
    std::size_t start = 0; ///< the first message that is left
    std::string padding;

    /// The chat messages. A history that ends with the user's turn is joined with the trigger: roles
    /// alternate.
    json::value prompt() const { return prompt_from(start); }

    /// The same as if `first` were the first message left.
    json::value prompt_from(std::size_t first) const
    {
        json::array list;
        list.reserve(messages.size() - first + 2);
        list.push_back(message("system", system + padding));
        auto count = messages.size();
        const bool joined = count > first && messages.back().role == "user";
        count -= joined ? 1 : 0;
        for (auto i = first; i < count; ++i)
            list.push_back(message(messages[i].role, messages[i].content));
        list.push_back(
            message("user", joined ? messages.back().content + "\n" + std::string(trigger) : trigger));
        return list;
    }

    /// Messages of the history that are left.
    std::span<const Message> kept() const { return std::span(messages).subspan(start); }

private:
    static json::value message(std::string_view role, std::string_view content)
    {
        return json::object{{"role", json_text(role)}, {"content", json_text(content)}};
    }
};

} // namespace slo::workload

#endif
