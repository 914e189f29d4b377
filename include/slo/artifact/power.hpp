// SPDX-License-Identifier: MIT
// Power, faults and load of the GPUs within the run: three blocks of an envelope.

#ifndef SLO_ARTIFACT_POWER_HPP
#define SLO_ARTIFACT_POWER_HPP

#include <slo/artifact/blocks.hpp>
#include <slo/artifact/gpu_series.hpp>
#include <slo/base/error.hpp>
#include <slo/base/json.hpp>
#include <slo/base/text.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace slo::artifact {

/// What the blocks need to know of the run besides the readings.
struct PowerContext {
    std::optional<double> total_output_tokens = {}; ///< generated within the window
    std::optional<double> load_fraction = {};       ///< of the largest load, as declared
    std::optional<std::int64_t> sentinel_divergences = {};
};

struct PowerBlocks {
    SideBlock power, hardware_errors, gpu_telemetry;
};

namespace detail {

// Less of the window covered by readings than this gives no energy.
inline constexpr double least_coverage = 0.9;

/// All values of a figure within the window, and the mean of each card.
struct GpuSample {
    std::vector<double> values;
    std::vector<std::optional<double>> card_means;
};

inline GpuSample sample_of(const GpuSeries& series, std::string_view figure, const RunWindow& window)
{
    GpuSample sample;
    for (const auto& [card, readings] : series.of(figure)) {
        double sum = 0;
        const auto inside = within(readings, window);
        for (const auto& reading : inside) {
            sample.values.push_back(reading.value);
            sum += reading.value;
        }
        sample.card_means.push_back(inside.empty() ? std::nullopt
                                                   : std::optional(sum / static_cast<double>(inside.size())));
    }
    return sample;
}

/// The envelope's aggregate of a sample that is not empty. Its p95 and p99 are values of the sample:
/// sorted[min(n - 1, floor(q n))], as the standard's sampler takes them.
inline json::object aggregate(GpuSample sample)
{
    auto& values = sample.values;
    std::sort(values.begin(), values.end());
    const auto at = [&values](double q) {
        const auto index = static_cast<std::size_t>(q * static_cast<double>(values.size()));
        return values[std::min(index, values.size() - 1)];
    };
    json::array cards;
    for (const auto& mean : sample.card_means)
        cards.push_back(or_null(mean));
    return {{"mean", stats::plain_mean(values)},
            {"p50", stats::quantile_sorted(values, 0.5)},
            {"p95", at(0.95)},
            {"p99", at(0.99)},
            {"max", values.back()},
            {"min", values.front()},
            {"per_gpu_mean", std::move(cards)}};
}

/// The energy of all cards within the window; nothing, with a note, where one of them has gaps.
inline std::optional<double> energy_j(const GpuSeries& series, const RunWindow& window, double& fleet_w,
                                      std::vector<std::string>& notes)
{
    double counted_j = 0, integrated_j = 0;
    bool counters = true, powers = true, all_seen = true;
    fleet_w = 0;
    const auto cards = series.of(plan::gpu_power);
    const auto energies = series.of(plan::gpu_energy);
    for (const auto& [card, readings] : cards) {
        const auto integral = integrate(readings, window);
        if (integral.covered_s < least_coverage * window.seconds()) {
            powers = false;
            notes.push_back("power: the readings of GPU " + printable(card, 80) + " cover " +
                            format_fixed(integral.covered_s, 1) + " s of the run's " +
                            format_fixed(window.seconds(), 1));
        }
        all_seen &= integral.covered_s > 0;
        if (integral.covered_s > 0)
            fleet_w += integral.sum / integral.covered_s;
    }
    for (const auto& [card, readings] : energies) {
        const auto energy = metered(readings, window);
        counters &= energy.has_value();
        counted_j += energy.value_or(0);
    }
    integrated_j = fleet_w * window.seconds();
    if (counters && !energies.empty() && energies.size() >= cards.size()) {
        fleet_w = counted_j / window.seconds();
        return counted_j;
    }
    if (!all_seen)
        fleet_w = 0; // of a part of the fleet only
    return powers && !cards.empty() ? std::optional(integrated_j) : std::nullopt;
}

// The keys in which a power block and a telemetry block name the figures of a series.
inline constexpr std::array<std::pair<const char*, const char*>, 3> power_figures{
    {{"power_watts", "power_w"}, {"gpu_util_pct", "utilization_pct"}, {"temp_c", "temperature_c"}}};

inline void add_ratios(json::object& power, std::optional<double> energy, const PowerContext& context)
{
    const bool known =
        energy && *energy > 0 && context.total_output_tokens && *context.total_output_tokens > 0;
    power["total_energy_joules"] = or_null(energy);
    power["tokens_per_joule"] = known ? json::value(*context.total_output_tokens / *energy) : nullptr;
    power["load_fraction"] = or_null(context.load_fraction);
}

inline std::string clock_hint(const GpuSeries& series, const RunWindow& window)
{
    const auto all = series.extent();
    if (!all)
        return "";
    const double apart_s = (all->start_s + all->end_s - window.start_s - window.end_s) / 2;
    return "; they are " + format_fixed(std::abs(apart_s), 0) + " s " + (apart_s < 0 ? "before" : "after") +
           " it" +
           (series.source() == "nvidia-smi" ? " (nvidia-smi prints local time: --gpu-utc-offset)" : "");
}

inline SideBlock power_block(const GpuSeries& series, const RunWindow& window, const PowerContext& context)
{
    SideBlock block;
    json::object power{{"source", series.source()}, {"duration_s", window.seconds()}};
    bool any = false;
    for (const auto& [key, figure] : power_figures) {
        auto sample = sample_of(series, figure, window);
        if (sample.values.empty())
            continue;
        any = true;
        power[key] = aggregate(std::move(sample));
    }
    double fleet_w = 0;
    const auto energy = energy_j(series, window, fleet_w, block.notes);
    power["avg_fleet_power_watts"] = fleet_w > 0 ? json::value(fleet_w) : nullptr;
    add_ratios(power, energy, context);
    if (any || energy)
        block.value = std::move(power);
    return block;
}

inline SideBlock fault_block(const GpuSeries& series, const RunWindow& window, const PowerContext& context)
{
    SideBlock block;
    json::object faults;
    const auto count = [&](const char* key, std::initializer_list<const char*> figures) {
        for (const char* figure : figures) {
            std::optional<double> sum;
            for (const auto& [card, readings] : series.of(figure)) {
                if (const auto more = counted(readings, window))
                    sum = sum.value_or(0) + *more;
            }
            if (sum) {
                faults[key] = static_cast<std::int64_t>(*sum);
                return;
            }
        }
        block.notes.push_back("hardware_errors." + std::string(key) + ": no counter was read twice");
    };
    count("ecc_sbe_delta", {"ecc_sbe", "ecc_sbe_since_start"});
    count("ecc_dbe_delta", {"ecc_dbe", "ecc_dbe_since_start"});
    count("nvlink_crc_errors_delta", {"nvlink_crc"});
    count("pcie_replay_delta", {"pcie_replay"});
    json::array events;
    for (const auto& [card, readings] : series.of(plan::gpu_xid)) {
        double last = readings.front().value;
        for (const auto& [time_s, xid] : readings) {
            if (xid != last && xid > 0 && window.holds(time_s))
                events.push_back(json_text("GPU " + printable(card, 80) + ": XID " + format_fixed(xid, 0)));
            last = xid;
        }
    }
    if (!series.of(plan::gpu_xid).empty())
        faults["xid_events"] = std::move(events);
    if (context.sentinel_divergences)
        faults["sentinel_divergences"] = *context.sentinel_divergences;
    if (!faults.empty())
        block.value = std::move(faults);
    return block;
}

inline SideBlock telemetry_block(const GpuSeries& series, const RunWindow& window, const json::object* faults)
{
    json::object telemetry;
    bool any = false;
    const auto put = [&](const char* key, const char* figure, double scale, bool largest) {
        const auto values = sample_of(series, figure, window).values;
        telemetry[key] = nullptr;
        if (values.empty())
            return;
        any = true;
        telemetry[key] =
            scale * (largest ? *std::max_element(values.begin(), values.end()) : stats::plain_mean(values));
    };
    put("gpu_util_pct_mean", "utilization_pct", 1, false);
    put("gpu_util_pct_max", "utilization_pct", 1, true);
    put("hbm_bw_util_pct_mean", "dram_active", 100, false);
    put("hbm_bw_util_pct_max", "dram_active", 100, true);
    put("sm_active_pct_mean", "sm_active", 100, false);
    put("tensor_active_pct_mean", "tensor_active", 100, false);
    put("power_draw_w_mean", "power_w", 1, false);
    put("power_draw_w_max", "power_w", 1, true);
    put("temp_c_max", "temperature_c", 1, true);
    put("memory_used_mib_mean", "memory_used_mib", 1, false);
    const auto* events = faults ? array_at(*faults, "xid_events") : nullptr;
    telemetry["xid_errors"] = events ? json::value(events->size()) : nullptr;
    SideBlock block;
    if (any)
        block.value = std::move(telemetry);
    return block;
}

} // namespace detail

