// SPDX-License-Identifier: MIT
// What GPUs are measured by, and the names that exporters have for it.

#ifndef SLO_PLAN_GPU_FIGURES_HPP
#define SLO_PLAN_GPU_FIGURES_HPP

#include <array>
#include <cmath>
#include <string_view>

namespace slo::plan {

/// One source of one figure.
struct GpuSource {
    std::string_view source; ///< metric of an exporter, or field of `nvidia-smi --query-gpu`
    std::string_view figure; ///< its name in our records, with the unit
    double scale = 1;        ///< from the source's unit to the figure's
    bool of_card = false;    ///< one a card, even where it is split into MIG instances
};

/// Names of figures that are more than gauges.
inline constexpr std::string_view gpu_power = "power_w";
inline constexpr std::string_view gpu_energy = "energy_j"; ///< a counter
inline constexpr std::string_view gpu_xid = "xid";         ///< the number of the last XID error, 0 for none

/// DCGM's exporter (fields of dcgm_fields.h; rates of activity 0 to 1), Triton's own metrics, nvidia-smi.
inline constexpr std::array<GpuSource, 37> gpu_sources{{
    {"DCGM_FI_DEV_GPU_UTIL", "utilization_pct"},
    {"DCGM_FI_DEV_MEM_COPY_UTIL", "memory_copy_pct"},
    {"DCGM_FI_DEV_FB_USED", "memory_used_mib"},
    {"DCGM_FI_DEV_FB_FREE", "memory_free_mib"},
    {"DCGM_FI_DEV_FB_TOTAL", "memory_total_mib"},
    {"DCGM_FI_PROF_GR_ENGINE_ACTIVE", "engine_active"},
    {"DCGM_FI_PROF_SM_ACTIVE", "sm_active"},
    {"DCGM_FI_PROF_SM_OCCUPANCY", "sm_occupancy"},
    {"DCGM_FI_PROF_PIPE_TENSOR_ACTIVE", "tensor_active"},
    {"DCGM_FI_PROF_DRAM_ACTIVE", "dram_active"}, // the share of the time that HBM moves data
    {"DCGM_FI_DEV_POWER_USAGE", gpu_power, 1, true},
    {"DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION", gpu_energy, 1e-3, true},
    {"DCGM_FI_DEV_GPU_TEMP", "temperature_c", 1, true},
    {"DCGM_FI_DEV_MEMORY_TEMP", "memory_temperature_c", 1, true},
    {"DCGM_FI_DEV_SM_CLOCK", "sm_clock_mhz", 1, true},
    {"DCGM_FI_DEV_MEM_CLOCK", "memory_clock_mhz", 1, true},
    {"DCGM_FI_DEV_XID_ERRORS", gpu_xid, 1, true},
    {"nv_gpu_utilization", "utilization_pct", 100},
    {"nv_gpu_memory_used_bytes", "memory_used_mib", 1.0 / (1 << 20)},
    {"nv_gpu_memory_total_bytes", "memory_total_mib", 1.0 / (1 << 20)},
    {"nv_gpu_power_usage", gpu_power, 1, true},
    {"nv_energy_consumption", gpu_energy, 1, true},
    {"utilization.gpu", "utilization_pct"},
    {"utilization.memory", "memory_copy_pct"},
    {"memory.used", "memory_used_mib"},
    {"memory.free", "memory_free_mib"},
    {"memory.total", "memory_total_mib"},
    {"power.draw", gpu_power, 1, true},
    {"power.draw.instant", gpu_power, 1, true},
    {"power.draw.average", gpu_power, 1, true},
    {"temperature.gpu", "temperature_c", 1, true},
    {"temperature.memory", "memory_temperature_c", 1, true},
    {"clocks.sm", "sm_clock_mhz", 1, true},
    {"clocks.current.sm", "sm_clock_mhz", 1, true},
    {"clocks.mem", "memory_clock_mhz", 1, true},
    {"clocks.current.memory", "memory_clock_mhz", 1, true},
    {"fan.speed", "fan_pct", 1, true},
}};

/// The source of that name, or null.
constexpr const GpuSource* gpu_source_of(std::string_view name) noexcept
{
    for (const auto& source : gpu_sources) {
        if (source.source == name)
            return &source;
    }
    return nullptr;
}

/// False for what stands in the place of a value that is not known: no number, a negative one, and the blanks
/// of DCGM (dcgm_structs.h: 0x7ffffff0 and up for 32 bits, 0x7ffffffffffffff0 for 64, 2^47 for doubles).
inline bool is_gpu_value(double value) noexcept
{
    const bool blank_32 = value >= 2147483632.0 && value <= 2147483647.0;
    const bool blank_double = value >= 140737488355328.0 && value <= 140737488355343.0;
    return std::isfinite(value) && value >= 0 && !blank_32 && !blank_double && value < 9e18;
}

} // namespace slo::plan

#endif
