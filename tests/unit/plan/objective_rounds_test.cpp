// SPDX-License-Identifier: MIT
// Unit test of plan/objective_rounds.hpp: misses from counts, attainments and sketches, over shards, and what
// spoils a window.

#include <slo/plan/objective_rounds.hpp>

#define BOOST_TEST_MODULE plan_objective_rounds
#include <boost/test/unit_test.hpp>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

namespace tt = boost::test_tools;
using namespace slo;
using plan::certain_rounds;

namespace {

stats::QuantileSketch sketch_of(const std::vector<double>& values)
{
    stats::QuantileSketch sketch;
    for (const double value : values)
        sketch.add(value);
    return sketch;
}

/// A window of 10 s with these latencies in seconds, all of successes, and so many failures.
record::Round round_of(std::int64_t number, const std::vector<double>& latencies_s, std::int64_t failed = 0)
{
    record::Round round;
    round.measurement_round = number;
    round.ok = static_cast<std::int64_t>(latencies_s.size());
    round.due = *round.ok + failed;
    round.success_rate =
        *round.due > 0 ? 100.0 * static_cast<double>(*round.ok) / static_cast<double>(*round.due) : 100.0;
    round.latency = sketch_of(latencies_s);
    round.ttft = sketch_of(latencies_s);
    round.p50_latency_s = round.latency->quantile(0.5);
    round.actual_qps = static_cast<double>(*round.due) / 10;
    round.target_qps = 1;
    round.completion_qps = round.actual_qps;
    round.duration_s = 10;
    return round;
}

std::vector<plan::CertainRound> read(const std::vector<record::RoundFile>& files,
                                     const std::vector<std::string>& texts)
{
    std::vector<stats::Objective> objectives;
    for (const auto& text : texts)
        objectives.push_back(stats::parse_objective(text));
    return certain_rounds(plan::merge_shards(files, plan::ShardMerge::automatic), objectives);
}

std::vector<plan::CertainRound> read(const record::Round& round, const std::vector<std::string>& texts)
{
    record::RoundFile file;
    file.rounds = {round};
    return read(std::vector{file}, texts);
}

plan::ObjectiveRound misses(const record::Round& round, const std::string& text)
{
    const auto rounds = read(round, {text});
    BOOST_REQUIRE(rounds.size() == 1);
    return rounds[0].objectives.at(0);
}

} // namespace

BOOST_AUTO_TEST_CASE(no_window_no_round)
{
    BOOST_TEST(certain_rounds({}, {}).empty());
}

BOOST_AUTO_TEST_CASE(counts_of_the_record_are_exact)
{
    auto round = round_of(1, {1, 2, 3, 4});
    round.objectives = {{"ttft:p99<0.8", 4, 3}, {"e2e:p50<2.5", 40, 12}};
    const auto seen = misses(round, "e2e:p50 < 2500ms");
    BOOST_TEST(seen.requests == 40);
    BOOST_TEST(seen.missed_least == 28);
    BOOST_TEST(seen.missed_most == 28);
}

BOOST_AUTO_TEST_CASE(a_sketch_bounds_what_missed)
{
    const auto clear = misses(round_of(1, {1, 2, 3, 4}, 1), "e2e:p50<2.5");
    BOOST_TEST(clear.requests == 5);
    BOOST_TEST(clear.missed_least == 3); // two late, one failed
    BOOST_TEST(clear.missed_most == 3);
    // Half a percent next to the limit nobody can tell.
    const auto near = misses(round_of(1, {1, 2.499, 3, 4}), "e2e:p50<2.5");
    BOOST_TEST(near.missed_least == 2);
    BOOST_TEST(near.missed_most == 3);
}

BOOST_AUTO_TEST_CASE(an_attainment_counts_for_its_own_limit_only)
{
    auto round = round_of(1, {1, 2.499, 3, 4});
    round.e2e_slo = record::Attainment{2.5, 50};
    const auto own = misses(round, "e2e:p50<2.5");
    BOOST_TEST(own.missed_least == 2);
    BOOST_TEST(own.missed_most == 2);
    const auto other = misses(round, "e2e:p50<3.5");
    BOOST_TEST(other.missed_least == 1);
    BOOST_TEST(other.missed_most == 1);
    // nor for another metric
    BOOST_TEST(misses(round, "ttft:p50<2.5").missed_most == 3);
    // With another limit's attainment and no sketch there is nothing to go by.
    round.latency.reset();
    BOOST_TEST(misses(round, "e2e:p50<2.5").missed_most == 2);
    BOOST_CHECK_THROW(misses(round, "e2e:p50<3.5"), InputError);
}

