// SPDX-License-Identifier: MIT
// What the GPUs did during a run: load, memory, clocks, power, and the energy a token cost.

#ifndef SLO_PLAN_GPU_ACTIVITY_HPP
#define SLO_PLAN_GPU_ACTIVITY_HPP

#include <slo/base/json.hpp>
#include <slo/plan/gpu_figures.hpp>
#include <slo/record/snapshot.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace slo::plan {

/// What the card of an exporter's series is called: its index, or else its UUID, behind "HOST:" where the
/// exporter names one.
inline std::string gpu_card_of(const record::Series& series)
{
    auto card = series.label_text("gpu");
    if (card.empty())
        card = series.label_text("UUID");
    if (card.empty())
        card = series.label_text("gpu_uuid");
    auto host = series.label_text("Hostname");
    if (host.empty())
        host = series.label_text("instance");
    return host.empty() ? card : host + ":" + card;
}

/// Collects readings in the order of time and sums them up, card by card. A card is called by its index,
/// behind "HOST:" where the exporter names one; a MIG instance has "/INSTANCE" behind it.
class GpuActivity {
public:
    static constexpr std::size_t max_gpus = 4096;

    /// One value of a source of gpu_sources; others are passed over. `time_s` counts from any moment.
    void take(std::string_view source_name, const std::string& card, const std::string& instance,
              double value, std::optional<double> time_s)
    {
        const auto* source = gpu_source_of(source_name);
        if (!source || !is_gpu_value(value))
            return;
        const auto name = source->of_card || instance.empty() ? card : card + "/" + instance;
        auto gpu = gpus_.find(name);
        if (gpu == gpus_.end()) {
            if (gpus_.size() >= max_gpus)
                return;
            gpu = gpus_.emplace(name, Gpu{}).first;
        }
        gpu->second[source->figure].take(value * source->scale, time_s);
        if (time_s) {
            first_s_ = std::min(first_s_.value_or(*time_s), *time_s);
            last_s_ = std::max(last_s_.value_or(*time_s), *time_s);
        }
    }

    /// All readings of a scrape.
    void take(const record::Snapshot& snapshot)
    {
        for (const auto& series : snapshot.series) {
            if (gpu_source_of(series.name))
                take(series, snapshot.taken_s);
        }
    }

    /// One series of an exporter.
    void take(const record::Series& series, std::optional<double> time_s)
    {
        take(series.name, gpu_card_of(series), series.label_text("GPU_I_ID"), series.value, time_s);
    }

    /// For `nvidia-smi` tables, see wire::NvidiaSmiCsv.
    void reading(std::string_view gpu, std::string_view field, std::optional<double> value,
                 std::optional<double> time_s)
    {
        if (value)
            take(field, std::string(gpu), "", *value, time_s);
    }

    /// True when nothing was taken in.
    bool empty() const noexcept { return gpus_.empty(); }

    /// The `gpu` member of a record: `gpus` by card, each figure with mean and max over its readings; the
    /// energy of all cards together, from their counters where every card that tells its power or energy has
    /// one, else by the trapezoidal rule from the power; and the joules for each of `tokens` generated in the
    /// meantime.
    json::object to_json_object(std::optional<double> tokens) const
    {
        json::object cards;
        json::array xids;
        for (const auto& [name, gpu] : gpus_)
            cards[name] = figures_of(name, gpu, xids);
        json::object record{{"gpus", std::move(cards)},
                            {"window_s", window_s() ? json::value(*window_s()) : nullptr}};
        add_energy(record, tokens);
        record["xid_errors"] = std::move(xids);
        return record;
    }

private:
    struct Figure {
        std::size_t readings = 0;
        double sum = 0, max = 0, first = 0, last = 0;
        double integral = 0; // over time, trapezoidal
        double covered_s = 0;
        bool fell = false;
        std::optional<double> last_s;

        void take(double value, std::optional<double> time_s)
        {
            if (readings == 0)
                first = max = value;
            else if (time_s && last_s && *time_s > *last_s) {
                integral += (*time_s - *last_s) * (value + last) / 2;
                covered_s += *time_s - *last_s;
            }
            fell = fell || (readings > 0 && value < last);
            ++readings;
            sum += value;
            max = std::max(max, value);
            last = value;
            last_s = time_s;
        }
    };
    using Gpu = std::map<std::string_view, Figure>; // the names live in gpu_sources

    std::optional<double> window_s() const
    {
        return first_s_ ? std::optional(*last_s_ - *first_s_) : std::nullopt;
    }

    static json::object figures_of(const std::string& name, const Gpu& gpu, json::array& xids)
    {
        json::object figures;
        std::size_t readings = 0;
        for (const auto& [figure, values] : gpu) {
            readings = std::max(readings, values.readings);
            if (figure == gpu_xid) {
                if (values.max > 0)
                    xids.push_back({{"gpu", name},
                                    {"xid", static_cast<std::int64_t>(std::min(values.max, 1e15))},
                                    {"during_run", values.max != values.first}});
            } else if (figure != gpu_energy) {
                figures[json::string_view(figure.data(), figure.size())] = {
                    {"mean", values.sum / static_cast<double>(values.readings)}, {"max", values.max}};
            }
        }
        figures["readings"] = readings;
        return figures;
    }

    static const Figure* find(const Gpu& gpu, std::string_view figure)
    {
        const auto found = gpu.find(figure);
        return found == gpu.end() ? nullptr : &found->second;
    }

    void add_energy(json::object& record, std::optional<double> tokens) const
    {
        double counted_j = 0, integrated_j = 0;
        bool metered = false, counters = true, powers = true;
        for (const auto& [name, gpu] : gpus_) {
            const auto* energy = find(gpu, gpu_energy);
            const auto* power = find(gpu, gpu_power);
            if (!energy && !power)
                continue;
            metered = true;
            counters = counters && energy && energy->readings > 1 && !energy->fell;
            powers = powers && power && power->covered_s > 0;
            counted_j += energy ? energy->last - energy->first : 0;
            integrated_j += power ? power->integral : 0;
        }
        const bool known = metered && (counters || powers);
        const double energy_j = counters ? counted_j : integrated_j;
        record["energy_j"] = known ? json::value(energy_j) : nullptr;
        record["energy_source"] = !known     ? json::value(nullptr)
                                  : counters ? json::value("energy counter")
                                             : json::value("power over time");
        const bool per_token = known && tokens && *tokens > 0;
        record["joules_per_token"] = per_token ? json::value(energy_j / *tokens) : nullptr;
        if (!metered)
            record["reason"] = "no card tells its power or energy";
        else if (!known)
            record["reason"] = "one reading, a restart, or readings without their time: no energy";
        else if (!per_token)
            record["reason"] = "the number of generated tokens is not known";
    }

    std::map<std::string, Gpu> gpus_;
    std::optional<double> first_s_, last_s_;
};

} // namespace slo::plan

#endif
