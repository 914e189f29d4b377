// SPDX-License-Identifier: MIT
#include <slo/stats/moments.hpp>

#define BOOST_TEST_MODULE stats_moments
#include <boost/test/unit_test.hpp>

#include <cmath>
#include <vector>

using slo::stats::Moments;

namespace {

const auto tolerance = boost::test_tools::tolerance(1e-11);

Moments of(const std::vector<double>& values)
{
    Moments moments;
    for (const double value : values)
        moments.add(value);
    return moments;
}

} // namespace

BOOST_AUTO_TEST_CASE(of_nothing)
{
    const Moments nothing;
    BOOST_TEST(nothing.count() == 0);
    BOOST_TEST(nothing.sum() == 0);
    BOOST_TEST(!nothing.mean());
    BOOST_TEST(!nothing.deviation());
    BOOST_TEST(!nothing.min());
    BOOST_TEST(!nothing.max());
}

BOOST_AUTO_TEST_CASE(of_a_few)
{
    const auto moments = of({2, 4, 4, 4, 5, 5, 7, 9});
    BOOST_TEST(moments.mean().value() == 5);
    BOOST_TEST(moments.deviation().value() == 2);
    BOOST_TEST(moments.min().value() == 2);
    BOOST_TEST(moments.max().value() == 9);
    BOOST_TEST(moments.sum() == 40);
}

BOOST_AUTO_TEST_CASE(a_narrow_series_far_from_zero_keeps_its_digits)
{
    const auto moments = of({1e9 + 4, 1e9 + 7, 1e9 + 13, 1e9 + 16});
    BOOST_TEST(moments.mean().value() == 1e9 + 10);
    BOOST_TEST(moments.deviation().value() == std::sqrt(22.5), tolerance);
    BOOST_TEST(of({0.1, 0.1, 0.1}).deviation().value() == 0);
}

BOOST_AUTO_TEST_CASE(merging_is_adding_together)
{
    auto merged = of({});
    merged.merge(of({1, 2.5}));
    merged.merge(of({}));
    merged.merge(of({-30, 4, 100}));
    const auto whole = of({1, 2.5, -30, 4, 100});
    BOOST_TEST(merged.count() == 5);
    BOOST_TEST(merged.mean().value() == whole.mean().value(), tolerance);
    BOOST_TEST(merged.deviation().value() == whole.deviation().value(), tolerance);
    BOOST_TEST(merged.min().value() == -30);
    BOOST_TEST(merged.max().value() == 100);
}
