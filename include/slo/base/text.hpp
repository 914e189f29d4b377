// SPDX-License-Identifier: MIT
// Numbers and UTF-8 as text, without regard to the locale.

#ifndef SLO_BASE_TEXT_HPP
#define SLO_BASE_TEXT_HPP

#include <charconv>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

namespace slo {

/// The shortest decimal text that reads back as the same double: "0.25", "5.0", "1e-05"; an integral
/// value keeps ".0" so that it stays a floating-point number for every reader. "nan"/"inf" for the rest.
inline std::string format_double(double value)
{
    char buffer[40];
    const auto end = std::to_chars(buffer, buffer + sizeof buffer, value).ptr;
    std::string text(buffer, end);
    if (std::isfinite(value) && text.find_first_of(".e") == std::string::npos)
        text += ".0";
    return text;
}

/// A number for people: fixed, `decimals` digits after the point.
inline std::string format_fixed(double value, int decimals)
{
    char buffer[400];
    const auto result =
        std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::fixed, decimals);
    return {buffer, result.ptr};
}

/// The whole of `text` as a finite double ("12", "-0.5", "+1e3"), or nothing.
inline std::optional<double> parse_double(std::string_view text) noexcept
{
    if (text.size() > 1 && text[0] == '+' && text[1] != '-')
        text.remove_prefix(1);
    double value = 0;
    const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
    if (result.ec != std::errc{} || result.ptr != text.data() + text.size() || !std::isfinite(value))
        return std::nullopt;
    return value;
}

/// The whole of `text` as a decimal integer that fits `Int`, or nothing.
template <std::integral Int>
std::optional<Int> parse_integer(std::string_view text) noexcept
{
    if (text.size() > 1 && text[0] == '+' && text[1] != '-')
        text.remove_prefix(1);
    Int value = 0;
    const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
    if (result.ec != std::errc{} || result.ptr != text.data() + text.size())
        return std::nullopt;
    return value;
}

/// `text` without ASCII white space at both ends.
inline std::string_view trim(std::string_view text) noexcept
{
    constexpr std::string_view blanks = " \t\r\n\v\f";
    const auto first = text.find_first_not_of(blanks);
    if (first == std::string_view::npos)
        return {};
    return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

/// `text` with its ASCII capitals as small letters; all other bytes as they are.
inline std::string lower_case(std::string_view text)
{
    std::string lower(text);
    for (char& c : lower)
        c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
    return lower;
}

/// Length in bytes of the valid UTF-8 sequence at the start of `text`; 0 when it is not one
/// (truncated, overlong, surrogate or above U+10FFFF). RFC 3629.
inline std::size_t utf8_sequence_bytes(std::string_view text) noexcept
{
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const auto continues = [&](std::size_t i, unsigned low = 0x80, unsigned high = 0xBF) {
        return i < text.size() && byte(i) >= low && byte(i) <= high;
    };
    if (text.empty())
        return 0;
    const unsigned lead = byte(0);
    if (lead < 0x80)
        return 1;
    if (lead >= 0xC2 && lead <= 0xDF)
        return continues(1) ? 2 : 0;
    if (lead >= 0xE0 && lead <= 0xEF) {
        const unsigned low = lead == 0xE0 ? 0xA0 : 0x80;
        const unsigned high = lead == 0xED ? 0x9F : 0xBF;
        return continues(1, low, high) && continues(2) ? 3 : 0;
    }
    if (lead >= 0xF0 && lead <= 0xF4) {
        const unsigned low = lead == 0xF0 ? 0x90 : 0x80;
        const unsigned high = lead == 0xF4 ? 0x8F : 0xBF;
        return continues(1, low, high) && continues(2) && continues(3) ? 4 : 0;
    }
    return 0;
}

/// True when `text` is valid UTF-8 throughout.
inline bool is_utf8(std::string_view text) noexcept
{
    while (!text.empty()) {
        const auto length = utf8_sequence_bytes(text);
        if (length == 0)
            return false;
        text.remove_prefix(length);
    }
    return true;
}

/// Unicode code points in valid UTF-8 text.
inline std::size_t count_code_points(std::string_view text) noexcept
{
    std::size_t count = 0;
    for (const char c : text)
        count += (static_cast<unsigned char>(c) & 0xC0) != 0x80;
    return count;
}

/// A copy fit for one line of a terminal or a log: control characters and invalid UTF-8 become '?',
/// and at most `limit` bytes are kept, "…" marking a cut.
inline std::string printable(std::string_view text, std::size_t limit = 300)
{
    std::string line;
    while (!text.empty()) {
        const auto length = utf8_sequence_bytes(text);
        const auto lead = static_cast<unsigned char>(text[0]);
        if (line.size() + (length == 0 ? 1 : length) > limit)
            return line + "…";
        if (length == 0 || lead < 0x20 || lead == 0x7F)
            line += '?';
        else
            line.append(text, 0, length);
        text.remove_prefix(length == 0 ? 1 : length);
    }
    return line;
}

} // namespace slo

#endif
