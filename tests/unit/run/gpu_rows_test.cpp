// SPDX-License-Identifier: MIT
#include <slo/run/gpu_rows.hpp>

#define BOOST_TEST_MODULE run_gpu_rows
#include <boost/test/unit_test.hpp>

#include <slo/io/fd.hpp>

namespace {
using namespace slo;

wire::NvidiaSmiTable table_of(const std::string& file)
{
    return {io::read_all("tests/data/cases/" + file, 65536), {"index"}};
}

BOOST_AUTO_TEST_CASE(g01_unknown_is_not_nought)
{
    const auto table = table_of("G01-sentinel-values/nvidia-smi.csv");
    std::vector<record::GpuFacts> gpus;
    for (const auto& row : table.rows())
        gpus.push_back(run::gpu_of(row));
    BOOST_REQUIRE(gpus.size() == 3u);
    BOOST_TEST(gpus[0].memory_used_mib.value() == 1024);
    BOOST_TEST(gpus[0].memory_total_mib.value() == 81559);
    BOOST_TEST(!gpus[1].memory_used_mib);
    BOOST_TEST(!gpus[2].memory_total_mib);
    BOOST_TEST(gpus[2].power_w.value() == 70.0);
    run::take_processes(
        table_of("G01-sentinel-values/compute-apps.csv"), [](auto pid) { return pid == 4243; }, gpus);
    BOOST_REQUIRE(gpus[0].processes.size() == 2u);
    BOOST_TEST(gpus[0].processes[0].memory_mib.value() == 512);
    BOOST_TEST(gpus[0].processes[1].pid == 4243);
    BOOST_TEST(!gpus[0].processes[1].memory_mib);
    BOOST_TEST(gpus[0].processes[1].ours);
}

BOOST_AUTO_TEST_CASE(g05_addresses_as_sysfs_has_them)
{
    const auto table = table_of("G05-pci-address-forms/nvidia-smi.csv");
    const auto expected = std::vector<std::string>{"0000:c1:00.0", "0001:00:00.0", "0000:17:00.0",
                                                   "10000:01:00.0", "000a:3b:00.1"};
    BOOST_REQUIRE(table.rows().size() == expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i)
        BOOST_TEST(run::gpu_of(table.rows()[i]).at == expected[i]);
}

BOOST_AUTO_TEST_CASE(g08_words_of_error_are_kept)
{
    const auto table = table_of("G08-lost-gpu-in-list/nvidia-smi.csv");
    BOOST_REQUIRE(table.rows().size() == 2u);
    BOOST_TEST(run::gpu_of(table.rows()[0]).fields_in_error.empty());
    BOOST_TEST(run::gpu_of(table.rows()[1]).fields_in_error.size() == 2u);
}

BOOST_AUTO_TEST_CASE(processes_go_to_their_cards)
{
    std::vector<record::GpuFacts> gpus(2);
    gpus[0].uuid = "GPU-0";
    gpus[1].at = "0000:02:00.0";
    const std::vector<std::string> columns{"pid", "process_name", "used_gpu_memory", "gpu_uuid",
                                           "gpu_bus_id"};
    const wire::NvidiaSmiTable table(
        "1, a, 5 MiB, GPU-0, [N/A]\n2, b, 6 MiB, GPU-x, 00000000:02:00.0\n-3, c, 7 MiB, , \n", columns);
    run::take_processes(
        table, [](auto) { return false; }, gpus);
    BOOST_TEST(gpus[0].processes.size() == 1u);
    BOOST_TEST(gpus[1].processes.size() == 1u);
    BOOST_TEST(gpus[1].processes[0].name == "b");
}

BOOST_AUTO_TEST_CASE(free_memory_tells_what_is_used)
{
    const wire::NvidiaSmiTable table("100 MiB, 30 MiB, P0, 60 %, Active, -1\n",
                                     {"memory.total", "memory.free", "pstate", "utilization.gpu",
                                      "clocks_event_reasons.hw_thermal_slowdown", "pcie.link.gen.current"});
    const auto gpu = run::gpu_of(table.rows().at(0));
    BOOST_TEST(gpu.memory_used_mib.value() == 70);
    BOOST_TEST(gpu.link_under_load);
    BOOST_TEST(gpu.throttle_reasons.at(0) == "hw_thermal_slowdown");
    BOOST_TEST(!gpu.link.gen);
}

} // namespace
