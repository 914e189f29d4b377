// SPDX-License-Identifier: MIT
// What nvidia-smi, rocm-smi, the kernel's log and sysfs may say: any bytes give facts within their bounds.

#include <slo/run/gpu_rows.hpp>
#include <slo/sys/small_file.hpp>
#include <slo/wire/nvidia_smi_table.hpp>
#include <slo/wire/pcie.hpp>
#include <slo/wire/rocm_smi.hpp>
#include <slo/wire/xid.hpp>

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <vector>

namespace {
using namespace slo;

void demand(bool holds)
{
    if (!holds)
        std::abort();
}

void table(std::string_view text)
{
    const std::vector<std::string> asked{"index", "name", "pci.bus_id", "memory.total", "memory.used"};
    const wire::NvidiaSmiTable table(text, asked);
    demand(table.rows().size() + table.messages().size() <= wire::NvidiaSmiTable::max_rows);
    std::vector<record::GpuFacts> gpus;
    for (const auto& row : table.rows()) {
        gpus.push_back(run::gpu_of(row));
        const auto& gpu = gpus.back();
        demand(is_utf8(gpu.name) && gpu.name.size() < 310);
        demand(gpu.at.empty() || wire::pci_address(gpu.at) == gpu.at);
        demand(!gpu.memory_total_mib || (*gpu.memory_total_mib > 0 && *gpu.memory_total_mib <= 1e8));
        demand(!gpu.memory_used_mib ||
               (*gpu.memory_used_mib >= 0 && *gpu.memory_used_mib <= gpu.memory_total_mib.value_or(1e8)));
    }
    run::take_processes(
        table, [](auto) { return false; }, gpus);
    wire::NvidiaSmiTable::refused_field(text);
}

void rocm(std::string_view text)
{
    const auto report = wire::parse_rocm_smi(text);
    if (!report)
        return;
    demand(!report->cards.empty());
    for (const auto& card : report->cards) {
        demand(card.at.empty() || wire::pci_address(card.at) == card.at);
        demand(!card.utilization_pct || (*card.utilization_pct >= 0 && *card.utilization_pct <= 100));
        demand(!card.memory_used_bytes || (*card.memory_used_bytes >= 0 && *card.memory_used_bytes <= 1e14));
        for (const auto& figure : card.implausible)
            demand(is_utf8(figure));
    }
    for (const auto& process : report->processes)
        demand(process.pid > 0 && is_utf8(process.name));
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    table(text);
    rocm(text);
    if (const auto xid = wire::parse_xid(text))
        demand(is_utf8(xid->text) && xid->number >= 0 && wire::pci_address(xid->at) == xid->at);
    wire::aer_count(text);
    const auto generation = wire::pcie_generation(text);
    demand(!generation || (*generation >= 1 && *generation <= 7));
    const auto width = wire::pcie_width(text);
    demand(!width || (*width >= 1 && *width <= 32));
    for (const int number : sys::number_list(text))
        demand(number >= 0 && number <= 65535);
    return 0;
}
