// SPDX-License-Identifier: MIT
// Unit test of run/probe_outcome.hpp: what a search is told of a probe.

#include <slo/run/probe_outcome.hpp>

#define BOOST_TEST_MODULE run_probe_outcome
#include <boost/test/unit_test.hpp>

#include <cmath>
#include <string>

using namespace slo;
using namespace slo::run;
using record::ProbeStatus;

namespace {

record::SearchSettings settings(const std::string& strategy = "certify")
{
    record::SearchSettings settings;
    settings.slo_s = 6.5;
    settings.strategy = strategy;
    return settings;
}

// A verdict record as a probe has it once its evidence is complete.
record::SearchProbe completed(const std::string& verdict, const std::string& strategy = "certify")
{
    auto object = parse_json(verdict).as_object();
    object["qps"] = 9;
    auto probe = record::read_probe(object);
    complete_evidence(probe, settings(strategy));
    auto twice = probe;
    complete_evidence(twice, settings(strategy));
    BOOST_TEST(to_json(record::to_record(twice)) == to_json(record::to_record(probe)));
    // What the journal keeps tells the same.
    const auto read = record::read_probe(parse_json(to_json(record::to_record(probe))).as_object());
    const auto a = outcome_of(probe, settings(strategy));
    const auto b = outcome_of(read, settings(strategy));
    BOOST_TEST((a.said == b.said && a.stated == b.stated && a.rounds == b.rounds && a.pass == b.pass));
    BOOST_REQUIRE(a.margins.size() == b.margins.size());
    for (std::size_t i = 0; i < a.margins.size(); ++i)
        BOOST_TEST(
            (a.margins[i].estimate == b.margins[i].estimate && a.margins[i].error == b.margins[i].error));
    return probe;
}

plan::Outcome told(const std::string& verdict)
{
    return outcome_of(completed(verdict), settings());
}

} // namespace

BOOST_AUTO_TEST_CASE(the_classic_strategy_is_told_of_pass_and_latency_alone)
{
    const std::string verdict = R"({"status":"PASS","avg_p50_latency_s":4.5,"rounds_seen":8,)"
                                R"("confidence":{"level":0.95,"low_s":4,"high_s":7}})";
    const auto probe = completed(verdict, "classic");
    const auto outcome = outcome_of(probe, settings("classic"));
    BOOST_TEST(outcome.pass);
    BOOST_TEST(*outcome.latency_s == 4.5);
    BOOST_TEST(outcome.margins.empty());
    BOOST_TEST(probe.notes.empty());
    const auto record = record::to_record(probe);
    for (const auto* key : {"margins", "rounds", "confidence", "looks", "seed"})
        BOOST_TEST(!find(record, key));
}

BOOST_AUTO_TEST_CASE(margins_of_objectives_are_taken_as_they_are)
{
    const auto outcome =
        told(R"({"status":"INCONCLUSIVE","rounds_seen":20,"certainty":{"level":0.95},"objectives":[)"
             R"({"objective":"e2e:p50<4","margin":-0.25,"margin_error":0.125},)"
             R"({"objective":"ttft:p99<1","margin":0.5,"margin_error":0.25}]})");
    BOOST_TEST((outcome.said == plan::Said::open));
    BOOST_TEST(outcome.stated);
    BOOST_TEST(outcome.rounds == 20);
    BOOST_REQUIRE(outcome.margins.size() == 2u);
    BOOST_TEST(outcome.margins[0].objective == "e2e:p50<4");
    BOOST_TEST(outcome.margins[0].estimate == -0.25);
    BOOST_TEST(outcome.margins[1].error == 0.25);
}

BOOST_AUTO_TEST_CASE(margins_that_are_none_are_left_out)
{
    const auto outcome = told(
        R"({"status":"FAIL","rounds_seen":20,"certainty":{"level":0.95},"objectives":[)"
        R"({"objective":"a","margin":1,"margin_error":0},{"objective":"b","margin":null,"margin_error":1},)"
        R"({"objective":"c","margin":1,"margin_error":-1},{"objective":"d","margin":"1","margin_error":1},)"
        R"(7,null,{"margin":0.5,"margin_error":0.5}]})");
    BOOST_REQUIRE(outcome.margins.size() == 1u);
    BOOST_TEST(outcome.margins[0].objective == "");
    BOOST_TEST((outcome.said == plan::Said::fail));
}

