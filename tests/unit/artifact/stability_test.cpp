// SPDX-License-Identifier: MIT
#include <slo/artifact/stability.hpp>

#define BOOST_TEST_MODULE artifact_stability
#include <boost/test/unit_test.hpp>

#include <slo/io/jsonl.hpp>

#include "../../support/scratch_file.hpp"
#include "../../support/vector_table.hpp"

#include <fstream>

using namespace slo;
using artifact::Slice;

namespace {

std::vector<Slice> slices_of(const json::object& input)
{
    std::vector<Slice> slices;
    for (const auto& throughput : *array_at(input, "throughputs")) {
        Slice slice{"slice", *as_number(&throughput), 0, std::nullopt};
        if (const auto failed =
                integer_at(*object_at(input, "failed_by_slice"), std::to_string(slices.size())))
            slice.failed = *failed;
        slices.push_back(slice);
    }
    return slices;
}

// Twelve slices of an hour behind a warm-up of two, and one more.
std::vector<Slice> burn_in(double last)
{
    std::vector<Slice> slices(15, Slice{"slice", 100, 0, std::nullopt});
    slices.back().throughput = last;
    return slices;
}

} // namespace

BOOST_AUTO_TEST_CASE(vectors)
{
    std::vector<test::Difference> differences;
    for (const char* name :
         {"flat", "minus-2", "minus-2.1", "plus-5", "plus-5.1", "one-failure-in-warmup", "slice-15"})
        differences.push_back({std::string("burn_in/") + name, "thermal_events", "null",
                               "20: where no temperature was measured there is no 0"});
    test::VectorTable table(differences);
    io::LineReader reader("tests/data/benchmark/burn_in.jsonl");
    std::size_t seen = 0, errors = 0;
    while (const auto vector = io::next_object(reader)) {
        ++seen;
        const auto& input = *object_at(*vector, "input");
        const auto& expected = vector->at("expected").as_object();
        const artifact::StabilityTerms terms{*number_at(input, "warmup_minutes"),
                                             number_at(input, "slice_minutes"), number_at(input, "temp_max")};
        if (expected.contains("error")) {
            ++errors;
            BOOST_CHECK_THROW(artifact::stability_block(slices_of(input), terms), InputError);
            continue;
        }
        const json::value ours = *artifact::stability_block(slices_of(input), terms).value;
        table.compare(std::string(*string_at(*vector, "id")), "", expected, &ours);
    }
    BOOST_CHECK_EQUAL(seen, 9);
    BOOST_CHECK_EQUAL(errors, 2);
    table.finish();
}

BOOST_AUTO_TEST_CASE(a_gate_that_is_not_decided)
{
    const auto gate = [](const std::vector<Slice>& slices) {
        const auto block = *artifact::stability_block(slices, {}).value;
        return to_json(block.at("drift_gate_passed"));
    };
    BOOST_CHECK_EQUAL(gate(burn_in(100)), "true");
    BOOST_CHECK_EQUAL(gate(burn_in(90)), "false");
    auto short_run = burn_in(100);
    short_run.pop_back(); // its last slice is one of the baseline
    BOOST_CHECK_EQUAL(gate(short_run), "null");
    auto untold = burn_in(100);
    untold[3].failed.reset();
    BOOST_CHECK_EQUAL(gate(untold), "null");
    untold.back().throughput = 0;
    BOOST_CHECK_EQUAL(gate(untold), "false");
    // The classic analysis calls a run without any output free of drift.
    BOOST_CHECK_EQUAL(gate(std::vector<Slice>(15, Slice{"slice", 0, 0, std::nullopt})), "false");

    const auto hot = *artifact::stability_block(burn_in(100), {10, std::nullopt, 85.5}).value;
    BOOST_CHECK_EQUAL(hot.at("thermal_events").as_int64(), 1);
    BOOST_CHECK_EQUAL(hot.at("drift_gate_passed").as_bool(), true);
    BOOST_CHECK_THROW(artifact::stability_block(burn_in(1), {10, 0.0, std::nullopt}), InputError);
}

BOOST_AUTO_TEST_CASE(slices_of_every_kind)
{
    const test::ScratchFile rounds, envelope, result;
    std::ofstream(rounds.path())
        << R"({"schema":"sloutils.round/1","actual_qps":2,"counts":{"due":120,"ok":118},"output_tokens_per_minute":6000})"
        << "\n"
        << R"({"schema":"sloutils.round/1","actual_qps":2,"counts":{"due":120,"ok":0},"output_tokens_per_minute":null})"
        << "\n";
    std::ofstream(envelope.path())
        << "{\n\"artifact_id\":\"x\",\n\"metrics\":{\"output_toks_per_s\":90,\"failed\":1}}\n";
    std::ofstream(result.path()) << R"({"duration":300,"completed":9,"failed":0,"output_throughput":80})";
    const auto slices = artifact::read_slices({rounds.path(), envelope.path(), result.path()});
    BOOST_REQUIRE_EQUAL(slices.size(), 4);
    BOOST_CHECK_EQUAL(slices[0].throughput, 100);
    BOOST_CHECK_EQUAL(*slices[0].failed, 2);
    BOOST_CHECK_EQUAL(*slices[0].duration_s, 60);
    BOOST_CHECK_EQUAL(slices[1].throughput, 0);
    BOOST_CHECK_EQUAL(*slices[2].failed, 1);
    BOOST_CHECK_EQUAL(slices[3].throughput, 80);
    BOOST_CHECK_EQUAL(*slices[3].duration_s, 300);

    for (const char* wrong :
         {R"({"qps":3})", R"({"schema":"sloutils.round/1","shard":"0/2","counts":{"due":1,"ok":0}})"}) {
        std::ofstream(result.path()) << wrong;
        BOOST_CHECK_THROW(artifact::read_slices({result.path()}), InputError);
    }
    // The length of the slices is theirs where all of them tell it.
    const auto block =
        artifact::stability_block({slices[0], slices[0], slices[0]}, {1, std::nullopt, std::nullopt});
    BOOST_CHECK_EQUAL(block.value->at("duration_hours").as_double(), 0.05);
}
