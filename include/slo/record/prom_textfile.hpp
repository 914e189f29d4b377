// SPDX-License-Identifier: MIT
// A run as it goes, for the textfile collector of node_exporter.

#ifndef SLO_RECORD_PROM_TEXTFILE_HPP
#define SLO_RECORD_PROM_TEXTFILE_HPP

#include <slo/base/prom_label.hpp>
#include <slo/base/text.hpp>
#include <slo/record/request.hpp>
#include <slo/record/round_window.hpp>
#include <slo/record/run_totals.hpp>
#include <slo/record/window_totals.hpp>
#include <slo/stats/sample.hpp>
#include <slo/stats/summary.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace slo::record {

namespace detail {

// Metrics whose names begin with sloutils_replay_, in the text format 0.0.4. HELP and TYPE stand once, before
// all samples of their metric.
class PromTextfile {
public:
    void begin(std::string_view name, std::string_view type, std::string_view help)
    {
        name_ = "sloutils_replay_" + std::string(name);
        text_ += "# HELP " + name_ + " " + std::string(help) + "\n";
        text_ += "# TYPE " + name_ + " " + std::string(type) + "\n";
    }

    void sample(std::optional<double> value, std::string_view label = {}, std::string_view label_value = {},
                std::string_view suffix = {})
    {
        text_ += name_;
        text_ += suffix;
        if (!label.empty())
            text_ += "{" + std::string(label) + "=\"" + escaped_label(label_value) + "\"}";
        text_ += " " + (value && std::isfinite(*value) ? format_double(*value) : std::string("NaN")) + "\n";
    }

    void single(std::string_view name, std::string_view type, std::string_view help,
                std::optional<double> value)
    {
        begin(name, type, help);
        sample(value);
    }

    // Quantiles are those of the last round, as those of other clients are of the last minutes; sum and count
    // are the run's.
    void summary(std::string_view name, std::string_view help, const stats::Sample& last,
                 const Distribution& run, double to_seconds)
    {
        begin(name, "summary", help);
        const auto figures = last.summary();
        const auto quantile = [&](std::string_view q, double stats::Summary::*figure) {
            sample(figures ? std::optional((*figures).*figure * to_seconds) : std::nullopt, "quantile", q);
        };
        quantile("0.5", &stats::Summary::p50);
        quantile("0.9", &stats::Summary::p90);
        quantile("0.95", &stats::Summary::p95);
        quantile("0.99", &stats::Summary::p99);
        sample(run.moments().sum() * to_seconds, {}, {}, "_sum");
        sample(static_cast<double>(run.count()), {}, {}, "_count");
    }

    std::string take() { return std::move(text_); }

private:
    std::string name_;
    std::string text_;
};

inline void add_counters(PromTextfile& out, const RunTotals& run)
{
    out.begin("requests_total", "counter", "Requests that were due, by how they ended.");
    for (std::size_t i = 0; i < request_status_names.size(); ++i)
        out.sample(static_cast<double>(run.by_status[i]), "status", request_status_names[i]);
    out.begin("errors_total", "counter", "Requests that did not succeed, by kind of error.");
    for (std::size_t i = 1; i < error_kind_names.size(); ++i)
        out.sample(static_cast<double>(run.by_kind[i]), "kind", error_kind_names[i]);
    const auto total = [&](std::string_view name, std::string_view help, double value) {
        out.single(name, "counter", help, value);
    };
    total("retries_total", "Requests sent again.", static_cast<double>(run.retries));
    total("reconnects_total", "Stale connections replaced.", static_cast<double>(run.reconnects));
    total("input_tokens_total", "Prompt tokens of the successes.", run.input_tokens.moments().sum());
    total("output_tokens_total", "Output tokens of the successes.", run.output_tokens.moments().sum());
    total("rounds_total", "Rounds that are over.", run.rounds);
}

inline void add_rates(PromTextfile& out, const RoundWindow& window, const WindowTotals& last)
{
    const auto rate = [&](std::string_view name, std::optional<double> requests) {
        if (requests && window.duration_s > 0)
            out.sample(*requests / window.duration_s, "kind", name);
    };
    out.begin("requests_per_second", "gauge", "Rates of the last round.");
    if (window.target_qps)
        out.sample(*window.target_qps, "kind", "target");
    rate("due", static_cast<double>(last.due));
    rate("sent", static_cast<double>(window.wire_dispatched.value_or(0)));
    rate("completed", static_cast<double>(window.completed.value_or(0)));
}

inline void add_attainment(PromTextfile& out, const WindowTotals& last)
{
    const auto& terms = last.terms();
    if (!terms.e2e_slo_s && !terms.ttft_slo_ms && !terms.tpot_slo_ms)
        return;
    out.begin("slo_attainment_ratio", "gauge", "Share of the last round's requests that met the SLO.");
    const auto share = [&](std::string_view slo, bool is_set, std::int64_t met) {
        if (is_set)
            out.sample(last.due > 0 ? std::optional(static_cast<double>(met) / static_cast<double>(last.due))
                                    : std::nullopt,
                       "slo", slo);
    };
    share("e2e", terms.e2e_slo_s.has_value(), last.met_e2e);
    share("ttft", terms.ttft_slo_ms.has_value(), last.met_ttft);
    share("tpot", terms.tpot_slo_ms.has_value(), last.met_tpot);
}

} // namespace detail

/// The text of the file after a round: counters of the run, gauges and quantiles of the round `last`.
/// `now_epoch_s`: the wall clock.
inline std::string prom_textfile(const RunTotals& run, const RoundWindow& window, const WindowTotals& last,
                                 double now_epoch_s)
{
    detail::PromTextfile out;
    out.begin("run_info", "gauge", "The run: always 1.");
    out.sample(1, "model", window.model);
    detail::add_counters(out, run);
    out.single("round", "gauge", "Number of the last round.", window.number);
    out.single("last_round_timestamp_seconds", "gauge", "When it was over, since the epoch.", now_epoch_s);
    if (!window.flags.empty())
        out.begin("round_flag", "gauge", "What was unusual in the last round: always 1.");
    for (const auto& flag : window.flags)
        out.sample(1, "flag", flag);
    detail::add_rates(out, window, last);
    detail::add_attainment(out, last);
    if (const auto& client = window.client) {
        out.single("client_saturated", "gauge", "1 where the client, not the server, set the pace.",
                   client->saturated);
        out.single("in_flight_max", "gauge", "Most requests on the wire at once in the last round.",
                   static_cast<double>(client->in_flight_max));
        out.single("client_lateness_seconds", "gauge", "99 % of the requests were sent no later than this.",
                   client->lateness_p99_s);
    }
    const bool from_due = last.terms().basis == LatencyBasis::due;
    out.summary("ttft_seconds", from_due ? "From due time to first token." : "From sending to first token.",
                last.ttft_s, run.ttft_s, 1);
    out.summary("e2e_latency_seconds",
                from_due ? "From due time to end of answer." : "From sending to end of answer.",
                last.latency_s, run.latency_s, 1);
    out.summary("tpot_seconds", "Time per output token after the first.", last.tpot_values_ms, run.tpot_ms,
                0.001);
    return out.take();
}

} // namespace slo::record

#endif
