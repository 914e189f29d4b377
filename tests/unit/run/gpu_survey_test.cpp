// SPDX-License-Identifier: MIT
#include <slo/run/gpu_survey.hpp>

#define BOOST_TEST_MODULE run_gpu_survey
#include <boost/test/unit_test.hpp>

#include "../../support/scratch_folder.hpp"

#include <filesystem>

namespace {
using namespace slo;

struct Machine {
    test::ScratchFolder root;
    run::GpuPreflightOptions options;

    Machine()
    {
        options.no_bandwidth = true;
        options.sysfs = root.path() + "/sys";
        options.proc = root.path() + "/proc";
        options.kernel_log = root.write("log", "");
        options.nvidia_smi = root.path() + "/nvidia-smi";
        options.workdir = "/";
        ::unsetenv("CUDA_VISIBLE_DEVICES");
    }
    void nvidia_smi(const std::string& script) const
    {
        std::filesystem::permissions(root.write("nvidia-smi", "#!/bin/sh\n" + script),
                                     std::filesystem::perms::owner_all);
    }
    void card(const std::string& at, const std::string& vendor = "0x10de") const
    {
        root.write("sys/bus/pci/devices/" + at + "/vendor", vendor + "\n");
        root.write("sys/bus/pci/devices/" + at + "/class", "0x030000\n");
    }
    record::PreflightFacts facts() const
    {
        io::StopSignal stop;
        return run::GpuSurvey(options, stop).facts();
    }
};

std::string lost(const record::PreflightFacts& facts)
{
    std::string text;
    for (const auto& gpu : facts.gpus)
        text += gpu.lost ? gpu.at + " " : "";
    return text;
}

BOOST_AUTO_TEST_CASE(g08_a_card_on_the_bus_that_is_not_listed_is_lost)
{
    Machine machine;
    const auto folder = std::filesystem::absolute("tests/data/cases/G08-lost-gpu-in-list").string();
    machine.nvidia_smi("cat " + folder + "/nvidia-smi.csv");
    BOOST_TEST(lost(machine.facts()) == "0000:81:00.0 "); // it is spoken of
    for (const auto* at : {"0000:11:00.0", "0000:81:00.0", "0000:91:00.0"})
        machine.card(at);
    const auto facts = machine.facts();
    BOOST_TEST(lost(facts) == "0000:81:00.0 ");
    BOOST_TEST(facts.gpus.back().message.starts_with("Unable to determine"));
    BOOST_TEST(facts.messages.empty());
    BOOST_TEST(facts.smi.kind == "");
}

BOOST_AUTO_TEST_CASE(a_message_about_a_listed_card_is_no_loss)
{
    Machine machine;
    machine.nvidia_smi("echo 'WARNING: infoROM is corrupted at gpu 0000:11:00.0'\n"
                       "echo 'index, pci.bus_id'; echo '0, 00000000:11:00.0'");
    const auto facts = machine.facts();
    BOOST_TEST(lost(facts) == "");
    BOOST_TEST(facts.messages.size() == 1u);
}

BOOST_AUTO_TEST_CASE(a_container_is_not_given_all_cards)
{
    Machine machine;
    machine.nvidia_smi("echo 'index, pci.bus_id'; echo '0, 00000000:11:00.0'");
    for (const auto* at : {"0000:11:00.0", "0000:81:00.0", "0000:91:00.0"})
        machine.card(at);
    BOOST_TEST(lost(machine.facts()) == "0000:81:00.0 0000:91:00.0 ");
    machine.root.write("proc/1/cgroup", "0::/docker/1\n");
    BOOST_TEST(lost(machine.facts()) == "0000:81:00.0 0000:91:00.0 ");
    machine.root.write("proc/driver/nvidia/gpus/0000:11:00.0/information", "x\n");
    machine.root.write("proc/driver/nvidia/gpus/0000:91:00.0/information", "x\n");
    const auto facts = machine.facts();
    BOOST_TEST(lost(facts) == "0000:91:00.0 ");
    BOOST_TEST(facts.notes.size() == 1u);
}

BOOST_AUTO_TEST_CASE(a_card_given_to_a_virtual_machine_is_not_lost)
{
    Machine machine;
    machine.nvidia_smi("echo 'index, pci.bus_id'; echo '0, 00000000:11:00.0'");
    machine.card("0000:81:00.0");
    std::filesystem::create_symlink("../../drivers/vfio-pci",
                                    machine.options.sysfs + "/bus/pci/devices/0000:81:00.0/driver");
    BOOST_TEST(lost(machine.facts()) == "");
}

BOOST_AUTO_TEST_CASE(cards_of_another_maker_are_read_from_the_kernel)
{
    Machine machine;
    machine.card("0000:03:00.0", "0x1002");
    machine.root.write("sys/bus/pci/devices/0000:03:00.0/mem_info_vram_total", "1073741824\n");
    machine.root.write("sys/bus/pci/devices/0000:03:00.0/mem_info_vram_used", "1048576\n");
    machine.root.write("sys/bus/pci/devices/0000:03:00.0/numa_node", "1\n");
    const auto facts = machine.facts();
    BOOST_TEST(facts.smi.kind == "");
    BOOST_REQUIRE(facts.gpus.size() == 1u);
    BOOST_TEST(facts.gpus[0].vendor == "amd");
    BOOST_TEST(facts.gpus[0].memory_total_mib.value() == 1024);
    BOOST_TEST(facts.gpus[0].memory_free_mib.value() == 1023);
    BOOST_TEST(facts.gpus[0].numa_node.value() == 1);
}

BOOST_AUTO_TEST_CASE(without_any_card_there_is_one_problem)
{
    Machine machine;
    BOOST_TEST(machine.facts().smi.kind == "no_gpu");
    machine.card("0000:81:00.0");
    BOOST_TEST(machine.facts().smi.kind == "no_nvidia_smi");
}

BOOST_AUTO_TEST_CASE(the_only_card_of_a_table_without_addresses_is_found)
{
    Machine machine;
    machine.nvidia_smi("echo 'NVIDIA X, 32607 MiB, 32109 MiB, 580.00.01, 5, 5, 16, 16'");
    machine.card("0000:81:00.0");
    machine.root.write("log", "NVRM: Xid (PCI:0000:81:00): 63, a\nNVRM: Xid (PCI:0000:82:00): 63, b\n");
    const auto facts = machine.facts();
    BOOST_REQUIRE(facts.gpus.size() == 1u);
    BOOST_TEST(facts.gpus[0].at == "0000:81:00.0");
    BOOST_TEST(facts.gpus[0].xids.size() == 1u);
}

} // namespace