/// The blocks `power`, `hardware_errors` and `extensions.gpu_telemetry` of what was read within the window.
/// Means and percentiles are of the readings within; energy is of the window alone, from energy counters
/// where every card has one, else from the power over time, and null where readings cover less than 90 % of
/// it. Counters of faults go from the last reading before the run to the first one after it.
inline PowerBlocks power_blocks(const GpuSeries& series, const RunWindow& window, const PowerContext& context)
{
    PowerBlocks blocks;
    auto& notes = blocks.power.notes;
    if (!(window.seconds() > 0)) {
        notes.push_back("power: the run has no duration");
        return blocks;
    }
    if (series.without_time() > 0)
        notes.push_back("power: " + std::to_string(series.without_time()) +
                        " readings without their time are not used (nvidia-smi --query-gpu=timestamp,...)");
    if (series.readings() == 0) {
        notes.push_back("power: no readings of GPUs");
        return blocks;
    }
    auto power = detail::power_block(series, window, context);
    if (!power.value) {
        notes.push_back("power: no reading lies within the run" + detail::clock_hint(series, window));
        return blocks;
    }
    blocks.power.value = std::move(power.value);
    notes.insert(notes.end(), power.notes.begin(), power.notes.end());
    blocks.hardware_errors = detail::fault_block(series, window, context);
    blocks.gpu_telemetry = detail::telemetry_block(
        series, window, blocks.hardware_errors.value ? &*blocks.hardware_errors.value : nullptr);
    return blocks;
}

} // namespace slo::artifact

#endif
