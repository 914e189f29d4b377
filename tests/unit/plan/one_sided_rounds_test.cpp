// SPDX-License-Identifier: MIT
#include <slo/plan/one_sided_rounds.hpp>

#define BOOST_TEST_MODULE plan_one_sided_rounds
#include <boost/test/unit_test.hpp>

#include <vector>

using namespace slo::plan;

namespace {

std::vector<ObjectiveRound> rounds_of(double missed, double distance)
{
    std::vector<ObjectiveRound> rounds;
    for (int i = 0; i < 7; ++i)
        rounds.push_back({100, missed, missed, {}, distance + (i % 2 == 0 ? 0.02 : -0.02)});
    return rounds;
}

} // namespace

BOOST_AUTO_TEST_CASE(all_on_one_side_and_far_from_the_limit)
{
    BOOST_TEST((decide_one_sided(rounds_of(0, 0.5), 0.5, 0.01) == Decision::pass));
    BOOST_TEST((decide_one_sided(rounds_of(100, -0.5), 0.5, 0.01) == Decision::fail));
}

BOOST_AUTO_TEST_CASE(open_where_it_is_not_sure)
{
    BOOST_TEST((decide_one_sided(rounds_of(0, 0.005), 0.5, 0.01) == Decision::open));
    BOOST_TEST((decide_one_sided(rounds_of(1, 0.5), 0.5, 0.01) == Decision::open));
    BOOST_TEST((decide_one_sided(rounds_of(99, -0.5), 0.5, 0.01) == Decision::open));
    BOOST_TEST((decide_one_sided(rounds_of(0, 0.5), 0.01, 0.01) == Decision::open));
    BOOST_TEST((decide_one_sided({}, 0.5, 0.01) == Decision::open));
    auto blind = rounds_of(0, 0.5);
    blind[3].distance.reset();
    BOOST_TEST((decide_one_sided(blind, 0.5, 0.01) == Decision::open));
    auto two = rounds_of(0, 0.5);
    two.resize(2);
    BOOST_TEST((decide_one_sided(two, 0.5, 0.01) == Decision::open));
}

BOOST_AUTO_TEST_CASE(a_handful_of_requests_may_be_on_one_side_by_chance)
{
    // ln 0.01 / ln 0.5 = 6.6
    auto few = rounds_of(0, 0.5);
    for (auto& round : few)
        round.requests = 0;
    for (std::size_t i = 0; i < 3; ++i)
        few[i].requests = 2;
    BOOST_TEST((decide_one_sided(few, 0.5, 0.01) == Decision::open));
    few[3].requests = 1;
    BOOST_TEST((decide_one_sided(few, 0.5, 0.01) == Decision::pass));
}

BOOST_AUTO_TEST_CASE(a_level_of_zero_decides_nothing)
{
    BOOST_TEST((decide_one_sided(rounds_of(0, 0.5), 0.5, 0) == Decision::open));
    BOOST_TEST((decide_one_sided(rounds_of(100, -0.5), 0.5, 0) == Decision::open));
}
