// SPDX-License-Identifier: MIT
// What a figure of a card can be at all: a broken driver gives memory of -5 MiB and 300 % as calmly as the
// truth.

#ifndef SLO_WIRE_GPU_FIGURE_HPP
#define SLO_WIRE_GPU_FIGURE_HPP

#include <slo/base/text.hpp>
#include <slo/wire/nvidia_smi_csv.hpp> // nvidia_smi_number()
#include <slo/wire/pcie.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>

namespace slo::wire {

namespace detail {

struct FigureRange {
    std::string_view name; ///< nvidia-smi's of the column
    double least, most;
    bool whole = false;
};

// Wide enough for cards to come, so that what is outside is a fault of the driver. 10^8 MiB are 95 TiB.
inline constexpr std::array<FigureRange, 16> figure_ranges{
    {{"index", 0, 65535, true},
     {"memory.total", 1, 1e8},
     {"memory.free", 0, 1e8},
     {"memory.used", 0, 1e8},
     {"used_gpu_memory", 0, 1e8},
     {"utilization.gpu", 0, 100},
     {"fan.speed", 0, 200}, // NVML's description: may exceed 100 %
     {"power.draw", 0, 1e5},
     {"temperature.gpu", -60, 200},
     {"pcie.link.gen.current", 1, 8, true},
     {"pcie.link.gen.max", 1, 8, true},
     {"pcie.link.width.current", 1, 32, true},
     {"pcie.link.width.max", 1, 32, true},
     {"ecc.errors.corrected.volatile.total", 0, 1e15, true},
     {"ecc.errors.uncorrected.volatile.total", 0, 1e15, true},
     {"ecc.errors.uncorrected.aggregate.total", 0, 1e15, true}}};

} // namespace detail

/// Whether the figure of that name, in the unit of nvidia-smi's column, can have this value; true for a name
/// that is not known here.
inline bool is_plausible_gpu_figure(std::string_view name, double value) noexcept
{
    const auto& ranges = detail::figure_ranges;
    const auto found =
        std::find_if(ranges.begin(), ranges.end(), [&](const auto& range) { return range.name == name; });
    if (found == ranges.end())
        return std::isfinite(value);
    return value >= found->least && value <= found->most && (!found->whole || value == std::floor(value)) &&
           (!name.starts_with("pcie.link.width") || is_pcie_width(static_cast<int>(value)));
}

/// The figure that a field holds; nothing where that is no number, or one that cannot be.
inline std::optional<double> gpu_figure(std::string_view name, std::string_view field) noexcept
{
    const auto value = nvidia_smi_number(field);
    return value && is_plausible_gpu_figure(name, *value) ? value : std::nullopt;
}

} // namespace slo::wire

#endif
