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
    gpu.bandwidth.wanted = true;
    gpu.bandwidth.sizes = {{16, 50.0, 52.0, ""}, {64, 50.0, 52.0, ""}};
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
    BOOST_TEST(findings([](auto& f) { f.unanswered = {"who: no"}; }) == "warn:not_answered");
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

BOOST_AUTO_TEST_CASE(offload_needs_a_bandwidth_that_was_measured)
{
    const auto with = [](const std::function<void(record::Bandwidth&)>& change, bool offload = true) {
        return findings([&](auto& f) {
            if (offload)
                f.kv_offload_gib = 50;
            change(f.gpus[0].bandwidth);
        });
    };
    const auto none = [](auto& b) { b = {}; };
    BOOST_TEST(with([](auto&) {}) == "");
    BOOST_TEST(with(none) == "warn:bandwidth_unknown");
    BOOST_TEST(with(none, false) == "");
    const auto too_full = [](auto& b) { b.sizes.clear(), b.remark = "too full"; };
    BOOST_TEST(with(too_full) == "note:bandwidth_not_measured warn:bandwidth_unknown");
    BOOST_TEST(with(too_full, false) == "note:bandwidth_not_measured");
    BOOST_TEST(with([](auto& b) { b.sizes = {{16, 50.0, {}, ""}}; }) == "warn:bandwidth_unknown");
    BOOST_TEST(with([](auto& b) { b.sizes.clear(), b.error = "no driver"; }) == "warn:bandwidth_unknown");
    BOOST_TEST(with([](auto& b) { b.sizes = {{16, {}, {}, "failed"}}; }) == "warn:bandwidth_unknown");
    BOOST_TEST(findings([](auto& f) {
                   f.kv_offload_gib = 50, f.gpus[0].bandwidth = {}, f.gpus[0].visible = false;
               }) == "red:no_visible_gpu note:hidden");
}

BOOST_AUTO_TEST_CASE(memory)
{
    const auto with = [](double used_mib, std::vector<record::GpuProcess> processes) {
        return findings(
            [&](auto& f) { f.gpus[0].memory_used_mib = used_mib, f.gpus[0].processes = processes; });
    };
    BOOST_TEST(with(1600, {}) == "");
    BOOST_TEST(with(1601, {}) == "note:memory_shared");
    BOOST_TEST(with(1700, {{7, "a", 100.0, false}}) == "note:memory_shared");
    BOOST_TEST(with(1701, {{7, "a", 100.0, false}}) == "note:memory_shared note:memory_shared");
    BOOST_TEST(with(9000, {{7, "a", 9000.0, true}}) == "");
    BOOST_TEST(with(16001, {}) == "warn:memory_held");
    BOOST_TEST(with(10, {{7, "a", 16001.0, false}}) == "warn:memory_held");
}

BOOST_AUTO_TEST_CASE(figures_that_cannot_be)
{
    BOOST_TEST(findings([](auto& f) {
                   f.gpus[0].implausible = {"fan.speed -1", "index -1"};
               }) == "warn:figure_implausible warn:figure_implausible");
}

} // namespace
