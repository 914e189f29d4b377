// SPDX-License-Identifier: MIT
#include <slo/plan/gpu_rules.hpp>

#define BOOST_TEST_MODULE plan_gpu_rules
#include <boost/test/unit_test.hpp>

#include <functional>
#include <string>

namespace {
using namespace slo;

record::GpuFacts sound_card()
{
    record::GpuFacts gpu;
    gpu.index = 0;
    gpu.at = "0000:01:00.0";
    gpu.name = "Sample";
    gpu.memory_total_mib = 32000;
    gpu.memory_free_mib = 31000;
    gpu.memory_used_mib = 1000;
    gpu.link = {5, 5, 16, 16};
    gpu.link_under_load = true;
    gpu.path = {{gpu.at, {5, 5, 16, 16}, {0, 0, 0}}, {"0000:00:01.0", {5, 5, 16, 16}, {0, 0, 0}}};
    gpu.persistence_mode = "Enabled";
    gpu.bandwidth.wanted = true;
    gpu.bandwidth.sizes = {{16, 50.0, 50.0, ""}, {64, 52.0, 52.0, ""}};
    return gpu;
}

// "red:aer warn:mig" for a card that differs from a sound one in this.
std::string findings(const std::function<void(record::GpuFacts&)>& change, const record::HostFacts& host = {})
{
    auto gpu = sound_card();
    change(gpu);
    std::vector<record::Issue> issues;
    plan::judge_gpu(gpu, host, plan::Findings(issues, "0"));
    std::string text;
    for (const auto& issue : issues)
        text += (text.empty() ? "" : " ") + std::string(name_of(issue.severity)) + ":" + issue.kind;
    return text;
}

BOOST_AUTO_TEST_CASE(a_sound_card_has_no_findings)
{
    BOOST_TEST(findings([](auto&) {}) == "");
}

BOOST_AUTO_TEST_CASE(links)
{
    BOOST_TEST(findings([](auto& g) { g.link.gen = 2; }) == "red:link_slow");
    BOOST_TEST(findings([](auto& g) { g.link.gen = 4; }) == "warn:link_slow");
    BOOST_TEST(findings([](auto& g) { g.link.gen = 1, g.link_under_load = false; }) ==
               "warn:link_unknown_under_load");
    BOOST_TEST(findings([](auto& g) { g.link.width = 8; }) == "warn:link_narrow");
    BOOST_TEST(findings([](auto& g) { g.link = {}, g.path.clear(); }).starts_with("warn:link_unknown "));
    BOOST_TEST(findings([](auto& g) { g.path[1].link.gen = 2; }) == "red:link_slow");
    record::HostFacts guest;
    guest.hypervisor = "kvm";
    BOOST_TEST(findings([](auto& g) { g.path[1].link = {1, 1, 1, 1}; }, guest) == "note:link_bridges");
}

BOOST_AUTO_TEST_CASE(errors_of_the_bus)
{
    BOOST_TEST(findings([](auto& g) { g.path[1].aer.fatal = 1; }) == "red:aer");
    BOOST_TEST(findings([](auto& g) { g.path[0].aer.nonfatal = 1; }) == "red:aer");
    BOOST_TEST(findings([](auto& g) { g.path[0].aer.correctable = 1000; }) == "");
    BOOST_TEST(findings([](auto& g) { g.path[0].aer.correctable = 501, g.path[1].aer.correctable = 500; }) ==
               "warn:aer_correctable");
    BOOST_TEST(findings([](auto& g) {
                   g.aer_in_copy = wire::AerCounters{3, 0, 0};
               }) == "warn:aer_correctable");
    BOOST_TEST(findings([](auto& g) { g.path[0].aer = {}, g.path[1].aer = {}; }) == "note:aer_unknown");
}

BOOST_AUTO_TEST_CASE(memory)
{
    BOOST_TEST(findings([](auto& g) { g.processes = {{1, "a", 16000.0, false}}; }) == "note:memory_shared");
    BOOST_TEST(findings([](auto& g) { g.processes = {{1, "a", 16001.0, false}}; }) == "warn:memory_held");
    BOOST_TEST(findings([](auto& g) { g.processes = {{1, "a", 16001.0, true}}; }) == "");
    BOOST_TEST(findings([](auto& g) {
                   g.processes = {{1, "a", {}, false}};
               }) == "warn:process_memory_unknown");
    BOOST_TEST(findings([](auto& g) { g.memory_used_mib = 16001; }) == "warn:memory_held");
    BOOST_TEST(findings([](auto& g) {
                   g.memory_used_mib = 16001, g.processes = {{1, "a", 16000.0, true}};
               }) == "");
    BOOST_TEST(findings([](auto& g) { g.memory_total_mib.reset(); }) == "warn:memory_unknown");
    BOOST_TEST(findings([](auto& g) { g.memory_used_mib.reset(), g.memory_free_mib.reset(); }) ==
               "warn:memory_unknown");
}

BOOST_AUTO_TEST_CASE(rates)
{
    const auto h2d = [](double rate) {
        return findings([=](auto& g) { g.bandwidth.sizes = {{16, 1.0, 50.0, ""}, {64, rate, 50.0, ""}}; });
    };
    BOOST_TEST(h2d(34.66) == ""); // 55 % of 63 is 34.65
    BOOST_TEST(h2d(34.64) == "warn:bandwidth_low");
    BOOST_TEST(h2d(14.99) == "warn:bandwidth_low red:bandwidth_offload");
    BOOST_TEST(findings([](auto& g) {
                   g.bandwidth.sizes = {{64, 50.0, 2.0, ""}};
               }) == "warn:bandwidth_low red:bandwidth_offload");
    BOOST_TEST(findings([](auto& g) { g.link = {7, 7, 16, 16}, g.path.clear(); }) == "note:aer_unknown");
    BOOST_TEST(findings([](auto& g) {
                   g.bandwidth.sizes[1] = {64, {}, {}, "broke"};
               }) == "warn:bandwidth_unknown");
    BOOST_TEST(findings([](auto& g) { g.bandwidth.sizes.clear(), g.bandwidth.error = "x"; }) ==
               "warn:bandwidth_unknown");
    BOOST_TEST(findings([](auto& g) { g.bandwidth.sizes.clear(), g.bandwidth.remark = "x"; }) ==
               "note:bandwidth_not_measured");
    BOOST_TEST(findings([](auto& g) { g.bandwidth.data_differs = true; }) == "red:data_differs");
    BOOST_TEST(findings([](auto& g) { g.bandwidth.beside_card = false; }) == "warn:numa");
    BOOST_TEST(findings([](auto& g) { g.bandwidth = {}; }) == "");
}

BOOST_AUTO_TEST_CASE(memory_errors)
{
    BOOST_TEST(findings([](auto& g) { g.ecc_volatile_uncorrected = 1; }) == "red:ecc");
    BOOST_TEST(findings([](auto& g) { g.ecc_aggregate_uncorrected = 1; }) == "warn:ecc_history");
    BOOST_TEST(findings([](auto& g) { g.retired_pages_pending = "Yes"; }) == "red:pages_pending");
    BOOST_TEST(findings([](auto& g) { g.retired_pages_pending = "No"; }) == "");
    BOOST_TEST(findings([](auto& g) { g.remapped_rows_pending = "1"; }) == "red:pages_pending");
    BOOST_TEST(findings([](auto& g) { g.remapped_rows_failure = "Yes"; }) == "red:remap_failed");
}

BOOST_AUTO_TEST_CASE(states)
{
    BOOST_TEST(findings([](auto& g) { g.persistence_mode = "Disabled"; }) == "warn:persistence_off");
    BOOST_TEST(findings([](auto& g) { g.persistence_mode.reset(); }) == "");
    BOOST_TEST(findings([](auto& g) { g.mig_mode = "Enabled"; }) == "warn:mig");
    BOOST_TEST(findings([](auto& g) { g.throttle_reasons = {"hw_slowdown"}; }) == "warn:throttled");
    BOOST_TEST(findings([](auto& g) { g.fields_in_error = {"ERR!"}; }) == "warn:card_error");
    BOOST_TEST(findings([](auto& g) { g.fields_in_error = {"[GPU requires reset]"}; }) == "red:card_error");
    BOOST_TEST(findings([](auto& g) { g.xids = {{g.at, 79, "off the bus"}}; }) == "warn:xid");
    BOOST_TEST(findings([](auto& g) { g.xids = {{g.at, 31, "MMU"}}; }) == "note:xid_application");
}

} // namespace
