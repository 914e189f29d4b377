// SPDX-License-Identifier: MIT
// What the server of a run measured: its own histograms and counters, and samples of its gauges.

#ifndef SLO_ARTIFACT_SERVER_SIDE_HPP
#define SLO_ARTIFACT_SERVER_SIDE_HPP

#include <slo/artifact/blocks.hpp>
#include <slo/base/error.hpp>
#include <slo/base/json.hpp>
#include <slo/base/text.hpp>
#include <slo/plan/engine_dialect.hpp>
#include <slo/plan/metrics_figures.hpp>
#include <slo/plan/metrics_window.hpp>
#include <slo/record/snapshot.hpp>
#include <slo/record/snapshot_header.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace slo::artifact {

/// The histograms of a diff record, and the latency blocks that an artifact makes of them.
inline constexpr std::array<std::pair<std::string_view, std::string_view>, 8> server_latencies{
    {{"ttft", "ttft_ms"},
     {"tpot", "tpot_ms"},
     {"itl", "itl_ms"},
     {"e2e", "e2e_ms"},
     {"queue", "queue_ms"},
     {"prefill", "prefill_ms"},
     {"decode", "decode_ms"},
     {"inference", "inference_ms"}}};

/// The server's side by a diff record (sloutils.diff/1): latency blocks in milliseconds, from the buckets of
/// its histograms, null where it has none; counters, successes by finish reason, the window. Throws
/// InputError for a record of another kind, and for a diff that failed.
inline json::object server_block(const json::object& diff, std::string_view name)
{
    const auto schema = string_at(diff, "schema").value_or("");
    if (!schema.starts_with("sloutils.diff/1"))
        throw InputError(std::string(name), "is no sloutils.diff/1 record of prom-diff");
    if (string_at(diff, "status") == "ERROR")
        throw InputError(std::string(name),
                         "is a diff that failed: " +
                             printable(string_at(diff, "error").value_or("no reason given")));
    json::object block;
    const auto* histograms = object_at(diff, "histograms");
    for (const auto& [histogram, latency] : server_latencies) {
        auto figures = unknown_latency();
        if (const auto* found = histograms ? object_at(*histograms, histogram) : nullptr)
            for (auto& figure : figures)
                if (const auto seconds = number_at(*found, figure.key()))
                    figure.value() = *seconds * 1000;
        block[latency] = std::move(figures);
    }
    block["engine"] = text_or_null(string_at(diff, "engine").value_or(""));
    block["window_s"] = or_null(number_at(diff, "window_s"));
    const auto* reset = find(diff, "reset_detected");
    block["reset_detected"] = reset && reset->is_bool() ? *reset : json::value(nullptr);
    const auto* counters = object_at(diff, "counters");
    for (const auto* counter : {"preemptions", "prompt_tokens", "generation_tokens"})
        block[counter] = counters ? or_null(number_at(*counters, counter)) : json::value(nullptr);
    const auto* success = counters ? object_at(*counters, "success") : nullptr;
    block["success"] = success ? json::value(*success) : json::value(nullptr);
    return block;
}

/// The block `speculative_decode` of extensions by a diff record; nothing where the engine did none.
inline std::optional<json::object> speculative_block(const json::object& diff)
{
    const auto* spec = object_at(diff, "spec_decode");
    if (!spec || !number_at(*spec, "draft_tokens"))
        return std::nullopt;
    json::object block{{"acceptance_rate", or_null(number_at(*spec, "acceptance_rate"))},
                       {"tokens_per_step", or_null(number_at(*spec, "mean_accepted_length"))},
                       {"draft_tokens", or_null(number_at(*spec, "draft_tokens"))},
                       {"accepted_tokens", or_null(number_at(*spec, "accepted_tokens"))}};
    if (const auto* positions = array_at(*spec, "per_position"); positions && !positions->empty())
        block["per_position"] = *positions;
    return block;
}

/// The gauges of a server over a run, from the records that `prom-snap --every` prints.
class GaugeSamples {
public:
    static constexpr std::size_t most_samples = 1'000'000;
    static constexpr std::size_t most_points = 600; ///< of a series in an artifact; more are thinned

