// SPDX-License-Identifier: MIT
// Unit test of run/search_outcome.hpp: what a search has come to, and its exit status.

#include <slo/run/search_outcome.hpp>

#define BOOST_TEST_MODULE run_search_outcome
#include <boost/test/unit_test.hpp>

#include "../../support/known_search.hpp"

#include <slo/run/search_plan.hpp>

#include <string>

using namespace slo;
using namespace slo::run;
using slo::test::options;
using slo::test::probe;

BOOST_AUTO_TEST_CASE(results_and_their_statuses)
{
    const auto o = options();
    const auto settings = make_settings(o, std::nullopt);
    record::SearchLog log;
    const auto reason = [&] { return make_result(*make_search(settings, o, log), log).reason; };
    BOOST_TEST(reason() == "unfinished");
    log.probes = {probe(8.5, true), probe(8.6, false)};
    const auto done = make_result(*make_search(settings, o, log), log);
    BOOST_TEST(done.reason == "converged");
    BOOST_TEST(*done.max_qps == 8.5);
    BOOST_TEST(*done.first_fail_qps == 8.6);
    BOOST_TEST((exit_of(done) == Exit::ok));
    BOOST_TEST(done.notes.empty());
    BOOST_TEST(done.first_fail_measured);
    log.probes[1].measured = false;
    const auto doubtful = make_result(*make_search(settings, o, log), log);
    BOOST_TEST(doubtful.notes.at(0) == "the first fail, 8.6 qps, is no measured one: see its notes");
    BOOST_TEST(!doubtful.first_fail_measured);
    BOOST_TEST(!doubtful.converged);
    BOOST_TEST(doubtful.reason == "not_measured");
    BOOST_TEST((exit_of(doubtful) == slo::Exit::undecided));
    BOOST_TEST(to_record(doubtful, settings).at("first_fail_measured") == false);
    log.probes[0].hit_rate = 0.66;
    log.probes[1].hit_rate = 0.5;
    const auto spread = make_result(*make_search(settings, o, log), log);
    BOOST_TEST(spread.hit_rate_min.value() == 0.5);
    BOOST_TEST(spread.hit_rate_max.value() == 0.66);
    BOOST_TEST(spread.notes.at(0) == "hit rates between 50.0 % and 66.0 %: the prefix cache was warm in some "
                                     "probes and cold in others");
    BOOST_TEST(to_record(spread, settings).at("hit_rate_min") == 0.5);
    log.probes[1].hit_rate = 0.56;
    BOOST_TEST(make_result(*make_search(settings, o, log), log).notes.size() ==
               1U); // of the first fail alone
    log.probes[1].hit_rate = 0.5;
    log.probes[0].reconciled = true;
    const auto agreed = [&] { return make_result(*make_search(settings, o, log), log).reconciled; };
    BOOST_TEST(make_result(*make_search(settings, o, log), log).hit_rate.value() == 0.66);
    BOOST_TEST(!agreed());
    log.probes[1].reconciled = true;
    BOOST_TEST(agreed().value());
    log.probes[1].reconciled = false;
    BOOST_TEST(!agreed().value());
    BOOST_TEST(!make_result(*make_search(settings, o, log), log).first_fail_died);
    log.probes[1].service_died = true;
    const auto died = make_result(*make_search(settings, o, log), log);
    BOOST_TEST(died.first_fail_died);
    BOOST_TEST(to_record(died, settings).at("service_died") == true);
    log.probes = {probe(0.1, false)};
    const auto none = make_result(*make_search(settings, o, log), log);
    BOOST_TEST(none.reason == "below_floor");
    BOOST_TEST((exit_of(none) == Exit::negative));
    log.probes = {probe(8.5, true)};
    log.result = json::object{{"reason", "interrupted"}};
    BOOST_TEST(reason() == "interrupted");
    BOOST_TEST((exit_of(make_result(*make_search(settings, o, log), log)) == Exit::undecided));
    log.result = json::object{{"reason", "service_stopped"}};
    BOOST_TEST(reason() == "service_stopped");
    BOOST_TEST((exit_of(make_result(*make_search(settings, o, log), log)) == Exit::undecided));
    log.result = json::object{{"reason", "converged"}};
    BOOST_TEST(reason() == "unfinished");
}

