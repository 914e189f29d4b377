// SPDX-License-Identifier: MIT
#include <slo/plan/pcie_link.hpp>

#define BOOST_TEST_MODULE plan_pcie_link
#include <boost/test/unit_test.hpp>

#include <slo/base/json.hpp>
#include <slo/io/fd.hpp>
#include <slo/run/gpu_rows.hpp>

namespace {
using namespace slo;
using record::LinkState;

record::GpuFacts card(wire::PcieLink link, bool under_load)
{
    record::GpuFacts gpu;
    gpu.at = "0000:01:00.0";
    gpu.link = link;
    gpu.link_under_load = under_load;
    return gpu;
}

BOOST_AUTO_TEST_CASE(theory_has_generation_and_lanes)
{
    BOOST_TEST(plan::link_theory_gb_s(5, 16).value() == 63);
    BOOST_TEST(plan::link_theory_gb_s(3, 8).value() == 7.875);
    BOOST_TEST(!plan::link_theory_gb_s(7, 16));
    BOOST_TEST(!plan::link_theory_gb_s(0, 16));
    BOOST_TEST(!plan::link_theory_gb_s(5, 0));
}

BOOST_AUTO_TEST_CASE(g03_an_idle_card_may_be_slow_never_narrow)
{
    const std::string folder = "tests/data/cases/G03-idle-link-downshift/";
    const wire::NvidiaSmiTable table(io::read_all(folder + "nvidia-smi.csv", 65536), {"index"});
    const auto expected = parse_json(io::read_all(folder + "expected.json", 65536)).at("link").as_object();
    BOOST_REQUIRE(table.rows().size() == 5u);
    for (const auto& row : table.rows()) {
        const auto index = std::string(row.field("index").value());
        const auto state = plan::judge_link(run::gpu_of(row));
        BOOST_TEST(to_json(expected.at(index)) == '"' + std::string(name_of(state)) + '"', index);
    }
}

BOOST_AUTO_TEST_CASE(the_slowest_link_of_the_way_counts)
{
    auto gpu = card({5, 5, 16, 16}, true);
    gpu.path = {{"0000:01:00.0", {5, 5, 16, 16}, {}},
                {"0000:00:02.0", {4, 5, 8, 16}, {}},
                {"0000:00:01.0", {3, 5, 16, 16}, {}},
                {"0000:00:00.0", {}, {}}};
    const auto least = plan::link_minimum(gpu);
    BOOST_TEST(least.gen.value() == 3);
    BOOST_TEST(least.width.value() == 8);
    BOOST_TEST(least.at == "0000:00:02.0"); // both carry 15.75 GB/s: the nearer one
    BOOST_TEST(least.theory_gb_s.value() == 15.75);
    BOOST_TEST((plan::judge_link(gpu) == LinkState::warn));
    BOOST_TEST((plan::judge_link(gpu, false) == LinkState::ok));
}

BOOST_AUTO_TEST_CASE(the_kernel_fills_in_for_the_driver)
{
    auto gpu = card({}, true);
    BOOST_TEST((plan::judge_link(gpu) == LinkState::unknown));
    gpu.path = {{gpu.at, {2, 5, 16, 16}, {}}};
    BOOST_TEST((plan::judge_link(gpu) == LinkState::red));
    BOOST_TEST((plan::judge_link(gpu, false) == LinkState::red));
}

BOOST_AUTO_TEST_CASE(two_is_red_and_three_a_warning_under_load)
{
    BOOST_TEST((plan::judge_link(card({2, 5, 16, 16}, true)) == LinkState::red));
    BOOST_TEST((plan::judge_link(card({3, 5, 16, 16}, true)) == LinkState::warn));
    BOOST_TEST((plan::judge_link(card({2, 2, 16, 16}, true)) == LinkState::ok));
    BOOST_TEST((plan::judge_link(card({2, 5, 16, 16}, false)) == LinkState::recheck_under_load));
    BOOST_TEST((plan::judge_link(card({1, 5, 8, 16}, true)) == LinkState::red));
    BOOST_TEST((plan::judge_link(card({5, std::nullopt, 16, 16}, true)) == LinkState::unknown));
}

} // namespace
