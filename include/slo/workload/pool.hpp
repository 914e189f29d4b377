// SPDX-License-Identifier: MIT
// Conversations from which prompts are made.

#ifndef SLO_WORKLOAD_POOL_HPP
#define SLO_WORKLOAD_POOL_HPP

#include <slo/base/error.hpp>
#include <slo/base/json.hpp>
#include <slo/base/text.hpp>
#include <slo/io/jsonl.hpp>
#include <slo/workload/prompt_spec.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace slo::workload {

/// One message of a history. Its role is whatever the pool says.
struct Turn {
    std::string role;
    std::string content;
    bool has_content = true; ///< false: the pool has null

    bool is_of_talk() const noexcept { return role == "user" || role == "assistant"; }
};

/// One conversation of a pool.
struct Conversation {
    std::string id;
    std::vector<std::string> blocks; ///< the fields of the spec's system blocks, in their order
    std::vector<Turn> history;
    std::vector<std::string> appended; ///< for each entry kind of the spec: what it appends, or empty
    std::string language;
};

/// Which lines of a pool are kept.
struct PoolLimits {
    std::int64_t every = 1;     ///< of the lines that are not blank, the first and each further so many
    std::int64_t most = 20'000; ///< conversations
};

namespace detail {

/// Reads one line of a pool. Throws Error with a reason that names the member.
class ConversationReader {
public:
    explicit ConversationReader(const PromptSpec& spec) : spec_(spec) {}

    Conversation read(std::string_view line) const
    {
        const auto value = parse_json(line);
        const auto* object = value.if_object();
        if (!object)
            throw Error("not a JSON object");
        Conversation conversation;
        conversation.id = id(*object);
        for (const auto& block : spec_.blocks)
            conversation.blocks.push_back(text(*object, block.field, block.optional));
        read_history(*object, conversation);
        for (const auto& entry : spec_.entries)
            conversation.appended.push_back(entry.append_first.empty() ? "" : appended(*object, entry));
        conversation.language = text(*object, "language", true);
        return conversation;
    }

private:
    static std::string id(const json::object& object)
    {
        for (const auto* name : {"id", "conversation_id"}) {
            const auto* value = find(object, name);
            if (value && (value->is_int64() || value->is_uint64()))
                return to_json(*value);
            if (value && value->is_string() && !value->get_string().empty())
                return text_of(*value);
        }
        throw Error("id", "is missing (and conversation_id, too)");
    }

    static std::string text_of(const json::value& value)
    {
        return {value.get_string().data(), value.get_string().size()};
    }

    /// A member that must be there unless it is optional; null is an empty text.
    static std::string text(const json::object& object, const std::string& name, bool optional)
    {
        const auto* value = find(object, name);
        if (!value && !optional)
            throw Error(name, "is missing");
        if (!value || value->is_null())
            return {};
        if (!value->is_string())
            throw Error(name, "is no text");
        return text_of(*value);
    }

    static void read_history(const json::object& object, Conversation& conversation)
    {
        const auto* history = find(object, "history");
        if (!history)
            throw Error("history", "is missing");
        if (history->is_null())
            return;
        if (!history->is_array())
            throw Error("history", "is no list");
        for (const auto& element : history->get_array()) {
            const auto place = "history[" + std::to_string(conversation.history.size()) + "]";
            const auto* message = element.if_object();
            if (!message || !string_at(*message, "role"))
                throw Error(place, "is no object with a role");
            const auto* content = find(*message, "content");
            if (content && !content->is_null() && !content->is_string())
                throw Error(place, "has a content that is no text");
            Turn turn{std::string(*string_at(*message, "role")), {}, content && content->is_string()};
            if (turn.has_content)
                turn.content = text_of(*content);
            conversation.history.push_back(std::move(turn));
        }
    }

    static std::string appended(const json::object& object, const EntryKind& entry)
    {
        const auto* list = find(object, entry.append_first);
        if (list && !list->is_null() && !list->is_array())
            throw Error(entry.append_first, "is no list");
        if (list && list->is_array()) {
            for (const auto& element : list->get_array())
                if (element.is_string() && !element.get_string().empty())
                    return text_of(element);
        }
        return entry.append_otherwise;
    }

    const PromptSpec& spec_;
};

} // namespace detail

/// Reads a pool: one conversation a line, an object with `id` (or `conversation_id`), the fields that the
/// spec's blocks name, `history` (a list of messages with role and content), and where the spec names them
/// lists of texts to append and `language`. Throws IoError, InputError.
inline std::vector<Conversation> read_pool(io::LineReader& lines, const PromptSpec& spec,
                                           const PoolLimits& limits)
{
    std::vector<Conversation> pool;
    const detail::ConversationReader reader(spec);
    std::int64_t index = 0;
    while (static_cast<std::int64_t>(pool.size()) < limits.most) {
        const auto line = lines.next();
        if (!line)
            break;
        if (trim(*line).empty() || index++ % limits.every != 0)
            continue;
        try {
            pool.push_back(reader.read(*line));
        } catch (const Error& error) {
            throw lines.error(error.what());
        }
    }
    return pool;
}

} // namespace slo::workload

#endif
