// SPDX-License-Identifier: MIT
// Unit test of plan/rate_posterior.hpp: a density stays one, whatever is told, and finds what it is told
// about.

#include <slo/plan/rate_posterior.hpp>

#define BOOST_TEST_MODULE plan_rate_posterior
#include <boost/test/unit_test.hpp>

#include <cmath>
#include <limits>
#include <vector>

namespace tt = boost::test_tools;
using slo::plan::RatePosterior;

namespace {

const slo::plan::RateRange range{0.1, 100, 5, 10};

/// The rate above which the edge lies with one in two.
double median(const RatePosterior& posterior)
{
    std::size_t point = 0;
    while (point + 1 < RatePosterior::size() && posterior.above(point) > 0.5)
        ++point;
    return std::exp(posterior.at(point));
}

bool is_density(const RatePosterior& posterior)
{
    double last = 1 + 1e-9;
    for (std::size_t point = 0; point < RatePosterior::size(); point += 37) {
        const double above = posterior.above(point);
        if (!(above >= -1e-12 && above <= last + 1e-9))
            return false;
        last = above;
    }
    return std::isfinite(posterior.slope()) && posterior.slope() > 0;
}

} // namespace

BOOST_AUTO_TEST_CASE(before_any_probe)
{
    const RatePosterior prior(range);
    BOOST_TEST(is_density(prior));
    double sum = 0;
    for (const double mass : prior.density())
        sum += mass;
    BOOST_TEST(sum == 1.0, tt::tolerance(1e-9));
    BOOST_TEST(prior.density().size() == RatePosterior::size());
    BOOST_TEST(std::exp(prior.at(0)) == 0.1, tt::tolerance(1e-9));
    BOOST_TEST(std::exp(prior.at(RatePosterior::size() - 1)) == 100.0, tt::tolerance(1e-9));
    BOOST_TEST(median(prior) > 5);
    BOOST_TEST(median(prior) < 10);
    // near the edge of a queue
    BOOST_TEST(prior.slope() > 3);
    BOOST_TEST(prior.slope() < 7);
}

BOOST_AUTO_TEST_CASE(exact_margins_lead_to_the_edge)
{
    for (const double edge : {0.3, 6.0, 12.0, 60.0}) {
        RatePosterior posterior(range);
        double last = median(posterior);
        for (int probe = 0; probe < 12; ++probe) {
            posterior.add(last, 5 * std::log(last / edge), 0.01);
            last = median(posterior);
        }
        BOOST_TEST(last == edge, tt::tolerance(0.01));
        BOOST_TEST(is_density(posterior));
    }
}

BOOST_AUTO_TEST_CASE(it_learns_the_slope)
{
    for (const double slope : {1.0, 4.0, 20.0}) {
        RatePosterior posterior(range);
        for (const double rate : {6.5, 6.8, 7.0, 7.2, 7.5, 6.9, 7.1})
            posterior.add(rate, slope * std::log(rate / 7), 0.01);
        BOOST_TEST(posterior.slope() == slope, tt::tolerance(0.35));
    }
}

BOOST_AUTO_TEST_CASE(sides_alone_are_bisection)
{
    RatePosterior posterior(range);
    for (int probe = 0; probe < 60; ++probe) {
        const double rate = median(posterior);
        posterior.add_side(rate, rate < 23, 0.95);
    }
    BOOST_TEST(median(posterior) == 23.0, tt::tolerance(0.01));
}

BOOST_AUTO_TEST_CASE(a_side_moves_by_bayes_rule)
{
    RatePosterior posterior(range);
    std::size_t middle = 0;
    while (posterior.above(middle) > 0.5)
        ++middle;
    // Where one in two is on either side, the passing side has 95 % afterwards.
    posterior.add_side(std::exp(posterior.at(middle)), true, 0.95);
    BOOST_TEST(posterior.above(middle) == 0.95, tt::tolerance(0.02));
}

BOOST_AUTO_TEST_CASE(a_vague_probe_tells_little_and_a_wrong_one_is_outvoted)
{
    RatePosterior posterior(range);
    const double before = median(posterior);
    posterior.add(7, 0, 1e6);
    BOOST_TEST(median(posterior) == before, tt::tolerance(1e-3));
    for (const double rate : {7.0, 7.5, 8.2, 8.5, 7.8, 8.0})
        posterior.add(rate, 5 * std::log(rate / 8.0), 0.1);
    posterior.add(7.0, 3, 0.1); // nonsense
    BOOST_TEST(median(posterior) == 8.0, tt::tolerance(0.05));
}

BOOST_AUTO_TEST_CASE(no_figure_breaks_it)
{
    constexpr double most = std::numeric_limits<double>::max();
    RatePosterior posterior(range);
    for (const double margin : {0.0, 1e-300, 1e300, -1e300, most, -most})
        for (const double error : {1e-300, 1e-9, 1.0, 1e300, most}) {
            posterior.add(0.1, margin, error);
            BOOST_TEST_REQUIRE(is_density(posterior));
            posterior.add(100, margin, error);
            BOOST_TEST_REQUIRE(is_density(posterior));
        }
    for (int i = 0; i < 500; ++i)
        posterior.add_side(i % 2 == 0 ? 0.1 : 100, i % 2 != 0, 0.95); // all against the grain
    BOOST_TEST(is_density(posterior));
}
