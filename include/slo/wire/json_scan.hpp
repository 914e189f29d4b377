// SPDX-License-Identifier: MIT
// JSON as bytes: a string's end found without parsing, and halves of surrogate pairs made readable.

#ifndef SLO_WIRE_JSON_SCAN_HPP
#define SLO_WIRE_JSON_SCAN_HPP

#include <slo/base/text.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace slo::wire {

namespace detail {

// The value of "\uXXXX" at the start of `text`.
inline std::optional<unsigned> unicode_escape(std::string_view text) noexcept
{
    if (text.size() < 6 || text[0] != '\\' || text[1] != 'u')
        return std::nullopt;
    unsigned value = 0;
    for (const char c : text.substr(2, 4)) {
        const auto digit = static_cast<unsigned>(c >= '0' && c <= '9'   ? c - '0'
                                                 : c >= 'a' && c <= 'f' ? c - 'a' + 10
                                                 : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                                                        : 16);
        if (digit > 15)
            return std::nullopt;
        value = value * 16 + digit;
    }
    return value;
}

inline bool is_surrogate(unsigned unit) noexcept
{
    return unit >= 0xD800 && unit <= 0xDFFF;
}

// Bytes of the escape at the start of `text` that stands for one code point by itself, else 0.
inline std::size_t escape_bytes(std::string_view text) noexcept
{
    if (text.size() < 2)
        return 0;
    if (text[1] != 'u')
        return std::string_view("\"\\/bfnrt").find(text[1]) != std::string_view::npos ? 2 : 0;
    const auto unit = unicode_escape(text);
    return unit && !is_surrogate(*unit) ? 6 : 0;
}

} // namespace detail

/// From the first byte of a JSON string's body to its closing quote: where that stands, and in `chars` the
/// code points before it (RFC 8259, section 7). nullptr where a parser has to look: no end, control
/// characters, invalid UTF-8, unknown escapes, or escapes of surrogates, paired or not.
inline const char* scan_json_string(const char* at, const char* end, std::int64_t& chars) noexcept
{
    chars = 0;
    while (at != end) {
        const auto byte = static_cast<unsigned char>(*at);
        if (byte == '"')
            return at;
        std::size_t length = 1;
        if (byte < 0x20)
            return nullptr;
        if (byte == '\\')
            length = detail::escape_bytes({at, static_cast<std::size_t>(end - at)});
        else if (byte >= 0x80)
            length = utf8_sequence_bytes({at, static_cast<std::size_t>(end - at)});
        if (length == 0)
            return nullptr;
        at += length;
        ++chars;
    }
    return nullptr;
}

/// From the first digit of a number to the byte after its last, and its value: an integer of at most 15
/// digits without sign or leading zero; nullptr for anything else.
inline const char* scan_json_count(const char* at, const char* end, std::int64_t& value) noexcept
{
    const char* const begin = at;
    value = 0;
    for (; at != end && *at >= '0' && *at <= '9'; ++at) {
        if (at - begin == 15)
            return nullptr;
        value = value * 10 + (*at - '0');
    }
    const bool leading_zero = at - begin > 1 && *begin == '0';
    return at == begin || leading_zero ? nullptr : at;
}

/// JSON text with U+FFFD for each escaped half of a surrogate pair whose other half is missing, which JSON
/// allows and strict parsers refuse: servers that cut text between UTF-16 units send such. Nothing where
/// there is none.
inline std::optional<std::string> mend_lone_surrogates(std::string_view text)
{
    std::string mended;
    std::size_t copied = 0;
    for (std::size_t at = text.find('\\'); at != std::string_view::npos; at = text.find('\\', at)) {
        const auto unit = detail::unicode_escape(text.substr(at));
        if (!unit || !detail::is_surrogate(*unit)) {
            at += 2;
            continue;
        }
        const auto next = detail::unicode_escape(text.substr(at + 6));
        if (*unit < 0xDC00 && next && *next >= 0xDC00 && *next <= 0xDFFF) {
            at += 12;
            continue;
        }
        mended.append(text, copied, at - copied).append("\\ufffd");
        copied = at += 6;
    }
    if (copied == 0)
        return std::nullopt;
    return mended.append(text, copied);
}

} // namespace slo::wire

#endif
