// SPDX-License-Identifier: MIT
// The cards of AMD, as their kernel driver shows them.

#ifndef SLO_RUN_AMD_CARDS_HPP
#define SLO_RUN_AMD_CARDS_HPP

#include <slo/base/text.hpp>
#include <slo/record/gpu_facts.hpp>
#include <slo/sys/pci_tree.hpp>

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace slo::run {

/// Facts of each, without its path to the root.
inline std::vector<record::GpuFacts> amd_cards(const sys::PciTree& tree,
                                               const std::vector<sys::PciDevice>& devices)
{
    constexpr double mib = 1024.0 * 1024;
    std::vector<record::GpuFacts> cards;
    for (const auto& device : devices) {
        if (!device.is_gpu() || device.vendor != sys::pci_vendor_amd)
            continue;
        record::GpuFacts gpu;
        gpu.vendor = "amd";
        gpu.at = device.at;
        gpu.name = tree.line(device.at, "product_name").value_or("AMD GPU");
        gpu.driver = device.driver;
        // `most` is in the unit of the file, which holds `unit` of ours.
        const auto number = [&](const char* file, double unit, double most) -> std::optional<double> {
            const auto line = tree.line(device.at, file);
            const auto value = line ? parse_double(*line) : std::nullopt;
            if (line && !(value && *value >= 0 && *value <= most))
                gpu.implausible.push_back(file + (" " + printable(*line, 80)));
            else if (value)
                return *value / unit;
            return std::nullopt;
        };
        constexpr double most_bytes = 1e8 * mib; // as of NVIDIA's cards
        gpu.memory_total_mib = number("mem_info_vram_total", mib, most_bytes);
        gpu.memory_used_mib = number("mem_info_vram_used", mib,
                                     gpu.memory_total_mib ? *gpu.memory_total_mib * mib : most_bytes);
        if (gpu.memory_total_mib && gpu.memory_used_mib)
            gpu.memory_free_mib = *gpu.memory_total_mib - *gpu.memory_used_mib;
        gpu.utilization_pct = number("gpu_busy_percent", 1, 100);
        gpu.numa_node = tree.numa_node(device.at);
        cards.push_back(std::move(gpu));
    }
    return cards;
}

} // namespace slo::run

#endif
