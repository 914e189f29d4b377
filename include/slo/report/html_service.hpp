// SPDX-License-Identifier: MIT
// The sections of a page about the service: the client that measured it, both sides beside one another,
// caches and cards.

#ifndef SLO_REPORT_HTML_SERVICE_HPP
#define SLO_REPORT_HTML_SERVICE_HPP

#include <slo/artifact/reconciliation.hpp>
#include <slo/report/html_run.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace slo::report {

namespace detail {

// One percentile of one latency in milliseconds, as each side has it.
inline std::optional<double> client_ms(const HtmlModel& model, const LatencySketches& all,
                                       std::string_view name, const std::string& figure)
{
    if (model.envelope)
        if (const auto value =
                model.envelope->number("extensions.sloutils.client." + std::string(name) + "_ms." + figure))
            return value;
    if (model.envelope && !model.envelope->at("extensions.sloutils.client"))
        return model.envelope->number("metrics." + std::string(name) + "_ms." + figure);
    const bool in_s = name == "ttft" || name == "e2e";
    const auto& sketch = name == "ttft"   ? all.ttft_s
                         : name == "tpot" ? all.tpot_ms
                         : name == "itl"  ? all.itl_ms
                                          : all.e2e_s;
    if (sketch.count() == 0)
        return std::nullopt;
    const auto value = figure == "mean" ? std::optional(sketch.mean())
                                        : sketch.quantile(*parse_double(figure.substr(1)) / 100);
    return value ? std::optional(*value * (in_s ? 1000 : 1)) : value;
}

inline std::optional<double> server_ms(const HtmlModel& model, std::string_view name,
                                       const std::string& figure)
{
    if (model.envelope)
        if (const auto value =
                model.envelope->number("extensions.sloutils.server." + std::string(name) + "_ms." + figure))
            return value;
    const auto* histograms = model.diff ? object_at(*model.diff, "histograms") : nullptr;
    const auto* histogram = histograms ? object_at(*histograms, name) : nullptr;
    const auto seconds = histogram ? number_at(*histogram, figure) : std::nullopt;
    return seconds ? std::optional(*seconds * 1000) : seconds;
}

inline std::string reconciliation_text(std::optional<double> client, std::optional<double> server,
                                       std::optional<bool> reconciled)
{
    const std::string state = reconciled ? *reconciled ? "<span class=\"badge pass\">✓ reconciled</span>"
                                                       : "<span class=\"badge fail\">✗ not reconciled</span>"
                                         : "<span class=\"badge open\">? reconciliation not known</span>";
    return "<p>" + state + "successes counted by the client: " + escaped(shown_number(client)) +
           ", by the server: " + escaped(shown_number(server)) + " (at most " +
           escaped(shown_number(artifact::reconcile_limit_pct)) + " % apart counts as the same run)</p>\n";
}

inline std::string reconciliation_of(const HtmlModel& model)
{
    if (model.envelope && model.envelope->object("extensions.reconciliation"))
        return reconciliation_text(model.envelope->number("extensions.reconciliation.client_ok"),
                                   model.envelope->number("extensions.reconciliation.prom_success"),
                                   model.envelope->truth("extensions.reconciliation.reconciled"));
    if (!model.diff)
        return "";
    const auto server = artifact::server_counts(*model.diff);
    artifact::SuccessCounts counts;
    if (const auto ok = model.counted("ok"))
        counts.client = *ok;
    if (!server.reset)
        counts.server = server.requests;
    return reconciliation_text(counts.client, counts.server, counts.reconciled());
}

// The series that an artifact keeps: [{"t_s", NAME…}].
inline ChartSeries kept_series(const json::array* points, std::string_view name, const std::string& label,
                               const std::string& role)
{
    ChartSeries series{label, role, "line", {}};
    for (const auto& value : points ? *points : json::array())
        if (const auto* point = value.if_object())
            if (const auto time_s = number_at(*point, "t_s"))
                series.points.push_back({*time_s, number_at(*point, name)});
    return series;
}

inline Chart time_chart(const std::string& title, const std::string& y_title, std::vector<ChartSeries> series)
{
    Chart chart;
    chart.title = title;
    chart.summary = "Over the time of the run";
    chart.x_title = "seconds";
    chart.y_title = y_title;
    chart.percent = y_title == "percent";
    chart.series = std::move(series);
    return chart;
}

} // namespace detail

