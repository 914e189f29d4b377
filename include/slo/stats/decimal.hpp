// SPDX-License-Identifier: MIT
// The mean of numbers taken as the decimals they are written as, compared exactly.

#ifndef SLO_STATS_DECIMAL_HPP
#define SLO_STATS_DECIMAL_HPP

#include <boost/multiprecision/cpp_int.hpp>

#include <charconv>
#include <cmath>
#include <cstddef>
#include <string_view>
#include <system_error>

namespace slo::stats {

/// A finite double as the decimal number digits · 10^exponent that its shortest text names: 2.2 is 22 · 10^-1
/// and not the binary fraction beside it.
struct Decimal {
    boost::multiprecision::cpp_int digits;
    int exponent = 0;

    static Decimal of(double value)
    {
        char text[40];
        const auto end = std::to_chars(text, text + sizeof text, value, std::chars_format::scientific).ptr;
        const std::string_view number(text, static_cast<std::size_t>(end - text));
        const auto e = number.find('e');
        Decimal decimal;
        for (const char c : number.substr(0, e)) {
            if (c >= '0' && c <= '9')
                decimal.digits = decimal.digits * 10 + (c - '0');
        }
        const auto point = number.find('.');
        const auto fraction_digits = point < e ? e - point - 1 : 0;
        auto exponent_text = number.substr(e + 1);
        if (exponent_text.starts_with('+'))
            exponent_text.remove_prefix(1);
        std::from_chars(exponent_text.data(), exponent_text.data() + exponent_text.size(), decimal.exponent);
        decimal.exponent -= static_cast<int>(fraction_digits);
        if (number.starts_with('-'))
            decimal.digits = -decimal.digits;
        return decimal;
    }
};

/// The mean of decimals, kept without rounding.
class ExactMean {
public:
    /// Takes one finite value in.
    void add(double value)
    {
        total_ += scaled(value);
        ++count_;
    }

    /// True when the mean is strictly below `limit`; false when nothing was added or `limit` is NaN.
    bool below(double limit) const
    {
        if (count_ == 0 || !std::isfinite(limit))
            return count_ > 0 && limit > 0;
        return total_ < scaled(limit) * count_;
    }

private:
    // In units of the smallest digit that a double's shortest text can have.
    static boost::multiprecision::cpp_int scaled(double value)
    {
        constexpr int smallest_exponent = -345;
        const auto decimal = Decimal::of(value);
        const auto power = static_cast<unsigned>(decimal.exponent - smallest_exponent);
        return decimal.digits * boost::multiprecision::pow(boost::multiprecision::cpp_int(10), power);
    }

    boost::multiprecision::cpp_int total_;
    std::size_t count_ = 0;
};

} // namespace slo::stats

#endif
