// SPDX-License-Identifier: MIT
// What was read from each GPU and when, and what that comes to within a run.

#ifndef SLO_ARTIFACT_GPU_SERIES_HPP
#define SLO_ARTIFACT_GPU_SERIES_HPP

#include <slo/base/error.hpp>
#include <slo/plan/gpu_activity.hpp>
#include <slo/plan/gpu_figures.hpp>
#include <slo/record/gpu_files.hpp>
#include <slo/record/snapshot.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace slo::artifact {

/// The time in which a run was measured, in seconds since 1970.
struct RunWindow {
    double start_s = 0, end_s = 0;

    double seconds() const noexcept { return end_s - start_s; }
    bool holds(double time_s) const noexcept { return time_s >= start_s && time_s <= end_s; }
};

/// Counters of faults, by the metrics of DCGM's exporter and the fields of nvidia-smi.
inline constexpr std::array<plan::GpuSource, 8> gpu_fault_sources{
    {{"DCGM_FI_DEV_ECC_SBE_AGG_TOTAL", "ecc_sbe", 1, true},
     {"DCGM_FI_DEV_ECC_DBE_AGG_TOTAL", "ecc_dbe", 1, true},
     {"DCGM_FI_DEV_NVLINK_CRC_FLIT_ERROR_COUNT_TOTAL", "nvlink_crc", 1, true},
     {"DCGM_FI_DEV_PCIE_REPLAY_COUNTER", "pcie_replay", 1, true},
     {"ecc.errors.corrected.aggregate.total", "ecc_sbe", 1, true},
     {"ecc.errors.uncorrected.aggregate.total", "ecc_dbe", 1, true},
     {"ecc.errors.corrected.volatile.total", "ecc_sbe_since_start", 1, true},
     {"ecc.errors.uncorrected.volatile.total", "ecc_dbe_since_start", 1, true}}};

/// The source of that name, of a figure or of a fault; nullptr for any other.
constexpr const plan::GpuSource* gpu_metric_of(std::string_view name) noexcept
{
    for (const auto& source : gpu_fault_sources) {
        if (source.source == name)
            return &source;
    }
    return plan::gpu_source_of(name);
}

/// One value at its time, in seconds since 1970.
struct GpuReading {
    double time_s = 0, value = 0;
};

/// The readings of one figure of one card, in the order of time.
using GpuReadings = std::vector<GpuReading>;

/// Readings card by card; nvidia-smi's times are local and without an offset, which is given.
class GpuSeries {
public:
    /// More readings than this are an InputError.
    static constexpr std::size_t max_readings = 50'000'000;

    /// `utc_offset_s`: how far nvidia-smi's clock is ahead of UTC.
    explicit GpuSeries(double utc_offset_s = 0) : utc_offset_s_(utc_offset_s) {}

    /// One value of a source of gpu_metric_of(); others are passed over. Throws InputError above
    /// `max_readings`, and where two sources would tell of the same cards.
    void add(std::string_view source_name, const std::string& card, double value,
             std::optional<double> time_s)
    {
        const auto* source = gpu_metric_of(source_name);
        if (!source || !plan::is_gpu_value(value))
            return;
        const bool exported = source_name.starts_with("DCGM_") || source_name.starts_with("nv_");
        const std::string seen = exported ? "dcgm" : "nvidia-smi";
        if (!source_.empty() && source_ != seen)
            throw InputError("GPU series", "of DCGM and of nvidia-smi: the same cards would count twice");
        source_ = seen;
        if (!time_s) {
            ++without_time_;
            return;
        }
        if (++readings_ > max_readings)
            throw InputError("GPU series", "more than 50000000 readings");
        cards_[card][std::string(source->figure)].push_back({*time_s, value * source->scale});
    }

    /// All readings of a scrape; an instance of a split card counts as a card of its own for what it has
    /// alone.
    void take(const record::Snapshot& snapshot)
    {
        for (const auto& series : snapshot.series) {
            const auto* source = gpu_metric_of(series.name);
            const auto instance = series.label_text("GPU_I_ID");
            const auto card = plan::gpu_card_of(series);
            if (source)
                add(series.name, source->of_card || instance.empty() ? card : card + "/" + instance,
                    series.value, snapshot.taken_s);
        }
    }

    /// For wire::NvidiaSmiCsv.
    void reading(std::string_view gpu, std::string_view field, std::optional<double> value,
                 std::optional<double> time_s)
    {
        if (value)
            add(field, std::string(gpu), *value, time_s ? std::optional(*time_s - utc_offset_s_) : time_s);
    }

    /// To be called when all is taken in, before the readings are asked for. Of several readings of a figure
    /// at one time, as of power.draw and power.draw.instant, the first is kept.
    void sort()
    {
        for (auto& [card, figures] : cards_) {
            for (auto& [figure, readings] : figures) {
                std::stable_sort(
                    readings.begin(), readings.end(),
                    [](const GpuReading& a, const GpuReading& b) { return a.time_s < b.time_s; });
                const auto same = [](const GpuReading& a, const GpuReading& b) {
                    return a.time_s == b.time_s;
                };
                readings.erase(std::unique(readings.begin(), readings.end(), same), readings.end());
            }
        }
    }