/// Whether the client, and not the service, set the pace.
inline std::string client_section(const HtmlModel& model, ChartSheet& charts)
{
    std::string out;
    const auto known = std::count_if(model.rounds.begin(), model.rounds.end(),
                                     [](const PageRound& round) { return round.lateness_p99_s.has_value(); });
    if (known > 0) {
        const auto saturated = std::count_if(model.rounds.begin(), model.rounds.end(),
                                             [](const PageRound& round) { return round.saturated; });
        out += saturated > 0
                   ? html_paragraph("warning",
                                    "In " + std::to_string(saturated) + " of " + std::to_string(known) +
                                        " rounds the client set the pace: what they measured is not the "
                                        "service alone.")
                   : html_paragraph("lead", "The client kept up in every round.");
        const auto most = [&](detail::RoundFigure figure) {
            std::optional<double> worst;
            for (const auto& round : model.rounds)
                if (round.*figure)
                    worst = std::max(worst.value_or(0), *(round.*figure));
            return worst;
        };
        const auto chart = detail::round_chart(
            model, "How late the client sent", "lateness (ms)",
            {detail::round_series(model, "p99 of the requests", "a", &PageRound::lateness_p99_s, 1000)});
        const auto late = most(&PageRound::lateness_p99_s);
        out += "<div class=\"pair\">" + charts.add(chart) + "<div>" +
               html_facts({{"Rounds in which the client set the pace", std::to_string(saturated)},
                           {"Worst lateness, p99 of a round",
                            shown_number(late ? std::optional(1000 * *late) : late, "ms")},
                           {"Busiest round, of one CPU", shown_number(most(&PageRound::busy_pct), "%")},
                           {"Most requests under way", shown_number(most(&PageRound::in_flight_max))}}) +
               "</div></div>\n";
    } else if (const auto* health =
                   model.envelope ? model.envelope->object("extensions.sloutils.client_health") : nullptr) {
        const auto fact = [&](const char* name, double factor, const char* unit) {
            const auto value = number_at(*health, name);
            return shown_number(value ? std::optional(factor * *value) : value, unit);
        };
        const auto saturated = model.envelope->truth("extensions.sloutils.client_health.saturated");
        out += html_facts({{"The client set the pace", saturated ? *saturated ? "yes" : "no" : "not known"},
                           {"Worst lateness, p99 of a round", fact("lateness_p99_s", 1000, "ms")},
                           {"Busiest round, of one CPU", fact("busy_pct_max", 1, "%")},
                           {"Most requests under way", fact("in_flight_max", 1, "requests")}});
    }
    return detail::section(
        "client", "Client health", out,
        "The records do not tell how late the client sent its requests: whether it was the limit is "
        "not known.");
}

/// Latencies as client and server saw them, and whether they counted the same requests.
inline std::string sides_section(const HtmlModel& model)
{
    const auto all = model.distributions(model.steady());
    std::vector<Cells> rows;
    constexpr std::array<std::pair<const char*, const char*>, 8> latencies{{{"ttft", "Time to first token"},
                                                                            {"tpot", "Time per output token"},
                                                                            {"itl", "Gap between tokens"},
                                                                            {"e2e", "End to end"},
                                                                            {"queue", "Queue"},
                                                                            {"prefill", "Prefill"},
                                                                            {"decode", "Decode"},
                                                                            {"inference", "Inference"}}};
    bool any_server = false;
    for (const auto& [name, heading] : latencies) {
        Cells row{Cell(heading)};
        bool any = false;
        for (const auto* figure : {"mean", "p50", "p90", "p99"}) {
            const bool only_server =
                std::string_view(name) == "queue" || std::string_view(name) == "prefill" ||
                std::string_view(name) == "decode" || std::string_view(name) == "inference";
            const auto client = only_server ? std::nullopt : detail::client_ms(model, all, name, figure);
            const auto server = detail::server_ms(model, name, figure);
            any |= client.has_value() || server.has_value();
            any_server |= server.has_value();
            row.emplace_back(client);
            row.emplace_back(server);
        }
        if (any)
            rows.push_back(std::move(row));
    }
    std::string out;
    if (!rows.empty() && any_server)
        out = detail::reconciliation_of(model) +
              html_table("Milliseconds, by the client's clock and by the server's histograms",
                         {"Latency", "mean, client", "server", "p50, client", "server", "p90, client",
                          "server", "p99, client", "server"},
                         rows) +
              html_paragraph(
                  "note",
                  "A server's percentiles are interpolated within the buckets of its histograms, and are "
                  "as coarse as these; its latencies leave out the network and the client.");
    else if (!rows.empty() && model.envelope)
        out = detail::reconciliation_of(model);
    return detail::section(
        "sides", "Client and server", out,
        "No metrics of the server were given (a record of prom-diff, or an artifact with them): only the "
        "client's side is known, and nothing confirms it.");
}

