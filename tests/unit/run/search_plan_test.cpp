// SPDX-License-Identifier: MIT
// Unit test of run/search_plan.hpp: options, and earlier records.

#include <slo/run/search_plan.hpp>

#define BOOST_TEST_MODULE run_search_plan
#include <boost/test/unit_test.hpp>

#include "../../support/known_search.hpp"

#include <cmath>
#include <string>

using namespace slo;
using namespace slo::run;
using slo::test::options;
using slo::test::probe;

namespace {

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
    BOOST_TEST(search->bounds().ceiling == 64 * 105);
    o.high = 1e6;
    BOOST_TEST(make_search(make_settings(o, std::nullopt), o, {})->bounds().ceiling == 10'000'000);
}

BOOST_AUTO_TEST_CASE(known_probes_are_taken_in)
{
    const auto o = options();
    record::SearchLog log;
    log.probes = {probe(8.5, true), probe(10.5, false)};
    const auto search = make_search(make_settings(o, std::nullopt), o, log);
    BOOST_TEST(search->probes() == 2u);
    BOOST_TEST(search->grid().text(std::get<plan::NextProbe>(search->decide(0)).rate) == "9.5");
    log.probes.push_back(probe(9.55, true));
    BOOST_TEST(refusal([&] { make_search(make_settings(o, std::nullopt), o, log); }) ==
               "a probe at 9.55 qps is off the grid of 0.1");
}

BOOST_AUTO_TEST_CASE(a_search_by_likelihood_has_a_finer_grid_and_other_settings)
{
    auto o = options();
    o.strategy = "certify";
    const auto settings = make_settings(o, std::nullopt);
    BOOST_TEST(settings.precision_qps == 0.01);
    BOOST_TEST(settings.confidence == 0.95);
    BOOST_TEST(settings.rounds == 100u);
    BOOST_TEST(settings.ceiling_qps == 672);
    BOOST_TEST(!settings.common_numbers);
    BOOST_TEST(make_search(settings, o, {})->certified().has_value());
    BOOST_TEST(!make_search(make_settings(options(), std::nullopt), options(), {})->certified());
    // A start record fills what is not given; another ceiling would be another search.
    BOOST_TEST(record::difference(settings, make_settings({}, settings)) == "");
    SearchOptions other;
    other.ceiling = 20;
    BOOST_TEST(refusal([&] { make_settings(other, settings); }) ==
               "the records are of another search: ceiling is 672.0 there, 20.0 here");
    other = {};
    other.strategy = "classic";
    BOOST_TEST(refusal([&] { make_settings(other, settings); }) ==
               "the records are of another search: the strategy is certify there, classic here");
    o.max_rounds = 7;
    BOOST_TEST(std::holds_alternative<plan::NextProbe>(make_search(settings, o, {})->decide(0)));
    o.max_rounds = 1;
    BOOST_TEST(
        (std::get<plan::EndReason>(make_search(settings, o, {})->decide(0)) == plan::EndReason::max_rounds));
}

BOOST_AUTO_TEST_CASE(options_of_another_strategy_are_refused)
{
    const auto said = [](const std::string& strategy, auto change) {
        auto o = options();
        if (!strategy.empty())
            o.strategy = strategy;
        change(o);
        return refusal([&] { make_search(make_settings(o, std::nullopt), o, {}); });
    };
    BOOST_TEST(said("certify", [](auto&) {}) == "accepted");
    BOOST_TEST(said("probabilistic", [](auto&) {}) == "accepted");
    BOOST_TEST(said("golden", [](auto&) {}) ==
               "--strategy: 'golden' is none of classic, probabilistic, certify");
    BOOST_TEST(said("", [](auto& o) { o.confidence = 0.9; }) ==
               "--confidence: is only for --strategy probabilistic and certify");
    BOOST_TEST(said("", [](auto& o) { o.max_rounds = 9; }) ==
               "--max-rounds: is only for --strategy probabilistic and certify");
    BOOST_TEST(said("classic", [](auto& o) { o.common_numbers = true; }) ==
               "--common-random-numbers: is only for --strategy probabilistic and certify");
    BOOST_TEST(said("", [](auto& o) { o.rounds = 9; }) == "--rounds: is only for --strategy certify");
    BOOST_TEST(said("probabilistic", [](auto& o) { o.rounds = 9; }) ==
               "--rounds: is only for --strategy certify");
    BOOST_TEST(said("certify", [](auto& o) { o.confirm = 0; }) ==
               "--confirm: is only for --strategy classic");
    BOOST_TEST(said("certify", [](auto& o) { o.total_rounds = 8; }) ==
               "--total-rounds: is only for --strategy classic");
    BOOST_TEST(said("certify", [](auto& o) { o.tail_window = 4; }) ==
               "--tail-window: is only for --strategy classic");
    BOOST_TEST(said("certify", [](auto& o) { o.confidence = 1; }) ==
               "--confidence: must be between 0.5 and 0.999999");
    BOOST_TEST(said("certify", [](auto& o) { o.rounds = 0; }) == "--rounds: must be between 1 and 1000000");
    BOOST_TEST(said("certify", [](auto& o) { o.max_rounds = 0; }) == "--max-rounds: must be at least 1");
}

BOOST_AUTO_TEST_CASE(replayed_probes_lead_to_the_same_next_rate)
{
    auto o = options();
    o.strategy = "certify";
    const auto settings = make_settings(o, std::nullopt);
    record::SearchLog log;
    const auto next = [](const plan::Strategy& search) {
        return std::get<plan::NextProbe>(search.decide(0));
    };
    auto search = make_search(settings, o, log);
    for (int i = 0; i < 6; ++i) {
        const auto rate = next(*search).rate;
        record::SearchProbe told;
        told.qps = search->grid().qps(rate);
        told.status = record::ProbeStatus::inconclusive;
        told.evidence.margins = {{"e2e:p50<4", 5 * std::log(told.qps / 9.4) + 0.01 * i, 0.1}};
        told.evidence.rounds = 8;
        told.evidence.confidence = 0.95;
        search->add(rate, outcome_of(told, settings));
        log.take(parse_json(to_json(record::to_record(told))).as_object());
        const auto again = make_search(settings, o, log);
        BOOST_TEST(next(*again).rate == next(*search).rate);
        BOOST_TEST((next(*again).phase == next(*search).phase));
        BOOST_TEST(*again->certified()->point_qps == *search->certified()->point_qps);
    }
}
