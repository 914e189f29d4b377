// SPDX-License-Identifier: MIT
// Unit test of plan/share_test.hpp: bounds against independent values, how often it errs at the edge, and
// what it makes of rounds that tell nothing.

#include <slo/plan/share_test.hpp>

#define BOOST_TEST_MODULE plan_share_test
#include <boost/test/unit_test.hpp>

#include <slo/base/random.hpp>

#include <cmath>
#include <limits>
#include <vector>

namespace tt = boost::test_tools;
using namespace slo::plan;

namespace {

ObjectiveRound round_of(double requests, double missed)
{
    ObjectiveRound round;
    round.requests = requests;
    round.missed_least = round.missed_most = missed;
    return round;
}

ObjectiveRound round_at(double requests, double missed, double distance)
{
    auto round = round_of(requests, missed);
    round.distance = distance;
    return round;
}

using Rounds = std::vector<ObjectiveRound>;

bool is_sound(const ShareTest& test)
{
    return std::isfinite(test.margin) && std::isfinite(test.margin_error) && test.margin_error > 0 &&
           test.low >= 0 && test.high <= 1 && std::isfinite(test.low) && std::isfinite(test.high) &&
           std::isfinite(test.effective_requests) && std::isfinite(test.design_effect) &&
           std::isfinite(test.share);
}

/// Misses of `requests` independent ones.
double binomial(slo::Random& random, int requests, double share)
{
    double missed = 0;
    for (int i = 0; i < requests; ++i)
        missed += random.uniform() < share;
    return missed;
}

} // namespace

BOOST_AUTO_TEST_CASE(nothing_below_two_rounds_with_requests)
{
    BOOST_TEST(!test_share({}, 0.5, 0.05, 0.05));
    BOOST_TEST(!test_share(Rounds{round_of(100, 50)}, 0.5, 0.05, 0.05));
    BOOST_TEST(!test_share(Rounds{round_of(100, 50), round_of(0, 0), round_of(0, 0)}, 0.5, 0.05, 0.05));
    BOOST_TEST(!test_share(Rounds{round_of(0, 0), round_of(0, 0)}, 0.01, 0.05, 0.05));
    BOOST_TEST(!test_share(Rounds{round_of(10, 11), round_of(10, 1)}, 0.5, 0.05, 0.05)); // more than all
}

BOOST_AUTO_TEST_CASE(a_round_without_requests_changes_nothing)
{
    Rounds rounds{round_of(100, 20), round_of(90, 22), round_of(110, 31)};
    const auto without = test_share(rounds, 0.5, 0.05, 0.05);
    rounds.push_back(round_of(0, 0));
    const auto with = test_share(rounds, 0.5, 0.05, 0.05);
    BOOST_REQUIRE(without.has_value());
    BOOST_REQUIRE(with.has_value());
    BOOST_TEST(with->share == without->share);
    BOOST_TEST(with->high == without->high);
}

BOOST_AUTO_TEST_CASE(bounds_of_alike_rounds_are_those_of_clopper_and_pearson)
{
    // 40 rounds of 10 with 2 misses each: no more spread than chance, so 400 requests, and Student's t of 39
    // degrees: 1.684875 for 1.644854, squared 1.049256 (tables); BetaInv of the rest by Boost's own.
    Rounds rounds(40, round_of(10, 2));
    const auto test = test_share(rounds, 0.5, 0.05, 0.05);
    BOOST_REQUIRE(test.has_value());
    const double n = 400 / 1.049256;
    BOOST_TEST(test->effective_requests == n, tt::tolerance(1e-4));
    BOOST_TEST(test->high == boost::math::ibetac_inv(0.2 * n + 1, 0.8 * n, 0.05), tt::tolerance(1e-4));
    BOOST_TEST(test->low == boost::math::ibeta_inv(0.2 * n, 0.8 * n + 1, 0.05), tt::tolerance(1e-4));
    BOOST_TEST(test->design_effect == 1.0);
    BOOST_TEST((test->decision == Decision::pass));
    BOOST_TEST(test->margin < 0);
}

