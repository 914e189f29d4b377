// SPDX-License-Identifier: MIT
// From the rows of nvidia-smi to facts of cards.

#ifndef SLO_RUN_GPU_ROWS_HPP
#define SLO_RUN_GPU_ROWS_HPP

#include <slo/base/text.hpp>
#include <slo/record/gpu_facts.hpp>
#include <slo/wire/nvidia_smi_table.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace slo::run {

using SmiRow = wire::NvidiaSmiTable::Row;

namespace detail {

inline std::string text_of(const SmiRow& row, std::string_view column)
{
    return printable(row.text(column).value_or(""));
}

inline std::optional<int> int_of(const SmiRow& row, std::string_view column)
{
    const auto number = row.number(column);
    const bool whole = number && *number == std::floor(*number) && *number >= 0 && *number < 1e9;
    return whole ? std::optional(static_cast<int>(*number)) : std::nullopt;
}

inline std::optional<std::string> word_of(const SmiRow& row, std::string_view column)
{
    const auto text = row.text(column);
    return text ? std::optional(printable(*text)) : std::nullopt;
}

inline bool holds(const std::vector<std::string>& texts, const std::string& text)
{
    return std::find(texts.begin(), texts.end(), text) != texts.end();
}

} // namespace detail

/// The state of the link and of the clocks, from a row.
inline void take_link(const SmiRow& row, record::GpuFacts& gpu)
{
    gpu.link = {detail::int_of(row, "pcie.link.gen.current"), detail::int_of(row, "pcie.link.gen.max"),
                detail::int_of(row, "pcie.link.width.current"), detail::int_of(row, "pcie.link.width.max")};
    for (const std::string reason :
         {"hw_slowdown", "hw_thermal_slowdown", "hw_power_brake_slowdown", "sw_thermal_slowdown"}) {
        if (!detail::holds(gpu.throttle_reasons, reason) &&
            row.text("clocks_event_reasons." + reason) == "Active")
            gpu.throttle_reasons.push_back(reason);
    }
}

/// One card, from its row.
inline record::GpuFacts gpu_of(const SmiRow& row)
{
    using namespace detail;
    constexpr double busy_pct = 50;
    record::GpuFacts gpu;
    gpu.index = int_of(row, "index");
    gpu.at = wire::pci_address(row.field("pci.bus_id").value_or("")).value_or("");
    gpu.name = text_of(row, "name");
    gpu.uuid = text_of(row, "uuid");
    gpu.driver = text_of(row, "driver_version");
    gpu.pstate = text_of(row, "pstate");
    gpu.memory_total_mib = row.number("memory.total");
    gpu.memory_free_mib = row.number("memory.free");
    gpu.memory_used_mib = row.number("memory.used");
    if (!gpu.memory_used_mib && gpu.memory_total_mib && gpu.memory_free_mib)
        gpu.memory_used_mib = std::max(0.0, *gpu.memory_total_mib - *gpu.memory_free_mib);
    gpu.utilization_pct = row.number("utilization.gpu");
    gpu.power_w = row.number("power.draw");
    gpu.fan_pct = row.number("fan.speed");
    gpu.temperature_c = row.number("temperature.gpu");
    take_link(row, gpu);
    // A card that computes has its link awake.
    gpu.link_under_load = gpu.pstate == "P0" && gpu.utilization_pct.value_or(0) >= busy_pct;
    gpu.persistence_mode = word_of(row, "persistence_mode");
    gpu.mig_mode = word_of(row, "mig.mode.current");
    gpu.ecc_volatile_corrected = row.number("ecc.errors.corrected.volatile.total");
    gpu.ecc_volatile_uncorrected = row.number("ecc.errors.uncorrected.volatile.total");
    gpu.ecc_aggregate_uncorrected = row.number("ecc.errors.uncorrected.aggregate.total");
    gpu.retired_pages_pending = word_of(row, "retired_pages.pending");
    for (const auto& field : row.fields()) {
        const bool error = field == "ERR!" || field == "[Unknown Error]" ||
                           field.find("requires reset") != std::string::npos ||
                           field.find("is lost") != std::string::npos;
        if (error && !holds(gpu.fields_in_error, field))
            gpu.fields_in_error.push_back(printable(field));
    }
    return gpu;
}

/// Gives each process to its card: by UUID or address, else to the first. `is_ours` says which belong here.
inline void take_processes(const wire::NvidiaSmiTable& table,
                           const std::function<bool(std::int64_t pid)>& is_ours,
                           std::vector<record::GpuFacts>& gpus)
{
    for (const auto& row : table.rows()) {
        const auto pid = parse_integer<std::int64_t>(row.text("pid").value_or(""));
        if (!pid || *pid <= 0 || gpus.empty())
            continue;
        const auto uuid = row.text("gpu_uuid");
        const auto at = wire::pci_address(row.text("gpu_bus_id").value_or(""));
        const auto owner = std::find_if(gpus.begin(), gpus.end(), [&](const record::GpuFacts& gpu) {
            return (uuid && gpu.uuid == *uuid) || (at && gpu.at == *at);
        });
        auto& gpu = owner == gpus.end() ? gpus.front() : *owner;
        gpu.processes.push_back({*pid, printable(row.field("process_name").value_or("")),
                                 row.number("used_gpu_memory"), is_ours(*pid)});
    }
}

} // namespace slo::run

#endif
