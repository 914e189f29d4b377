// SPDX-License-Identifier: MIT
// What a PCI Express link can carry, and whether a card's link is as good as it should be.

#ifndef SLO_PLAN_PCIE_LINK_HPP
#define SLO_PLAN_PCIE_LINK_HPP

#include <slo/record/gpu_facts.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <optional>
#include <string>

namespace slo::plan {

using record::LinkMinimum;
using record::LinkState;

/// GB/s of a link in one direction after its line code: 8b/10b up to generation 2, 128b/130b up to 5, flits
/// in 6 (PCI Express Base Specification; 16 lanes: 4, 8, 15.75, 31.5, 63, 126). Nothing for other
/// generations.
constexpr std::optional<double> link_theory_gb_s(int gen, int width) noexcept
{
    constexpr std::array<double, 6> sixteen_lanes{4, 8, 15.75, 31.5, 63, 126};
    if (gen < 1 || gen > static_cast<int>(sixteen_lanes.size()) || width < 1)
        return std::nullopt;
    return sixteen_lanes[static_cast<std::size_t>(gen - 1)] * width / 16;
}

/// The minimum over the card's link, as driver and kernel give it, and those of the bridges above it.
/// `trust_bridges`: false in a virtual machine, where bridges are made up.
inline LinkMinimum link_minimum(const record::GpuFacts& gpu, bool trust_bridges = true)
{
    LinkMinimum least;
    double slowest_gb_s = std::numeric_limits<double>::infinity();
    const auto take = [&](const wire::PcieLink& link, const std::string& at) {
        if (link.gen)
            least.gen = std::min(*link.gen, least.gen.value_or(*link.gen));
        if (link.width)
            least.width = std::min(*link.width, least.width.value_or(*link.width));
        const auto theory = link.gen && link.width ? link_theory_gb_s(*link.gen, *link.width) : std::nullopt;
        if (theory && *theory < slowest_gb_s) {
            slowest_gb_s = *theory;
            least.theory_gb_s = theory;
            least.at = at;
        } else if (least.at.empty() && (link.gen || link.width)) {
            least.at = at;
        }
    };
    take(gpu.link, gpu.at);
    for (const auto& hop : gpu.path) {
        if (trust_bridges || hop.at == gpu.at)
            take(hop.link, hop.at);
    }
    return least;
}

/// The best figures that the card itself is able to have, as the driver says, else as the kernel does.
inline wire::PcieLink link_maximum(const record::GpuFacts& gpu)
{
    auto most = gpu.link;
    for (const auto& hop : gpu.path) {
        if (hop.at != gpu.at)
            continue;
        most.gen_max = most.gen_max ? most.gen_max : hop.link.gen_max;
        most.width_max = most.width_max ? most.width_max : hop.link.width_max;
    }
    return most;
}

/// Judges the generation and the lanes together. An idle card may lower its speed, never its lanes.
inline LinkState judge_link(const record::GpuFacts& gpu, bool trust_bridges = true)
{
    constexpr int red_up_to_gen = 2;
    const auto now = link_minimum(gpu, trust_bridges);
    const auto most = link_maximum(gpu);
    const bool narrow = now.width && most.width_max && *now.width < *most.width_max;
    const bool slow = now.gen && most.gen_max && *now.gen < *most.gen_max;
    if (slow && gpu.link_under_load && *now.gen <= red_up_to_gen)
        return LinkState::red;
    if (narrow || (slow && gpu.link_under_load))
        return LinkState::warn;
    if (slow)
        return LinkState::recheck_under_load;
    return now.gen && most.gen_max && now.width && most.width_max ? LinkState::ok : LinkState::unknown;
}

} // namespace slo::plan

#endif
