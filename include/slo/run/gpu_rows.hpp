// SPDX-License-Identifier: MIT
// From the rows of nvidia-smi to facts of cards.

#ifndef SLO_RUN_GPU_ROWS_HPP
#define SLO_RUN_GPU_ROWS_HPP

#include <slo/base/text.hpp>
#include <slo/record/gpu_facts.hpp>
#include <slo/wire/gpu_figure.hpp>
#include <slo/wire/nvidia_smi_table.hpp>

#include <algorithm>
#include <cstddef>
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

inline bool holds(const std::vector<std::string>& texts, const std::string& text)
{
    return std::find(texts.begin(), texts.end(), text) != texts.end();
}

inline void put_down(std::vector<std::string>& texts, const std::string& text)
{
    constexpr std::size_t most = 32;
    if (!holds(texts, text) && texts.size() < most)
        texts.push_back(text);
}

// The figure in a column; one that cannot be is put down, and unknown.
inline std::optional<double> figure_of(const SmiRow& row, std::string_view column,
                                       std::vector<std::string>& implausible)
{
    const auto text = row.text(column);
    const auto value = text ? wire::gpu_figure(column, *text) : std::nullopt;
    if (text && !value)
        put_down(implausible, std::string(column) + " " + printable(*text, 80));
    return value;
}

// The same of a part of the card's memory, which is not more than all of it.
inline std::optional<double> part_of(std::optional<double> total_mib, std::string_view column,
                                     const SmiRow& row, std::vector<std::string>& implausible)
{
    const auto value = figure_of(row, column, implausible);
    if (!value || !total_mib || *value <= *total_mib)
        return value;
    put_down(implausible, std::string(column) + " " + printable(row.text(column).value_or(""), 80) + " of " +
                              format_fixed(*total_mib, 0) + " MiB");
    return std::nullopt;
}

inline std::optional<int> int_of(const SmiRow& row, std::string_view column,
                                 std::vector<std::string>& implausible)
{
    const auto number = figure_of(row, column, implausible);
    return number ? std::optional(static_cast<int>(*number)) : std::nullopt;
}

inline std::optional<std::string> word_of(const SmiRow& row, std::string_view column)
{
    const auto text = row.text(column);
    return text ? std::optional(printable(*text)) : std::nullopt;
}

// A card that computes has its link awake: it works in P0, or in P2 where the driver keeps the memory's clock
// down. A desktop keeps a card a little busy in the lower states, in which the link may sleep.
inline bool is_computing(const record::GpuFacts& gpu)
{
    constexpr double busy_pct = 50;
    const auto busy = gpu.utilization_pct.value_or(0);
    return gpu.pstate.empty() ? busy >= busy_pct
                              : busy > 0 && (gpu.pstate == "P0" || gpu.pstate == "P1" || gpu.pstate == "P2");
}

} // namespace detail

/// The state of the link and of the clocks, from a row.
inline void take_link(const SmiRow& row, record::GpuFacts& gpu)
{
    const auto number = [&](std::string_view column) { return detail::int_of(row, column, gpu.implausible); };
    gpu.link = {number("pcie.link.gen.current"), number("pcie.link.gen.max"),
                number("pcie.link.width.current"), number("pcie.link.width.max")};
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
    record::GpuFacts gpu;
    const auto number = [&](std::string_view column) { return figure_of(row, column, gpu.implausible); };
    gpu.index = int_of(row, "index", gpu.implausible);
    const auto address = row.text("pci.bus_id");
    gpu.at = wire::pci_address(address.value_or("")).value_or("");
    if (address && gpu.at.empty())
        put_down(gpu.implausible, "pci.bus_id " + printable(*address, 80));
    gpu.name = text_of(row, "name");
    gpu.uuid = text_of(row, "uuid");
    gpu.driver = text_of(row, "driver_version");
    gpu.pstate = text_of(row, "pstate");
    gpu.memory_total_mib = number("memory.total");
    gpu.memory_free_mib = part_of(gpu.memory_total_mib, "memory.free", row, gpu.implausible);
    gpu.memory_used_mib = part_of(gpu.memory_total_mib, "memory.used", row, gpu.implausible);
    if (!gpu.memory_used_mib && gpu.memory_total_mib && gpu.memory_free_mib)
        gpu.memory_used_mib = *gpu.memory_total_mib - *gpu.memory_free_mib;
    gpu.utilization_pct = number("utilization.gpu");
    gpu.power_w = number("power.draw");
    gpu.fan_pct = number("fan.speed");
    gpu.temperature_c = number("temperature.gpu");
    take_link(row, gpu);
    gpu.link_under_load = is_computing(gpu);
    gpu.persistence_mode = word_of(row, "persistence_mode");
    gpu.mig_mode = word_of(row, "mig.mode.current");
    gpu.ecc_volatile_corrected = number("ecc.errors.corrected.volatile.total");
    gpu.ecc_volatile_uncorrected = number("ecc.errors.uncorrected.volatile.total");
    gpu.ecc_aggregate_uncorrected = number("ecc.errors.uncorrected.aggregate.total");
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
        std::vector<std::string> implausible;
        const auto memory_mib = detail::part_of(gpu.memory_total_mib, "used_gpu_memory", row, implausible);
        for (const auto& figure : implausible)
            detail::put_down(gpu.implausible, figure + " (process " + std::to_string(*pid) + ")");
        gpu.processes.push_back(
            {*pid, printable(row.field("process_name").value_or("")), memory_mib, is_ours(*pid)});
    }
}

} // namespace slo::run

#endif
