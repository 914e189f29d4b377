// SPDX-License-Identifier: MIT
// Unit test of run/probe_task.hpp: the command of a probe, and the plan.

#include <slo/run/probe_task.hpp>

#define BOOST_TEST_MODULE run_probe_task
#include <boost/test/unit_test.hpp>

#include "../../support/known_search.hpp"

#include <slo/run/search_plan.hpp>

#include <string>
#include <utility>
#include <vector>

using namespace slo;
using namespace slo::run;
using slo::test::options;
using slo::test::probe;

BOOST_AUTO_TEST_CASE(the_rate_is_put_into_every_argument)
{
    const auto o = options();
    const auto settings = make_settings(o, std::nullopt);
    const auto task = make_task(*make_search(settings, o, {}), settings, {90, plan::Phase::high});
    BOOST_TEST(task.qps == "9.0");
    const std::vector<std::string> expected{"./probe", "--rate=9.0,9.0", "{qps", "{QPS}"};
    BOOST_TEST(task.argv == expected, boost::test_tools::per_element());
    const std::vector<std::pair<std::string, std::string>> environment{
        {"SLO_QPS", "9.0"},        {"SLO_STEP", "1"},        {"SLO_SLO", "6.5"},
        {"SLO_TOTAL_ROUNDS", "8"}, {"SLO_TAIL_WINDOW", "4"}, {"SLO_SEED", "1"}};
    BOOST_TEST((task.environment == environment));
}

BOOST_AUTO_TEST_CASE(the_plan_shows_both_ways)
{
    const auto o = options();
    const auto settings = make_settings(o, std::nullopt);
    const auto plan = make_plan_record(*make_search(settings, o, {}), settings, 0);
    BOOST_TEST(*number_at(plan, "next_qps") == 8.5);
    BOOST_TEST(*number_at(plan, "after_pass_qps") == 10.5);
    BOOST_TEST(*number_at(plan, "after_narrow_fail_qps") == 6.0); // 5.95, to the even tenth
    BOOST_TEST(*number_at(plan, "after_wide_fail_qps") == 4.2);   // 4.25, to the even tenth
    record::SearchLog log;
    log.probes = {probe(8.5, true), probe(8.6, false)};
    BOOST_TEST(*string_at(make_plan_record(*make_search(settings, o, log), settings, 0), "next_qps") ==
               "converged");
}

BOOST_AUTO_TEST_CASE(each_run_of_a_rate_has_a_seed_of_its_own)
{
    auto o = options();
    o.confirm = 2;
    o.seed = 7;
    const auto settings = make_settings(o, std::nullopt);
    record::SearchLog log;
    log.probes = {probe(8.5, true), probe(8.6, false)};
    const auto seed = [&] {
        const auto search = make_search(settings, o, log);
        const auto task = make_task(*search, settings, std::get<plan::NextProbe>(search->decide(0)));
        BOOST_TEST(task.phase == "confirm");
        BOOST_TEST(task.any_pass);
        return task.qps + " " + task.environment.back().second;
    };
    BOOST_TEST(seed() == "8.5 8");
    log.probes.push_back(probe(8.5, true));
    BOOST_TEST(seed() == "8.5 9");
    log.probes.push_back(probe(8.5, true));
    BOOST_TEST(seed() == "8.6 8");
    o.confirm.reset();
    log.confirm = 2; // as the journal has it
    BOOST_TEST(seed() == "8.6 8");
    o.confirm = 0;
    BOOST_TEST(std::holds_alternative<plan::EndReason>(make_search(settings, o, log)->decide(0)));
}

BOOST_AUTO_TEST_CASE(seed_and_rounds_are_put_in_their_places_too)
{
    auto o = options();
    o.command = {"run", "--seed={seed}", "{rounds}x{qps}", "{ seed }"};
    o.seed = 41;
    const auto settings = make_settings(o, std::nullopt);
    const auto search = make_search(settings, o, {});
    const auto task = make_task(*search, settings, {90, plan::Phase::high});
    const std::vector<std::string> expected{"run", "--seed=41", "8x9.0", "{ seed }"};
    BOOST_TEST(task.argv == expected, boost::test_tools::per_element());
    BOOST_TEST(task.unmeasured_fails);
    BOOST_TEST(task.looks.empty());
    BOOST_TEST((task.removed == std::vector<std::string>{"SLO_LOOKS", "SLO_SPENDING", "SLO_CONFIDENCE"}));
}

BOOST_AUTO_TEST_CASE(a_search_by_likelihood_tells_when_to_look_and_how_surely)
{
    auto o = options();
    o.strategy = "certify";
    o.confidence = 0.9;
    o.command = {"run", "{rounds}"};
    o.seed = 41;
    const auto settings = make_settings(o, std::nullopt);
    const auto search = make_search(settings, o, {});
    const auto told = [&](const plan::NextProbe& next) {
        const auto task = make_task(*search, settings, next);
        BOOST_TEST(!task.unmeasured_fails);
        std::string text = task.argv[1];
        for (const auto& [name, value] : task.environment)
            text += " " + name + "=" + value;
        return text;
    };
    BOOST_TEST(told({900, plan::Phase::locate, {4, 8}}) ==
               "8 SLO_QPS=9.00 SLO_STEP=1 SLO_SLO=6.5 SLO_TOTAL_ROUNDS=8 SLO_TAIL_WINDOW=4 SLO_SEED=41 "
               "SLO_LOOKS=4,8 SLO_SPENDING=pocock SLO_CONFIDENCE=0.9");
    for (const auto phase : {plan::Phase::certify, plan::Phase::reject})
        BOOST_TEST(told({900, phase, {12, 20, 32}}) ==
                   "32 SLO_QPS=9.00 SLO_STEP=1 SLO_SLO=6.5 SLO_TOTAL_ROUNDS=32 SLO_TAIL_WINDOW=16 "
                   "SLO_SEED=41 SLO_LOOKS=12,20,32 SLO_SPENDING=obrien-fleming SLO_CONFIDENCE=0.9");
}

BOOST_AUTO_TEST_CASE(common_random_numbers_are_one_seed_on_the_way_to_the_edge)
{
    const auto seeds = [](bool common) {
        auto o = options();
        o.strategy = "certify";
        o.common_numbers = common;
        const auto settings = make_settings(o, std::nullopt);
        record::SearchLog log;
        log.probes = {probe(9, true), probe(9.5, false)};
        const auto search = make_search(settings, o, log);
        return std::pair{make_task(*search, settings, {920, plan::Phase::locate, {4, 8}}).seed,
                         make_task(*search, settings, {900, plan::Phase::certify, {12}}).seed};
    };
    BOOST_TEST((seeds(false) == std::pair<std::uint64_t, std::uint64_t>{3, 3}));
    BOOST_TEST((seeds(true) == std::pair<std::uint64_t, std::uint64_t>{1, 3}));
}

BOOST_AUTO_TEST_CASE(the_plan_of_a_search_by_likelihood_shows_three_ways)
{
    auto o = options();
    o.strategy = "certify";
    const auto settings = make_settings(o, std::nullopt);
    const auto plan = make_plan_record(*make_search(settings, o, {}), settings, 0);
    const auto next = *number_at(plan, "next_qps");
    BOOST_TEST(*string_at(plan, "phase") == "locate");
    BOOST_TEST(*number_at(plan, "after_pass_qps") > next);
    BOOST_TEST(*number_at(plan, "after_open_qps") == next);
    BOOST_TEST(*number_at(plan, "after_fail_qps") < next);
    BOOST_TEST(!find(plan, "after_narrow_fail_qps"));
}
