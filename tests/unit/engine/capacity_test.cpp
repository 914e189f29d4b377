// SPDX-License-Identifier: MIT
#include <slo/engine/capacity.hpp>
#define BOOST_TEST_MODULE engine_capacity
#include <boost/test/unit_test.hpp>

#include <slo/engine/named_profile.hpp>

#include <algorithm>
#include <vector>

using namespace slo;
using namespace slo::engine;

namespace {

std::vector<WorkRequest> workload(std::size_t rows, std::size_t prompt_tokens, std::int64_t max_tokens)
{
    std::vector<WorkRequest> list(rows);
    for (std::size_t i = 0; i < rows; ++i) {
        std::vector<Token> tokens;
        for (std::size_t t = 0; t < prompt_tokens; ++t)
            tokens.push_back(static_cast<Token>(i * 10000 + t));
        list[i].prompt = std::make_shared<Prompt>(tokens);
        list[i].limits.max_tokens = max_tokens;
    }
    return list;
}

CapacityOptions options(const char* objective)
{
    CapacityOptions result;
    result.rate.objectives = {stats::parse_objective(objective)};
    result.rate.requests = 2000;
    result.rate.warm_up_s = 20;
    return result;
}

} // namespace

// With few tokens of prompt the fluid limit is exact: n = rate * T * step sequences share a step, so
// step = a / (1 - rate * T * b), and a request takes T steps and the half step it waits for.
BOOST_AUTO_TEST_CASE(the_answer_is_that_of_the_fluid_limit)
{
    const Profile profile{"fluid", "", "m", {5e-3, 0.5e-3, 0, 0}, {128, 2048, 4096, 4096, false}, {}};
    const auto capacity = find_capacity(profile, workload(1, 4, 100), options("e2e:p50<1"));
    BOOST_REQUIRE(capacity.qps.has_value());
    const double step_s = 1.0 / 100.5;
    const double expected = (1 - 5e-3 / step_s) / (100 * 0.5e-3);
    BOOST_TEST(*capacity.qps > 0.97 * expected);
    BOOST_TEST(*capacity.qps < 1.03 * expected);
    BOOST_TEST(*capacity.low <= *capacity.qps);
    BOOST_TEST(*capacity.high >= *capacity.qps);
    BOOST_TEST(*capacity.high - *capacity.low < 0.1 * expected);
}

BOOST_AUTO_TEST_CASE(the_interval_is_what_long_runs_say)
{
    const auto profile = *named_profile("chat");
    const auto rows = workload(40, 300, 200);
    auto how = options("e2e:p50<4");
    how.rate.arrival.process = stats::Process::poisson;
    const auto capacity = find_capacity(profile, rows, how);
    BOOST_REQUIRE(capacity.qps.has_value());
    BOOST_TEST(capacity.by == "e2e:p50<4");
    BOOST_TEST(*capacity.low < *capacity.qps);
    BOOST_TEST(*capacity.high > *capacity.qps);
    // Brute force, with another seed: ten times as many requests at either end.
    auto brute = how.rate;
    brute.requests = 20000;
    brute.seed = 99;
    const auto below = measure_rate(profile, rows, *capacity.low, brute).shares[0];
    const auto above = measure_rate(profile, rows, *capacity.high, brute).shares[0];
    BOOST_TEST(below.share + 2 * below.deviation > 0.5);
    BOOST_TEST(above.share - 2 * above.deviation < 0.5);
    const auto again = find_capacity(profile, rows, how);
    BOOST_TEST(*again.qps == *capacity.qps);
    BOOST_TEST(*again.low == *capacity.low);
    BOOST_TEST(*again.high == *capacity.high);
    how.precision = 0.02;
    const auto narrow = find_capacity(profile, rows, how);
    BOOST_TEST(*narrow.high - *narrow.low <= 0.02 * *narrow.qps);
    BOOST_TEST(narrow.rates_tried > capacity.rates_tried);
}

BOOST_AUTO_TEST_CASE(intervals_of_other_seeds_hold_the_same_rate)
{
    const auto profile = *named_profile("small");
    const auto rows = workload(40, 100, 60);
    auto how = options("ttft:p90<0.1");
    how.rate.arrival.process = stats::Process::gamma;
    how.rate.arrival.burstiness = 0.5;
    how.rate.requests = 30000;
    const double truth = find_capacity(profile, rows, how).qps.value();
    int covered = 0;
    how.rate.requests = 8000;
    for (how.rate.seed = 2; how.rate.seed < 10; ++how.rate.seed) {
        const auto capacity = find_capacity(profile, rows, how);
        covered += *capacity.low <= truth && truth <= *capacity.high;
    }
    BOOST_TEST(covered >= 6);
}

