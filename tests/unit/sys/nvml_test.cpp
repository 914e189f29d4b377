// SPDX-License-Identifier: MIT
#include <slo/sys/nvml.hpp>

#define BOOST_TEST_MODULE sys_nvml
#include <boost/test/unit_test.hpp>

#include "../../support/fake_nvml.hpp"

namespace {
using namespace slo;
using sys::Nvml;
using sys::NvmlError;

constexpr const char* card = "name=NVIDIA Sample-A 80GB\n"
                             "uuid=GPU-0\n"
                             "pci.bus_id=0000C1A0:3B:1F.0\n"
                             "driver_version=580.00.01\n"
                             "pstate=P2\n"
                             "temperature.gpu=41\n"
                             "utilization.gpu=97 %\n"
                             "memory.total=81559 MiB\n"
                             "memory.free=80000 MiB\n"
                             "memory.used=1000 MiB\n"
                             "fan.speed=[N/A]\n"
                             "power.draw=71.25 W\n"
                             "pcie.link.gen.current=[GPU is lost]\n"
                             "pcie.link.width.max=16\n"
                             "persistence_mode=[Insufficient Permissions]\n"
                             "mig.mode.current=Enabled\n"
                             "ecc.errors.corrected.volatile.total=1\n"
                             "ecc.errors.uncorrected.volatile.total=2\n"
                             "ecc.errors.uncorrected.aggregate.total=9000000000\n"
                             "retired_pages.pending=Yes\n"
                             "clocks_event_reasons.hw_slowdown=Active\n"
                             "clocks_event_reasons.hw_thermal_slowdown=Not Active\n"
                             "clocks_event_reasons.hw_power_brake_slowdown=Active\n"
                             "clocks_event_reasons.sw_thermal_slowdown=Not Active\n";

BOOST_AUTO_TEST_CASE(a_library_that_is_none_is_said_so)
{
    BOOST_CHECK_EXCEPTION(Nvml("/no/such/libnvidia-ml.so.1"), Error, [](const Error& error) {
        return std::string(error.what()).starts_with("/no/such/libnvidia-ml.so.1: ");
    });
    BOOST_CHECK_EXCEPTION(Nvml("libm.so.6"), Error, [](const Error& error) {
        return error.what() == std::string("nvmlInit: not in the library libm.so.6");
    });
}

// The same facts from the functions of today and from those of the first versions.
void check_all(const std::string& flags)
{
    const test::FakeNvml fake(flags);
    fake.set("0", card);
    fake.set("apps", "7, a, 512 MiB, GPU-0, x\n8, b, [N/A], GPU-0, x\n9, c, 1 MiB, GPU-1, x\n");
    fake.set("remapped", "0000C1A0:3B:1F.0, No, Yes\n");
    const Nvml nvml(fake.library());
    BOOST_TEST((nvml.init() == NvmlError::none));
    BOOST_TEST(nvml.count().value == 1u);
    BOOST_TEST(nvml.driver_version().value == "580.00.01");
    const auto device = nvml.device(0).value;
    BOOST_TEST(nvml.text(device, "Name").value == "NVIDIA Sample-A 80GB");
    BOOST_TEST(nvml.text(device, "UUID").value == "GPU-0");
    BOOST_TEST(nvml.pci_address(device).value == "0000C1A0:3B:1F.0");
    BOOST_TEST(nvml.number(device, "PerformanceState").value == 2u);
    BOOST_TEST(nvml.number(device, "PowerUsage").value == 71250u);
    BOOST_TEST(nvml.number(device, "MaxPcieLinkWidth").value == 16u);
    BOOST_TEST(nvml.number(device, "RetiredPagesPendingStatus").value == 1u);
    BOOST_TEST((nvml.number(device, "FanSpeed").error == NvmlError::not_supported));
    BOOST_TEST((nvml.number(device, "CurrPcieLinkGeneration").error == NvmlError::gpu_is_lost));
    BOOST_TEST((nvml.number(device, "PersistenceMode").error == NvmlError::no_permission));
    BOOST_TEST((nvml.number(device, "NothingOfTheKind").error == NvmlError::function_not_found));
    BOOST_TEST(nvml.temperature_c(device).value == 41u);
    BOOST_TEST(nvml.utilization_pct(device).value == 97u);
    const auto memory = nvml.memory(device).value;
    BOOST_TEST(memory.total == 81559ull << 20);
    BOOST_TEST(memory.free == 80000ull << 20);
    BOOST_TEST(memory.used == 1000ull << 20);
    const auto errors = [&](Nvml::Ecc type, Nvml::Since since) {
        return nvml.memory_errors(device, type, since).value;
    };
    BOOST_TEST(errors(Nvml::Ecc::corrected, Nvml::Since::driver_loaded) == 1u);
    BOOST_TEST(errors(Nvml::Ecc::uncorrected, Nvml::Since::driver_loaded) == 2u);
    BOOST_TEST(errors(Nvml::Ecc::uncorrected, Nvml::Since::made) == 9000000000u);
    const auto reasons = nvml.clock_reasons(device).value;
    BOOST_TEST((reasons & Nvml::hw_slowdown) != 0);
    BOOST_TEST((reasons & Nvml::hw_power_brake_slowdown) != 0);
    BOOST_TEST((reasons & (Nvml::hw_thermal_slowdown | Nvml::sw_thermal_slowdown)) == 0);
    BOOST_TEST(!nvml.remapped_rows(device).value.pending);
    BOOST_TEST(nvml.remapped_rows(device).value.failed);
    BOOST_TEST(nvml.mig_enabled(device).value);
    const auto processes = nvml.processes(device).value;
    BOOST_REQUIRE(processes.size() == 2u);
    BOOST_TEST(processes[0].pid == 7u);
    BOOST_TEST(processes[0].memory_bytes.value() == 512ull << 20);
    BOOST_TEST(!processes[1].memory_bytes);
    BOOST_TEST(nvml.process_name(8).value == "b");
    BOOST_TEST(!nvml.process_name(80).ok());
}

BOOST_AUTO_TEST_CASE(functions_of_today)
{
    check_all("");
}

BOOST_AUTO_TEST_CASE(functions_of_the_first_versions)
{
    check_all("-DOLD");
}

BOOST_AUTO_TEST_CASE(what_goes_wrong_is_an_error)
{
    const test::FakeNvml fake;
    fake.set("0", card);
    ::setenv("FAKE_NVML_INIT", "18", 1);
    ::setenv("FAKE_NVML_LOST", "0", 1);
    const Nvml nvml(fake.library());
    BOOST_TEST((nvml.init() == NvmlError::version_mismatch));
    const auto lost = nvml.device(0);
    BOOST_TEST((lost.error == NvmlError::gpu_is_lost));
    BOOST_TEST(nvml.words(lost.error) == "GPU is lost");
    ::unsetenv("FAKE_NVML_INIT");
    ::unsetenv("FAKE_NVML_LOST");
}

// A driver that wrote longer entries than it said: no process is made of their middles.
BOOST_AUTO_TEST_CASE(entries_of_another_layout_are_unknown)
{
    const test::FakeNvml fake;
    fake.set("0", card);
    fake.set("apps", "7, a, 512 MiB, GPU-0, x\n8, b, 1 MiB, GPU-0, x\n");
    ::setenv("FAKE_NVML_LONG", "1", 1);
    const Nvml nvml(fake.library());
    const auto processes = nvml.processes(nvml.device(0).value);
    ::unsetenv("FAKE_NVML_LONG");
    BOOST_TEST((processes.error == NvmlError::unknown));
    BOOST_TEST(processes.value.empty());
}

} // namespace
