// SPDX-License-Identifier: MIT
#include <slo/artifact/gpu_series.hpp>

#define BOOST_TEST_MODULE artifact_gpu_series
#include <boost/test/unit_test.hpp>

using namespace slo;
using artifact::GpuReading;
using artifact::RunWindow;

BOOST_AUTO_TEST_CASE(a_gauge_over_the_window)
{
    const std::vector<GpuReading> even{{0, 100}, {10, 200}, {20, 300}};
    const auto all = artifact::integrate(even, {0, 20});
    BOOST_CHECK_EQUAL(all.sum, 100 * 5 + 200 * 10 + 300 * 5);
    BOOST_CHECK_EQUAL(all.covered_s, 20);
    const auto part = artifact::integrate(even, {12, 16});
    BOOST_CHECK_EQUAL(part.sum, 200 * 3 + 300 * 1); // to 15 the second is the nearest
    // A gap of a hundred steps is not filled in by its neighbours.
    const std::vector<GpuReading> gap{{0, 1}, {1, 1}, {2, 1}, {102, 1}, {103, 1}, {104, 1}};
    BOOST_CHECK_EQUAL(artifact::integrate(gap, {0, 104}).covered_s, 2 + 1.5 + 1.5 + 2);
    BOOST_CHECK_EQUAL(artifact::integrate(std::vector<GpuReading>{{5, 1}}, {0, 10}).covered_s, 0);
    BOOST_CHECK_EQUAL(artifact::within(even, {5, 20}).size(), 2);
}

BOOST_AUTO_TEST_CASE(a_counter_over_the_window)
{
    // Scraped before the run, during it, and after it; what came before the run does not count.
    const std::vector<GpuReading> counter{{0, 5}, {10, 7}, {20, 8}, {30, 12}, {40, 99}};
    BOOST_CHECK_EQUAL(*artifact::counted(counter, {12, 25}), 5);
    BOOST_CHECK_EQUAL(*artifact::counted(counter, {0, 40}), 94);
    BOOST_CHECK_EQUAL(*artifact::counted(std::vector<GpuReading>{{1, 9}, {2, 4}}, {0, 5}), 4); // began anew
    BOOST_CHECK(!artifact::counted(std::vector<GpuReading>{{1, 9}}, {0, 5}));
    BOOST_CHECK(!artifact::counted(std::vector<GpuReading>{{1, 9}, {2, 10}}, {5, 6}));
}

BOOST_AUTO_TEST_CASE(energy_between_readings)
{
    const std::vector<GpuReading> meter{{0, 1000}, {10, 3000}, {20, 6000}};
    BOOST_CHECK_EQUAL(*artifact::metered(meter, {5, 15}), 2500);
    BOOST_CHECK(!artifact::metered(meter, {5, 25})); // does not reach the end
    BOOST_CHECK(!artifact::metered(std::vector<GpuReading>{{0, 10}, {10, 5}}, {0, 10}));
}

BOOST_AUTO_TEST_CASE(readings_of_exporters_and_tables)
{
    artifact::GpuSeries series(7200); // nvidia-smi's clock is two hours ahead of UTC
    series.reading("0", "power.draw", 70.0, 7210.0);
    series.reading("0", "power.draw", std::nullopt, 7211.0);
    series.reading("0", "power.draw", 71.0, std::nullopt);
    series.reading("0", "pstate", 0.0, 7210.0);
    series.reading("0", "power.draw.instant", 99.0, 7210.0);
    series.sort();
    BOOST_CHECK_EQUAL(series.source(), "nvidia-smi");
    BOOST_CHECK_EQUAL(series.without_time(), 1);
    BOOST_REQUIRE_EQUAL(series.of("power_w").size(), 1);
    BOOST_REQUIRE_EQUAL(series.of("power_w")[0].second.size(), 1);
    BOOST_CHECK_EQUAL(series.of("power_w")[0].second[0].time_s, 10);
    BOOST_CHECK_EQUAL(series.of("power_w")[0].second[0].value, 70);
    BOOST_CHECK_EQUAL(series.extent()->end_s, 10);
    BOOST_CHECK_THROW(series.add("DCGM_FI_DEV_POWER_USAGE", "0", 1, 1), InputError); // twice the same card

    artifact::GpuSeries exported;
    auto snapshot =
        record::parse_snapshot("DCGM_FI_DEV_POWER_USAGE{gpu=\"1\",Hostname=\"h\"} 300\n"
                               "DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION{gpu=\"1\",Hostname=\"h\"} 5000\n"
                               "DCGM_FI_DEV_ECC_SBE_AGG_TOTAL{gpu=\"1\",Hostname=\"h\"} 2\n"
                               "DCGM_FI_DEV_GPU_TEMP{gpu=\"1\",Hostname=\"h\"} 2147483632\n",
                               "s");
    snapshot.taken_s = 3;
    exported.take(snapshot);
    BOOST_CHECK_EQUAL(exported.of("energy_j")[0].first, "h:1");
    BOOST_CHECK_EQUAL(exported.of("energy_j")[0].second[0].value, 5); // mJ in the exporter
    BOOST_CHECK(exported.of("temperature_c").empty());                // DCGM's blank
    BOOST_CHECK(!artifact::GpuSeries().extent());
}
