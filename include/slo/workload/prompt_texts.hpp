// SPDX-License-Identifier: MIT
// Rows of a route taken apart: what is text in their prompts, and the rest.

#ifndef SLO_WORKLOAD_PROMPT_TEXTS_HPP
#define SLO_WORKLOAD_PROMPT_TEXTS_HPP

#include <slo/base/json.hpp>
#include <slo/record/route.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace slo::workload {

/// A row whose prompt has been taken out of it.
struct TakenRow {
    record::RouteRow row;
    std::string prompt_name;        ///< prompt or messages
    json::value prompt;             ///< contents that are no text left out
    std::vector<std::string> roles; ///< of its messages; none for a prompt that is a text
    /// For each message, or for the text alone, begin and end among the texts of all rows.
    std::vector<std::pair<std::size_t, std::size_t>> texts;
};

/// Rows that are worked on together, and the texts of their prompts in order.
class PromptTexts {
public:
    /// Adds a row; about as many bytes as its texts have. Throws RowError for a prompt that is none.
    std::size_t take(record::RouteRow row)
    {
        TakenRow taken;
        const auto* prompt = find(row.body, "prompt");
        taken.prompt_name = prompt && !prompt->is_null() ? "prompt" : "messages";
        std::size_t bytes = 0;
        taken.prompt = record::prompt_of(row.body);
        const auto* messages = find(row.body, "messages");
        other_prompts += taken.prompt_name == "prompt" && messages && !messages->is_null();
        row.body.stable_erase("prompt");
        row.body.stable_erase("messages");
        if (auto* list = taken.prompt.if_array()) {
            for (auto& message : *list)
                bytes += take_message(taken, message.get_object());
        } else {
            bytes += take_texts(taken, {std::string(taken.prompt.get_string())});
        }
        taken.row = std::move(row);
        rows.push_back(std::move(taken));
        return bytes;
    }

    /// Forgets all rows and texts.
    void clear()
    {
        rows.clear();
        texts.clear();
    }

    std::vector<TakenRow> rows;
    std::vector<std::string> texts;
    /// Contents, or parts of them, that were left out since they are no text.
    std::uint64_t dropped_parts = 0;
    /// Messages that were left out, since a prompt stands beside them.
    std::uint64_t other_prompts = 0;

private:
    std::size_t take_message(TakenRow& taken, json::object& message)
    {
        constexpr std::array<std::string_view, 6> known{"system",    "developer", "user",
                                                        "assistant", "tool",      "function"};
        const auto role = string_at(message, "role");
        if (!role || std::find(known.begin(), known.end(), *role) == known.end())
            throw record::RowError(
                "a message's role is not one of system, developer, user, assistant, tool, function");
        taken.roles.emplace_back(*role);
        std::vector<std::string> found;
        auto* content = message.if_contains("content");
        if (auto* parts = content ? content->if_array() : nullptr) {
            json::array kept;
            for (auto& part : *parts) {
                const auto* object = part.if_object();
                const auto text = object ? string_at(*object, "text") : std::nullopt;
                if (!text) {
                    ++dropped_parts;
                    continue;
                }
                found.emplace_back(*text);
                kept.push_back(json::object{{"type", "text"}, {"text", json_text(*text)}});
            }
            *content = std::move(kept);
        } else if (content && content->is_string()) {
            found.emplace_back(content->get_string());
        } else if (content && !content->is_null()) {
            ++dropped_parts;
            *content = nullptr;
        }
        return take_texts(taken, found);
    }

    std::size_t take_texts(TakenRow& taken, const std::vector<std::string>& found)
    {
        std::size_t bytes = 64;
        taken.texts.emplace_back(texts.size(), texts.size() + found.size());
        for (const auto& text : found) {
            bytes += text.size();
            texts.push_back(text);
        }
        return bytes;
    }
};

} // namespace slo::workload

#endif
