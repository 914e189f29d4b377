// SPDX-License-Identifier: MIT
// Unit test of plan/steadiness.hpp: what is warm-up and what is a burst, trends, and Little's law on a queue.

#include <slo/plan/steadiness.hpp>

#define BOOST_TEST_MODULE plan_steadiness
#include <boost/test/unit_test.hpp>

#include <slo/base/random.hpp>

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

namespace tt = boost::test_tools;
using namespace slo::plan;

namespace {

using Rounds = std::vector<CertainRound>;

Rounds with_levels(const std::vector<double>& seconds)
{
    Rounds rounds;
    for (const double s : seconds) {
        CertainRound round;
        if (s > 0)
            round.level = std::log(s);
        rounds.push_back(round);
    }
    return rounds;
}

/// An M/M/1 queue at this load, empty at first, seen in windows of 30 s by the due times of its requests.
Rounds queue(double arrivals_qps, double services_qps, std::size_t count, std::uint64_t seed)
{
    constexpr double window_s = 30;
    slo::Random random(seed);
    Rounds rounds(count);
    std::vector<double> sums_s(count);
    for (auto& round : rounds) {
        round.duration_s = window_s;
        round.completed = 0;
    }
    double free_s = 0;
    for (double due_s = random.exponential(1 / arrivals_qps);;
         due_s += random.exponential(1 / arrivals_qps)) {
        const auto window = static_cast<std::size_t>(due_s / window_s);
        if (window >= count)
            break;
        free_s = std::max(free_s, due_s) + random.exponential(1 / services_qps);
        rounds[window].requests += 1;
        sums_s[window] += free_s - due_s;
        const auto end = static_cast<std::size_t>(free_s / window_s);
        if (end < count)
            *rounds[end].completed += 1;
    }
    for (std::size_t i = 0; i < count; ++i)
        if (rounds[i].requests > 0) {
            rounds[i].mean_s = sums_s[i] / rounds[i].requests;
            rounds[i].level = std::log(*rounds[i].mean_s);
        }
    return rounds;
}

} // namespace

BOOST_AUTO_TEST_CASE(too_few_rounds_have_no_warm_up)
{
    for (const auto rule : {WarmUpRule::mser, WarmUpRule::walk_back}) {
        BOOST_TEST(warm_up_rounds({}, rule) == 0U);
        BOOST_TEST(warm_up_rounds(with_levels({1}), rule) == 0U);
        BOOST_TEST(warm_up_rounds(with_levels({1, 1}), rule) == 0U);
    }
}

BOOST_AUTO_TEST_CASE(the_first_round_is_always_warm_up)
{
    BOOST_TEST(warm_up_rounds(with_levels({1, 1, 1}), WarmUpRule::mser) == 1U);
    BOOST_TEST(warm_up_rounds(with_levels({1, 1, 1, 1, 1, 1, 1, 1}), WarmUpRule::mser) == 1U);
    BOOST_TEST(warm_up_rounds(with_levels({0, 0, 0, 0}), WarmUpRule::mser) == 1U);
}

BOOST_AUTO_TEST_CASE(a_climb_is_warm_up)
{
    BOOST_TEST(warm_up_rounds(with_levels({0.2, 0.5, 0.8, 1, 1.01, 0.99, 1, 1.02, 0.98, 1}),
                              WarmUpRule::mser) == 3U);
}

BOOST_AUTO_TEST_CASE(a_burst_is_no_warm_up)
{
    // The third round is slower than most of what stays: it is not left out.
    BOOST_TEST(
        warm_up_rounds(with_levels({0.9, 0.95, 3, 1, 1.01, 0.99, 1, 1.02, 0.98, 1}), WarmUpRule::mser) == 2U);
}

BOOST_AUTO_TEST_CASE(rounds_without_an_answer_are_as_their_neighbours)
{
    // At the start, too, where the level would else be that of one second.
    BOOST_TEST(warm_up_rounds(with_levels({0, 0, 9, 9, 9, 9, 9, 9}), WarmUpRule::mser) == 1U);
    BOOST_TEST(warm_up_rounds(with_levels({9, 9, 0, 9, 9, 0, 9, 9}), WarmUpRule::mser) == 1U);
}

BOOST_AUTO_TEST_CASE(the_walk_back_of_the_classic_rule)
{
    // From the end, while within 30 % of the median of what is already in.
    BOOST_TEST(warm_up_rounds(with_levels({0.2, 0.5, 1, 1.1, 0.9, 1}), WarmUpRule::walk_back) == 2U);
    BOOST_TEST(warm_up_rounds(with_levels({1, 1.1, 0.9, 1}), WarmUpRule::walk_back) == 0U);
    // No window of three: the second half.
    BOOST_TEST(warm_up_rounds(with_levels({1, 2, 4, 8, 16, 32}), WarmUpRule::walk_back) == 3U);
}

