// SPDX-License-Identifier: MIT
#include <slo/run/nvidia_cards.hpp>

#define BOOST_TEST_MODULE run_nvidia_cards
#include <boost/test/unit_test.hpp>

#include "../../support/scratch_folder.hpp"

#include <filesystem>

namespace {
using namespace slo;

// A bus with two cards of NVIDIA, and a program that stands for nvidia-smi.
record::PreflightFacts facts_of(const std::string& script)
{
    const test::ScratchFolder folder;
    for (const std::string at : {"0000:01:00.0", "0000:41:00.0"}) {
        const auto device = "sys/devices/pci0000:00/" + at;
        folder.write(device + "/vendor", "0x10de\n");
        folder.write(device + "/class", "0x030200\n");
    }
    run::GpuPreflightOptions options;
    options.sysfs = folder.path() + "/sys";
    options.nvidia_smi = folder.write("nvidia-smi", "#!/bin/sh\n" + script);
    std::filesystem::permissions(options.nvidia_smi, std::filesystem::perms::owner_all);
    const sys::PciTree tree(options.sysfs);
    const auto devices = tree.devices();
    io::StopSignal stop;
    run::NvidiaSmi smi(options.nvidia_smi, 20, stop);
    record::PreflightFacts facts;
    run::NvidiaCards(options, tree, devices, smi, stop, facts).ask([](auto) { return false; });
    return facts;
}

BOOST_AUTO_TEST_CASE(a_card_that_is_not_listed_is_lost)
{
    const auto facts =
        facts_of("case $1 in --query-gpu*) echo index, pci.bus_id; echo 0, 00000000:01:00.0;; esac");
    BOOST_TEST(facts.asked == "nvidia-smi");
    BOOST_TEST(facts.smi.kind == "");
    BOOST_REQUIRE(facts.gpus.size() == 2u);
    BOOST_TEST(!facts.gpus[0].lost);
    BOOST_TEST(facts.gpus[1].at == "0000:41:00.0");
    BOOST_TEST(facts.gpus[1].lost);
}

BOOST_AUTO_TEST_CASE(the_others_are_asked_where_one_is_lost)
{
    const auto facts = facts_of(R"(
for last; do :; done
case $last in
  --id=*01:00.0) case $1 in --query-gpu*) echo index, pci.bus_id; echo 0, 00000000:01:00.0;; *) exit 9;; esac;;
  *) echo 'Unable to determine the device handle for GPU 0000:41:00.0: GPU is lost'; exit 15;;
esac)");
    BOOST_TEST(facts.smi.kind == "");
    BOOST_REQUIRE(facts.gpus.size() == 2u);
    BOOST_TEST(facts.gpus[0].index.value() == 0);
    BOOST_TEST(facts.gpus[1].lost);
    BOOST_TEST(facts.gpus[1].message.find("GPU is lost") != std::string::npos);
    BOOST_TEST(facts.messages.empty());
    BOOST_REQUIRE(facts.unanswered.size() == 2u);
    BOOST_TEST(facts.unanswered[0].starts_with("processes on the cards: "));
    BOOST_TEST(facts.unanswered[1].starts_with("remapped memory rows: "));
}

BOOST_AUTO_TEST_CASE(no_card_answers)
{
    const auto facts = facts_of("exit 15");
    BOOST_TEST(facts.gpus.size() == 2u); // both lost
    BOOST_TEST(facts.smi.kind == "");
    BOOST_TEST(facts_of("exit 9").smi.kind == "nvidia_smi_failed");
    BOOST_TEST(facts_of("exit 9").gpus.empty());
}

} // namespace
