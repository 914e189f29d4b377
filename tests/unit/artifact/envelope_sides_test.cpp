// SPDX-License-Identifier: MIT
#include <slo/artifact/envelope_sides.hpp>

#define BOOST_TEST_MODULE artifact_envelope_sides
#include <boost/test/unit_test.hpp>

#include "../../support/scratch_folder.hpp"

#include <fstream>

using namespace slo;

namespace {

struct Fixture {
    test::ScratchFolder scratch;
    artifact::EnvelopeOptions options;
    artifact::Sources sources;
    artifact::Envelope envelope;
    card::Sidecar sidecar = card::load_sidecar("tests/data/envelope/benchmark.yaml");

    std::string file(std::string_view text) const
    {
        const auto path = scratch.path() + "/f";
        std::ofstream(path) << text;
        return path;
    }

    artifact::Artifact made()
    {
        envelope.add_deployment(sidecar);
        envelope.add_workload(card::load_card("tests/data/envelope/chat.yaml"), {}, nullptr);
        return {envelope.finish(nullptr, sources.to_json_array(), 1e9, ""), "a"};
    }
};

constexpr double run_began_s = 1796082030.26; // 2026-11-30T23:40:30Z

} // namespace

BOOST_FIXTURE_TEST_CASE(readings_of_gpus_are_those_within_the_run, Fixture)
{
    options.gpu = {"tests/data/envelope/gpu.csv"};
    artifact::EnvelopeSides sides(options, sources, envelope);
    sides.read_machine(sidecar, artifact::RunWindow{run_began_s, run_began_s + 2});
    sides.read_rest();
    const auto artifact = made();
    BOOST_TEST(artifact.number("power.duration_s").value() == 2.0, boost::test_tools::tolerance(1e-6));
    BOOST_TEST(artifact.number("extensions.gpu_telemetry.temp_c_max").value() == 56.0);
}

BOOST_FIXTURE_TEST_CASE(without_the_time_of_the_run_there_is_no_power, Fixture)
{
    options.gpu = {"tests/data/envelope/gpu.csv"};
    options.preflight = file(R"({"schema":"sloutils.preflight/1","gpus":[{}]})");
    artifact::EnvelopeSides sides(options, sources, envelope);
    sides.read_machine(sidecar, std::nullopt);
    sides.read_rest();
    const auto artifact = made();
    BOOST_TEST(!artifact.at("power"));
    const auto& notes = *artifact.array("extensions.sloutils.notes");
    BOOST_TEST(notes[0].get_string() == "gpu: when the run was is not known: give --requests or --run");
    BOOST_TEST(notes[1].get_string() == "the sidecar has 2 GPUs, gpu-preflight saw 1");
}

BOOST_FIXTURE_TEST_CASE(the_result_of_a_search_and_a_verdict_are_taken, Fixture)
{
    options.search = file("{\"event\":\"start\"}\n{\"event\":\"result\",\"max_qps\":7}\n");
    artifact::EnvelopeSides sides(options, sources, envelope);
    sides.read_rest();
    BOOST_TEST(made().number("extensions.sloutils.search.max_qps").value() == 7.0);
    options.verdict = file(R"({"status":"PASS"})"); // no rounds_seen: another record
    BOOST_CHECK_THROW(sides.read_rest(), InputError);
}