BOOST_AUTO_TEST_CASE(unlike_rounds_count_for_less)
{
    Rounds rounds;
    for (int i = 0; i < 20; ++i)
        rounds.push_back(round_of(100, i % 2 == 0 ? 10 : 70));
    const auto test = test_share(rounds, 0.5, 0.05, 0.05);
    BOOST_REQUIRE(test.has_value());
    // 20/19 · Σ 30² / 2000² over 0.24 / 2000
    BOOST_TEST(test->design_effect == 20.0 / 19 * 900 * 20 / 4e6 / (0.24 / 2000), tt::tolerance(1e-6));
    BOOST_TEST((test->decision == Decision::open));
}

BOOST_AUTO_TEST_CASE(all_and_none)
{
    for (const double allowed : {0.5, 0.1, 0.01}) {
        const auto all = test_share(Rounds(12, round_at(200, 200, -1)), allowed, 0.016, 0.016);
        BOOST_REQUIRE(all.has_value());
        BOOST_TEST(is_sound(*all));
        BOOST_TEST((all->decision == Decision::fail));
        BOOST_TEST(all->margin > 0);
        const auto none = test_share(Rounds(24, round_at(200, 0, 1)), allowed, 0.016, 0.016);
        BOOST_REQUIRE(none.has_value());
        BOOST_TEST(is_sound(*none));
        BOOST_TEST((none->decision == Decision::pass));
        BOOST_TEST(none->margin < 0);
    }
}

BOOST_AUTO_TEST_CASE(two_rounds_are_hardly_enough)
{
    // With one degree of freedom 600 requests are worth seven.
    const auto test = test_share(Rounds(2, round_of(300, 120)), 0.5, 0.016, 0.016);
    BOOST_REQUIRE(test.has_value());
    BOOST_TEST((test->decision == Decision::open));
}

BOOST_AUTO_TEST_CASE(no_failure_among_many_requests_passes_a_share_of_failures)
{
    // "success>=99%" has no latency: 12 rounds without any failure must not tell less than with one.
    BOOST_TEST((test_share(Rounds(12, round_of(300, 0)), 0.01, 0.016, 0.016)->decision == Decision::pass));
    Rounds one(12, round_of(300, 0));
    one[4] = round_of(300, 1);
    BOOST_TEST((test_share(one, 0.01, 0.016, 0.016)->decision == Decision::pass));
    // ln 0.016 / ln 0.99 = 411.5
    BOOST_TEST((test_share(Rounds(10, round_of(41, 0)), 0.01, 0.016, 0.016)->decision == Decision::open));
    BOOST_TEST((test_share(Rounds(10, round_of(42, 0)), 0.01, 0.016, 0.016)->decision == Decision::pass));
}

BOOST_AUTO_TEST_CASE(a_tail_needs_requests_beside_its_distance)
{
    // Far below the limit in every round, but 60 requests cannot show a p99.
    BOOST_TEST((test_share(Rounds(24, round_at(2, 0, 2)), 0.01, 0.016, 0.016)->decision == Decision::open));
    BOOST_TEST((test_share(Rounds(24, round_at(50, 0, 2)), 0.01, 0.016, 0.016)->decision == Decision::pass));
    // So few rounds may not have seen a burst.
    BOOST_TEST((test_share(Rounds(12, round_at(500, 0, 2)), 0.01, 0.016, 0.016)->decision == Decision::open));
    // Two rounds tell no spread.
    BOOST_TEST((test_share(Rounds(2, round_at(1e5, 0, 2)), 0.01, 0.016, 0.016)->decision == Decision::open));
    // One round's latencies are not known.
    Rounds rounds(12, round_at(300, 0, 2));
    rounds[3].distance.reset();
    BOOST_TEST((test_share(rounds, 0.01, 0.016, 0.016)->decision == Decision::open));
}

