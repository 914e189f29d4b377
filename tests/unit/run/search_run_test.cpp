// SPDX-License-Identifier: MIT
// Unit test of run/search_run.hpp: the records of a search, in order, whoever probes.

#include <slo/run/search_run.hpp>

#define BOOST_TEST_MODULE run_search_run
#include <boost/test/unit_test.hpp>

#include <slo/run/search_plan.hpp>

#include <cmath>
#include <string>
#include <vector>

using namespace slo;
using namespace slo::run;

namespace {

struct Bench {
    SearchOptions options;
    record::SearchSettings settings;
    std::vector<json::object> records;
    std::vector<std::string> lines;
    std::size_t seen_probes = 0;

    Bench()
    {
        options.low = 3;
        options.high = 6;
        options.command = {"probe"};
        settings = make_settings(options, std::nullopt);
    }

    SearchRun make(const record::SearchLog& log, double report_every_s = 900)
    {
        SearchRun::Callbacks callbacks;
        callbacks.on_record = [&](const json::object& record) { records.push_back(record); };
        callbacks.on_progress = [&](const SearchProgress& progress) { lines.push_back(progress.text); };
        callbacks.on_probe = [&](const record::SearchProbe&) { ++seen_probes; };
        return SearchRun(make_search(settings, options, log), settings, log, report_every_s, callbacks);
    }
};

std::optional<record::SearchProbe> oracle(const ProbeTask& task, const SearchRun::Tick&)
{
    record::SearchProbe probe;
    const auto qps = *parse_double(task.qps);
    probe.status = qps <= 5.3 ? record::ProbeStatus::pass : record::ProbeStatus::fail;
    probe.avg_p50_latency_s = qps;
    return probe;
}

} // namespace

BOOST_AUTO_TEST_CASE(every_probe_is_on_record_then_the_result)
{
    Bench bench;
    auto run = bench.make({});
    const auto result = run.run(oracle);
    BOOST_TEST(*result.max_qps == 5.3);
    BOOST_TEST(result.reason == "converged");
    BOOST_REQUIRE(bench.records.size() == result.probes + 1);
    BOOST_TEST(bench.seen_probes == result.probes);
    BOOST_TEST(run.probes().size() == result.probes);
    for (std::size_t i = 0; i < result.probes; ++i) {
        BOOST_TEST(*string_at(bench.records[i], "event") == "probe");
        BOOST_TEST(*integer_at(bench.records[i], "step") == static_cast<std::int64_t>(i + 1));
    }
    BOOST_TEST(*string_at(bench.records.back(), "event") == "result");
}

BOOST_AUTO_TEST_CASE(a_search_taken_up_again_goes_on_where_it_stood)
{
    Bench whole;
    const auto expected = whole.make({}).run(oracle);
    for (std::size_t kept = 0; kept <= expected.probes; ++kept) {
        record::SearchLog log;
        for (std::size_t i = 0; i < kept; ++i)
            log.take(whole.records[i]);
        log.elapsed_s = 1000;
        Bench bench;
        const auto result = bench.make(log).run(oracle);
        BOOST_TEST(*result.max_qps == *expected.max_qps);
        BOOST_TEST(bench.seen_probes == expected.probes - kept);
        BOOST_TEST(result.probes == expected.probes);
        BOOST_TEST(result.elapsed_s >= 1000);
    }
}

BOOST_AUTO_TEST_CASE(an_interrupted_probe_leaves_no_probe_record)
{
    Bench bench;
    int calls = 0;
    const auto result = bench.make({}).run([&](const ProbeTask& task, const SearchRun::Tick& tick) {
        return ++calls < 3 ? oracle(task, tick) : std::nullopt;
    });
    BOOST_TEST(result.reason == "interrupted");
    BOOST_TEST(result.probes == 2u);
    BOOST_TEST(*result.max_qps == 3);
    BOOST_TEST(*result.first_fail_qps == 6);
    BOOST_TEST(bench.records.size() == 3u);
    BOOST_TEST((exit_of(result) == Exit::undecided));
}

BOOST_AUTO_TEST_CASE(what_a_prober_throws_passes_through)
{
    Bench bench;
    auto run = bench.make({});
    BOOST_CHECK_THROW(run.run([](const ProbeTask& task, const SearchRun::Tick& tick) {
        if (task.step == 2)
            throw Error("gone");
        return oracle(task, tick);
    }),
                      Error);
    BOOST_TEST(bench.records.size() == 1u);
}

BOOST_AUTO_TEST_CASE(progress_records_tell_how_far_it_is)
{
    Bench bench;
    bench.make({}, 1e-9).run([](const ProbeTask& task, const SearchRun::Tick& tick) {
        record::ProbeOutput output;
        output.feed("{\"Latency\":{\"p50\":1.25}}\n");
        tick(output);
        return oracle(task, tick);
    });
    const auto& first = bench.records.at(0);
    BOOST_TEST(*string_at(first, "event") == "progress");
    BOOST_TEST(find(first, "best_qps")->is_null());
    BOOST_TEST(find(first, "eta_s")->is_null());
    BOOST_TEST(*integer_at(*object_at(first, "current"), "rounds_seen") == 1);
    BOOST_TEST(*number_at(*object_at(first, "current"), "last_p50_s") == 1.25);
    const auto& third = bench.records.at(4);
    BOOST_TEST(*number_at(third, "best_qps") == 3);
    BOOST_TEST(*number_at(third, "first_fail_qps") == 6);
    BOOST_TEST(*number_at(third, "eta_s") >= 0);
    BOOST_TEST(array_at(third, "last")->size() == 2u);
    BOOST_TEST(bench.lines.at(2) ==
               "probe 3 at 4.5 qps (bisect), round 1 p50 1.25 s; 3.0 passed, 6.0 failed; 5 probes left");
}

