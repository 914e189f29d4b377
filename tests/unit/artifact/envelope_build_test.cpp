// SPDX-License-Identifier: MIT
#include <slo/artifact/envelope_build.hpp>

#define BOOST_TEST_MODULE artifact_envelope_build
#include <boost/test/unit_test.hpp>

#include <cstdio>
#include <fstream>
#include <string>

using namespace slo;

namespace {

artifact::EnvelopeOptions options()
{
    artifact::EnvelopeOptions options;
    options.sidecar = "tests/data/envelope/benchmark.yaml";
    options.card = "tests/data/envelope/chat.yaml";
    options.rounds = {"tests/data/envelope/rounds.jsonl"};
    options.requests = {"tests/data/envelope/requests.jsonl"};
    return options;
}

artifact::Artifact built(const artifact::EnvelopeOptions& options)
{
    artifact::EnvelopeBuild build(options);
    return {build.run(1e9, ""), "a.json"};
}

} // namespace

BOOST_AUTO_TEST_CASE(every_possible_source_is_listed_as_read_or_absent)
{
    const auto artifact = built(options());
    std::size_t present = 0, absent = 0;
    for (const auto& source : *artifact.array("extensions.sloutils.sources")) {
        present += source.get_object().contains("file");
        absent += source.get_object().contains("absent");
    }
    BOOST_TEST(present == 5U); // sidecar, card, rounds, requests, and the run in the log
    BOOST_TEST(absent == 15U);
    BOOST_TEST(artifact.text("created_at").value() == "2001-09-09T01:46:40Z");
    BOOST_TEST(artifact::check_envelope(artifact.root()).empty());
}

BOOST_AUTO_TEST_CASE(each_figure_that_is_not_null_has_its_origin)
{
    auto all = options();
    all.before = "tests/data/envelope/before.prom";
    all.after = "tests/data/envelope/after.prom";
    all.samples = {"tests/data/envelope/samples.jsonl"};
    all.gpu = {"tests/data/envelope/gpu.csv"};
    const auto artifact = built(all);
    const auto& origin = *artifact.object("extensions.sloutils.origin");
    for (const auto* place : {"metrics", "extensions.cache_stats", "extensions.distribution"})
        for (const auto& member : *artifact.object(place)) {
            const auto path = std::string(place) + "." + std::string(member.key());
            const bool derived_text = path == "extensions.distribution.ttft_cold_warm_by";
            BOOST_TEST((origin.contains(path) || member.value().is_null() || derived_text), path);
        }
    BOOST_TEST(*string_at(origin, "power") == "gpu");
    BOOST_TEST(*string_at(origin, "extensions.cache_stats.prefix_hit_rate") == "server");
    BOOST_TEST(artifact.truth("extensions.reconciliation.reconciled").value());
    BOOST_TEST(artifact.truth("slo.overall_pass").value() == false); // 12 % errors
    BOOST_TEST(artifact.number("power.duration_s").value() == artifact.number("metrics.duration_s").value(),
               boost::test_tools::tolerance(1e-6)); // 9.16: the run's, not the sampler's
}

BOOST_AUTO_TEST_CASE(the_exact_side_wins_over_sketches_and_says_so)
{
    const auto exact = built(options());
    auto sketched = options();
    sketched.requests.clear();
    const auto rough = built(sketched);
    BOOST_TEST(exact.truth("extensions.sloutils.client.exact").value());
    BOOST_TEST(!rough.truth("extensions.sloutils.client.exact").value());
    BOOST_TEST(rough.number("extensions.sloutils.client.relative_error").value() == 0.005);
    BOOST_TEST(exact.number("extensions.sloutils.warmup_requests").value() == 5.0);
    BOOST_TEST(rough.number("extensions.sloutils.warmup_requests").value() == 10.0); // a whole round
}

BOOST_AUTO_TEST_CASE(of_a_run_that_was_warmed_up_nothing_is_left_out)
{
    auto warmed = options();
    warmed.warmup = {"tests/data/envelope/rounds.jsonl"}; // more requests than the five of the card
    const auto artifact = built(warmed);
    BOOST_TEST(artifact.text("extensions.sloutils.warm_up.by").value() == "run before");
    BOOST_TEST(artifact.number("extensions.sloutils.warm_up.requests_left_out").value() == 0.0);
    const auto before = artifact.number("extensions.sloutils.warm_up.requests_before").value();
    BOOST_TEST(before > 5);
    BOOST_TEST(artifact.number("extensions.sloutils.warmup_requests").value() == before);
    const auto requests = [](const artifact::Artifact& run) {
        return run.number("metrics.completed").value() + run.number("metrics.failed").value();
    };
    BOOST_TEST(requests(artifact) == requests(built(options())) + 5);
}

BOOST_AUTO_TEST_CASE(snapshots_that_are_exchanged_are_refused)
{
    auto exchanged = options();
    exchanged.before = "tests/data/envelope/after.prom";
    exchanged.after = "tests/data/envelope/before.prom";
    BOOST_CHECK_EXCEPTION(built(exchanged), InputError, [](const InputError& error) {
        return std::string(error.what()) ==
               "--before and --after are exchanged: --before was taken 3.1 s later";
    });
    const std::string path = "envelope_build_test.diff";
    const auto take = [&](std::string_view rest) {
        std::ofstream(path) << R"({"schema":"sloutils.diff/1","status":"OK",)" << rest << "}";
        auto given = options();
        given.diff = path;
        built(given);
    };
    for (const auto* rest : {R"("hits":-2576.0)", R"("window_s":-3.1)", R"("counters":{"preemptions":-1})",
                             R"("counters":{"success":{"stop":-1}},"reset_detected":false)"})
        BOOST_CHECK_THROW(take(rest), InputError);
    BOOST_CHECK_NO_THROW(take(R"("hits":-2576.0,"reset_detected":true)"));
    BOOST_CHECK_NO_THROW(take(R"("hits":2576.0,"counters":{"preemptions":0,"success":{"stop":5}})"));
    std::remove(path.c_str());
}

BOOST_AUTO_TEST_CASE(the_workload_is_the_card_as_the_sidecar_changes_it)
{
    const auto path = std::string("envelope_build_test.yaml");
    std::ofstream(path) << std::ifstream("tests/data/envelope/benchmark.yaml").rdbuf()
                        << "\nworkload_overrides: {load: {num_prompts: 77}}\n";
    auto changed = options();
    changed.sidecar = path;
    const auto artifact = built(changed);
    std::remove(path.c_str());
    BOOST_TEST(artifact.number("workload.load.num_prompts").value() == 77.0);
    const auto notes = to_json(*artifact.array("extensions.sloutils.notes"));
    BOOST_TEST(notes.find("the sidecar changes the card") != std::string::npos);
}
