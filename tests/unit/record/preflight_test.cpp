// SPDX-License-Identifier: MIT
#include <slo/record/preflight.hpp>

#define BOOST_TEST_MODULE record_preflight
#include <boost/test/unit_test.hpp>

#include <string>

namespace {
using namespace slo;
using record::Severity;

BOOST_AUTO_TEST_CASE(the_classic_names_are_those_of_the_first_card)
{
    record::PreflightFacts facts;
    record::GpuFacts gpu;
    gpu.name = "Sample";
    gpu.at = "0000:01:00.0";
    gpu.memory_total_mib = 32607;
    gpu.memory_used_mib = 498;
    gpu.power_w = 71.25;
    gpu.link = {5, 5, 16, std::nullopt};
    gpu.path = {{"0000:01:00.0", {}, {1, std::nullopt, 0}}, {"0000:00:01.0", {}, {2, std::nullopt, 0}}};
    gpu.processes = {{7, "w", 100.0, false}, {8, "x", std::nullopt, true}};
    gpu.bandwidth.sizes = {{16, 50.0, 52.0, ""}, {64, std::nullopt, std::nullopt, "broke"}};
    facts.gpus = {gpu, record::GpuFacts{}};
    facts.gpus[1].at = "0000:02:00.0";
    facts.gpus[1].lost = true;
    facts.host.hypervisor = "kvm";
    const std::vector<record::Issue> issues{{Severity::warn, "w", "0", "odd"},
                                            {Severity::red, "r", "", "bad"}};
    const auto made = record::to_record(facts, {{{5, 8, "0000:00:01.0", 31.5}, record::LinkState::warn}, {}},
                                        issues, Exit::undecided);
    const auto text = to_json(made);
    BOOST_TEST(text.starts_with(
        R"({"exit":2,"gpu":{"name":"Sample","memory_total_mib":32607,"memory_free_mib":null,"driver":null,)"
        R"("link_gen_current":5,"link_gen_max":5,"link_width_current":16,"link_width_max":null},"virt":"kvm",)"
        R"("aer":{"correctable":3,"fatal":0,"nonfatal":null},"gpu_procs":[{"pid":7,"name":"w","memory_mib":100},)"
        R"({"pid":8,"name":"x","memory_mib":null,"ours":true}],)"
        R"("bandwidth":{"16":{"h2d":50.0,"d2h":52.0},"64":{"error":"broke"}},"issues_red":["bad"],"issues_warn":["odd"],)"));
    const auto& first = made.at("gpus").at(0).as_object();
    BOOST_TEST(to_json(first.at("link_path_min")) == R"({"gen":5,"width":8,"at":"0000:00:01.0"})");
    BOOST_TEST(to_json(first.at("link")) == "\"warn\"");
    BOOST_TEST(to_json(first.at("power_w")) == "71.25");
    BOOST_TEST(number_at(first, "memory_used_fraction").value() == 498.0 / 32607);
    BOOST_TEST(to_json(made.at("lost")) == R"(["0000:02:00.0"])");
    BOOST_TEST(to_json(made.at("issues").at(1)) ==
               R"({"severity":"red","kind":"r","gpu":null,"text":"bad"})");
    BOOST_TEST(to_json(made.at("schema")) == "\"sloutils.preflight/1\"");
    BOOST_TEST(!made.contains("errors"));
}

BOOST_AUTO_TEST_CASE(without_a_card_there_are_errors_as_the_classic_tool_has_them)
{
    const auto made = record::to_record({}, {}, {{Severity::red, "no_gpu", "", "none"}}, Exit::undecided);
    BOOST_TEST(made.at("gpu").is_null());
    BOOST_TEST(made.at("bandwidth").is_null());
    BOOST_TEST(to_json(made.at("errors")) == R"(["none"])");
}

} // namespace
