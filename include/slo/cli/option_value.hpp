// SPDX-License-Identifier: MIT
// The value of an option as text, both ways.

#ifndef SLO_CLI_OPTION_VALUE_HPP
#define SLO_CLI_OPTION_VALUE_HPP

#include <slo/base/error.hpp>
#include <slo/base/text.hpp>

#include <concepts>
#include <optional>
#include <string>

namespace slo::cli {

/// How a default stands in --help; empty when there is none.
inline std::string to_text(const std::string& value)
{
    return value;
}
inline std::string to_text(double value)
{
    auto text = format_double(value);
    if (text.ends_with(".0"))
        text.resize(text.size() - 2);
    return text;
}
template <std::integral Int>
std::string to_text(Int value)
{
    return std::to_string(value);
}
template <class T>
std::string to_text(const std::optional<T>& value)
{
    return value ? to_text(*value) : std::string();
}

/// Sets an option from its text. Throws UsageError.
inline void from_text(const std::string& text, std::string& value)
{
    value = text;
}
inline void from_text(const std::string& text, double& value)
{
    const auto number = parse_double(text);
    if (!number)
        throw UsageError("'" + printable(text, 80) + "' is not a number");
    value = *number;
}
template <std::integral Int>
void from_text(const std::string& text, Int& value)
{
    const auto number = parse_integer<Int>(text);
    if (!number)
        throw UsageError("'" + printable(text, 80) + "' is not a whole number in range");
    value = *number;
}
template <class T>
void from_text(const std::string& text, std::optional<T>& value)
{
    from_text(text, value.emplace());
}

} // namespace slo::cli

#endif