/// The KV cache, the prefix cache and the cards over time. `cards`: charts of a GPU series.
inline std::string telemetry_section(const HtmlModel& model, ChartSheet& charts)
{
    std::string drawn;
    std::vector<std::pair<std::string, std::string>> facts;
    if (model.envelope) {
        const auto& artifact = *model.envelope;
        drawn += charts.add(detail::time_chart(
            "KV cache in use", "percent",
            {detail::kept_series(artifact.array("extensions.cache_stats.kv_utilization_timeseries"), "pct",
                                 "in use", "a")}));
        const auto* queue = artifact.array("extensions.scheduler.running_vs_waiting_requests");
        drawn += charts.add(detail::time_chart("Requests in the engine", "requests",
                                               {detail::kept_series(queue, "running", "running", "a"),
                                                detail::kept_series(queue, "waiting", "waiting", "b")}));
        const auto fact = [&](const char* name, const char* path, double factor, const char* unit) {
            if (const auto value = artifact.number(path))
                facts.emplace_back(name, shown_number(factor * *value, unit));
        };
        fact("Prefix cache hits", "extensions.cache_stats.prefix_hit_rate", 100, "%");
        fact("KV cache in use, mean", "extensions.cache_stats.kv_utilization_pct_mean", 1, "%");
        fact("KV cache in use, most", "extensions.cache_stats.kv_utilization_pct_max", 1, "%");
        fact("Preemptions", "extensions.cache_stats.preemption_count", 1, "");
        fact("Mean power of all cards", "power.avg_fleet_power_watts", 1, "W");
        fact("Energy", "power.total_energy_joules", 1, "J");
        fact("Output tokens per joule", "power.tokens_per_joule", 1, "");
        fact("GPU utilisation, mean", "extensions.gpu_telemetry.gpu_util_pct_mean", 1, "%");
        fact("GPU temperature, most", "extensions.gpu_telemetry.temp_c_max", 1, "°C");
    } else if (model.diff) {
        const auto* gauges = object_at(*model.diff, "gauges");
        const auto* counters = object_at(*model.diff, "counters");
        if (const auto rate = number_at(*model.diff, "hit_rate"))
            facts.emplace_back("Prefix cache hits", shown_number(100 * *rate, "%"));
        if (const auto usage = gauges ? number_at(*gauges, "kv_cache_usage") : std::nullopt)
            facts.emplace_back("KV cache in use at the end", shown_number(100 * *usage, "%"));
        if (const auto count = counters ? number_at(*counters, "preemptions") : std::nullopt)
            facts.emplace_back("Preemptions", shown_number(count));
    }
    for (const auto& chart : model.gpu_charts)
        drawn += charts.add(chart);
    std::string out = html_facts(facts);
    if (!drawn.empty())
        out += "<div class=\"pair\">" + drawn + "</div>\n";
    if (!out.empty() && model.gpu_charts.empty())
        out += html_paragraph("missing",
                              "No GPU series was given (--gpu): what the cards did over time is not shown.");
    return detail::section(
        "telemetry", "Caches and GPUs", out,
        "No metrics of the server and no GPU series were given: nothing is known of caches and cards.");
}

} // namespace slo::report

#endif