BOOST_AUTO_TEST_CASE(a_trend_is_sure_and_large)
{
    BOOST_TEST((trend_of({}) == Trend::none));
    BOOST_TEST((trend_of(with_levels({1, 2, 4, 8, 16})) == Trend::none)); // fewer than six
    BOOST_TEST((trend_of(with_levels({1, 2, 4, 8, 16, 32})) == Trend::up));
    BOOST_TEST((trend_of(with_levels({32, 16, 8, 4, 2, 1})) == Trend::down));
    BOOST_TEST((trend_of(with_levels({1, 1.01, 1.02, 1.03, 1.04, 1.05})) == Trend::none)); // sure, not large
    BOOST_TEST((trend_of(with_levels({1, 9, 0.5, 7, 0.3, 9, 2, 6})) == Trend::none));      // large, not sure
    BOOST_TEST((trend_of(with_levels({1, 0, 2, 0, 4, 8, 16, 32})) == Trend::up));
    BOOST_TEST((trend_of(with_levels({3, 3, 3, 3, 3, 3, 3})) == Trend::none));
}

BOOST_AUTO_TEST_CASE(noise_hardly_ever_is_a_trend)
{
    slo::Random random(5);
    int trends = 0;
    for (int run = 0; run < 2000; ++run) {
        std::vector<double> seconds;
        for (int i = 0; i < 12; ++i)
            seconds.push_back(random.lognormal(1, 0.25));
        trends += trend_of(with_levels(seconds)) != Trend::none;
    }
    BOOST_TEST(trends <= 10); // 2 expected
}

BOOST_AUTO_TEST_CASE(littles_law_holds_for_a_queue)
{
    int held = 0;
    int known = 0;
    double ratios = 0;
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
        const auto rounds = queue(0.7, 1, 200, seed);
        const auto law = littles_law(rounds, 5);
        BOOST_REQUIRE(law.has_value());
        held += law->holds;
        ratios += law->ratio;
        ++known;
    }
    BOOST_TEST(held == known);
    BOOST_TEST(ratios / known == 1.0, tt::tolerance(0.05));
}

BOOST_AUTO_TEST_CASE(littles_law_breaks_where_latencies_are_not_those_of_what_is_under_way)
{
    auto rounds = queue(0.7, 1, 200, 1);
    for (auto& round : rounds)
        if (round.mean_s)
            *round.mean_s /= 4; // who counts from sending, say
    const auto law = littles_law(rounds, 5);
    BOOST_REQUIRE(law.has_value());
    BOOST_TEST(!law->holds);
    BOOST_TEST(law->ratio > 2);
    // A few rounds may differ as much by chance.
    BOOST_TEST(littles_law(std::span(rounds).first(8), 1)->holds);
}

BOOST_AUTO_TEST_CASE(littles_law_needs_its_figures)
{
    BOOST_TEST(!littles_law({}, 0));
    auto rounds = queue(0.7, 1, 12, 3);
    BOOST_TEST(littles_law(rounds, 1).has_value());
    BOOST_TEST(littles_law(rounds, 0).has_value());
    BOOST_TEST(!littles_law(rounds, 10)); // too few left
    BOOST_TEST(!littles_law(rounds, 12));
    auto without = rounds;
    without[4].mean_s.reset();
    BOOST_TEST(!littles_law(without, 1));
    without = rounds;
    without[4].completed.reset();
    BOOST_TEST(!littles_law(without, 1));
    without = rounds;
    without[4].duration_s.reset();
    BOOST_TEST(!littles_law(without, 1));
    for (auto& round : rounds)
        round.requests = 0;
    BOOST_TEST(!littles_law(rounds, 1)); // nothing came, and more went than came
}

BOOST_AUTO_TEST_CASE(what_single_requests_tell_of_the_warm_up_counts)
{
    std::vector<CertainRound> rounds(10);
    for (std::size_t i = 0; i < rounds.size(); ++i) {
        rounds[i].level = 0.001 * static_cast<double>(i % 2);
        rounds[i].warming_up = i < 3;
    }
    rounds[2].level = -1;
    BOOST_TEST(warm_up_rounds(rounds, WarmUpRule::mser) == 3U);
    rounds[2].level = 1; // slower than what stays: a burst
    BOOST_TEST(warm_up_rounds(rounds, WarmUpRule::mser) == 2U);
    for (auto& round : rounds)
        round.warming_up = false;
    BOOST_TEST(warm_up_rounds(rounds, WarmUpRule::mser) == 1U);
    for (auto& round : rounds)
        round.warming_up = true;
    BOOST_TEST(warm_up_rounds(rounds, WarmUpRule::mser) <= 5U);
}

BOOST_AUTO_TEST_CASE(requests_that_pile_up)
{
    // 300 due a round; an engine that ends 260 of them piles up, one that ends 290 has not yet shown it.
    const auto rounds_ending = [](double ended) {
        std::vector<CertainRound> rounds(6);
        for (auto& round : rounds) {
            round.requests = 300;
            round.completed = ended;
        }
        return rounds;
    };
    BOOST_TEST(piles_up(rounds_ending(260), 1));
    BOOST_TEST(!piles_up(rounds_ending(290), 1));
    BOOST_TEST(!piles_up(rounds_ending(300), 1));
    auto silent = rounds_ending(260);
    silent[3].completed.reset();
    BOOST_TEST(!piles_up(silent, 1));
    BOOST_TEST(!piles_up({}, 0));
    BOOST_TEST(!piles_up(rounds_ending(260), 6));
}