BOOST_AUTO_TEST_CASE(a_tail_that_may_break_out_stays_open)
{
    Rounds rounds;
    for (int i = 0; i < 12; ++i)
        rounds.push_back(round_at(400, i % 4 == 0 ? 3 : 0, i % 4 == 0 ? 0.05 : 0.6));
    const auto test = test_share(rounds, 0.01, 0.016, 0.016);
    BOOST_TEST((test->decision == Decision::open));
    BOOST_TEST(test->high >= 0.01);
}

BOOST_AUTO_TEST_CASE(bounds_of_a_sketch_hold_on_both_sides)
{
    ObjectiveRound vague;
    vague.requests = 300;
    vague.missed_least = 100;
    vague.missed_most = 200;
    const auto test = test_share(Rounds(12, vague), 0.5, 0.05, 0.05);
    BOOST_REQUIRE(test.has_value());
    BOOST_TEST((test->decision == Decision::open));
    BOOST_TEST(test->share == 0.5);
    BOOST_TEST(test->low < 1.0 / 3);
    BOOST_TEST(test->high > 2.0 / 3);
}

BOOST_AUTO_TEST_CASE(a_tiny_level_decides_nothing_and_breaks_nothing)
{
    for (const double alpha : {1e-20, 1e-300, 0.0}) {
        for (const double allowed : {0.5, 0.01}) {
            const auto test = test_share(Rounds(8, round_at(300, 0, 2)), allowed, alpha, alpha);
            BOOST_REQUIRE(test.has_value());
            BOOST_TEST(is_sound(*test));
            BOOST_TEST((test->decision == Decision::open));
        }
    }
    // and at level one half Student's t is as good as the normal distribution
    BOOST_TEST(is_sound(*test_share(Rounds(8, round_of(300, 20)), 0.5, 0.5, 0.5)));
}

BOOST_AUTO_TEST_CASE(whatever_is_finite_gives_finite_figures)
{
    slo::Random random(7);
    const std::vector<double> sizes{0, 1, 2, 50, 1e6, 1e15, 1e300};
    const std::vector<double> surpluses{-2, -1, -0.999999, 0, 1, 1e12, 1e300, -1e300};
    const auto pick = [&](const std::vector<double>& from) {
        return from[static_cast<std::size_t>(random.uniform() * static_cast<double>(from.size()))];
    };
    for (int run = 0; run < 3000; ++run) {
        Rounds rounds;
        const int count = 1 + static_cast<int>(random.uniform() * 12);
        for (int i = 0; i < count; ++i) {
            ObjectiveRound round;
            round.requests = pick(sizes);
            const double which = random.uniform();
            round.missed_most = which < 0.3 ? 0 : which < 0.6 ? round.requests : round.requests * which;
            round.missed_least = random.uniform() < 0.5 ? round.missed_most : round.missed_most / 2;
            if (random.uniform() < 0.7)
                round.surplus = pick(surpluses);
            if (random.uniform() < 0.9)
                round.distance = random.uniform() < 0.3 ? 0.7 : random.normal(0, 2);
            rounds.push_back(round);
        }
        const auto test =
            test_share(rounds, pick({0.5, 0.9, 0.1, 0.01, 1e-6}), pick({0.05, 0.0158, 1e-9}), 0.01);
        if (test)
            BOOST_TEST_REQUIRE(is_sound(*test));
    }
}

