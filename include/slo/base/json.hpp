// SPDX-License-Identifier: MIT
// JSON as the tools speak it: strict text in, strict text out, exact doubles both ways.

#ifndef SLO_BASE_JSON_HPP
#define SLO_BASE_JSON_HPP

#include <slo/base/error.hpp>
#include <slo/base/text.hpp>

#include <boost/json/array.hpp>
#include <boost/json/basic_parser_impl.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/string.hpp>
#include <boost/json/value.hpp>
#include <boost/json/value_stack.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace slo {

namespace json = boost::json;

namespace detail {

// Boost.JSON 1.81 rounds doubles of 17 and more digits wrongly; this handler parses them anew.
class ExactHandler {
public:
    static constexpr std::size_t max_array_size = static_cast<std::size_t>(-1);
    static constexpr std::size_t max_object_size = static_cast<std::size_t>(-1);
    static constexpr std::size_t max_string_size = static_cast<std::size_t>(-1);
    static constexpr std::size_t max_key_size = static_cast<std::size_t>(-1);

    explicit ExactHandler(std::string_view number_key) : number_key_(number_key) {}

    json::value take() { return stack_.release(); }
    std::string take_number_text() { return std::move(kept_number_); }

    bool on_document_begin(json::error_code&)
    {
        stack_.reset();
        return true;
    }
    bool on_document_end(json::error_code&) { return true; }
    bool on_array_begin(json::error_code&)
    {
        ++depth_;
        return true;
    }
    bool on_array_end(std::size_t n, json::error_code&)
    {
        --depth_;
        stack_.push_array(n);
        return true;
    }
    bool on_object_begin(json::error_code&)
    {
        ++depth_;
        return true;
    }
    bool on_object_end(std::size_t n, json::error_code&)
    {
        --depth_;
        stack_.push_object(n);
        return true;
    }
    bool on_string_part(json::string_view s, std::size_t, json::error_code&)
    {
        stack_.push_chars(s);
        return true;
    }
    bool on_string(json::string_view s, std::size_t, json::error_code&)
    {
        stack_.push_string(s);
        return true;
    }
    bool on_key_part(json::string_view s, std::size_t, json::error_code&)
    {
        if (depth_ == 1)
            key_ += std::string_view(s.data(), s.size());
        stack_.push_chars(s);
        return true;
    }
    bool on_key(json::string_view s, std::size_t, json::error_code&)
    {
        if (depth_ == 1) {
            key_ += std::string_view(s.data(), s.size());
            wanted_ = !number_key_.empty() && key_ == number_key_;
            key_.clear();
        }
        stack_.push_key(s);
        return true;
    }
    bool on_number_part(json::string_view s, json::error_code&)
    {
        number_ += std::string_view(s.data(), s.size());
        return true;
    }
    bool on_int64(std::int64_t i, json::string_view s, json::error_code&)
    {
        end_number(s);
        stack_.push_int64(i);
        return true;
    }
    bool on_uint64(std::uint64_t u, json::string_view s, json::error_code&)
    {
        end_number(s);
        stack_.push_uint64(u);
        return true;
    }
    bool on_double(double rough, json::string_view s, json::error_code&)
    {
        const auto text = end_number(s);
        stack_.push_double(parse_double(text).value_or(rough));
        return true;
    }
    bool on_bool(bool b, json::error_code&)
    {
        stack_.push_bool(b);
        return true;
    }
    bool on_null(json::error_code&)
    {
        stack_.push_null();
        return true;
    }
    bool on_comment_part(json::string_view, json::error_code&) { return true; }
    bool on_comment(json::string_view, json::error_code&) { return true; }

private:
    std::string end_number(json::string_view rest)
    {
        std::string text = std::exchange(number_, {});
        text += std::string_view(rest.data(), rest.size());
        if (depth_ == 1 && wanted_)
            kept_number_ = text;
        return text;
    }

    json::value_stack stack_;
    std::string_view number_key_;
    std::string key_;
    std::string number_;
    std::string kept_number_;
    int depth_ = 0;
    bool wanted_ = false;
};

inline void append_json(std::string& out, const json::value& value)
{
    switch (value.kind()) {
    case json::kind::object: {
        out += '{';
        bool first = true;
        for (const auto& member : value.get_object()) {
            if (!std::exchange(first, false))
                out += ',';
            out += json::serialize(member.key());
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
    case json::kind::double_:
        out += std::isfinite(value.get_double()) ? format_double(value.get_double()) : "null";
        break;
    default:
        out += json::serialize(value);
    }
}

} // namespace detail

/// Why a text is not JSON; the caller adds file and line.
class JsonError : public Error {
public:
    using Error::Error;
};

/// Parses the whole of `text` as strict JSON (UTF-8 checked, nesting at most 64 deep, of duplicate keys the
/// last wins); doubles are correctly rounded. Where `number_text` is given, it receives the digits of the
/// top-level member `number_key` as they stand in the text (empty when it is no number). Throws JsonError.
inline json::value parse_json(std::string_view text, std::string_view number_key = {},
                              std::string* number_text = nullptr)
{
    json::parse_options options;
    options.max_depth = 64;
    json::basic_parser<detail::ExactHandler> parser(options, number_key);
    json::error_code error;
    const auto used = parser.write_some(false, text.data(), text.size(), error);
    if (!error && used < text.size() && !trim(text.substr(used)).empty())
        error = json::error::extra_data;
    if (error)
        throw JsonError("not JSON (" + error.message() + " at byte " + std::to_string(used + 1) + ")");
    if (number_text)
        *number_text = parser.handler().take_number_text();
    return parser.handler().take();
}

/// One line of strict, compact JSON: shortest exact doubles, NaN and infinities as null.
inline std::string to_json(const json::value& value)
{
    std::string out;
    detail::append_json(out, value);
    return out;
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

/// An optional as JSON: its value, or null.
template <class T>
json::value or_null(const std::optional<T>& optional)
{
    return optional ? json::value(*optional) : json::value(nullptr);
}

} // namespace slo

#endif
