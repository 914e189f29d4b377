// SPDX-License-Identifier: MIT
// The timestamp of a route row: a decimal number kept exactly until its unit is known.

#ifndef SLO_RECORD_TIMESTAMP_HPP
#define SLO_RECORD_TIMESTAMP_HPP

#include <slo/base/text.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

namespace slo::record {

/// The unit of the timestamps of a route.
enum class TsUnit { s, ms, us, ns };

inline constexpr std::array<std::string_view, 4> ts_unit_names{"s", "ms", "us", "ns"};

/// The name that --ts-unit gives a unit.
constexpr std::string_view name_of(TsUnit unit) noexcept
{
    return ts_unit_names[static_cast<std::size_t>(unit)];
}

/// The unit of that name, or nothing.
constexpr std::optional<TsUnit> ts_unit_of(std::string_view name) noexcept
{
    for (std::size_t i = 0; i < ts_unit_names.size(); ++i) {
        if (ts_unit_names[i] == name)
            return static_cast<TsUnit>(i);
    }
    return std::nullopt;
}

/// A decimal number of at least 0, of no unit yet: exact to 18 digits after the point.
class Timestamp {
public:
    Timestamp() = default;
    explicit constexpr Timestamp(std::int64_t whole) : whole_(whole) {}

    /// A JSON number as it stands in the text ("1755000000", "1760000000.250", "1.76e9"); nothing for a
    /// negative one, one above 2^63 - 1, and what is no number.
    static std::optional<Timestamp> parse(std::string_view number)
    {
        if (const auto whole = short_integer(number); whole >= 0)
            return Timestamp(whole);
        const auto mark = number.find_first_of("eE");
        const auto mantissa = number.substr(0, mark);
        std::int64_t exponent = 0;
        if (mark != std::string_view::npos) {
            const auto given = parse_integer<std::int64_t>(number.substr(mark + 1));
            if (!given || *given < -max_exponent || *given > max_exponent)
                return std::nullopt;
            exponent = *given;
        }
        const auto point = std::min(mantissa.find('.'), mantissa.size());
        std::string digits(mantissa.substr(0, point));
        digits += mantissa.substr(std::min(point + 1, mantissa.size()));
        if (digits.empty() || digits.find_first_not_of("0123456789") != std::string::npos)
            return std::nullopt;
        return from_digits(digits, static_cast<std::int64_t>(point) + exponent);
    }

    /// Nanoseconds when the number counts `unit`, cut (not rounded) below one; nothing above 2^63 - 1 ns.
    std::optional<std::int64_t> to_ns(TsUnit unit) const noexcept
    {
        constexpr std::array<std::int64_t, 4> ns_per_unit{1'000'000'000, 1'000'000, 1'000, 1};
        const auto scale = ns_per_unit[static_cast<std::size_t>(unit)];
        const auto part = fraction_ / (fraction_one / scale);
        if (whole_ > (std::numeric_limits<std::int64_t>::max() - part) / scale)
            return std::nullopt;
        return whole_ * scale + part;
    }

    /// The part before the point.
    constexpr std::int64_t whole() const noexcept { return whole_; }

    /// The part behind the point, in units of 1e-18.
    constexpr std::int64_t fraction() const noexcept { return fraction_; }

    friend constexpr auto operator<=>(const Timestamp&, const Timestamp&) = default;

private:
    static constexpr std::int64_t max_exponent = 400;
    static constexpr std::int64_t fraction_one = 1'000'000'000'000'000'000;

    // What most timestamps are; -1 for all others.
    static constexpr std::int64_t short_integer(std::string_view digits) noexcept
    {
        if (digits.empty() || digits.size() > 18)
            return -1;
        std::int64_t value = 0;
        for (const char digit : digits) {
            if (digit < '0' || digit > '9')
                return -1;
            value = value * 10 + (digit - '0');
        }
        return value;
    }

    // The digits d with the decimal point before d[point].
    static std::optional<Timestamp> from_digits(std::string_view digits, std::int64_t point)
    {
        const auto digit = [&](std::int64_t i) -> std::int64_t {
            return i >= 0 && i < static_cast<std::int64_t>(digits.size())
                       ? digits[static_cast<std::size_t>(i)] - '0'
                       : 0;
        };
        Timestamp result;
        for (std::int64_t i = 0; i < point; ++i) {
            if (result.whole_ > (std::numeric_limits<std::int64_t>::max() - digit(i)) / 10)
                return std::nullopt;
            result.whole_ = result.whole_ * 10 + digit(i);
        }
        for (std::int64_t i = point; i < point + 18; ++i)
            result.fraction_ = result.fraction_ * 10 + digit(i);
        return result;
    }

    std::int64_t whole_ = 0;
    std::int64_t fraction_ = 0; // in units of 1e-18
};

/// The unit in which every number between `least` and `greatest` is a moment between 2001 and 2286 (as
/// nanoseconds: 2262); nothing where there is none, as for times that count from the start of a trace.
constexpr std::optional<TsUnit> unit_by_magnitude(Timestamp least, Timestamp greatest) noexcept
{
    std::int64_t from = 1'000'000'000;
    for (const auto unit : {TsUnit::s, TsUnit::ms, TsUnit::us}) {
        if (least.whole() >= from && greatest.whole() < from * 10)
            return unit;
        from *= 1000;
    }
    return least.whole() >= from ? std::optional(TsUnit::ns) : std::nullopt;
}

/// A UTC stamp at the start of `text`, "2026-05-01T10:00:00Z" or with a fraction of a second, as nanoseconds
/// since 1970; `length` receives its bytes, 0 when `text` does not begin like a stamp. Nothing for a date
/// that does not exist or lies outside 1970-2261.
inline std::optional<std::int64_t> parse_utc_stamp(std::string_view text, std::size_t& length) noexcept
{
    constexpr std::string_view form = "dddd-dd-ddTdd:dd:dd";
    const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
    length = 0;
    if (text.size() <= form.size())
        return std::nullopt;
    for (std::size_t i = 0; i < form.size(); ++i) {
        if (form[i] == 'd' ? !is_digit(text[i]) : text[i] != form[i])
            return std::nullopt;
    }
    auto end = form.size();
    std::int64_t fraction_ns = 0;
    if (text[end] == '.') {
        std::int64_t weight = 100'000'000;
        for (++end; end < text.size() && is_digit(text[end]); ++end, weight /= 10)
            fraction_ns += (text[end] - '0') * weight;
    }
    if (end >= text.size() || text[end] != 'Z')
        return std::nullopt;
    length = end + 1;

    const auto number = [text](std::size_t at, std::size_t count) {
        return parse_integer<int>(text.substr(at, count)).value_or(-1);
    };
    using namespace std::chrono;
    const year_month_day date(year(number(0, 4)), month(static_cast<unsigned>(number(5, 2))),
                              day(static_cast<unsigned>(number(8, 2))));
    const int hour = number(11, 2);
    const int minute = number(14, 2);
    const int second = number(17, 2);
    if (!date.ok() || date.year() < year(1970) || date.year() > year(2261) || hour > 23 || minute > 59 ||
        second > 59)
        return std::nullopt;
    const auto days = std::int64_t{sys_days(date).time_since_epoch().count()};
    return (((days * 24 + hour) * 60 + minute) * 60 + second) * 1'000'000'000 + fraction_ns;
}

} // namespace slo::record

#endif
