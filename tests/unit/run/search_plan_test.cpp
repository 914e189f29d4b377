// SPDX-License-Identifier: MIT
// Unit test of run/search_plan.hpp: options, earlier records, and the command of a probe.

#include <slo/run/search_plan.hpp>

#define BOOST_TEST_MODULE run_search_plan
#include <boost/test/unit_test.hpp>

#include <string>

using namespace slo;
using namespace slo::run;

namespace {

SearchOptions options()
{
    SearchOptions options;
    options.low = 8.5;
    options.high = 10.5;
    options.command = {"./probe", "--rate={qps},{qps}", "{qps", "{QPS}"};
    return options;
}

record::SearchProbe probe(double qps, bool pass)
{
    record::SearchProbe probe;
    probe.qps = qps;
    probe.status = pass ? record::ProbeStatus::pass : record::ProbeStatus::fail;
    return probe;
}

template <class Call>
std::string refusal(Call&& call)
{
    try {
        call();
    } catch (const Error& error) {
        return error.what();
    }
    return "accepted";
}

} // namespace

BOOST_AUTO_TEST_CASE(defaults_follow_offload)
{
    auto o = options();
    const auto off = make_settings(o, std::nullopt);
    BOOST_TEST(off.total_rounds == 8);
    BOOST_TEST(off.tail_window == 4);
    BOOST_TEST(off.slo_s == 6.5);
    BOOST_TEST(off.precision_qps == 0.1);
    o.offload = true;
    const auto on = make_settings(o, std::nullopt);
    BOOST_TEST(on.total_rounds == 16);
    BOOST_TEST(on.tail_window == 8);
    o.total_rounds = 12;
    o.tail_window = 6;
    BOOST_TEST(make_settings(o, std::nullopt).total_rounds == 12);
}

BOOST_AUTO_TEST_CASE(a_start_record_fills_what_is_not_given)
{
    auto o = options();
    o.offload = true;
    const auto known = make_settings(o, std::nullopt);
    BOOST_TEST(record::difference(known, make_settings({}, known)) == "");
    SearchOptions same;
    same.low = 8.5;
    BOOST_TEST(record::difference(known, make_settings(same, known)) == "");
    SearchOptions other;
    other.high = 11;
    BOOST_TEST(refusal([&] { make_settings(other, known); }) ==
               "the records are of another search: high is 10.5 there, 11.0 here");
}

BOOST_AUTO_TEST_CASE(options_that_make_no_sense_are_refused)
{
    const auto said = [](auto change) {
        auto o = options();
        change(o);
        return refusal([&] { make_search(make_settings(o, std::nullopt), o, {}); });
    };
    BOOST_TEST(said([](auto&) {}) == "accepted");
    BOOST_TEST(said([](auto& o) { o.low.reset(); }) == "--low is missing");
    BOOST_TEST(said([](auto& o) { o.high.reset(); }) == "--high is missing");
    BOOST_TEST(said([](auto& o) { o.low = 10.5; }) == "low: 10.5 is not below high 10.5");
    BOOST_TEST(said([](auto& o) { o.low = 8.55; }) == "--low: 8.55 is no multiple of the precision 0.1");
    BOOST_TEST(said([](auto& o) { o.high = -1; }) == "--high: must be above 0");
    BOOST_TEST(said([](auto& o) { o.precision = 0; }) == "precision: must be above 0 and at most 1000000");
    BOOST_TEST(said([](auto& o) { o.slo = -1; }) == "slo: must be above 0");
    BOOST_TEST(said([](auto& o) { o.ceiling = 9; }) == "ceiling: 9.0 is below high 10.5");
    BOOST_TEST(said([](auto& o) { o.total_rounds = 0; }) == "--total-rounds: must be at least 1");
    BOOST_TEST(said([](auto& o) { o.tail_window = 9; }) ==
               "--tail-window: must be at least 1 and at most the total rounds");
    BOOST_TEST(said([](auto& o) { o.max_probes = 0; }) == "--max-probes: must be at least 1");
    BOOST_TEST(said([](auto& o) { o.max_time = 0; }) == "--max-time: must be above 0");
}

BOOST_AUTO_TEST_CASE(a_command_that_no_record_can_hold_is_refused)
{
    auto o = options();
    o.command = {"p", "caf\xE9"};
    BOOST_CHECK_EXCEPTION(make_settings(o, std::nullopt), UsageError, [](const UsageError& error) {
        return std::string(error.what()) == "COMMAND: 'caf?' is not UTF-8, and records are";
    });
    o.command = {"p", "café"};
    BOOST_TEST(make_settings(o, std::nullopt).command[1] == "café");
}

BOOST_AUTO_TEST_CASE(the_default_ceiling_is_64_times_high)
{
    auto o = options();
    const auto search = make_search(make_settings(o, std::nullopt), o, {});
    BOOST_TEST(search.bounds().ceiling == 64 * 105);
    o.high = 1e6;
    BOOST_TEST(make_search(make_settings(o, std::nullopt), o, {}).bounds().ceiling == 10'000'000);
}

BOOST_AUTO_TEST_CASE(known_probes_are_taken_in)
{
    const auto o = options();
    record::SearchLog log;
    log.probes = {probe(8.5, true), probe(10.5, false)};
    const auto search = make_search(make_settings(o, std::nullopt), o, log);
    BOOST_TEST(search.probes() == 2u);
    BOOST_TEST(search.grid().text(std::get<plan::NextProbe>(search.decide(0)).rate) == "9.5");
    log.probes.push_back(probe(9.55, true));
    BOOST_TEST(refusal([&] { make_search(make_settings(o, std::nullopt), o, log); }) ==
               "a probe at 9.55 qps is off the grid of 0.1");
}

BOOST_AUTO_TEST_CASE(the_rate_is_put_into_every_argument)
{
    const auto o = options();
    const auto settings = make_settings(o, std::nullopt);
    const auto task = make_task(make_search(settings, o, {}), settings, {90, plan::Phase::high});
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
    const auto plan = make_plan_record(make_search(settings, o, {}), settings, 0);
    BOOST_TEST(*number_at(plan, "next_qps") == 8.5);
    BOOST_TEST(*number_at(plan, "after_pass_qps") == 10.5);
    BOOST_TEST(*number_at(plan, "after_narrow_fail_qps") == 6.0); // 5.95, to the even tenth
    BOOST_TEST(*number_at(plan, "after_wide_fail_qps") == 4.2);   // 4.25, to the even tenth
    record::SearchLog log;
    log.probes = {probe(8.5, true), probe(8.6, false)};
    BOOST_TEST(*string_at(make_plan_record(make_search(settings, o, log), settings, 0), "next_qps") ==
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
        const auto task = make_task(search, settings, std::get<plan::NextProbe>(search.decide(0)));
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
    BOOST_TEST(std::holds_alternative<plan::EndReason>(make_search(settings, o, log).decide(0)));
}
