// SPDX-License-Identifier: MIT
// Numbers of metrics: what is one, and where it ends.

#include <slo/wire/prom_number.hpp>

#define BOOST_TEST_MODULE wire_prom_number
#include <boost/test/unit_test.hpp>

#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

namespace {

// The number that the whole of `text` is.
std::optional<double> number(std::string_view text)
{
    double value = 0;
    const char* const end = slo::wire::parse_prom_number(text.data(), text.data() + text.size(), value);
    return end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

constexpr double infinity = std::numeric_limits<double>::infinity();

} // namespace

BOOST_AUTO_TEST_CASE(decimal_numbers_are_exact)
{
    BOOST_TEST(number("0").value() == 0);
    BOOST_TEST(number("300.0").value() == 300);
    BOOST_TEST(number("2.3916e+06").value() == 2391600);
    BOOST_TEST(number("1.7868937131983685e+09").value() == 1.7868937131983685e+09);
    BOOST_TEST(number("1.1E3").value() == 1100);
    BOOST_TEST(number("+1e-3").value() == 0.001);
    BOOST_TEST(number(".5").value() == 0.5);
    BOOST_TEST(number("5.").value() == 5);
    BOOST_TEST(number("-12.25").value() == -12.25);
    BOOST_TEST(number("9007199254740993").value() == 9007199254740992.0);
    BOOST_TEST(number("1760000060000").value() == 1760000060000.0);
}

BOOST_AUTO_TEST_CASE(minus_zero_keeps_its_sign)
{
    BOOST_TEST(std::signbit(number("-0").value()));
    BOOST_TEST(!std::signbit(number("+0").value()));
}

BOOST_AUTO_TEST_CASE(infinities_and_nan_in_any_case)
{
    for (const auto* text : {"Inf", "+Inf", "inf", "+INF", "infinity", "+Infinity"})
        BOOST_TEST(number(text).value() == infinity, text);
    for (const auto* text : {"-Inf", "-inf", "-Infinity"})
        BOOST_TEST(number(text).value() == -infinity, text);
    for (const auto* text : {"NaN", "nan", "NAN", "+NaN", "-nan"})
        BOOST_TEST(std::isnan(number(text).value()), text);
}

BOOST_AUTO_TEST_CASE(underscores_between_digits_are_passed_over)
{
    BOOST_TEST(number("1_000").value() == 1000);
    BOOST_TEST(number("-2_000_000.2_5e1_0").value() == -2000000.25e10);
    for (const auto* text : {"_1", "1_", "1__0", "1_.5", "1._5", "1_e5", "1e_5", "1_x"})
        BOOST_TEST(!number(text), text);
    // Longer than any number a server prints: not read rather than read in part.
    BOOST_TEST(!number("1_" + std::string(70, '0')));
}

BOOST_AUTO_TEST_CASE(what_is_no_number_is_none)
{
    for (const auto* text : {"", "+", "-", "--1", "+-1", "e5", "1e", "1e+", ".", "abc", "1,5", "0x10", "1f",
                             "nan(1)", "infini", "1 2 ", "١", "1e400", "1e-400"})
        BOOST_TEST(!number(text), text);
}

BOOST_AUTO_TEST_CASE(says_where_the_number_ends)
{
    const std::string_view text = "12.5 7";
    double value = 0;
    BOOST_TEST(
        (slo::wire::parse_prom_number(text.data(), text.data() + text.size(), value) == text.data() + 4));
    BOOST_TEST(value == 12.5);
}

BOOST_AUTO_TEST_CASE(L01_a_decimal_comma_is_no_number_in_any_locale)
{
    BOOST_TEST(!number("0,75"));
    BOOST_TEST(number("0.75").value() == 0.75);
}