BOOST_AUTO_TEST_CASE(of_several_objectives_the_first_to_fail_binds)
{
    const auto profile = *named_profile("small");
    const auto rows = workload(40, 100, 60);
    auto how = options("ttft:p90<0.1");
    how.rate.arrival.process = stats::Process::poisson;
    const double ttft = find_capacity(profile, rows, how).qps.value();
    how.rate.objectives = {stats::parse_objective("e2e:p50<1")};
    const double e2e = find_capacity(profile, rows, how).qps.value();
    how.rate.objectives.push_back(stats::parse_objective("ttft:p90<0.1"));
    how.rate.objectives.push_back(stats::parse_objective("success>=99%"));
    const auto both = find_capacity(profile, rows, how);
    BOOST_TEST(both.by == (e2e < ttft ? "e2e:p50<1" : "ttft:p90<0.1"));
    BOOST_TEST(*both.qps == std::min(e2e, ttft), boost::test_tools::tolerance(0.03));
}

BOOST_AUTO_TEST_CASE(where_all_hold_the_steady_state_ends_it)
{
    const Profile profile{"fluid", "", "m", {5e-3, 0.5e-3, 0, 0}, {64, 2048, 4096, 4096, false}, {}};
    auto how = options("success>=99%");
    how.rate.arrival.process = stats::Process::poisson;
    how.rate.requests = 10000;
    const auto capacity = find_capacity(profile, workload(1, 4, 50), how);
    // A full engine takes 5 ms + 64 · 0.5 ms a step, and 50 steps a request.
    const double most = 64 / (50 * 37e-3);
    BOOST_TEST(capacity.by == "steady state");
    BOOST_TEST(*capacity.qps == most, boost::test_tools::tolerance(0.05));
}

BOOST_AUTO_TEST_CASE(a_share_of_refusals_has_its_capacity)
{
    auto profile = *named_profile("small");
    profile.fail_above_running = 8;
    auto how = options("success>=99%");
    how.rate.arrival.process = stats::Process::poisson;
    const auto capacity = find_capacity(profile, workload(10, 100, 60), how);
    BOOST_REQUIRE(capacity.qps.has_value());
    BOOST_TEST(capacity.by == "success>=99%");
    // Erlang's loss formula: 8 servers refuse 1 % at 3.13 erlangs; a request takes 60 steps of about 8 ms.
    BOOST_TEST(*capacity.qps > 3.13 / 0.60);
    BOOST_TEST(*capacity.qps < 3.13 / 0.40);
}

BOOST_AUTO_TEST_CASE(an_engine_that_recovers_with_load_is_told_apart)
{
    auto how = options("e2e:p50<2.4");
    how.rate.arrival.process = stats::Process::poisson;
    auto rows = workload(40, 300, 1500);
    const auto capacity = find_capacity(*named_profile("dip"), rows, how);
    BOOST_REQUIRE(capacity.qps.has_value());
    BOOST_REQUIRE(capacity.again_qps.has_value());
    BOOST_TEST(*capacity.again_qps > 1.3 * *capacity.qps);
    BOOST_TEST(!find_capacity(*named_profile("chat"), rows, how).again_qps.has_value());
}

BOOST_AUTO_TEST_CASE(without_a_steady_state_there_is_no_capacity)
{
    const auto capacity =
        find_capacity(*named_profile("drifting"), workload(1, 16, 10), options("e2e:p50<9"));
    BOOST_TEST(!capacity.qps.has_value());
    BOOST_TEST(capacity.reason == "drift");
    const auto none = find_capacity(*named_profile("refusing"), workload(1, 16, 10), options("e2e:p50<9"));
    BOOST_TEST(!none.qps.has_value());
    BOOST_TEST(none.reason == "below the floor");
}

BOOST_AUTO_TEST_CASE(shared_prefixes_raise_the_capacity)
{
    auto cached = *named_profile("rag");
    auto uncached = cached;
    uncached.limits.prefix_caching = false;
    const auto rows = workload(4, 1600, 30);
    const auto how = options("ttft:p50<0.5");
    BOOST_TEST(*find_capacity(cached, rows, how).qps > 2 * *find_capacity(uncached, rows, how).qps);
}

BOOST_AUTO_TEST_CASE(an_objective_below_the_least_latency_has_no_capacity)
{
    const auto capacity =
        find_capacity(*named_profile("small"), workload(1, 16, 10), options("e2e:p50<0.01"));
    BOOST_TEST(!capacity.qps.has_value());
    BOOST_TEST(!capacity.low.has_value());
    BOOST_TEST(*capacity.high < 0.01);
    BOOST_TEST(capacity.reason == "below the floor");
}

BOOST_AUTO_TEST_CASE(an_objective_that_always_holds_ends_at_the_ceiling)
{
    auto how = options("e2e:p50<1000");
    how.ceiling_qps = 50;
    const auto capacity = find_capacity(*named_profile("small"), workload(1, 16, 2), how);
    BOOST_TEST(!capacity.qps.has_value());
    BOOST_TEST(capacity.reason == "ceiling");
    BOOST_TEST(*capacity.low == 50.0);
    BOOST_TEST(!capacity.high.has_value());
}

BOOST_AUTO_TEST_CASE(an_objective_that_no_request_has_is_an_error)
{
    BOOST_CHECK_THROW(find_capacity(*named_profile("small"), workload(1, 16, 1), options("tpot:p50<1")),
                      Error);
}