    /// The cards that have the figure, by name, with all its readings.
    std::vector<std::pair<std::string, std::span<const GpuReading>>> of(std::string_view figure) const
    {
        std::vector<std::pair<std::string, std::span<const GpuReading>>> found;
        for (const auto& [card, figures] : cards_) {
            if (const auto readings = figures.find(figure); readings != figures.end())
                found.emplace_back(card, readings->second);
        }
        return found;
    }

    /// The first and the last time of all readings; nothing where there is none.
    std::optional<RunWindow> extent() const
    {
        RunWindow all{std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()};
        for (const auto& [card, figures] : cards_) {
            for (const auto& [figure, readings] : figures) {
                all.start_s = std::min(all.start_s, readings.front().time_s);
                all.end_s = std::max(all.end_s, readings.back().time_s);
            }
        }
        return readings_ == 0 ? std::nullopt : std::optional(all);
    }

    /// "dcgm" or "nvidia-smi", as the envelope names sources of power; empty where nothing was read.
    const std::string& source() const noexcept { return source_; }
    std::size_t readings() const noexcept { return readings_; }
    std::size_t without_time() const noexcept { return without_time_; }

private:
    double utc_offset_s_;
    std::string source_;
    std::size_t readings_ = 0, without_time_ = 0;
    std::map<std::string, std::map<std::string, GpuReadings, std::less<>>> cards_;
};

/// The readings within the window.
inline std::span<const GpuReading> within(std::span<const GpuReading> readings, const RunWindow& window)
{
    const auto first = std::find_if(readings.begin(), readings.end(), [&](const GpuReading& reading) {
        return reading.time_s >= window.start_s;
    });
    const auto last = std::find_if(first, readings.end(),
                                   [&](const GpuReading& reading) { return reading.time_s > window.end_s; });
    return {first, last};
}

/// What a gauge came to over a window: each reading stands for the time that is nearer to it than to its
/// neighbours, but for no more than one and a half of the usual steps on either side.
struct GpuIntegral {
    double sum = 0;       ///< of value times seconds
    double covered_s = 0; ///< of the window
};

inline GpuIntegral integrate(std::span<const GpuReading> readings, const RunWindow& window)
{
    GpuIntegral integral;
    if (readings.size() < 2)
        return integral;
    std::vector<double> steps;
    for (std::size_t i = 1; i < readings.size(); ++i)
        steps.push_back(readings[i].time_s - readings[i - 1].time_s);
    const auto middle = steps.begin() + static_cast<std::ptrdiff_t>(steps.size() / 2);
    std::nth_element(steps.begin(), middle, steps.end());
    const double reach = 1.5 * *middle;
    for (std::size_t i = 0; i < readings.size(); ++i) {
        const double time_s = readings[i].time_s;
        const double before = i > 0 ? (time_s - readings[i - 1].time_s) / 2 : reach;
        const double after = i + 1 < readings.size() ? (readings[i + 1].time_s - time_s) / 2 : reach;
        const double begin = std::max(window.start_s, time_s - std::min(before, reach));
        const double end = std::min(window.end_s, time_s + std::min(after, reach));
        if (end > begin) {
            integral.sum += (end - begin) * readings[i].value;
            integral.covered_s += end - begin;
        }
    }
    return integral;
}

/// How far a counter went up from the last reading before the window to the first one after it, or as far as
/// there are readings; where it fell it began anew, at 0. Nothing for less than two readings.
inline std::optional<double> counted(std::span<const GpuReading> readings, const RunWindow& window)
{
    std::optional<double> last;
    double sum = 0;
    std::size_t used = 0;
    for (const auto& [time_s, value] : readings) {
        if (time_s > window.start_s && last) {
            sum += value < *last ? value : value - *last;
            ++used;
        }
        last = value;
        if (time_s >= window.end_s)
            break;
    }
    return used > 0 ? std::optional(sum) : std::nullopt;
}

/// How far an energy counter went up within the window, its steps taken as even; nothing where it does not
/// reach from end to end of the window, or fell.
inline std::optional<double> metered(std::span<const GpuReading> readings, const RunWindow& window)
{
    const auto at = [&](double time_s) -> std::optional<double> {
        for (std::size_t i = 1; i < readings.size(); ++i) {
            const auto& [from_s, from] = readings[i - 1];
            const auto& [to_s, to] = readings[i];
            if (from_s <= time_s && time_s <= to_s && to_s > from_s)
                return from + (to - from) * (time_s - from_s) / (to_s - from_s);
        }
        return std::nullopt;
    };
    const auto falls = [](const GpuReading& a, const GpuReading& b) { return b.value < a.value; };
    const auto first = at(window.start_s);
    const auto last = at(window.end_s);
    if (!first || !last || std::adjacent_find(readings.begin(), readings.end(), falls) != readings.end())
        return std::nullopt;
    return *last - *first;
}

/// Reads files of GPUs, see record::read_gpu_files(). Throws IoError, InputError.
inline GpuSeries read_gpu_series(const std::vector<std::string>& paths, double utc_offset_s = 0)
{
    GpuSeries series(utc_offset_s);
    record::read_gpu_files(paths, series,
                           [](std::string_view name) { return gpu_metric_of(name) != nullptr; });
    series.sort();
    return series;
}

} // namespace slo::artifact

#endif
