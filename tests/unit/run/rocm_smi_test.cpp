// SPDX-License-Identifier: MIT
#include <slo/run/rocm_smi.hpp>

#define BOOST_TEST_MODULE run_rocm_smi
#include <boost/test/unit_test.hpp>

#include "../../support/scratch_folder.hpp"

#include <filesystem>

namespace {
using namespace slo;

std::vector<record::GpuFacts> amd_cards(std::initializer_list<const char*> addresses)
{
    std::vector<record::GpuFacts> cards;
    for (const char* at : addresses) {
        record::GpuFacts gpu;
        gpu.vendor = "amd";
        gpu.at = at;
        cards.push_back(gpu);
    }
    return cards;
}

bool is_one(std::int64_t pid)
{
    return pid == 1;
}

BOOST_AUTO_TEST_CASE(what_sysfs_told_stays)
{
    auto cards = amd_cards({"0000:03:00.0"});
    cards[0].memory_used_mib = 5;
    wire::RocmSmiReport report;
    report.cards = {{"0000:03:00.0", 40.0, 100.0, 7.0, 1048576.0 * 64, 1048576.0 * 32, {"x 1"}}};
    report.processes = {{1, "ours", 1048576.0}, {2, "other", std::nullopt}};
    BOOST_TEST(run::take_rocm_report(report, is_one, cards).empty());
    BOOST_TEST(cards[0].memory_used_mib.value() == 5);
    BOOST_TEST(cards[0].memory_total_mib.value() == 64);
    BOOST_TEST(cards[0].memory_free_mib.value() == 59);
    BOOST_TEST(cards[0].temperature_c.value() == 40);
    BOOST_TEST(cards[0].implausible.size() == 1u);
    BOOST_REQUIRE(cards[0].processes.size() == 2u);
    BOOST_TEST(cards[0].processes[0].ours);
    BOOST_TEST(cards[0].processes[0].memory_mib.value() == 1);
    BOOST_TEST(!cards[0].processes[1].memory_mib);
}

BOOST_AUTO_TEST_CASE(a_card_is_found_by_its_address_or_where_there_is_one)
{
    wire::RocmSmiReport report;
    report.cards.resize(1);
    report.cards[0].temperature_c = 40;
    report.processes = {{7, "a", 1.0}};
    auto one = amd_cards({"0000:03:00.0"});
    run::take_rocm_report(report, is_one, one);
    BOOST_TEST(one[0].temperature_c.value() == 40);
    auto two = amd_cards({"0000:03:00.0", "0000:04:00.0"});
    BOOST_TEST(run::take_rocm_report(report, is_one, two).size() == 2u);
    BOOST_TEST(!two[0].temperature_c);
    BOOST_TEST(two[0].processes.empty());
    report.cards[0].at = "0000:04:00.0";
    BOOST_TEST(run::take_rocm_report(report, is_one, two).size() == 1u);
    BOOST_TEST(two[1].temperature_c.value() == 40);
}

BOOST_AUTO_TEST_CASE(why_there_is_no_answer)
{
    io::StopSignal stop;
    const test::ScratchFolder folder;
    const auto says = [&](const std::string& script, double timeout_s = 20) {
        const auto file = folder.write("rocm-smi", "#!/bin/sh\n" + script);
        std::filesystem::permissions(file, std::filesystem::perms::owner_all);
        return run::ask_rocm_smi(file, timeout_s, stop);
    };
    BOOST_TEST(!run::ask_rocm_smi("/no/such", 1, stop).is_there);
    BOOST_TEST(says("exec sleep 1000", 0.1).problem.ends_with("did not answer within 0.1 s"));
    BOOST_TEST(says("kill -9 $$").problem.ends_with("was ended by signal 9"));
    BOOST_TEST(says("echo no; exit 2").problem.ends_with("ended with status 2 and told of no card: no"));
    const auto told = says("echo '{\"card0\": {\"GPU use (%)\": \"1\"}}'; exit 2");
    BOOST_REQUIRE(told.report);
    BOOST_TEST(told.problem == "");
}

} // namespace
