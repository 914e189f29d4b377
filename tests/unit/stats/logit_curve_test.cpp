// SPDX-License-Identifier: MIT
#include <slo/stats/logit_curve.hpp>
#define BOOST_TEST_MODULE stats_logit_curve
#include <boost/test/unit_test.hpp>

#include <slo/base/random.hpp>

#include <cmath>
#include <vector>

using namespace slo;
using namespace slo::stats;

namespace {

double share_at(double x)
{
    return 1 / (1 + std::exp(-(0.3 - 4 * (x - 2) - 3 * (x - 2) * (x - 2))));
}

std::vector<SharePoint> exact(int count, double requests = 1000)
{
    std::vector<SharePoint> points;
    for (int i = 0; i < count; ++i) {
        const double x = 1.8 + 0.4 * i / (count - 1);
        points.push_back({x, share_at(x), requests});
    }
    return points;
}

} // namespace

BOOST_AUTO_TEST_CASE(a_curve_through_exact_shares_is_that_curve)
{
    const auto curve = LogitCurve::fit(exact(9)).value();
    for (const double x : {1.85, 2.0, 2.1}) {
        const auto crossing = curve.crossing(share_at(x), 1.8, 2.2).value();
        BOOST_TEST(crossing.x == x, boost::test_tools::tolerance(1e-9));
        BOOST_TEST(crossing.slope == -4 - 6 * (x - 2), boost::test_tools::tolerance(1e-6));
    }
}

BOOST_AUTO_TEST_CASE(nothing_where_it_does_not_fall_through_the_share)
{
    const auto curve = LogitCurve::fit(exact(9)).value();
    BOOST_TEST(!curve.crossing(share_at(2.3), 1.8, 2.2).has_value());
    BOOST_TEST(!curve.crossing(share_at(1.7), 1.8, 2.2).has_value());
    const std::vector<SharePoint> rising{{1, 0.2, 9}, {2, 0.4, 9}, {3, 0.6, 9}, {4, 0.8, 9}};
    BOOST_TEST(!LogitCurve::fit(rising).value().crossing(0.5, 1, 4).has_value());
    BOOST_TEST(!LogitCurve::fit(exact(2)).has_value());
    BOOST_TEST(!LogitCurve::fit(std::vector<SharePoint>(6, {2, 0.5, 100})).has_value());
}

// The root of a straight line has the variance that the delta method gives: at the middle of the points
// 1 / (slope² Σ n p (1 - p)).
BOOST_AUTO_TEST_CASE(the_deviation_at_the_middle_is_that_of_the_whole_sample)
{
    std::vector<SharePoint> points;
    double weight = 0;
    for (const double x : {-0.1, 0.0, 0.1, 0.2}) {
        const double share = 1 / (1 + std::exp(5 * (x - 0.05)));
        points.push_back({x, share, 400});
        weight += 400 * share * (1 - share);
    }
    const auto crossing = LogitCurve::fit(points).value().crossing(0.5, -0.1, 0.2).value();
    BOOST_TEST(crossing.x == 0.05, boost::test_tools::tolerance(1e-9));
    BOOST_TEST(crossing.deviation == 1 / (5 * std::sqrt(weight)), boost::test_tools::tolerance(1e-6));
    BOOST_TEST(crossing.degrees == 2.0);
    // The 97.5 % quantile of Student's t with two degrees of freedom, from a printed table.
    BOOST_TEST(crossing.half_width(0.95) == 4.303 * crossing.deviation, boost::test_tools::tolerance(1e-4));
}

BOOST_AUTO_TEST_CASE(intervals_cover_as_often_as_they_say_even_near_all)
{
    Random random(3);
    int covered = 0;
    double sum = 0;
    constexpr int runs = 400;
    for (int run = 0; run < runs; ++run) {
        std::vector<SharePoint> points;
        for (int i = 0; i < 8; ++i) {
            const double x = -0.2 + 0.4 * i / 7;
            const double share = 1 / (1 + std::exp(-(3.9 - 5 * x - 3 * x * x)));
            int met = 0;
            for (int request = 0; request < 300; ++request)
                met += random.uniform() < share;
            points.push_back({x, met / 300.0, 300});
        }
        const auto crossing = LogitCurve::fit(points).value().crossing(1 / (1 + std::exp(-3.9)), -1, 1);
        if (!crossing)
            continue;
        covered += std::abs(crossing->x) < crossing->half_width(0.95);
        sum += crossing->x;
    }
    BOOST_TEST(covered >= 0.92 * runs);
    BOOST_TEST(std::abs(sum / runs) < 0.01);
}

BOOST_AUTO_TEST_CASE(scatter_beyond_the_numbers_of_requests_widens)
{
    auto points = exact(9);
    const auto before = LogitCurve::fit(points).value().crossing(0.5, 1.8, 2.2).value();
    for (std::size_t i = 0; i < points.size(); ++i)
        points[i].share += i % 2 == 0 ? 0.08 : -0.08;
    const auto after = LogitCurve::fit(points).value().crossing(0.5, 1.8, 2.2).value();
    BOOST_TEST(after.deviation > 3 * before.deviation);
}
