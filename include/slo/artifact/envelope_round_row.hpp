// SPDX-License-Identifier: MIT
// One round of a run over all its shards, and its line in an artifact.

#ifndef SLO_ARTIFACT_ENVELOPE_ROUND_ROW_HPP
#define SLO_ARTIFACT_ENVELOPE_ROUND_ROW_HPP

#include <slo/base/json.hpp>
#include <slo/record/round.hpp>
#include <slo/stats/sketch.hpp>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

namespace slo::artifact {

/// Adds the counts of `more` that are above 0 to those of `sum`, name by name.
inline void add_counts(json::object& sum, const json::object& more)
{
    for (const auto& member : more)
        if (const auto count = integer_at(more, member.key()); count && *count > 0)
            sum[member.key()] = integer_at(sum, member.key()).value_or(0) + *count;
}

/// Counts and rates of one round added up over shards, sketches merged.
class RoundRow {
public:
    /// Takes the record of one shard; `read` is what record::read_round() made of it.
    void add(record::Round read, const json::object& record)
    {
        const bool first = files_++ == 0;
        figures_ = first ? figures_of(record) : json::object();
        if (first && record.empty() && read.p50_latency_s)
            figures_["Latency"] = {{"p50", *read.p50_latency_s}};
        failed += read.due.value_or(0) - read.ok.value_or(0);
        add_tokens(read, record);
        add_up(round.due, read.due, first);
        add_up(round.ok, read.ok, first);
        add_up(round.actual_qps, read.actual_qps, first);
        add_up(round.concurrency, read.concurrency, first);
        if (first) {
            round.target_qps = read.target_qps; // that of the whole run in each shard
            round.success_rate = read.success_rate;
        }
        round.duration_s = first ? read.duration_s : std::max(round.duration_s, read.duration_s);
        round.from_send = read.from_send;
        round.client_saturated |= read.client_saturated;
        for (auto& flag : read.flags)
            if (!round.has_flag(flag))
                round.flags.push_back(flag);
        merge(round.latency, std::move(read.latency), first);
        merge(round.ttft, std::move(read.ttft), first);
        merge(round.tpot_ms, std::move(read.tpot_ms), first);
        const auto* sketches = object_at(record, "sketches");
        merge(itl_ms, sketches ? record::detail::sound_sketch(*sketches, "ITL") : std::nullopt, first);
        if (const auto* kinds = object_at(record, "errors"))
            add_counts(errors, *kinds);
        if (const auto* reasons = object_at(record, "finish_reasons"))
            add_counts(finish_reasons, *reasons);
        if (const auto* health = object_at(record, "client"))
            add_health(*health);
    }

    /// A percentile of a metric in its record's unit: exact where one shard has it, else of the sketch.
    std::optional<double> figure(std::string_view metric, std::string_view percentile, double q,
                                 const std::optional<stats::QuantileSketch>& sketch) const
    {
        const auto* figures = object_at(figures_, metric);
        if (const auto exact = figures ? number_at(*figures, percentile) : std::nullopt)
            return exact;
        return sketch ? sketch->quantile(q) : std::nullopt;
    }

    /// The median latency in seconds.
    std::optional<double> p50_latency_s() const { return figure("Latency", "p50", 0.5, round.latency); }

    /// The line of an artifact's series.
    json::object to_json_object(int number, bool warm_up) const
    {
        json::object line{{"round", number}};
        if (round.concurrency)
            line["concurrency"] = *round.concurrency;
        else
            line["target_qps"] = or_null(round.target_qps);
        line["actual_qps"] = or_null(round.actual_qps);
        line["due"] = or_null(round.due);
        line["ok"] = or_null(round.ok);
        auto success = round.success_rate;
        if (round.due && round.ok && *round.due > 0)
            success = 100.0 * static_cast<double>(*round.ok) / static_cast<double>(*round.due);
        line["success_rate"] = or_null(success);
        const auto put = [&](const char* name, const char* metric, const char* percentile, double q,
                             double factor, const auto& sketch) {
            const auto value = figure(metric, percentile, q, sketch);
            line[name] = value ? json::value(*value * factor) : json::value(nullptr);
        };
        put("e2e_p50_ms", "Latency", "p50", 0.50, 1000, round.latency);
        put("e2e_p99_ms", "Latency", "p99", 0.99, 1000, round.latency);
        put("ttft_p50_ms", "TTFT", "p50", 0.50, 1000, round.ttft);
        put("ttft_p99_ms", "TTFT", "p99", 0.99, 1000, round.ttft);
        put("tpot_p50_ms", "TPOT", "p50", 0.50, 1, round.tpot_ms);
        put("tpot_p99_ms", "TPOT", "p99", 0.99, 1, round.tpot_ms);
        line["output_toks_per_s"] =
            tokens_known && round.duration_s ? json::value(output_tokens / *round.duration_s) : nullptr;
        line["saturated"] = round.client_saturated;
        line["flags"] = json::array(round.flags.begin(), round.flags.end());
        line["warm_up"] = warm_up;
        return line;
    }

    record::Round round;
    std::optional<stats::QuantileSketch> itl_ms;
    double input_tokens = 0, output_tokens = 0; ///< of the successes
    bool tokens_known = true;
    std::int64_t failed = 0; ///< due, and without a success
    json::object errors, finish_reasons;
    std::optional<double> lateness_p99_s, lateness_max_s, busy_pct; ///< of the worst shard
    std::int64_t in_flight_max = 0;                                 ///< of all shards together

private:
    template <class T>
    static void add_up(std::optional<T>& sum, const std::optional<T>& more, bool first)
    {
        sum = first ? more : sum && more ? std::optional<T>(*sum + *more) : std::nullopt;
    }

    static void merge(std::optional<stats::QuantileSketch>& all, std::optional<stats::QuantileSketch> one,
                      bool first)
    {
        if (first)
            all = std::move(one);
        else if (all && one)
            all->merge(*one);
        else
            all.reset();
    }

    // Exact tokens per minute; a round without a success has none.
    void add_tokens(const record::Round& read, const json::object& record)
    {
        if (read.ok == 0)
            return;
        const auto input = number_at(record, "input_tokens_per_minute");
        const auto output = number_at(record, "output_tokens_per_minute");
        tokens_known &= input && output && read.duration_s;
        if (!tokens_known)
            return;
        input_tokens += *input * *read.duration_s / 60;
        output_tokens += *output * *read.duration_s / 60;
    }

    void add_health(const json::object& health)
    {
        const auto raise = [&](std::optional<double>& figure, const char* name) {
            if (const auto other = number_at(health, name))
                figure = std::max(figure.value_or(*other), *other);
        };
        raise(lateness_p99_s, "lateness_p99_s");
        raise(lateness_max_s, "lateness_max_s");
        raise(busy_pct, "busy_pct");
        in_flight_max += integer_at(health, "in_flight_max").value_or(0);
    }

    static json::object figures_of(const json::object& record)
    {
        json::object figures;
        for (const auto* name : {"Latency", "TTFT", "TPOT", "ITL"})
            if (const auto* figure = object_at(record, name))
                figures[name] = *figure;
        return figures;
    }

    int files_ = 0;
    json::object figures_; // of the only shard; empty where there are several
};

} // namespace slo::artifact

#endif