BOOST_AUTO_TEST_CASE(success_needs_no_latency)
{
    auto round = round_of(1, {1, 2, 3}, 2);
    round.latency.reset();
    const auto seen = misses(round, "success>=99%");
    BOOST_TEST(seen.requests == 5);
    BOOST_TEST(seen.missed_most == 2);
    BOOST_TEST(!seen.distance.has_value());
}

BOOST_AUTO_TEST_CASE(zero_successes_need_no_sketch)
{
    auto round = round_of(1, {}, 7);
    round.latency.reset();
    const auto seen = misses(round, "e2e:p50<2.5");
    BOOST_TEST(seen.requests == 7);
    BOOST_TEST(seen.missed_least == 7);
    BOOST_REQUIRE(seen.distance.has_value());
    BOOST_TEST(*seen.distance == -4.6);
    const auto rounds = read(round, {"e2e:p50<2.5"});
    BOOST_TEST(rounds[0].failed == 7);
    BOOST_TEST(!rounds[0].level.has_value());
    BOOST_TEST(!rounds[0].mean_s.has_value());
}

BOOST_AUTO_TEST_CASE(tpot_is_in_milliseconds_in_records)
{
    auto round = round_of(1, {1, 2, 3, 4}, 1);
    round.tpot_ms = sketch_of({20, 40, 60});
    const auto seen = misses(round, "tpot:p50<0.05");
    BOOST_TEST(seen.requests == 4); // three times per token, one failure; one had no second token
    BOOST_TEST(seen.missed_least == 2);
    BOOST_TEST(seen.missed_most == 2);
    // The median of 20, 40, 60 and a failure that is infinitely late is at 2/3 of the three.
    BOOST_TEST(*seen.distance == std::log(0.05 / round.tpot_ms->quantile(2.0 / 3).value() * 1e3),
               tt::tolerance(1e-9));
}

BOOST_AUTO_TEST_CASE(goodput_is_bounded_by_its_limits)
{
    auto round = round_of(1, {1, 2, 3, 4}, 1);
    round.ttft = sketch_of({0.1, 0.2, 0.9, 0.9});
    round.tpot_ms = sketch_of({20, 40, 60});
    // Late to the first token: two; too slow: one, which may be another or one of those two.
    const auto seen = misses(round, "goodput(ttft<0.5,tpot<0.05)>=95%");
    BOOST_TEST(seen.requests == 5);
    BOOST_TEST(seen.missed_least == 3);
    BOOST_TEST(seen.missed_most == 4);
    // The most is never more than all.
    BOOST_TEST(misses(round, "goodput(ttft<0.05,tpot<0.001)>=95%").missed_most == 5);
}

BOOST_AUTO_TEST_CASE(slow_choices_of_one_request_are_one_miss)
{
    // Four requests of three choices each: six slow choices may be two requests, or four of them.
    auto round = round_of(1, {1, 1, 1, 1});
    round.tpot_ms = sketch_of({20, 20, 20, 20, 20, 20, 90, 90, 90, 90, 90, 90});
    const auto seen = misses(round, "goodput(e2e<9,tpot<0.05)>=95%");
    BOOST_TEST(seen.missed_least == 2);
    BOOST_TEST(seen.missed_most == 4);
}

BOOST_AUTO_TEST_CASE(distance_is_of_the_percentile)
{
    std::vector<double> latencies_s;
    for (int i = 1; i <= 100; ++i)
        latencies_s.push_back(0.01 * i);
    const auto round = round_of(1, latencies_s);
    BOOST_TEST(*misses(round, "e2e:p50<1").distance == std::log(1 / 0.505), tt::tolerance(0.02));
    BOOST_TEST(*misses(round, "e2e:p99<0.5").distance == std::log(0.5 / 0.99), tt::tolerance(0.02));
    // 100 failures beside them: the median is the largest, the 99th percentile infinite.
    const auto half = round_of(1, latencies_s, 90);
    BOOST_TEST(*misses(half, "e2e:p50<2").distance == std::log(2 / 0.95), tt::tolerance(0.02));
    BOOST_TEST(*misses(half, "e2e:p99<2").distance == -4.6);
    // of several limits the nearest
    BOOST_TEST(*misses(round, "goodput(ttft<0.5,e2e<2)>=95%").distance == std::log(0.5 / 0.95),
               tt::tolerance(0.03));
    // never farther than a hundred times
    BOOST_TEST(*misses(round, "e2e:p50<1e9").distance == 4.6);
    BOOST_TEST(*misses(round, "e2e:p50<1e-9").distance == -4.6);
}

BOOST_AUTO_TEST_CASE(a_latency_of_zero_is_not_late)
{
    BOOST_TEST(*misses(round_of(1, {0, 0, 0, 0}, 1), "e2e:p50<1").distance == 4.6);
    BOOST_TEST(*misses(round_of(1, {0, 0, 0, 0}), "e2e:p50<1").distance == 4.6);
}

