// SPDX-License-Identifier: MIT
// JSON objects in the free text of log lines.

#ifndef SLO_RECORD_LOG_LINE_HPP
#define SLO_RECORD_LOG_LINE_HPP

#include <slo/base/json.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace slo::record {

/// The end (one past the last byte) of the JSON object or array that begins at `begin`, by its brackets and
/// not by those inside its strings; npos when it does not end.
inline std::size_t json_span_end(std::string_view text, std::size_t begin) noexcept
{
    std::size_t depth = 0;
    bool in_string = false;
    for (auto i = begin; i < text.size(); ++i) {
        const char c = text[i];
        if (in_string) {
            if (c == '\\')
                ++i;
            else if (c == '"')
                in_string = false;
        } else if (c == '"') {
            in_string = true;
        } else if (c == '{' || c == '[') {
            ++depth;
        } else if ((c == '}' || c == ']') && --depth == 0) {
            return i + 1;
        }
    }
    return std::string_view::npos;
}

/// The stretches of free text that look like whole JSON objects, from left to right, none inside another. At
/// most 64 braces that open nothing are passed over, so that hostile text costs no more than 64 readings.
inline std::vector<std::string_view> json_object_spans(std::string_view text)
{
    std::vector<std::string_view> spans;
    int unmatched = 0;
    for (auto begin = text.find('{'); begin != std::string_view::npos; begin = text.find('{', begin)) {
        const auto end = json_span_end(text, begin);
        if (end != std::string_view::npos) {
            spans.push_back(text.substr(begin, end - begin));
            begin = end;
        } else if (++unmatched < 64) {
            ++begin;
        } else {
            break;
        }
    }
    return spans;
}

/// The JSON text of a logged chat request: what follows "[Log chat request] " in the `message` of the last
/// object on the line that has such a message. Nothing when the line logs something else. Throws JsonError
/// when it speaks of a chat request but holds no JSON object (a torn line).
inline std::optional<std::string> logged_request(std::string_view text)
{
    constexpr std::string_view mark = "[Log chat request] ";
    if (text.find(mark) == std::string_view::npos)
        return std::nullopt;
    const auto spans = json_object_spans(text);
    bool any_object = false;
    for (auto span = spans.rbegin(); span != spans.rend(); ++span) {
        try {
            const auto value = parse_json(*span);
            any_object = true;
            const auto message = string_at(value.get_object(), "message");
            if (message && message->starts_with(mark))
                return std::string(message->substr(mark.size()));
        } catch (const JsonError&) {
            continue; // some other bracketed text on the line
        }
    }
    if (!any_object)
        throw JsonError("a logged chat request without a whole JSON object");
    return std::nullopt;
}

} // namespace slo::record

#endif
