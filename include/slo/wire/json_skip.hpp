// SPDX-License-Identifier: MIT
// Strict JSON passed over at the speed of memory: where a value ends, and that it is one, without building
// it.

#ifndef SLO_WIRE_JSON_SKIP_HPP
#define SLO_WIRE_JSON_SKIP_HPP

#include <slo/base/text.hpp>
#include <slo/wire/json_scan.hpp>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include <bit>
#include <cstddef>
#include <string>
#include <string_view>

namespace slo::wire {

/// Arrays and objects within each other that a JSON text may have.
inline constexpr int max_json_depth = 64;

namespace detail {

// A string's byte that says nothing but itself.
constexpr bool is_plain(char c) noexcept
{
    const auto byte = static_cast<unsigned char>(c);
    return byte >= 0x20 && byte < 0x80 && c != '"' && c != '\\';
}

inline const char* skip_plain(const char* at, const char* end) noexcept
{
#ifdef __SSE2__
    const auto quote = _mm_set1_epi8('"');
    const auto backslash = _mm_set1_epi8('\\');
    const auto blank = _mm_set1_epi8(0x20);
    for (; end - at >= 16; at += 16) {
        const auto bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
        // Signed: bytes from 0x80 on are below 0x20, too.
        const auto other =
            _mm_or_si128(_mm_cmplt_epi8(bytes, blank),
                         _mm_or_si128(_mm_cmpeq_epi8(bytes, quote), _mm_cmpeq_epi8(bytes, backslash)));
        const auto found = static_cast<unsigned>(_mm_movemask_epi8(other));
        if (found != 0)
            return at + std::countr_zero(found);
    }
#endif
    while (at != end && is_plain(*at))
        ++at;
    return at;
}

// Bytes of the escape at `at`, of both halves of a surrogate pair; 0 when it is none.
inline std::size_t whole_escape_bytes(const char* at, const char* end) noexcept
{
    const std::string_view text(at, static_cast<std::size_t>(end - at));
    if (const auto length = escape_bytes(text))
        return length;
    const auto high = unicode_escape(text);
    if (!high || *high < 0xD800 || *high > 0xDBFF)
        return 0;
    const auto low = unicode_escape(text.substr(6));
    return low && *low >= 0xDC00 && *low <= 0xDFFF ? 12 : 0;
}

inline const char* skip_digits(const char* at, const char* end) noexcept
{
    while (at != end && *at >= '0' && *at <= '9')
        ++at;
    return at;
}

inline void append_utf8(std::string& out, unsigned code_point)
{
    const auto tail = [&](int shift) { out += static_cast<char>(0x80 | (code_point >> shift & 0x3F)); };
    if (code_point < 0x80) {
        out += static_cast<char>(code_point);
    } else if (code_point < 0x800) {
        out += static_cast<char>(0xC0 | code_point >> 6);
        tail(0);
    } else if (code_point < 0x10000) {
        out += static_cast<char>(0xE0 | code_point >> 12);
        tail(6);
        tail(0);
    } else {
        out += static_cast<char>(0xF0 | code_point >> 18);
        tail(12);
        tail(6);
        tail(0);
    }
}

} // namespace detail

/// The first byte that is no white space of JSON (RFC 8259, section 2), or `end`.
inline const char* skip_json_blanks(const char* at, const char* end) noexcept
{
    while (at != end && (*at == ' ' || *at == '\n' || *at == '\r' || *at == '\t'))
        ++at;
    return at;
}

/// From the byte behind a string's opening quote to the one behind its closing quote; nullptr for what is no
/// strict JSON string: no end, control characters, invalid UTF-8, unknown escapes, half a surrogate pair.
inline const char* skip_json_string(const char* at, const char* end) noexcept
{
    for (;;) {
        at = detail::skip_plain(at, end);
        if (at == end)
            return nullptr;
        if (*at == '"')
            return at + 1;
        if (static_cast<unsigned char>(*at) < 0x20)
            return nullptr;
        if (*at == '\\') {
            const auto length = detail::whole_escape_bytes(at, end);
            if (length == 0)
                return nullptr;
            at += length;
            continue;
        }
        do {
            const auto length = utf8_sequence_bytes({at, static_cast<std::size_t>(end - at)});
            if (length == 0)
                return nullptr;
            at += length;
        } while (at != end && static_cast<unsigned char>(*at) >= 0x80);
    }
}

/// From a number's first byte to the one behind its last; nullptr for what is none, and for an exponent of
/// more than 8 digits, of which parsers make different things.
inline const char* skip_json_number(const char* at, const char* end) noexcept
{
    if (at != end && *at == '-')
        ++at;
    const char* const whole = at;
    at = detail::skip_digits(at, end);
    if (at == whole || (*whole == '0' && at - whole > 1))
        return nullptr;
    if (at != end && *at == '.') {
        const char* const fraction = ++at;
        at = detail::skip_digits(at, end);
        if (at == fraction)
            return nullptr;
    }
    if (at == end || (*at != 'e' && *at != 'E'))
        return at;
    ++at;
    if (at != end && (*at == '+' || *at == '-'))
        ++at;
    const char* exponent = at;
    at = detail::skip_digits(at, end);
    if (at == exponent)
        return nullptr;
    while (exponent != at && *exponent == '0')
        ++exponent;
    return at - exponent > 8 ? nullptr : at;
}

/// From the byte behind an object's brace to the one behind its closing one; nullptr for what is no object.
/// `skip_value(key, at)` is called for each member, in order: `key` is what stands between its quotes, `at`
/// the first byte of its value; it returns the byte behind the value, or nullptr to end.
template <class SkipValue>
const char* skip_json_members(const char* at, const char* end, SkipValue&& skip_value)
{
    at = skip_json_blanks(at, end);
    if (at != end && *at == '}')
        return at + 1;
    for (;;) {
        if (at == end || *at != '"')
            return nullptr;
        const char* const key = at + 1;
        const char* const key_end = skip_json_string(key, end);
        if (!key_end)
            return nullptr;
        at = skip_json_blanks(key_end, end);
        if (at == end || *at != ':')
            return nullptr;
        at = skip_json_blanks(at + 1, end);
        at = skip_value(std::string_view(key, static_cast<std::size_t>(key_end - 1 - key)), at);
        if (!at)
            return nullptr;
        at = skip_json_blanks(at, end);
        if (at != end && *at == '}')
            return at + 1;
        if (at == end || *at != ',')
            return nullptr;
        at = skip_json_blanks(at + 1, end);
    }
}

/// The same for an array: from the byte behind its bracket; `skip_value(at)` is called for each element.
template <class SkipValue>
const char* skip_json_elements(const char* at, const char* end, SkipValue&& skip_value)
{
    at = skip_json_blanks(at, end);
    if (at != end && *at == ']')
        return at + 1;
    for (;;) {
        at = skip_value(at);
        if (!at)
            return nullptr;
        at = skip_json_blanks(at, end);
        if (at != end && *at == ']')
            return at + 1;
        if (at == end || *at != ',')
            return nullptr;
        at = skip_json_blanks(at + 1, end);
    }
}

/// From a value's first byte to the one behind its last; nullptr for what is no strict JSON, and for arrays
/// and objects more than `depth` deep.
inline const char* skip_json_value(const char* at, const char* end, int depth) noexcept
{
    const auto literal = [&](std::string_view word) {
        return std::string_view(at, static_cast<std::size_t>(end - at)).starts_with(word) ? at + word.size()
                                                                                          : nullptr;
    };
    if (at == end)
        return nullptr;
    switch (*at) {
    case '"':
        return skip_json_string(at + 1, end);
    case '{':
        return depth <= 0 ? nullptr
                          : skip_json_members(at + 1, end, [=](std::string_view, const char* value) {
                                return skip_json_value(value, end, depth - 1);
                            });
    case '[':
        return depth <= 0 ? nullptr : skip_json_elements(at + 1, end, [=](const char* value) {
            return skip_json_value(value, end, depth - 1);
        });
    case 't':
        return literal("true");
    case 'f':
        return literal("false");
    case 'n':
        return literal("null");
    default:
        return skip_json_number(at, end);
    }
}

/// True for the JSON text of a string.
constexpr bool is_json_string(std::string_view raw) noexcept
{
    return raw.starts_with('"');
}

/// What stands between a string's quotes, decoded: a view of `inner` itself where nothing is escaped, else of
/// `scratch`. For strings that skip_json_string() passed.
inline std::string_view decode_json_string(std::string_view inner, std::string& scratch)
{
    auto escape = inner.find('\\');
    if (escape == std::string_view::npos)
        return inner;
    constexpr std::string_view letters = "bfnrt";
    constexpr std::string_view controls = "\b\f\n\r\t";
    scratch.clear();
    while (escape != std::string_view::npos && escape + 1 < inner.size()) {
        scratch += inner.substr(0, escape);
        inner.remove_prefix(escape);
        std::size_t used = 2;
        if (const auto unit = detail::unicode_escape(inner)) {
            const auto low =
                detail::is_surrogate(*unit) ? detail::unicode_escape(inner.substr(6)) : std::nullopt;
            used = low ? 12 : 6;
            detail::append_utf8(scratch, low ? 0x10000 + ((*unit - 0xD800) << 10) + (*low - 0xDC00) : *unit);
        } else {
            const auto letter = letters.find(inner[1]);
            scratch += letter == std::string_view::npos ? inner[1] : controls[letter];
        }
        inner.remove_prefix(used);
        escape = inner.find('\\');
    }
    return scratch += inner;
}

/// The text that the JSON text of a string stands for; as decode_json_string().
inline std::string_view json_string_text(std::string_view raw, std::string& scratch)
{
    return decode_json_string(raw.substr(1, raw.size() - 2), scratch);
}

} // namespace slo::wire

#endif
