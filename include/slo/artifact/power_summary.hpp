// SPDX-License-Identifier: MIT
// A summary of power that another sampler has made, as blocks of an envelope.

#ifndef SLO_ARTIFACT_POWER_SUMMARY_HPP
#define SLO_ARTIFACT_POWER_SUMMARY_HPP

#include <slo/artifact/blocks.hpp>
#include <slo/artifact/power.hpp>
#include <slo/base/error.hpp>
#include <slo/base/json.hpp>
#include <slo/base/text.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace slo::artifact {

/// Where an envelope's power can come from.
inline constexpr std::array<std::string_view, 4> power_sources{"dcgm", "nvidia-smi", "pdu", "cloud-proxy"};

/// The blocks `power` and `hardware_errors` of a summary that the standard's sampler wrote ({"source",
/// "duration_s", "summary": {…}}). Its energy is that of all its time: where the run, of `run_s`, was more
/// than 5 % shorter or longer, there is none. Throws InputError for a file of another form.
inline PowerBlocks power_of_summary(const json::object& file, std::string_view name,
                                    std::optional<double> run_s, const PowerContext& context)
{
    const auto* summary = object_at(file, "summary");
    if (!summary)
        throw InputError(name, "has no summary of a sampler");
    PowerBlocks blocks;
    const auto sampled_s = number_at(file, "duration_s");
    auto energy = number_at(*summary, "total_energy_joules");
    if (energy && run_s && sampled_s && std::abs(*sampled_s - *run_s) > 0.05 * *run_s) {
        blocks.power.notes.push_back("power: sampled for " + format_fixed(*sampled_s, 1) +
                                     " s, while the run took " + format_fixed(*run_s, 1) +
                                     " s: no energy of the run");
        energy.reset();
    }
    json::object power{{"duration_s", or_null(sampled_s)},
                       {"avg_fleet_power_watts", or_null(number_at(*summary, "avg_fleet_power_watts"))}};
    const auto source = string_at(file, "source").value_or("");
    if (std::find(power_sources.begin(), power_sources.end(), source) != power_sources.end())
        power["source"] = json_text(source);
    else
        blocks.power.notes.push_back("power.source: the file names none of the envelope's");
    detail::add_ratios(power, energy, context);
    for (const auto& [key, figure] : detail::power_figures) {
        const auto* told = object_at(*summary, key);
        json::object kept;
        for (const char* part : {"mean", "p50", "p95", "p99", "max", "min", "per_gpu_mean"}) {
            if (const auto* value = told ? find(*told, part) : nullptr)
                kept[part] = *value;
        }
        if (!kept.empty())
            power[key] = std::move(kept);
    }
    json::object faults;
    const auto put = [&faults](const char* key, std::optional<double> delta) {
        if (delta)
            faults[key] = static_cast<std::int64_t>(*delta);
    };
    const auto range = [&summary](const char* key) -> std::optional<double> {
        const auto* told = object_at(*summary, key);
        const auto least = told ? number_at(*told, "min") : std::nullopt;
        const auto most = told ? number_at(*told, "max") : std::nullopt;
        return least && most ? std::optional(*most - *least) : std::nullopt;
    };
    put("ecc_sbe_delta", number_at(*summary, "ecc_sbe_total_delta"));
    put("ecc_dbe_delta", number_at(*summary, "ecc_dbe_total_delta"));
    put("nvlink_crc_errors_delta", range("nvlink_crc_errors"));
    put("pcie_replay_delta", range("pcie_replay_count"));
    if (context.sentinel_divergences)
        faults["sentinel_divergences"] = *context.sentinel_divergences;
    blocks.power.value = std::move(power);
    if (!faults.empty())
        blocks.hardware_errors.value = std::move(faults);
    return blocks;
}

} // namespace slo::artifact

#endif
