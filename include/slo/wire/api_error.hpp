// SPDX-License-Identifier: MIT
// Errors as inference servers and the proxies before them word them.

#ifndef SLO_WIRE_API_ERROR_HPP
#define SLO_WIRE_API_ERROR_HPP

#include <slo/base/json.hpp>
#include <slo/base/text.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace slo::wire {

/// The longest error text kept, in bytes.
inline constexpr std::size_t max_error_text_bytes = 300;

namespace detail {

inline bool truthy(const json::value& value) noexcept
{
    switch (value.kind()) {
    case json::kind::null:
        return false;
    case json::kind::bool_:
        return value.get_bool();
    case json::kind::int64:
        return value.get_int64() != 0;
    case json::kind::uint64:
        return value.get_uint64() != 0;
    case json::kind::double_:
        return value.get_double() != 0;
    case json::kind::string:
        return !value.get_string().empty();
    case json::kind::array:
        return !value.get_array().empty();
    case json::kind::object:
        return !value.get_object().empty();
    }
    return false;
}

// The words of an error value: its message, the first of a list's, itself where it is text, else its JSON.
inline std::string words_of(const json::value& error, int depth = 0)
{
    if (error.is_string())
        return std::string(std::string_view(error.get_string().data(), error.get_string().size()));
    if (depth < 4) {
        if (const auto* list = error.if_array(); list && !list->empty())
            return words_of(list->front(), depth + 1);
        if (const auto* object = error.if_object()) {
            for (const std::string_view key : {"message", "error", "detail", "msg"}) {
                if (const auto* inner = find(*object, key); inner && truthy(*inner))
                    return words_of(*inner, depth + 1);
            }
        }
    }
    return to_json(error);
}

// Markup and runs of white space as one blank, so that an HTML error page reads as one line.
inline std::string plain_text(std::string_view text)
{
    const bool markup = trim(text).starts_with('<');
    std::string plain;
    bool inside_tag = false;
    for (const char c : text) {
        const bool tag_begins = markup && c == '<';
        inside_tag = inside_tag || tag_begins;
        const bool blank = inside_tag || c == ' ' || c == '\n' || c == '\r' || c == '\t';
        if (markup && c == '>')
            inside_tag = false;
        if (!blank)
            plain += c;
        else if (!plain.empty() && plain.back() != ' ')
            plain += ' ';
        if (plain.size() > 4 * max_error_text_bytes)
            break;
    }
    return plain;
}

} // namespace detail

/// The error that a parsed answer carries (a truthy member `error`, or "error" as its `object` or `type`),
/// as its message; nothing when it carries none (`"error": null` is none).
inline std::optional<std::string> error_in(const json::object& answer)
{
    if (const auto* error = find(answer, "error"); error && detail::truthy(*error))
        return printable(detail::words_of(*error), max_error_text_bytes);
    if (string_at(answer, "object") == "error" || string_at(answer, "type") == "error")
        return printable(detail::words_of(json::value(answer)), max_error_text_bytes);
    return std::nullopt;
}

/// The message in the body of an error response, JSON of any usual form, HTML or plain text: one printable
/// line of at most 300 bytes; empty when the body is.
inline std::string error_message(std::string_view body)
{
    std::string words;
    try {
        words = detail::words_of(parse_json(body));
    } catch (const JsonError&) {
        words = std::string(body.substr(0, 64 * max_error_text_bytes));
    }
    return printable(trim(detail::plain_text(words)), max_error_text_bytes);
}

/// One line on an HTTP error for people and for counting: "HTTP 400: 'messages' is required".
inline std::string http_error_text(int status, std::string_view body)
{
    auto text = "HTTP " + std::to_string(status);
    if (const auto message = error_message(body); !message.empty())
        text += ": " + message;
    return text;
}

} // namespace slo::wire

#endif