    /// Takes one record (sloutils.snapshot/1); one of a scrape that failed is counted. Throws InputError for
    /// another record, and above most_samples.
    void take(const json::object& record)
    {
        const auto* values = object_at(record, "values");
        const auto time_s = record::parse_utc_moment(string_at(record, "time").value_or(""));
        if (!values || !time_s)
            throw InputError("schema", "is no sample as prom-snap --every prints it");
        if (samples_.size() == most_samples)
            throw InputError("samples", "more than 1000000");
        std::string page;
        for (const auto& value : *values)
            if (const auto number = as_number(&value.value()))
                page.append(value.key().data(), value.key().size()).append(" ") +=
                    format_double(*number) + "\n";
        const auto snapshot = record::parse_snapshot(page, "");
        const auto& dialect = plan::dialect_of(snapshot);
        const plan::MetricsWindow window(snapshot, snapshot);
        Sample sample{*time_s, {}};
        bool any = false;
        for (std::size_t i = 0; i < gauges.size(); ++i) {
            for (const auto& names : dialect.gauges)
                if (names.what == gauges[i])
                    sample.values[i] = plan::gauge_of(window, names);
            any |= sample.values[i].has_value();
        }
        if (any)
            samples_.push_back(sample);
        else
            ++without_gauges_;
    }

    std::size_t without_gauges() const noexcept { return without_gauges_; }

    /// Puts mean and maximum of the gauges from `from_s` to `to_s` (since 1970), and their series with times
    /// since `from_s`, into the blocks cache_stats and scheduler. KV cache in percent. False where no sample
    /// lies within.
    bool add_to(json::object& cache_stats, json::object& scheduler, double from_s, double to_s) const
    {
        std::vector<Sample> within;
        std::copy_if(samples_.begin(), samples_.end(), std::back_inserter(within),
                     [&](const Sample& s) { return s.time_s >= from_s && s.time_s <= to_s; });
        std::stable_sort(within.begin(), within.end(),
                         [](const Sample& a, const Sample& b) { return a.time_s < b.time_s; });
        if (within.empty())
            return false;
        put(cache_stats, "kv_utilization_pct", within, 0, 100);
        put(scheduler, "running", within, 1, 1);
        put(scheduler, "waiting", within, 2, 1);
        json::array kv, queue;
        const auto step = (within.size() + most_points - 1) / most_points;
        for (std::size_t i = 0; i < within.size(); i += step) {
            const auto& [time_s, values] = within[i];
            if (values[0])
                kv.push_back(json::object{{"t_s", time_s - from_s}, {"pct", *values[0] * 100}});
            if (values[1] || values[2])
                queue.push_back(json::object{{"t_s", time_s - from_s},
                                             {"running", or_null(values[1])},
                                             {"waiting", or_null(values[2])}});
        }
        if (!kv.empty())
            cache_stats["kv_utilization_timeseries"] = std::move(kv);
        if (!queue.empty())
            scheduler["running_vs_waiting_requests"] = std::move(queue);
        return true;
    }

private:
    static constexpr std::array<std::string_view, 3> gauges{"kv_cache_usage", "running", "waiting"};

    struct Sample {
        double time_s = 0;
        std::array<std::optional<double>, gauges.size()> values;
    };

    static void put(json::object& block, const std::string& name, const std::vector<Sample>& samples,
                    std::size_t gauge, double factor)
    {
        double sum = 0, most = 0;
        std::size_t count = 0;
        for (const auto& sample : samples) {
            if (const auto value = sample.values[gauge]) {
                sum += *value * factor;
                most = count++ == 0 ? *value * factor : std::max(most, *value * factor);
            }
        }
        if (count == 0)
            return;
        block[name + "_mean"] = sum / static_cast<double>(count);
        block[name + "_max"] = most;
    }

    std::vector<Sample> samples_;
    std::size_t without_gauges_ = 0;
};

} // namespace slo::artifact

#endif
