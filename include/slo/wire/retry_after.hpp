// SPDX-License-Identifier: MIT
// How long a server asks to be left alone: the Retry-After header, and dates as HTTP writes them.

#ifndef SLO_WIRE_RETRY_AFTER_HPP
#define SLO_WIRE_RETRY_AFTER_HPP

#include <slo/base/text.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace slo::wire {

namespace detail {

inline constexpr std::array<std::string_view, 12> month_names{"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                              "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
inline constexpr std::array<std::string_view, 7> day_names{"Monday", "Tuesday",  "Wednesday", "Thursday",
                                                           "Friday", "Saturday", "Sunday"};

// A moment of the calendar, read piece by piece; a piece that does not fit spoils it.
class HttpDateReader {
public:
    explicit HttpDateReader(std::string_view text) : rest_(text) {}

    void literal(std::string_view expected)
    {
        good_ = good_ && rest_.starts_with(expected);
        rest_.remove_prefix(good_ ? expected.size() : 0);
    }

    // True when the name of a day comes next; in full, or its first three letters.
    bool day_name(bool in_full)
    {
        for (const auto full : day_names) {
            const auto name = in_full ? full : full.substr(0, 3);
            if (rest_.starts_with(name)) {
                rest_.remove_prefix(name.size());
                return true;
            }
        }
        return false;
    }

    // `digits` digits, the leading ones blank where that is allowed.
    int number(std::size_t digits, bool blank_is_zero = false)
    {
        auto text = rest_.substr(0, digits);
        good_ = good_ && text.size() == digits;
        if (blank_is_zero)
            text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
        good_ = good_ && !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
        rest_.remove_prefix(good_ ? digits : 0);
        return good_ ? parse_integer<int>(text).value_or(0) : 0;
    }

    unsigned month()
    {
        const auto name = std::find(month_names.begin(), month_names.end(), rest_.substr(0, 3));
        good_ = good_ && name != month_names.end();
        rest_.remove_prefix(good_ ? 3 : 0);
        return static_cast<unsigned>(name - month_names.begin()) + 1;
    }

    // "08:49:37", in seconds; a leap second is the first of the next minute.
    std::int64_t time_of_day()
    {
        const int hour = number(2);
        literal(":");
        const int minute = number(2);
        literal(":");
        const int second = number(2);
        good_ = good_ && hour < 24 && minute < 60 && second <= 60;
        return (hour * 60 + minute) * 60 + second;
    }

    // Nothing unless all was as expected, to the end of the text.
    std::optional<std::int64_t> moment(int year, unsigned month, int day, std::int64_t second_of_day) const
    {
        using namespace std::chrono;
        const year_month_day date(std::chrono::year(year), std::chrono::month(month),
                                  std::chrono::day(static_cast<unsigned>(day)));
        if (!good_ || !rest_.empty() || !date.ok())
            return std::nullopt;
        return std::int64_t{sys_days(date).time_since_epoch().count()} * 86400 + second_of_day;
    }

private:
    std::string_view rest_;
    bool good_ = true;
};

// The year nearest to the reference that ends in these two digits and is not more than 50 years ahead of it.
inline int full_year(int two_digits, std::int64_t reference_epoch_s)
{
    using namespace std::chrono;
    const sys_seconds moment{seconds(std::clamp<std::int64_t>(reference_epoch_s, 0, 253'402'300'799))};
    const int now = static_cast<int>(year_month_day(floor<days>(moment)).year());
    const int year = now - now % 100 + two_digits;
    return year > now + 50 ? year - 100 : year + 100 <= now + 50 ? year + 100 : year;
}

} // namespace detail

/// A moment as HTTP writes it, in seconds since 1970: "Sun, 06 Nov 1994 08:49:37 GMT", or one of the old
/// forms "Sunday, 06-Nov-94 08:49:37 GMT" and "Sun Nov  6 08:49:37 1994"; nothing for anything else. The
/// century of a year of two digits is found from `reference_epoch_s` (by default 2026), the name of the day
/// is not checked against the date. RFC 9110, section 5.6.7.
inline std::optional<std::int64_t> parse_http_date(std::string_view text,
                                                   std::int64_t reference_epoch_s = 1'780'000'000)
{
    const auto trimmed = trim(text);
    detail::HttpDateReader reader(trimmed);
    const bool in_full = reader.day_name(true);
    if (!in_full && !reader.day_name(false))
        return std::nullopt;
    int year = 0;
    unsigned month = 0;
    int day = 0;
    std::int64_t second = 0;
    if (!in_full && trimmed.size() > 3 && trimmed[3] == ' ') {
        reader.literal(" ");
        month = reader.month();
        reader.literal(" ");
        day = reader.number(2, true);
        reader.literal(" ");
        second = reader.time_of_day();
        reader.literal(" ");
        year = reader.number(4);
        return reader.moment(year, month, day, second);
    }
    const auto* const separator = in_full ? "-" : " ";
    reader.literal(", ");
    day = reader.number(2);
    reader.literal(separator);
    month = reader.month();
    reader.literal(separator);
    year = in_full ? detail::full_year(reader.number(2), reference_epoch_s) : reader.number(4);
    reader.literal(" ");
    second = reader.time_of_day();
    reader.literal(" GMT");
    return reader.moment(year, month, day, second);
}

/// The longest wait that is believed.
inline constexpr double longest_retry_after_s = 86400;

/// The wait in seconds that a Retry-After header asks for, from 0 to a day: a number of seconds, or a date
/// counted from the answer's own Date, so that the two clocks need not agree, or else from `now_epoch_s`.
/// Nothing when it is neither, or a date with nothing to count from. RFC 9110, section 10.2.3.
inline std::optional<double> retry_after_s(std::string_view retry_after, std::string_view date,
                                           std::optional<double> now_epoch_s = std::nullopt)
{
    const auto text = trim(retry_after);
    if (!text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos)
        return std::min(parse_double(text).value_or(longest_retry_after_s), longest_retry_after_s);
    std::optional<double> from_s = now_epoch_s;
    if (const auto answered = parse_http_date(date))
        from_s = static_cast<double>(*answered);
    if (!from_s)
        return std::nullopt;
    const auto until = parse_http_date(text, static_cast<std::int64_t>(std::clamp(*from_s, 0.0, 1e12)));
    if (!until)
        return std::nullopt;
    return std::clamp(static_cast<double>(*until) - *from_s, 0.0, longest_retry_after_s);
}

} // namespace slo::wire

#endif
