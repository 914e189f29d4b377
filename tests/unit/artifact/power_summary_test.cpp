// SPDX-License-Identifier: MIT
#include <slo/artifact/power_summary.hpp>

#define BOOST_TEST_MODULE artifact_power_summary
#include <boost/test/unit_test.hpp>

using namespace slo;

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
