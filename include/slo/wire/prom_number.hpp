// SPDX-License-Identifier: MIT
// Numbers as texts of metrics write them.

#ifndef SLO_WIRE_PROM_NUMBER_HPP
#define SLO_WIRE_PROM_NUMBER_HPP

#include <charconv>
#include <cstddef>
#include <limits>
#include <string_view>
#include <system_error>

namespace slo::wire {

namespace detail {

// The word at `at`, in any case, as far as letters go.
inline bool is_word(std::string_view text, std::string_view lower) noexcept
{
    if (text.size() != lower.size())
        return false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if ((text[i] | 0x20) != lower[i])
            return false;
    }
    return true;
}

inline bool is_digit(char c) noexcept
{
    return c >= '0' && c <= '9';
}

// A decimal number with single underscores between digits, as Python prints and reads it.
inline const char* parse_underscored(const char* at, const char* end, double& value) noexcept
{
    char digits[64];
    std::size_t count = 0;
    const char* const from = at;
    for (; at != end && *at != ' ' && *at != '\t'; ++at) {
        if (*at == '_') {
            if (at == from || !is_digit(at[-1]) || at + 1 == end || !is_digit(at[1]))
                return nullptr;
        } else if (count == sizeof digits) {
            return nullptr;
        } else {
            digits[count++] = *at;
        }
    }
    const auto result = std::from_chars(digits, digits + count, value);
    return result.ec == std::errc{} && result.ptr == digits + count ? at : nullptr;
}

} // namespace detail

/// Reads the number at `at` into `value`: decimal with or without exponent, `Inf`, `Infinity` and `NaN` in
/// any case, a sign before any of them, underscores between digits. Returns where it ends, or null when there
/// is none or a double cannot hold it.
inline const char* parse_prom_number(const char* at, const char* end, double& value) noexcept
{
    const bool negative = at != end && *at == '-';
    if (at != end && (*at == '-' || *at == '+'))
        ++at;
    if (at == end)
        return nullptr;
    if (detail::is_digit(*at) || *at == '.') {
        const auto result = std::from_chars(at, end, value);
        if (result.ptr != end && *result.ptr == '_')
            at = detail::parse_underscored(at, end, value);
        else
            at = result.ec == std::errc{} ? result.ptr : nullptr;
    } else {
        const char* const from = at;
        while (at != end && *at != ' ' && *at != '\t')
            ++at;
        const std::string_view word(from, static_cast<std::size_t>(at - from));
        if (detail::is_word(word, "nan"))
            value = std::numeric_limits<double>::quiet_NaN();
        else if (detail::is_word(word, "inf") || detail::is_word(word, "infinity"))
            value = std::numeric_limits<double>::infinity();
        else
            return nullptr;
    }
    if (negative)
        value = -value;
    return at;
}

} // namespace slo::wire

#endif