BOOST_AUTO_TEST_CASE(a_window_without_requests)
{
    record::Round round;
    round.success_rate = 100;
    round.due = 0;
    round.ok = 0;
    const auto rounds = read(round, {"e2e:p99<1", "success>=99%", "goodput(ttft<1,tpot<1)>=99%"});
    BOOST_REQUIRE(rounds.size() == 1);
    for (const auto& objective : rounds[0].objectives) {
        BOOST_TEST(objective.requests == 0);
        BOOST_TEST(objective.missed_most == 0);
    }
    BOOST_TEST(rounds[0].requests == 0);
    BOOST_TEST(rounds[0].failed == 0);
}

BOOST_AUTO_TEST_CASE(shards_add_up)
{
    record::RoundFile a;
    record::RoundFile b;
    a.rounds = {round_of(1, {1, 2}), round_of(2, {1, 1})};
    b.rounds = {round_of(1, {3, 4}, 1), round_of(2, {5})};
    for (auto* file : {&a, &b})
        for (auto& round : file->rounds)
            round.shard = file == &a ? "0/2" : "1/2";
    // One shard counted, the other has a sketch only.
    a.rounds[0].objectives = {{"e2e:p50<2.5", 2, 2}};
    const std::vector files{a, b};
    const auto rounds = read(files, {"e2e:p50<2.5"});
    BOOST_REQUIRE(rounds.size() == 2);
    BOOST_TEST(rounds[0].objectives[0].requests == 5);
    BOOST_TEST(rounds[0].objectives[0].missed_most == 3);
    BOOST_TEST(rounds[0].requests == 5);
    BOOST_TEST(rounds[0].failed == 1.0, tt::tolerance(1e-12));
    BOOST_TEST(rounds[0].mean_s.value() == 2.5, tt::tolerance(0.01));
    BOOST_TEST(rounds[0].completed.value() == 5.0, tt::tolerance(1e-12));
    BOOST_TEST(rounds[0].objectives[0].surplus.value() == 0.5 - 1, tt::tolerance(1e-12));
    BOOST_TEST(rounds[0].spoilt.empty());
    BOOST_TEST(rounds[1].objectives[0].missed_most == 1);
    // Neither counts nor a sketch in one of them: no verdict by guess.
    auto dumb = files;
    dumb[1].rounds[1].latency.reset();
    dumb[1].rounds[1].ttft.reset();
    BOOST_CHECK_THROW(read(dumb, {"e2e:p50<2.5"}), InputError);
    try {
        read(dumb, {"e2e:p50<2.5"});
    } catch (const InputError& error) {
        BOOST_TEST(std::string(error.what()).find("e2e:p50<2.5") != std::string::npos);
    }
}

BOOST_AUTO_TEST_CASE(what_spoils_a_window)
{
    auto saturated = round_of(1, {1, 2});
    saturated.client_saturated = true;
    BOOST_TEST(read(saturated, {"e2e:p50<2.5"})[0].spoilt.find("saturated") != std::string::npos);
    for (const std::string flag : {"server_restarted", "route_exhausted"}) {
        auto round = round_of(1, {1, 2});
        round.flags = {flag};
        BOOST_TEST(!read(round, {"e2e:p50<2.5"})[0].spoilt.empty());
    }
    for (const std::string flag : {"interrupted", "decided"}) {
        auto round = round_of(1, {1, 2});
        round.flags = {flag};
        BOOST_TEST(read(round, {"e2e:p50<2.5"}).empty());
    }
    record::RoundFile a;
    record::RoundFile b;
    a.rounds = {round_of(1, {1, 2}), round_of(2, {1, 1})};
    b.rounds = {round_of(1, {3, 4})};
    const auto rounds = read(std::vector{a, b}, {"e2e:p50<2.5"});
    BOOST_REQUIRE(rounds.size() == 2);
    BOOST_TEST(rounds[0].spoilt.empty());
    BOOST_TEST(rounds[1].spoilt.find("every shard") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(hostile_figures_stay_finite)
{
    constexpr auto most = std::numeric_limits<std::int64_t>::max();
    record::Round round;
    round.due = most;
    round.ok = 0;
    round.success_rate = -1e300;
    round.actual_qps = 1e308;
    round.target_qps = 1e-308;
    const auto rounds = read(round, {"e2e:p50<1", "success>=99%"});
    for (const auto& objective : rounds[0].objectives) {
        BOOST_TEST(std::isfinite(objective.requests));
        BOOST_TEST(objective.missed_most == objective.requests);
    }
    BOOST_TEST(rounds[0].failed == rounds[0].requests);
    round.success_rate = 1e300;
    BOOST_TEST(read(round, {"success>=99%"})[0].failed == 0);
}
