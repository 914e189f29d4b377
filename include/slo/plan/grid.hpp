// SPDX-License-Identifier: MIT
// The grid of rates a search works on: whole multiples of a decimal precision, exact.

#ifndef SLO_PLAN_GRID_HPP
#define SLO_PLAN_GRID_HPP

#include <slo/base/error.hpp>
#include <slo/base/text.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace slo::plan {

/// A rate as a number of steps of its grid's precision.
using Rate = std::int64_t;

/// Rates as whole multiples of a precision. Doubles are taken as the decimals they are written as (0.1 is one
/// tenth), so neither a comparison nor a step ever meets a binary rounding error.
class Grid {
public:
    /// Upper limit of every rate, in requests per second.
    static constexpr double max_qps = 1e6;
    /// Most digits a precision may have after the point.
    static constexpr int max_decimals = 9;

    /// A grid of steps of `precision_qps`. Throws UsageError unless 0 < precision ≤ 10^6 with at most 9
    /// decimals.
    explicit Grid(double precision_qps)
    {
        if (!(precision_qps > 0) || precision_qps > max_qps)
            throw UsageError("precision", "must be above 0 and at most 1000000");
        for (decimals_ = 0; decimals_ <= max_decimals; ++decimals_, units_per_qps_ *= 10) {
            if (const auto units = units_of(precision_qps)) {
                precision_units_ = *units;
                return;
            }
        }
        throw UsageError("precision", "has more than 9 digits after the point");
    }

    /// `qps` in steps, or nothing where it is no multiple of the precision, not positive, or above 10^6.
    std::optional<Rate> find(double qps) const
    {
        if (!(qps > 0) || qps > max_qps)
            return std::nullopt;
        const auto units = units_of(qps);
        if (!units || *units % precision_units_ != 0)
            return std::nullopt;
        return *units / precision_units_;
    }

    /// `qps` in steps. Throws UsageError, with `name` as the subject, where find() finds nothing.
    Rate steps(double qps, std::string_view name) const
    {
        if (!(qps > 0))
            throw UsageError(name, "must be above 0");
        if (qps > max_qps)
            throw UsageError(name, "must be at most 1000000");
        if (const auto rate = find(qps))
            return *rate;
        throw UsageError(name, format_double(qps) + " is no multiple of the precision " + text(1));
    }

    /// A rate as decimal text with the digits of the precision: "8.5", "9.0", on a grid of 0.1.
    std::string text(Rate rate) const
    {
        auto digits = std::to_string(rate * precision_units_);
        const auto decimals = static_cast<std::size_t>(decimals_);
        if (decimals == 0)
            return digits;
        if (digits.size() <= decimals)
            digits.insert(0, decimals + 1 - digits.size(), '0');
        digits.insert(digits.size() - decimals, 1, '.');
        return digits;
    }

    /// A rate in requests per second: the double nearest to its decimal text.
    double qps(Rate rate) const { return parse_double(text(rate)).value_or(0); }

    /// The precision and one request per second, both in the grid's decimal unit of 10^-decimals.
    std::int64_t precision_units() const noexcept { return precision_units_; }
    std::int64_t units_per_qps() const noexcept { return units_per_qps_; }

private:
    // The shortest decimal text of the double, shifted by the decimals of the grid, must be an integer.
    std::optional<std::int64_t> units_of(double qps) const
    {
        char buffer[40];
        const auto end =
            std::to_chars(buffer, buffer + sizeof buffer, qps, std::chars_format::scientific).ptr;
        const std::string_view shortest(buffer, static_cast<std::size_t>(end - buffer));
        const auto e = shortest.find('e');
        auto exponent = parse_integer<int>(shortest.substr(e + 1)).value_or(0) + decimals_;
        std::string digits;
        for (const char c : shortest.substr(0, e)) {
            if (c == '.')
                exponent -= static_cast<int>(e) - 2;
            else
                digits += c;
        }
        if (exponent < 0 || exponent > 18)
            return std::nullopt;
        digits.append(static_cast<std::size_t>(exponent), '0');
        return parse_integer<std::int64_t>(digits);
    }

    std::int64_t precision_units_ = 1;
    std::int64_t units_per_qps_ = 1;
    int decimals_ = 0;
};

/// numerator / denominator (both positive) to the nearest integer, a half to the even one.
constexpr std::int64_t divide_half_even(std::int64_t numerator, std::int64_t denominator) noexcept
{
    const auto quotient = numerator / denominator;
    const auto rest = numerator % denominator;
    const auto other = denominator - rest;
    return quotient + (rest > other || (rest == other && quotient % 2 != 0) ? 1 : 0);
}

} // namespace slo::plan

#endif
