// SPDX-License-Identifier: MIT
#include <slo/plan/preflight_rules.hpp>

#define BOOST_TEST_MODULE plan_preflight_rules
#include <boost/test/unit_test.hpp>

#include <functional>
#include <string>

namespace {
using namespace slo;

constexpr std::uint64_t gib = std::uint64_t{1} << 30;

record::PreflightFacts sound_machine()
{
    record::PreflightFacts facts;
    record::GpuFacts gpu;
    gpu.index = 0;
    gpu.at = "0000:01:00.0";
    gpu.memory_total_mib = 32000;
    gpu.memory_used_mib = 10;
    gpu.link = {5, 5, 16, 16};
    gpu.path = {{gpu.at, {5, 5, 16, 16}, {0, 0, 0}}};
    facts.gpus = {gpu};
    facts.host.workdir = ".";
    facts.host.free_disk_bytes = 100 * gib;
    facts.host.available_memory_bytes = 100 * gib;
    facts.host.descriptors = 4096;
    return facts;
}

std::string findings(const std::function<void(record::PreflightFacts&)>& change)
{
    auto facts = sound_machine();
    change(facts);
    std::string text;
    for (const auto& issue : plan::judge_machine(facts))
        text += (text.empty() ? "" : " ") + std::string(name_of(issue.severity)) + ":" + issue.kind;
    return text;
}

BOOST_AUTO_TEST_CASE(a_sound_machine_has_no_findings)
{
    BOOST_TEST(findings([](auto&) {}) == "");
}

BOOST_AUTO_TEST_CASE(cards)
{
    BOOST_TEST(findings([](auto& f) { f.gpus.clear(); }) == "red:no_gpu");
    BOOST_TEST(findings([](auto& f) { f.gpus.clear(), f.smi = {"no_driver", "x"}; }) == "red:no_driver");
    BOOST_TEST(findings([](auto& f) { f.gpus.push_back(f.gpus[0]), f.gpus[1].lost = true; }) ==
               "red:gpu_lost");
    BOOST_TEST(findings([](auto& f) { f.gpus[0].visible = false; }) == "red:no_visible_gpu note:hidden");
    BOOST_TEST(findings([](auto& f) { f.gpus.emplace_back(), f.gpus[1].vendor = "amd"; }) ==
               "note:other_vendor");
    BOOST_TEST(findings([](auto& f) { f.messages = {"odd"}; }) == "warn:nvidia_smi_message");
    BOOST_TEST(findings([](auto& f) { f.notes = {"odd"}; }) == "note:note");
    BOOST_TEST(findings([](auto& f) { f.host.kernel_log_unreadable = "no"; }) == "note:xid_unknown");
}

BOOST_AUTO_TEST_CASE(host)
{
    BOOST_TEST(findings([](auto& f) { f.host.free_disk_bytes = 5 * gib; }) == "");
    BOOST_TEST(findings([](auto& f) { f.host.free_disk_bytes = 5 * gib - 1; }) == "warn:disk");
    BOOST_TEST(findings([](auto& f) { f.host.free_disk_bytes.reset(); }) == "warn:disk_unknown");
    BOOST_TEST(findings([](auto& f) { f.host.descriptors = 4095; }) == "warn:descriptors");
    BOOST_TEST(findings([](auto& f) { f.host.governors = {"powersave"}; }) == "warn:governor");
    BOOST_TEST(findings([](auto& f) { f.host.governors = {"schedutil", "performance"}; }) == "");
    BOOST_TEST(findings([](auto& f) {
                   f.host.governors = {"powersave"};
                   f.host.governor_driver = "intel_pstate";
               }) == "");
}

BOOST_AUTO_TEST_CASE(offload)
{
    // 1.4 * 50 + 15 = 85 GiB
    const auto with = [](std::uint64_t bytes) {
        return findings([=](auto& f) { f.kv_offload_gib = 50, f.host.available_memory_bytes = bytes; });
    };
    BOOST_TEST(with(85 * gib) == "");
    BOOST_TEST(with(85 * gib - 1) == "red:host_memory");
    BOOST_TEST(findings([](auto& f) { f.kv_offload_gib = 50, f.host.available_memory_bytes.reset(); }) ==
               "warn:host_memory_unknown");
    BOOST_TEST(findings([](auto& f) { f.kv_offload_gib = 50, f.host.memlock_bytes = 65536; }) ==
               "warn:memlock");
    BOOST_TEST(findings([](auto& f) { f.kv_offload_gib = 50, f.host.stack_bytes = 8388608; }) ==
               "note:stack");
    BOOST_TEST(findings([](auto& f) { f.host.memlock_bytes = 65536, f.host.stack_bytes = 1; }) == "");
}

} // namespace
