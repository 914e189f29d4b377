// SPDX-License-Identifier: MIT
// The probe record of a search (sloutils.search/1), written and read.

#ifndef SLO_RECORD_SEARCH_HPP
#define SLO_RECORD_SEARCH_HPP

#include <slo/base/error.hpp>
#include <slo/base/json.hpp>
#include <slo/base/text.hpp>
#include <slo/record/probe_evidence.hpp>
#include <slo/record/search_settings.hpp>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace slo::record {

/// What a probe came to. Only a pass is a pass; the last three say nothing about the rate.
enum class ProbeStatus { pass, fail, not_enough_rounds, inconclusive, invalid };

/// The name a status has in records.
constexpr std::string_view name_of(ProbeStatus status) noexcept
{
    constexpr std::string_view names[]{"PASS", "FAIL", "NOT_ENOUGH_ROUNDS", "INCONCLUSIVE", "INVALID"};
    return names[static_cast<std::size_t>(status)];
}

/// The status of that name, or nothing.
constexpr std::optional<ProbeStatus> probe_status_of(std::string_view name) noexcept
{
    for (const auto status : {ProbeStatus::pass, ProbeStatus::fail, ProbeStatus::not_enough_rounds,
                              ProbeStatus::inconclusive, ProbeStatus::invalid})
        if (name == name_of(status))
            return status;
    return std::nullopt;
}

/// True where a verdict was reached.
constexpr bool is_decided(ProbeStatus status) noexcept
{
    return status == ProbeStatus::pass || status == ProbeStatus::fail;
}

/// One probe of a rate.
struct SearchProbe {
    std::size_t step = 0; ///< 1-based number within the search
    std::string phase;
    double qps = 0;
    ProbeStatus status = ProbeStatus::fail;
    bool measured = true; ///< false: no verdict on the service was possible, and that counts as a fail
    std::optional<double> avg_p50_latency_s; ///< the deciding figure
    std::string primary_metric;              ///< "steady", "tail", or empty
    std::string window;                      ///< rounds behind the deciding figure, "steady 3-8" or "tail 4"
    std::optional<double> tail_avg_p50_latency_s;
    bool warmup_dominated = false;
    std::optional<double> hit_rate;  ///< prefix cache, 0…1
    std::optional<bool> reconciled;  ///< client and server counted the same
    double elapsed_s = 0;            ///< time spent on the search when the probe had ended
    bool service_died = false;       ///< the service ended under this load, which is why it failed
    std::optional<bool> cache_reset; ///< before it; nothing where that was not asked for
    std::vector<std::string> notes;
    json::array attachments;  ///< what else the probe printed as JSON
    ProbeEvidence evidence{}; ///< for the strategies that look at margins
};

/// The record of one probe.
inline json::object to_record(const SearchProbe& probe)
{
    auto record = search_event("probe");
    record["step"] = probe.step;
    record["phase"] = text_or_null(probe.phase);
    record["qps"] = probe.qps;
    record["status"] = std::string(name_of(probe.status));
    record["measured"] = probe.measured;
    record["avg_p50_latency_s"] = or_null(probe.avg_p50_latency_s);
    record["primary_metric"] = text_or_null(probe.primary_metric);
    record["window"] = text_or_null(probe.window);
    record["tail_avg_p50_latency_s"] = or_null(probe.tail_avg_p50_latency_s);
    record["warmup_dominated"] = probe.warmup_dominated;
    record["hit_rate"] = or_null(probe.hit_rate);
    record["reconciled"] = or_null(probe.reconciled);
    record["elapsed_s"] = probe.elapsed_s;
    add_evidence(record, probe.evidence);
    if (probe.service_died)
        record["service_died"] = true;
    if (probe.cache_reset)
        record["cache_reset"] = *probe.cache_reset;
    record["notes"] = to_array(probe.notes);
    record["attachments"] = probe.attachments;
    return record;
}

/// The figures that a verdict record and a probe record have in common; absent ones stay absent.
inline void read_figures(const json::object& record, SearchProbe& probe)
{
    const auto positive = [&](std::string_view key) {
        const auto number = number_at(record, key);
        return number && *number >= 0 ? number : std::nullopt;
    };
    probe.avg_p50_latency_s = positive("avg_p50_latency_s");
    probe.tail_avg_p50_latency_s = positive("tail_avg_p50_latency_s");
    probe.primary_metric = printable(string_at(record, "primary_metric").value_or(""), 40);
    const auto* warmup = find(record, "warmup_dominated");
    probe.warmup_dominated = warmup && warmup->is_bool() && warmup->get_bool();
    if (const auto rate = positive("hit_rate"))
        probe.hit_rate = rate;
    if (const auto* reconciled = find(record, "reconciled"); reconciled && reconciled->is_bool())
        probe.reconciled = reconciled->get_bool();
    if (const auto window = string_at(record, "window")) {
        probe.window = printable(*window, 40);
    } else if (const auto start = integer_at(record, "steady_window_start_idx"),
               size = integer_at(record, "steady_window_size");
               probe.primary_metric == "steady" && start && size) {
        probe.window = "steady " + std::to_string(*start + 1) + "-" + std::to_string(*start + *size);
    } else if (const auto tail = integer_at(record, "tail_window"); probe.primary_metric == "tail" && tail) {
        probe.window = "tail " + std::to_string(*tail);
    }
    probe.evidence = read_evidence(record);
    constexpr std::size_t most_notes = 20;
    for (const auto& note : detail::texts_at(record, "notes"))
        if (probe.notes.size() < most_notes)
            probe.notes.push_back(printable(note));
}

/// A probe from its record, or from a verdict record that has a `qps`. Throws Error.
inline SearchProbe read_probe(const json::object& record)
{
    SearchProbe probe;
    const auto qps = number_at(record, "qps");
    if (!qps || *qps <= 0)
        throw Error("qps is no positive number in the record of a probe");
    probe.qps = *qps;
    const auto name = string_at(record, "status");
    const auto status = name ? probe_status_of(*name) : std::nullopt;
    if (!status)
        throw Error(printable(name.value_or("no status"), 40) + " at " + format_double(*qps) +
                    " qps is no verdict");
    probe.status = *status;
    const auto* measured = find(record, "measured");
    probe.measured = is_decided(*status) && !(measured && *measured == false);
    read_figures(record, probe);
    probe.phase = string_at(record, "phase").value_or("");
    probe.elapsed_s = std::max(0.0, number_at(record, "elapsed_s").value_or(0));
    const auto* died = find(record, "service_died");
    probe.service_died = died && *died == true;
    if (const auto* reset = find(record, "cache_reset"); reset && reset->is_bool())
        probe.cache_reset = reset->get_bool();
    if (const auto* attachments = array_at(record, "attachments"))
        probe.attachments = *attachments;
    return probe;
}

} // namespace slo::record

#endif
