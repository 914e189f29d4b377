// SPDX-License-Identifier: MIT
#include <slo/stats/decimal.hpp>

#define BOOST_TEST_MODULE stats_decimal
#include <boost/test/unit_test.hpp>

#include <initializer_list>
#include <limits>

using slo::stats::Decimal;
using slo::stats::ExactMean;

namespace {

bool mean_below(std::initializer_list<double> values, double limit)
{
    ExactMean mean;
    for (const double value : values)
        mean.add(value);
    return mean.below(limit);
}

void check_decimal(double value, const char* digits, int exponent)
{
    const auto decimal = Decimal::of(value);
    BOOST_TEST(decimal.digits.str() == digits);
    BOOST_TEST(decimal.exponent == exponent);
}

} // namespace

BOOST_AUTO_TEST_CASE(decimals)
{
    check_decimal(2.2, "22", -1);
    check_decimal(-0.125, "-125", -3);
    check_decimal(0, "0", 0);
    check_decimal(3e20, "3", 20);
    check_decimal(5e-324, "5", -324);
    check_decimal(1.7976931348623157e308, "17976931348623157", 292);
    check_decimal(2.2250738585072014e-308, "22250738585072014", -324);
}

BOOST_AUTO_TEST_CASE(A05_equal_is_not_below)
{
    BOOST_TEST((1.1 + 2.2 + 3.3) / 3 < 2.2); // what doubles make of it
    BOOST_TEST(!mean_below({1.1, 2.2, 3.3}, 2.2));
    BOOST_TEST(mean_below({1.1, 2.2, 3.3}, 2.2000000000000004));
    BOOST_TEST(mean_below({1.1, 2.2, 3.299}, 2.2));
    BOOST_TEST(!mean_below({0.1, 0.7}, 0.4));
    BOOST_TEST(mean_below({1.9, 2.1, 1.95, 2.046}, 2.0));
}

BOOST_AUTO_TEST_CASE(extremes)
{
    const double huge = std::numeric_limits<double>::max();
    const double tiny = std::numeric_limits<double>::denorm_min();
    BOOST_TEST(!mean_below({huge, huge}, huge));
    BOOST_TEST(mean_below({huge, huge, 0}, huge));
    BOOST_TEST(mean_below({tiny, 0}, tiny));
    BOOST_TEST(!mean_below({tiny, tiny}, tiny));
    BOOST_TEST(mean_below({-huge, tiny}, 0));
}

BOOST_AUTO_TEST_CASE(limits_that_are_no_numbers)
{
    const double infinity = std::numeric_limits<double>::infinity();
    BOOST_TEST(!mean_below({1}, std::numeric_limits<double>::quiet_NaN()));
    BOOST_TEST(mean_below({1}, infinity));
    BOOST_TEST(!mean_below({1}, -infinity));
    BOOST_TEST(!mean_below({}, 1));
    BOOST_TEST(!mean_below({}, infinity));
}
