// SPDX-License-Identifier: MIT
// JSON as the tools speak it: strict, compact text out, and lenient looks into what came in.

#ifndef SLO_BASE_JSON_HPP
#define SLO_BASE_JSON_HPP

#include <slo/base/json_parse.hpp>
#include <slo/base/text.hpp>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/string.hpp>
#include <boost/json/value.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace slo {

namespace detail {

// What is no UTF-8 becomes U+FFFD, byte by byte: a reader would refuse the whole line for it.
inline void append_json_text(std::string& out, json::string_view text)
{
    std::string_view rest(text.data(), text.size());
    if (is_utf8(rest)) {
        out += json::serialize(text);
        return;
    }
    std::string valid;
    while (!rest.empty()) {
        const auto length = utf8_sequence_bytes(rest);
        valid += length == 0 ? std::string_view("\xEF\xBF\xBD") : rest.substr(0, length);
        rest.remove_prefix(length == 0 ? 1 : length);
    }
    out += json::serialize(json::string_view(valid.data(), valid.size()));
}

inline void append_json(std::string& out, const json::value& value)
{
    switch (value.kind()) {
    case json::kind::object: {
        out += '{';
        bool first = true;
        for (const auto& member : value.get_object()) {
            if (!std::exchange(first, false))
                out += ',';
            append_json_text(out, member.key());
            out += ':';
            append_json(out, member.value());
        }
        out += '}';
        break;
    }
    case json::kind::array: {
        out += '[';
        bool first = true;
        for (const auto& element : value.get_array()) {
            if (!std::exchange(first, false))
                out += ',';
            append_json(out, element);
        }
        out += ']';
        break;
    }
    case json::kind::string:
        append_json_text(out, value.get_string());
        break;
    case json::kind::double_:
        out += std::isfinite(value.get_double()) ? format_double(value.get_double()) : "null";
        break;
    default:
        out += json::serialize(value);
    }
}

} // namespace detail

/// One line of strict, compact JSON: shortest exact doubles, NaN and infinities as null, U+FFFD for each byte
/// that is no UTF-8.
inline std::string to_json(const json::value& value)
{
    std::string out;
    detail::append_json(out, value);
    return out;
}

std::size_t json_depth(const json::value& value) noexcept;

/// How deep arrays and objects are nested: 0 for a number or a text, 1 for a list of them.
inline std::size_t json_depth(const json::object& object) noexcept
{
    std::size_t inner = 0;
    for (const auto& member : object)
        inner = std::max(inner, json_depth(member.value()));
    return inner + 1;
}

inline std::size_t json_depth(const json::value& value) noexcept
{
    if (const auto* object = value.if_object())
        return json_depth(*object);
    const auto* array = value.if_array();
    if (!array)
        return 0;
    std::size_t inner = 0;
    for (const auto& element : *array)
        inner = std::max(inner, json_depth(element));
    return inner + 1;
}

/// The member `key`, or nullptr when `object` has none.
inline const json::value* find(const json::object& object, std::string_view key) noexcept
{
    return object.if_contains(json::string_view(key.data(), key.size()));
}

/// A number of any JSON kind as a double; nothing for anything else (true and "1" are no numbers).
inline std::optional<double> as_number(const json::value* value) noexcept
{
    if (!value)
        return std::nullopt;
    if (value->is_double())
        return value->get_double();
    if (value->is_int64())
        return static_cast<double>(value->get_int64());
    if (value->is_uint64())
        return static_cast<double>(value->get_uint64());
    return std::nullopt;
}

/// The member `key` as a finite number, or nothing.
inline std::optional<double> number_at(const json::object& object, std::string_view key) noexcept
{
    const auto number = as_number(find(object, key));
    return number && std::isfinite(*number) ? number : std::nullopt;
}

/// The member `key` as an integer (an integral double counts), or nothing.
inline std::optional<std::int64_t> integer_at(const json::object& object, std::string_view key) noexcept
{
    const auto* value = find(object, key);
    if (value && value->is_int64())
        return value->get_int64();
    const auto number = as_number(value);
    if (number && *number == std::floor(*number) && std::abs(*number) < 9e15)
        return static_cast<std::int64_t>(*number);
    return std::nullopt;
}

/// The member `key` as text, or nothing; the view lives as long as the object.
inline std::optional<std::string_view> string_at(const json::object& object, std::string_view key) noexcept
{
    const auto* value = find(object, key);
    if (!value || !value->is_string())
        return std::nullopt;
    return std::string_view(value->get_string().data(), value->get_string().size());
}

/// The member `key` as an object, or nullptr.
inline const json::object* object_at(const json::object& object, std::string_view key) noexcept
{
    const auto* value = find(object, key);
    return value ? value->if_object() : nullptr;
}

/// The member `key` as an array, or nullptr.
inline const json::array* array_at(const json::object& object, std::string_view key) noexcept
{
    const auto* value = find(object, key);
    return value ? value->if_array() : nullptr;
}

/// Text as JSON.
inline json::value json_text(std::string_view text)
{
    return json::value(json::string_view(text.data(), text.size()));
}

/// Text as JSON, an empty one as null.
inline json::value text_or_null(std::string_view text)
{
    return text.empty() ? json::value(nullptr) : json_text(text);
}

/// An optional as JSON: its value, or null.
template <class T>
json::value or_null(const std::optional<T>& optional)
{
    return optional ? json::value(*optional) : json::value(nullptr);
}

} // namespace slo

#endif