BOOST_AUTO_TEST_CASE(a_long_run_does_not_break_the_tolerance_limit)
{
    Rounds rounds;
    slo::Random random(3);
    for (int i = 0; i < 20'000; ++i)
        rounds.push_back(round_at(300, 0, random.normal(1, 0.1)));
    BOOST_TEST((test_share(rounds, 0.001, 0.01, 0.01)->decision == Decision::pass));
}

BOOST_AUTO_TEST_CASE(errs_at_the_edge_no_more_often_than_its_level)
{
    // Independent requests, Poisson numbers of them, the share allowed exactly the true one.
    constexpr double alpha = 0.05;
    constexpr int runs = 3000;
    slo::Random random(11);
    for (const bool with_control : {false, true}) {
        int passes = 0;
        int fails = 0;
        for (int run = 0; run < runs; ++run) {
            Rounds rounds;
            for (int i = 0; i < 12; ++i) {
                int requests = 0;
                for (double at = random.exponential(1); at < 60; at += random.exponential(1))
                    ++requests;
                auto round = round_of(requests, binomial(random, requests, 0.4));
                if (with_control)
                    round.surplus = requests / 60.0 - 1;
                rounds.push_back(round);
            }
            const auto test = test_share(rounds, 0.4, alpha, alpha);
            passes += test->decision == Decision::pass;
            fails += test->decision == Decision::fail;
        }
        // four standard deviations of a binomial proportion
        const double most = runs * alpha + 4 * std::sqrt(runs * alpha * (1 - alpha));
        BOOST_TEST(passes <= most);
        BOOST_TEST(fails <= most);
        BOOST_TEST(passes > 0);
        BOOST_TEST(fails > 0);
    }
}

BOOST_AUTO_TEST_CASE(the_control_takes_the_chance_of_the_load_out)
{
    // Misses follow the load: with it known the share is known far better.
    slo::Random random(13);
    constexpr int runs = 1500;
    int wrong = 0;
    int by_control = 0;
    double with = 0;
    double without = 0;
    for (int run = 0; run < runs; ++run) {
        Rounds rounds;
        for (int i = 0; i < 16; ++i) {
            const double surplus = random.normal(0, 0.1);
            const double requests = std::round(300 * (1 + surplus));
            const double share = std::clamp(0.45 + 1.5 * surplus + random.normal(0, 0.05), 0.0, 1.0);
            auto round = round_of(requests, std::round(requests * share / (1 + surplus)));
            round.missed_least = round.missed_most = std::min(round.missed_most, requests);
            round.surplus = surplus;
            rounds.push_back(round);
        }
        // the mean of misses over requests asked for is what the control estimates: 0.45
        const auto test = test_share(rounds, 0.45, 0.05, 0.05);
        wrong += test->decision == Decision::pass;
        by_control += test->by_control;
        with += test->high - test->low;
        for (auto& round : rounds)
            round.surplus.reset();
        const auto plain = test_share(rounds, 0.45, 0.05, 0.05);
        without += plain->high - plain->low;
    }
    BOOST_TEST(by_control > runs * 0.9);
    BOOST_TEST(with < 0.7 * without);
    BOOST_TEST(wrong <= runs * 0.05 + 4 * std::sqrt(runs * 0.05 * 0.95));
}

BOOST_AUTO_TEST_CASE(a_surplus_of_minus_one_or_less_is_no_control)
{
    Rounds rounds(10, round_of(100, 30));
    for (std::size_t i = 0; i < rounds.size(); ++i)
        rounds[i].surplus = 0.01 * static_cast<double>(i);
    rounds[2].surplus = -1;
    BOOST_TEST(!test_share(rounds, 0.5, 0.05, 0.05)->by_control);
    rounds[2].surplus = -7;
    BOOST_TEST(!test_share(rounds, 0.5, 0.05, 0.05)->by_control);
}

BOOST_AUTO_TEST_CASE(a_tail_with_lognormal_rounds)
{
    // The logarithm of a round's p99 is normal with deviation 0.3; a round whose p99 is above the limit
    // misses two in three. At the edge 1.5 % of the rounds do: z = 2.17.
    slo::Random random(17);
    constexpr int runs = 1500;
    constexpr double alpha = 0.016;
    const auto passes_at = [&](double mean) {
        int passes = 0;
        for (int run = 0; run < runs; ++run) {
            Rounds rounds;
            for (int i = 0; i < 40; ++i) {
                const double distance = random.normal(mean, 0.3);
                rounds.push_back(round_at(300, distance < 0 ? 200 : 0, distance));
            }
            passes += test_share(rounds, 0.01, alpha, alpha)->decision == Decision::pass;
        }
        return passes;
    };
    const int at_edge = passes_at(2.17 * 0.3);
    BOOST_TEST(at_edge <= runs * alpha + 4 * std::sqrt(runs * alpha));
    BOOST_TEST(passes_at(4.5 * 0.3) > runs * 0.8);
}