BOOST_AUTO_TEST_CASE(a_verdict_is_as_sure_as_its_interval_is_on_one_side)
{
    const auto interval = [](const std::string& status, double low, double figure, double high) {
        return R"({"status":")" + status + R"(","rounds_seen":16,"slo_s":6.5,"avg_p50_latency_s":)" +
               format_double(figure) + R"(,"confidence":{"level":0.95,"low_s":)" + format_double(low) +
               R"(,"high_s":)" + format_double(high) + "}}";
    };
    const auto pass = told(interval("PASS", 4, 5, 6));
    BOOST_TEST((pass.said == plan::Said::pass && pass.stated));
    BOOST_REQUIRE(pass.margins.size() == 1u);
    BOOST_TEST(pass.margins[0].estimate == std::log(5 / 6.5), boost::test_tools::tolerance(1e-12));
    const auto fail = told(interval("FAIL", 7, 8, 9));
    BOOST_TEST((fail.said == plan::Said::fail && fail.stated));
    for (const auto* status : {"PASS", "FAIL"}) {
        const auto probe = completed(interval(status, 6, 6.4, 7));
        BOOST_TEST((probe.status == ProbeStatus::inconclusive));
        BOOST_TEST(probe.notes.at(0) == "verdict " + std::string(status) +
                                            ", but its interval of 95 % contains the SLO: counted as open");
        BOOST_TEST((outcome_of(probe, settings()).said == plan::Said::open));
        BOOST_TEST(outcome_of(probe, settings()).margins.size() == 1u);
    }
    // It failed for another reason than its latency.
    const auto gate = told(interval("FAIL", 4, 5, 6));
    BOOST_TEST((gate.said == plan::Said::fail && gate.stated));
    BOOST_TEST(gate.margins.empty());
    // An interval from below 0 has no logarithm, and yet a side.
    const auto wide = told(interval("PASS", -1, 2.5, 6));
    BOOST_TEST((wide.said == plan::Said::pass && wide.stated));
    BOOST_TEST(wide.margins.empty());
}

BOOST_AUTO_TEST_CASE(the_slo_that_it_was_judged_by_counts)
{
    const auto probe = completed(R"({"status":"PASS","rounds_seen":16,"slo_s":2,"avg_p50_latency_s":2.5,)"
                                 R"("confidence":{"level":0.95,"low_s":1.5,"high_s":3}})");
    BOOST_TEST((probe.status == ProbeStatus::inconclusive));
}

BOOST_AUTO_TEST_CASE(without_enough_confidence_nothing_is_stated)
{
    const auto plain = completed(R"({"status":"PASS","rounds_seen":8})");
    BOOST_TEST(plain.notes.at(0) == "COMMAND states no confidence: nothing can be certified");
    BOOST_TEST(!outcome_of(plain, settings()).stated);
    BOOST_TEST((outcome_of(plain, settings()).said == plan::Said::pass));
    const auto weak = completed(R"({"status":"FAIL","confidence":0.9})");
    BOOST_TEST(weak.notes.at(0) ==
               "COMMAND states a confidence of 90 %, below the 95 % asked for: nothing can be certified");
    BOOST_TEST(!outcome_of(weak, settings()).stated);
    BOOST_TEST(told(R"({"status":"FAIL","confidence":0.95})").stated);
    BOOST_TEST(told(R"({"status":"INCONCLUSIVE"})").stated);
    BOOST_TEST(!told(R"({"status":"PASS","confidence":{"level":0.9,"low_s":1,"high_s":2}})").stated);
    BOOST_TEST(!told(R"({"status":"PASS","confidence":1.5})").stated);
}

BOOST_AUTO_TEST_CASE(what_is_no_measurement_is_invalid)
{
    for (const auto* status : {"INVALID", "NOT_ENOUGH_ROUNDS"})
        BOOST_TEST((told(R"({"status":")" + std::string(status) + R"("})").said == plan::Said::invalid));
    record::SearchProbe unmeasured;
    unmeasured.measured = false;
    BOOST_TEST((outcome_of(unmeasured, settings()).said == plan::Said::invalid));
    BOOST_TEST(!outcome_of(unmeasured, settings("classic")).pass);
}

BOOST_AUTO_TEST_CASE(a_death_is_a_fail_that_needs_no_confidence)
{
    record::SearchProbe died;
    died.service_died = true;
    complete_evidence(died, settings());
    const auto outcome = outcome_of(died, settings());
    BOOST_TEST((outcome.said == plan::Said::fail));
    BOOST_TEST(outcome.stated);
    BOOST_TEST(died.notes.empty());
}

BOOST_AUTO_TEST_CASE(every_probe_costs_something_and_none_without_bound)
{
    BOOST_TEST(told(R"({"status":"PASS"})").rounds == 8);
    BOOST_TEST(told(R"({"status":"PASS","rounds_seen":0})").rounds == 1);
    BOOST_TEST(told(R"({"status":"PASS","rounds_seen":-5})").rounds == 8);
    BOOST_TEST(told(R"({"status":"PASS","rounds_seen":1e300})").rounds == 100000);
}