BOOST_AUTO_TEST_CASE(an_answer_counts_once_it_is_confirmed)
{
    auto o = options();
    o.confirm = 1;
    const auto settings = make_settings(o, std::nullopt);
    record::SearchLog log;
    const auto result = [&] { return make_result(*make_search(settings, o, log), log); };
    log.probes = {probe(8.5, true), probe(8.6, false)};
    BOOST_TEST(result().reason == "unfinished");
    BOOST_TEST(!result().converged);
    BOOST_TEST(result().confirm == 1u);
    log.probes.push_back(probe(8.5, true));
    log.probes.push_back(probe(8.6, true));
    const auto unstable = result();
    BOOST_TEST(unstable.reason == "unstable_edge");
    BOOST_TEST(unstable.converged);
    BOOST_TEST(*unstable.max_qps == 8.5);
    BOOST_TEST(unstable.unstable_qps.at(0) == 8.6);
    BOOST_TEST((exit_of(unstable) == Exit::ok));
    log.probes.back() = probe(8.6, false);
    BOOST_TEST(result().reason == "converged");
    BOOST_TEST(result().unstable_qps.empty());
}

BOOST_AUTO_TEST_CASE(what_ended_a_search_early_is_said_again)
{
    const auto o = options();
    const auto settings = make_settings(o, std::nullopt);
    record::SearchLog log;
    log.relaunches = 2;
    log.probes = {probe(8.5, true)};
    log.probes[0].cache_reset = false;
    for (const std::string reason : {"service_died", "service_not_answering", "relaunch_failed"}) {
        log.result = json::object{{"reason", reason}};
        const auto result = make_result(*make_search(settings, o, log), log);
        BOOST_TEST(result.reason == reason);
        BOOST_TEST((exit_of(result) == Exit::undecided));
        BOOST_TEST(*result.relaunches == 2u);
        BOOST_TEST(*result.cache_reset_failures == 1u);
    }
    log.result = json::object{{"reason", "service_died_before_any_pass"}};
    BOOST_TEST((exit_of(make_result(*make_search(settings, o, log), log)) == Exit::error));
}

BOOST_AUTO_TEST_CASE(a_search_by_likelihood_claims_only_what_is_certified)
{
    auto o = options();
    o.strategy = "certify";
    const auto settings = make_settings(o, std::nullopt);
    record::SearchLog log;
    const auto add = [&](double qps, bool pass) {
        auto told = probe(qps, pass);
        told.evidence.margins = {{"e2e:p50<4", pass ? -1.0 : 1.0, 0.1}};
        told.evidence.rounds = 8;
        told.evidence.confidence = 0.95;
        log.probes.push_back(told);
    };
    const auto made = [&] { return make_result(*make_search(settings, o, log), log); };
    BOOST_TEST(made().certified.has_value());
    BOOST_TEST(!made().certified->point_qps.has_value());
    BOOST_TEST(made().reason == "unfinished");
    // Locating certifies nothing.
    add(9, true);
    BOOST_TEST(!made().max_qps.has_value());
    BOOST_TEST(made().certified->point_qps.value() > 9);
    BOOST_TEST(made().certified->rounds_spent == 8);
    add(8, false);
    BOOST_TEST(made().reason == "non_monotone");
    BOOST_TEST(made().certified->non_monotone);
    BOOST_TEST(!made().max_qps.has_value());
    BOOST_TEST(!made().converged);
    BOOST_TEST(made().notes.size() == 1u);
    BOOST_TEST((exit_of(made()) == Exit::undecided));
}

BOOST_AUTO_TEST_CASE(who_states_no_confidence_is_told_so_in_the_result)
{
    BOOST_TEST(!lacks_confidence({}));
    auto told = probe(9, true);
    BOOST_TEST(lacks_confidence({told}));
    told.evidence.confidence = 0.5; // the probe has a note of its own then
    BOOST_TEST(!lacks_confidence({told}));
    auto died = probe(9, false);
    died.service_died = true;
    auto unmeasured = probe(9, false);
    unmeasured.measured = false;
    auto open = probe(9, false);
    open.status = record::ProbeStatus::inconclusive;
    BOOST_TEST(!lacks_confidence({died, unmeasured, open}));
}
