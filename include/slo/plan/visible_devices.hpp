// SPDX-License-Identifier: MIT
// Which cards CUDA_VISIBLE_DEVICES leaves to a program.

#ifndef SLO_PLAN_VISIBLE_DEVICES_HPP
#define SLO_PLAN_VISIBLE_DEVICES_HPP

#include <slo/base/text.hpp>
#include <slo/record/gpu_facts.hpp>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace slo::plan {

/// Marks the NVIDIA cards that the variable hides; returns what is to be said about that, if anything. As the
/// CUDA driver does, takes the entries before the first that names no card. A number counts in the order of
/// the bus; CUDA counts the fastest card first unless CUDA_DEVICE_ORDER is PCI_BUS_ID, so that among cards of
/// several kinds a number is ambiguous, and all count as visible.
inline std::optional<std::string> mark_visible(std::vector<record::GpuFacts>& gpus, std::string_view variable,
                                               bool order_of_bus)
{
    std::vector<record::GpuFacts*> cards;
    for (auto& gpu : gpus) {
        if (gpu.vendor == "nvidia" && !gpu.lost)
            cards.push_back(&gpu);
    }
    const bool alike = std::all_of(cards.begin(), cards.end(),
                                   [&](const auto* card) { return card->name == cards.front()->name; });
    std::vector<const record::GpuFacts*> visible;
    for (auto rest = trim(variable); !rest.empty();) {
        const auto end = std::min(rest.find(','), rest.size());
        const auto entry = trim(rest.substr(0, end));
        rest.remove_prefix(std::min(end + 1, rest.size()));
        if (entry.starts_with("MIG-"))
            return "CUDA_VISIBLE_DEVICES names a MIG instance: all cards are judged";
        const auto number = parse_integer<std::size_t>(entry);
        if (number && !alike && !order_of_bus)
            return "CUDA_VISIBLE_DEVICES counts cards of several kinds, fastest first (CUDA_DEVICE_ORDER is "
                   "not PCI_BUS_ID): all cards are judged";
        if (number ? *number >= cards.size() : !entry.starts_with("GPU-"))
            break;
        const auto is_named = [&](const auto* card) { return card->uuid.starts_with(entry); };
        const auto named = number ? cards.begin() + static_cast<std::ptrdiff_t>(*number)
                                  : std::find_if(cards.begin(), cards.end(), is_named);
        if (named == cards.end())
            break;
        visible.push_back(*named);
    }
    for (auto* card : cards)
        card->visible = std::find(visible.begin(), visible.end(), card) != visible.end();
    return std::nullopt;
}

} // namespace slo::plan

#endif
