// SPDX-License-Identifier: MIT
#include <slo/artifact/power_summary.hpp>

#define BOOST_TEST_MODULE artifact_power_summary
#include <boost/test/unit_test.hpp>

#include <slo/io/jsonl.hpp>

#include "../../support/vector_table.hpp"

using namespace slo;

BOOST_AUTO_TEST_CASE(vectors)
{
    test::VectorTable table({{"engagement/power", "hardware_errors.pcie_replay_count_delta", "absent",
                              "16: the envelope's name is pcie_replay_delta"}});
    io::LineReader reader("tests/data/benchmark/engagement.jsonl");
    while (const auto vector = io::next_object(reader)) {
        if (*string_at(*vector, "id") != "engagement/power")
            continue;
        const auto& input = *object_at(*vector, "input");
        const auto& named = *object_at(input, "artifacts");
        const auto blocks = artifact::power_of_summary(
            input.at("files").at("p.json").as_object(), "p.json", std::nullopt,
            {.total_output_tokens = number_at(*object_at(input, "metrics"), "total_output_tokens"),
             .load_fraction = number_at(named, "load_fraction"),
             .sentinel_divergences = integer_at(named, "sentinel_divergences")});
        const json::value ours{{"power", *blocks.power.value},
                               {"hardware_errors", *blocks.hardware_errors.value}};
        BOOST_CHECK_EQUAL(ours.at("hardware_errors").at("pcie_replay_delta").as_int64(), 0);
        table.compare("engagement/power", "", vector->at("expected"), &ours);
    }
    table.finish();
}

BOOST_AUTO_TEST_CASE(energy_of_more_than_the_run_is_not_the_runs)
{
    const auto file = parse_json(R"({"source":"psychic","duration_s":900,"summary":)"
                                 R"({"total_energy_joules":9e5,"avg_fleet_power_watts":1000}})")
                          .as_object();
    const auto blocks = artifact::power_of_summary(file, "p.json", 300, {.total_output_tokens = 1e6});
    BOOST_CHECK(blocks.power.value->at("total_energy_joules").is_null());
    BOOST_CHECK(blocks.power.value->at("tokens_per_joule").is_null());
    BOOST_CHECK_EQUAL(blocks.power.notes[0],
                      "power: sampled for 900.0 s, while the run took 300.0 s: no energy of the run");
    BOOST_CHECK_EQUAL(blocks.power.notes[1], "power.source: the file names none of the envelope's");
    BOOST_CHECK(!blocks.hardware_errors.value);
    BOOST_CHECK_THROW(artifact::power_of_summary({}, "p.json", 300, {}), InputError);
}
