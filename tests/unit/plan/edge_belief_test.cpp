// SPDX-License-Identifier: MIT
// Unit test of plan/edge_belief.hpp: the least of several edges binds, and the noise of a round is found.

#include <slo/plan/edge_belief.hpp>

#define BOOST_TEST_MODULE plan_edge_belief
#include <boost/test/unit_test.hpp>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

namespace tt = boost::test_tools;
using namespace slo::plan;

namespace {

const RateRange range{0.1, 100, 5, 10};

Outcome told(std::vector<Margin> margins, double rounds = 8)
{
    Outcome outcome;
    outcome.margins = std::move(margins);
    outcome.rounds = rounds;
    return outcome;
}

Outcome side(Said said, bool stated = true)
{
    Outcome outcome;
    outcome.said = said;
    outcome.stated = stated;
    return outcome;
}

} // namespace

BOOST_AUTO_TEST_CASE(quantiles_ascend)
{
    const EdgeBelief belief(range);
    double last = 0;
    for (const double p : {0.001, 0.05, 0.5, 0.95, 0.999}) {
        const double rate = belief.quantile(p);
        BOOST_TEST(rate > last);
        last = rate;
    }
    BOOST_TEST(belief.median() == belief.quantile(0.5));
    BOOST_TEST(belief.deviation() > 0.1);
    BOOST_TEST(!belief.noise_of_round().has_value());
}

BOOST_AUTO_TEST_CASE(open_and_invalid_probes_without_margins_tell_nothing)
{
    EdgeBelief belief(range);
    const double before = belief.median();
    belief.add(7, side(Said::open));
    belief.add(7, side(Said::invalid));
    auto spoilt = told({{"a", -3, 0.1}});
    spoilt.said = Said::invalid;
    belief.add(7, spoilt);
    BOOST_TEST(belief.median() == before);
    BOOST_TEST(!belief.noise_of_round().has_value());
}

BOOST_AUTO_TEST_CASE(one_sided_answers_alone_find_the_edge)
{
    EdgeBelief belief(range);
    for (int probe = 0; probe < 60; ++probe) {
        const double rate = belief.median();
        belief.add(rate, side(rate < 23 ? Said::pass : Said::fail));
    }
    BOOST_TEST(belief.median() == 23.0, tt::tolerance(0.01));
    BOOST_TEST(belief.deviation() < 0.05);
    BOOST_TEST(!belief.noise_of_round().has_value());
}

BOOST_AUTO_TEST_CASE(a_side_without_confidence_tells_less)
{
    EdgeBelief with(range);
    EdgeBelief without(range);
    with.add(7, side(Said::fail));
    without.add(7, side(Said::fail, false));
    BOOST_TEST(with.quantile(0.9) < without.quantile(0.9));
    BOOST_TEST(without.median() < EdgeBelief(range).median());
}

BOOST_AUTO_TEST_CASE(the_least_edge_binds)
{
    EdgeBelief belief(range);
    for (int probe = 0; probe < 12; ++probe) {
        const double rate = belief.median();
        belief.add(rate,
                   told({{"e2e", 5 * std::log(rate / 9), 0.02}, {"ttft", 3 * std::log(rate / 6), 0.02}}));
    }
    BOOST_TEST(belief.median() == 6.0, tt::tolerance(0.02));
}

BOOST_AUTO_TEST_CASE(sides_and_margins_are_of_one_edge)
{
    // A probe that told its side alone, far from the edge, must not pull the others' answer.
    EdgeBelief belief(range);
    EdgeBelief without(range);
    belief.add(50, side(Said::fail));
    belief.add(1, side(Said::pass));
    for (const double rate : {7.0, 8.0, 9.0, 8.5})
        for (auto* each : {&belief, &without})
            each->add(rate, told({{"e2e", 4 * std::log(rate / 8.3), 0.3}}));
    BOOST_TEST(belief.median() == without.median(), tt::tolerance(0.01));
    // One amid them does, but no farther than it is.
    for (int i = 0; i < 3; ++i)
        belief.add(8, side(Said::fail));
    BOOST_TEST(belief.median() < without.median());
    BOOST_TEST(belief.median() > 6);
}

BOOST_AUTO_TEST_CASE(sides_against_all_margins_stay_finite)
{
    EdgeBelief belief(range);
    for (int i = 0; i < 30; ++i)
        belief.add(8, told({{"e2e", 4 * std::log(8 / 60.0), 0.01}}));
    for (int i = 0; i < 300; ++i)
        belief.add(0.2, side(Said::fail));
    // Somewhere between the two, not at an end of the range.
    BOOST_TEST(belief.median() > 0.15);
    BOOST_TEST(belief.median() < 61);
    BOOST_TEST(belief.deviation() > 0);
}

BOOST_AUTO_TEST_CASE(the_noise_of_a_round_is_that_of_the_nearest_probes)
{
    EdgeBelief belief(range);
    // The standard error of eight rounds is 0.1 near the edge, where the slope is 5; far off it is huge.
    for (const double rate : {6.8, 6.9, 7.1, 7.2, 6.95, 7.05})
        belief.add(rate, told({{"e2e", 5 * std::log(rate / 7), 0.1}}));
    belief.add(2, told({{"e2e", 5 * std::log(2.0 / 7), 50}}));
    BOOST_TEST(belief.noise_of_round().value() == 0.1 * std::sqrt(8) / 5, tt::tolerance(0.4));
}

BOOST_AUTO_TEST_CASE(no_figure_breaks_it)
{
    constexpr double most = std::numeric_limits<double>::max();
    EdgeBelief belief(range);
    for (const double margin : {0.0, 1e300, -most})
        for (const double error : {1e-300, 1.0, most}) {
            belief.add(7, told({{"a", margin, error}, {"b", -margin, error}}, 0));
            BOOST_TEST_REQUIRE(belief.median() >= 0.0999);
            BOOST_TEST_REQUIRE(belief.median() <= 100.01);
            BOOST_TEST_REQUIRE(belief.deviation() > 0);
            BOOST_TEST_REQUIRE(belief.noise_of_round().value() >= 0);
        }
}

BOOST_AUTO_TEST_CASE(ever_new_objectives_have_a_bound)
{
    EdgeBelief belief(range);
    std::vector<Margin> margins;
    for (std::size_t i = 0; i < EdgeBelief::most_objectives; ++i)
        margins.push_back({"a" + std::to_string(i), -1, 0.5});
    belief.add(7, told(margins));
    EdgeBelief other(belief);
    // Only the side counts: the same as if nothing else had been told.
    auto strange = told({{"one too many", -1, 0.5}});
    strange.said = Said::pass;
    belief.add(8, strange);
    other.add(8, side(Said::pass));
    BOOST_TEST(belief.median() == other.median());
    BOOST_TEST(belief.noise_of_round().value() == other.noise_of_round().value());
}
