// SPDX-License-Identifier: MIT
#include <slo/artifact/power.hpp>

#define BOOST_TEST_MODULE artifact_power
#include <boost/test/unit_test.hpp>

#include <slo/io/jsonl.hpp>

#include "../../support/vector_table.hpp"

#include <map>

using namespace slo;

namespace {

const std::map<std::string, std::string> sources{{"power_watts", "DCGM_FI_DEV_POWER_USAGE"},
                                                 {"temp_c", "DCGM_FI_DEV_GPU_TEMP"},
                                                 {"ecc_sbe_total", "DCGM_FI_DEV_ECC_SBE_AGG_TOTAL"}};

// The vectors have no times: their samples are spread evenly over the duration, the first that have
// something to say.
artifact::GpuSeries series_of(const json::object& input)
{
    artifact::GpuSeries series;
    const auto& samples = *array_at(input, "samples");
    const double step_s = *number_at(input, "duration_s") / 2;
    for (std::size_t i = 0; i < samples.size(); ++i) {
        for (const auto& [key, values] : samples[i].as_object()) {
            std::size_t gpu = 0;
            for (const auto& value : values.as_array()) {
                if (gpu < static_cast<std::size_t>(*integer_at(input, "num_gpus")))
                    series.add(sources.at(std::string(key)), std::to_string(gpu), *as_number(&value),
                               (static_cast<double>(i) + 0.5) * step_s);
                ++gpu;
            }
        }
    }
    series.sort();
    return series;
}

artifact::GpuSeries steady(double from_s, double to_s, double watts, const char* card = "0")
{
    artifact::GpuSeries series;
    for (double time_s = from_s; time_s <= to_s; ++time_s)
        series.add("DCGM_FI_DEV_POWER_USAGE", card, watts, time_s);
    series.sort();
    return series;
}

} // namespace

BOOST_AUTO_TEST_CASE(vectors)
{
    test::VectorTable table({});
    io::LineReader reader("tests/data/benchmark/power.jsonl");
    std::size_t seen = 0;
    while (const auto vector = io::next_object(reader)) {
        ++seen;
        const auto& input = *object_at(*vector, "input");
        const auto series = series_of(input);
        const artifact::RunWindow window{0, *number_at(input, "duration_s")};
        const auto blocks = artifact::power_blocks(series, window, {});
        // The envelope has no place for percentiles of a count of errors; the sum itself is the same.
        json::object ours;
        if (blocks.power.value) {
            ours = *blocks.power.value;
            ours["ecc_sbe_total"] =
                artifact::detail::aggregate(artifact::detail::sample_of(series, "ecc_sbe", window));
            ours["ecc_sbe_total_delta"] = blocks.hardware_errors.value->at("ecc_sbe_delta");
        } else {
            BOOST_CHECK_EQUAL(blocks.power.notes.front(), "power: no readings of GPUs");
        }
        const json::value value = ours;
        table.compare(std::string(*string_at(*vector, "id")), "", vector->at("expected"), &value);
    }
    BOOST_CHECK_EQUAL(seen, 2);
    table.finish();
}

BOOST_AUTO_TEST_CASE(energy_is_that_of_the_run_alone)
{
    // Sampled for an hour around a run of 100 s: the classic sampler would have said 3600 times 250.
    const auto series = steady(0, 3600, 250);
    const auto blocks = artifact::power_blocks(series, {1000, 1100}, {.total_output_tokens = 50000});
    const auto& power = *blocks.power.value;
    BOOST_CHECK_EQUAL(power.at("total_energy_joules").as_double(), 25000);
    BOOST_CHECK_EQUAL(power.at("tokens_per_joule").as_double(), 2);
    BOOST_CHECK_EQUAL(power.at("duration_s").as_double(), 100);
    BOOST_CHECK_EQUAL(blocks.gpu_telemetry.value->at("power_draw_w_mean").as_double(), 250);
    BOOST_CHECK(blocks.gpu_telemetry.value->at("gpu_util_pct_mean").is_null());
    BOOST_CHECK(!blocks.hardware_errors.value);
}

BOOST_AUTO_TEST_CASE(energy_that_is_not_known)
{
    const auto half = artifact::power_blocks(steady(0, 50, 250), {0, 100}, {});
    BOOST_CHECK(half.power.value->at("total_energy_joules").is_null());
    BOOST_CHECK_EQUAL(half.power.value->at("avg_fleet_power_watts").as_double(), 250);
    BOOST_CHECK_EQUAL(half.power.notes.front(),
                      "power: the readings of GPU 0 cover 51.5 s of the run's 100.0");

    const auto apart = artifact::power_blocks(steady(0, 50, 250), {7225, 7275}, {});
    BOOST_CHECK(!apart.power.value);
    BOOST_CHECK_EQUAL(apart.power.notes.front(),
                      "power: no reading lies within the run; they are 7225 s before it");
    BOOST_CHECK(!artifact::power_blocks(steady(0, 50, 250), {5, 5}, {}).power.value);

    auto pair = steady(0, 100, 250);
    pair.add("DCGM_FI_DEV_POWER_USAGE", "1", 250, 900); // not within the run, and not 0 W in it
    const auto of_one = artifact::power_blocks(pair, {0, 100}, {});
    BOOST_CHECK(of_one.power.value->at("total_energy_joules").is_null());
    BOOST_CHECK(of_one.power.value->at("avg_fleet_power_watts").is_null());
}

BOOST_AUTO_TEST_CASE(counters_of_energy_and_faults)
{
    artifact::GpuSeries series;
    for (const auto& [time_s, millijoules, xid, replays] : std::vector<std::array<double, 4>>{
             {90, 0, 31, 4}, {110, 2e6, 31, 4}, {150, 6e6, 79, 5}, {210, 12e6, 79, 9}}) {
        series.add("DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION", "0", millijoules, time_s);
        series.add("DCGM_FI_DEV_POWER_USAGE", "0", 1, time_s); // a gauge that slept
        series.add("DCGM_FI_DEV_XID_ERRORS", "0", xid, time_s);
        series.add("DCGM_FI_DEV_PCIE_REPLAY_COUNTER", "0", replays, time_s);
    }
    series.sort();
    const auto blocks = artifact::power_blocks(series, {100, 200}, {.sentinel_divergences = 3});
    BOOST_CHECK_EQUAL(blocks.power.value->at("total_energy_joules").as_double(), 10000);
    BOOST_CHECK_EQUAL(blocks.power.value->at("avg_fleet_power_watts").as_double(), 100);
    BOOST_CHECK_EQUAL(to_json(*blocks.hardware_errors.value),
                      R"({"pcie_replay_delta":5,"xid_events":["GPU 0: XID 79"],"sentinel_divergences":3})");
    BOOST_CHECK_EQUAL(blocks.gpu_telemetry.value->at("xid_errors").to_number<int>(), 1);
}
