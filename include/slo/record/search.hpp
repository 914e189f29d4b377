// SPDX-License-Identifier: MIT
// The search records (sloutils.search/1): start, probe and result, written and read.

#ifndef SLO_RECORD_SEARCH_HPP
#define SLO_RECORD_SEARCH_HPP

#include <slo/base/error.hpp>
#include <slo/base/json.hpp>
#include <slo/base/text.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace slo::record {

inline constexpr std::string_view search_schema = "sloutils.search/1";

/// What a search is about. Two searches with equal settings are the same one, and may share a journal.
struct SearchSettings {
    double low_qps = 0;
    double high_qps = 0;
    double precision_qps = 0;
    double slo_s = 0;
    bool offload = false;
    int total_rounds = 0;
    int tail_window = 0;
    std::uint64_t seed = 0;
    std::vector<std::string> command; ///< as given, {qps} unreplaced; empty in a search without COMMAND
};

/// What a probe came to. Only a pass is a pass.
enum class ProbeStatus { pass, fail, not_enough_rounds };

/// The name a status has in records.
constexpr std::string_view name_of(ProbeStatus status) noexcept
{
    constexpr std::string_view names[]{"PASS", "FAIL", "NOT_ENOUGH_ROUNDS"};
    return names[static_cast<std::size_t>(status)];
}

/// The status of that name, or nothing.
constexpr std::optional<ProbeStatus> probe_status_of(std::string_view name) noexcept
{
    for (const auto status : {ProbeStatus::pass, ProbeStatus::fail, ProbeStatus::not_enough_rounds})
        if (name == name_of(status))
            return status;
    return std::nullopt;
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
    std::optional<double> hit_rate; ///< prefix cache, 0…1
    std::optional<bool> reconciled; ///< client and server counted the same
    double elapsed_s = 0;           ///< time spent on the search when the probe had ended
    std::vector<std::string> notes;
    json::array attachments; ///< what else the probe printed as JSON
};

/// What a search came to.
struct SearchResult {
    std::optional<double> max_qps;
    std::optional<double> first_fail_qps;
    bool first_fail_measured = true; ///< false: the limit may be that of the client, not of the service
    bool converged = false;
    std::string reason;
    std::size_t probes = 0;
    double elapsed_s = 0;
    std::vector<std::string> notes;
    std::optional<double> hit_rate; ///< prefix cache at max_qps
    std::optional<bool> reconciled; ///< true where it is of every probe, false where it is not of one
};

/// The beginning of every search record.
inline json::object search_event(std::string_view event)
{
    return {{"schema", json_text(search_schema)}, {"event", json_text(event)}};
}

/// Texts as a JSON array.
inline json::array to_array(const std::vector<std::string>& texts)
{
    return json::array(texts.begin(), texts.end());
}

namespace detail {

inline std::vector<std::string> texts_at(const json::object& object, std::string_view key)
{
    std::vector<std::string> texts;
    if (const auto* array = array_at(object, key)) {
        for (const auto& element : *array)
            if (const auto* text = element.if_string())
                texts.emplace_back(text->data(), text->size());
    } else if (const auto text = string_at(object, key)) {
        texts.emplace_back(*text);
    }
    return texts;
}

inline void add_settings(json::object& record, const SearchSettings& settings)
{
    record["slo_s"] = settings.slo_s;
    record["precision"] = settings.precision_qps;
    record["offload"] = settings.offload;
    record["total_rounds"] = settings.total_rounds;
    record["tail_window"] = settings.tail_window;
}

} // namespace detail

/// The start record: the first line of a search and of its journal.
inline json::object to_record(const SearchSettings& settings)
{
    auto record = search_event("start");
    record["low_qps"] = settings.low_qps;
    record["high_qps"] = settings.high_qps;
    detail::add_settings(record, settings);
    record["seed"] = settings.seed;
    record["command"] = to_array(settings.command);
    return record;
}

/// The settings in a start record. Throws Error naming the field that is missing or of the wrong kind.
inline SearchSettings read_settings(const json::object& record)
{
    const auto number = [&](std::string_view key) {
        if (const auto value = number_at(record, key))
            return *value;
        throw Error(std::string(key) + " is no number in the start record");
    };
    SearchSettings settings;
    settings.low_qps = number("low_qps");
    settings.high_qps = number("high_qps");
    settings.precision_qps = number("precision");
    settings.slo_s = number("slo_s");
    settings.total_rounds = static_cast<int>(std::clamp(number("total_rounds"), 0.0, 1e9));
    settings.tail_window = static_cast<int>(std::clamp(number("tail_window"), 0.0, 1e9));
    const auto* offload = find(record, "offload");
    settings.offload = offload && offload->is_bool() && offload->get_bool();
    if (const auto* seed = find(record, "seed"))
        settings.seed = seed->is_uint64()
                            ? seed->get_uint64()
                            : static_cast<std::uint64_t>(integer_at(record, "seed").value_or(0));
    settings.command = detail::texts_at(record, "command");
    return settings;
}

/// The first thing in which `journal` is another search than `wanted`, "low is 8.0 there, 8.5 here"; empty:
/// none.
inline std::string difference(const SearchSettings& journal, const SearchSettings& wanted)
{
    const auto differ = [](std::string_view name, const std::string& there, const std::string& here) {
        return there == here ? std::string()
                             : std::string(name) + " is " + there + " there, " + here + " here";
    };
    const auto joined = [](const std::vector<std::string>& words) { return to_json(to_array(words)); };
    for (auto text :
         {differ("low", format_double(journal.low_qps), format_double(wanted.low_qps)),
          differ("high", format_double(journal.high_qps), format_double(wanted.high_qps)),
          differ("precision", format_double(journal.precision_qps), format_double(wanted.precision_qps)),
          differ("the SLO", format_double(journal.slo_s), format_double(wanted.slo_s)),
          differ("offload", journal.offload ? "on" : "off", wanted.offload ? "on" : "off"),
          differ("total-rounds", std::to_string(journal.total_rounds), std::to_string(wanted.total_rounds)),
          differ("tail-window", std::to_string(journal.tail_window), std::to_string(wanted.tail_window)),
          differ("the seed", std::to_string(journal.seed), std::to_string(wanted.seed)),
          differ("the command", joined(journal.command), joined(wanted.command))})
        if (!text.empty())
            return printable(text);
    return {};
}

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
    probe.measured = *status != ProbeStatus::not_enough_rounds && !(measured && *measured == false);
    read_figures(record, probe);
    probe.phase = string_at(record, "phase").value_or("");
    probe.elapsed_s = std::max(0.0, number_at(record, "elapsed_s").value_or(0));
    if (const auto* attachments = array_at(record, "attachments"))
        probe.attachments = *attachments;
    return probe;
}

/// The result record: the last line of a search.
inline json::object to_record(const SearchResult& result, const SearchSettings& settings)
{
    auto record = search_event("result");
    record["max_qps"] = or_null(result.max_qps);
    record["first_fail_qps"] = or_null(result.first_fail_qps);
    record["first_fail_measured"] =
        result.first_fail_qps ? json::value(result.first_fail_measured) : json::value(nullptr);
    record["converged"] = result.converged;
    record["reason"] = result.reason;
    record["interrupted"] = result.reason == "interrupted";
    record["hit_rate"] = or_null(result.hit_rate);
    record["reconciled"] = or_null(result.reconciled);
    record["probes"] = result.probes;
    detail::add_settings(record, settings);
    record["elapsed_s"] = result.elapsed_s;
    record["notes"] = to_array(result.notes);
    return record;
}

} // namespace slo::record

#endif