namespace {

// An engine that keeps its objective up to 5.3 requests a second, and says how far that is.
ProbeAnswer certain_oracle(const ProbeTask& task, const SearchRun::Tick&)
{
    record::SearchProbe probe;
    const double margin = 4 * std::log(*parse_double(task.qps) / 5.3);
    const double error = 0.2 / std::sqrt(static_cast<double>(task.looks.back()));
    probe.status = margin < -2.5 * error  ? record::ProbeStatus::pass
                   : margin > 2.5 * error ? record::ProbeStatus::fail
                                          : record::ProbeStatus::inconclusive;
    probe.evidence.margins = {{"e2e:p50<4", margin, error}};
    probe.evidence.confidence = 0.95;
    return probe;
}

} // namespace

BOOST_AUTO_TEST_CASE(a_search_by_likelihood_is_kept_and_taken_up_again)
{
    const auto make = [] {
        Bench bench;
        bench.options.strategy = "certify";
        bench.settings = make_settings(bench.options, std::nullopt);
        return bench;
    };
    auto whole = make();
    const auto expected = whole.make({}).run(certain_oracle);
    BOOST_TEST(expected.reason == "converged");
    BOOST_TEST(expected.converged);
    BOOST_TEST(*expected.max_qps < 5.3);
    BOOST_TEST(*expected.first_fail_qps > 5.3);
    BOOST_TEST(expected.certified->rounds_spent > 0);
    const auto& first = whole.records.at(0);
    BOOST_TEST(*number_at(first, "rounds") == 12); // what was asked for, where nothing was told
    BOOST_TEST(*integer_at(first, "seed") == 1);
    BOOST_TEST(to_json(*array_at(first, "looks")) == "[5,12]");
    for (std::size_t kept = 0; kept <= expected.probes; ++kept) {
        record::SearchLog log;
        for (std::size_t i = 0; i < kept; ++i)
            log.take(whole.records[i]);
        auto bench = make();
        const auto result = bench.make(log).run(certain_oracle);
        BOOST_TEST(*result.certified->certified_qps == *expected.certified->certified_qps);
        BOOST_TEST(*result.certified->rejected_qps == *expected.certified->rejected_qps);
        BOOST_TEST(*result.certified->point_qps == *expected.certified->point_qps);
        BOOST_TEST(result.certified->rounds_spent == expected.certified->rounds_spent);
        BOOST_TEST(bench.seen_probes == expected.probes - kept);
    }
}

BOOST_AUTO_TEST_CASE(a_service_that_lived_through_a_probe_may_die_under_the_next)
{
    Bench bench;
    bench.options.strategy = "certify";
    bench.settings = make_settings(bench.options, std::nullopt);
    std::vector<bool> any;
    bench.make({}).run([&](const ProbeTask& task, const SearchRun::Tick& tick) {
        any.push_back(task.any_pass);
        return any.size() < 3 ? certain_oracle(task, tick) : ProbeAnswer(SearchStop{});
    });
    BOOST_TEST(!any.at(0));
    BOOST_TEST(any.at(1));
}

BOOST_AUTO_TEST_CASE(probes_that_measure_nothing_end_a_search_by_likelihood)
{
    for (const bool measured : {true, false}) {
        Bench bench;
        bench.options.strategy = "certify";
        bench.settings = make_settings(bench.options, std::nullopt);
        const auto result = bench.make({}).run([&](const ProbeTask&, const SearchRun::Tick&) {
            record::SearchProbe probe;
            probe.status = measured ? record::ProbeStatus::invalid : record::ProbeStatus::fail;
            probe.measured = measured;
            return ProbeAnswer(probe);
        });
        BOOST_TEST(result.reason == "invalid");
        BOOST_TEST(result.probes == 3u);
        BOOST_TEST((exit_of(result) == Exit::undecided));
    }
}

BOOST_AUTO_TEST_CASE(a_search_has_one_question)
{
    Bench bench;
    bench.options.strategy = "certify";
    bench.settings = make_settings(bench.options, std::nullopt);
    const auto judged_by = [](std::vector<std::string> objectives) {
        return [objectives](const ProbeTask& task, const SearchRun::Tick& tick) {
            auto probe = oracle(task, tick);
            probe->evidence.confidence = 0.95;
            for (const auto& objective : objectives)
                probe->evidence.margins.push_back({objective, *parse_double(task.qps) - 5.3, 0.1});
            return probe;
        };
    };
    auto first = bench.make({});
    const auto result = first.run(judged_by({"e2e:p50<4", "success>=99%"}));
    BOOST_TEST(result.objectives == (std::vector<std::string>{"e2e:p50<4", "success>=99%"}),
               boost::test_tools::per_element());
    BOOST_TEST(to_record(result, bench.settings).at("slo_s").is_null());

    record::SearchLog journal;
    journal.probes = {first.probes().front()};
    // One of which a verdict has no margin is no other question.
    auto same = bench.make(journal);
    BOOST_CHECK_NO_THROW(same.run(judged_by({"e2e:p50<4"})));
    auto other = bench.make(journal);
    BOOST_CHECK_THROW(other.run(judged_by({"e2e:p50<6", "success>=99%"})), InputError);
}
