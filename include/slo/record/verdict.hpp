// SPDX-License-Identifier: MIT
// The verdict record: whether the rounds of one rate keep the SLO (sloutils.verdict/1).

#ifndef SLO_RECORD_VERDICT_HPP
#define SLO_RECORD_VERDICT_HPP

#include <slo/base/error.hpp>
#include <slo/base/json.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace slo::record {

/// What the rounds say about the rate.
enum class VerdictStatus {
    pass,
    fail,
    not_enough_rounds,
    error,
    inconclusive, ///< neither with the confidence asked for
    invalid       ///< the rounds are no measurement of a service in a steady state
};

inline constexpr std::array<std::string_view, 6> verdict_status_names{
    "PASS", "FAIL", "NOT_ENOUGH_ROUNDS", "ERROR", "INCONCLUSIVE", "INVALID"};

/// The name a status has in records.
constexpr std::string_view name_of(VerdictStatus status) noexcept
{
    return verdict_status_names[static_cast<std::size_t>(status)];
}

/// What a tool that gave such a verdict exits with.
constexpr Exit exit_of(VerdictStatus status) noexcept
{
    switch (status) {
    case VerdictStatus::pass:
        return Exit::ok;
    case VerdictStatus::fail:
        return Exit::negative;
    case VerdictStatus::not_enough_rounds:
    case VerdictStatus::inconclusive:
    case VerdictStatus::invalid:
        return Exit::undecided;
    case VerdictStatus::error:
        break;
    }
    return Exit::error;
}

/// The interval in which the deciding mean lies with probability `level`.
struct Confidence {
    double level = 0;
    double low_s = 0;
    double high_s = 0;
    double effective_rounds = 0; ///< fewer than the rounds where neighbours resemble each other
};

/// What became of one objective.
struct ObjectiveVerdict {
    std::string objective; ///< in its canonical text
    VerdictStatus status = VerdictStatus::inconclusive;
    double requests = 0;
    std::optional<double> attainment; ///< share of requests that met it, 0 to 1
    double attainment_low = 0;        ///< one-sided bounds, each wrong with the error of a look at most
    double attainment_high = 1;
    double required = 0;           ///< the share that must meet it
    double effective_requests = 0; ///< independent ones that would tell as much
    double design_effect = 1;
    bool load_adjusted = false; ///< the chance in the arrivals was taken out by regression
    double margin = 0;          ///< distance from the edge, above 0 on the failing side
    double margin_error = 0;    ///< its standard error
};

/// How a certain verdict was reached.
struct Certainty {
    double level = 0.95; ///< probability that PASS is right where the rate is at the edge, and FAIL
    std::string rule = "intervals";  ///< or "mlperf"
    std::vector<std::int64_t> looks; ///< rounds after which it was looked
    std::int64_t look = 0;     ///< at which of them it was decided, from 1; the last one where it was not
    std::string spending;      ///< "pocock" or "obrien-fleming"
    double error_per_look = 0; ///< of one side, at that look
    std::int64_t warm_up_rounds = 0; ///< left out at the start
    bool stationary = true;
    std::optional<double> little_ratio; ///< requests under way over arrival rate times latency
};

/// One verdict. Latencies in seconds; absent means not computed.
struct Verdict {
    VerdictStatus status = VerdictStatus::not_enough_rounds;
    std::int64_t rounds_seen = 0;
    std::int64_t rounds_required = 0;
    std::int64_t tail_window = 0;
    std::optional<double> avg_p50_latency_s; ///< the deciding figure
    std::string primary_metric;              ///< "steady", "tail", or empty
    double slo_s = std::numeric_limits<double>::quiet_NaN();
    std::vector<double> per_round_p50;
    std::optional<double> tail_avg_p50_latency_s;
    std::optional<std::int64_t> steady_window_start_idx; ///< from 0
    std::int64_t steady_window_size = 0;
    std::optional<double> steady_avg_p50_latency_s;
    bool warmup_dominated = false;
    std::optional<double> warmup_ratio_tail_over_tail3;
    std::vector<std::string> notes;

    std::optional<double> success_rate_min; ///< percent, over the deciding window
    std::optional<double> tail_spread;      ///< largest over smallest p50 of the tail window
    std::optional<Confidence> confidence;
    std::string shard_merge; ///< "sketch" or "mean" where several files were merged, or empty
    std::int64_t malformed_lines = 0;
    std::string error; ///< why the status is `error`

    std::optional<Certainty> certainty; ///< of a verdict by objectives
    std::vector<ObjectiveVerdict> objectives;
};

/// The verdict of a tool that could not judge at all.
inline Verdict error_verdict(std::string reason)
{
    Verdict verdict;
    verdict.status = VerdictStatus::error;
    verdict.error = std::move(reason);
    return verdict;
}

namespace detail {

inline json::object to_record(const ObjectiveVerdict& objective)
{
    return {{"objective", objective.objective},
            {"status", json_text(name_of(objective.status))},
            {"requests", objective.requests},
            {"attainment", or_null(objective.attainment)},
            {"attainment_low", objective.attainment_low},
            {"attainment_high", objective.attainment_high},
            {"required", objective.required},
            {"effective_requests", objective.effective_requests},
            {"design_effect", objective.design_effect},
            {"load_adjusted", objective.load_adjusted},
            {"margin", objective.margin},
            {"margin_error", objective.margin_error}};
}

inline json::object to_record(const Certainty& certainty)
{
    return {{"level", certainty.level},
            {"rule", certainty.rule},
            {"looks", json::array(certainty.looks.begin(), certainty.looks.end())},
            {"look", certainty.look},
            {"spending", certainty.spending},
            {"error_per_look", certainty.error_per_look},
            {"warm_up_rounds", certainty.warm_up_rounds},
            {"stationary", certainty.stationary},
            {"little_ratio", or_null(certainty.little_ratio)}};
}

} // namespace detail

/// The record of a verdict; the names and the order of the classic analyzer's fields come first.
inline json::object to_record(const Verdict& verdict)
{
    json::object record{{"status", json_text(name_of(verdict.status))}};
    if (verdict.status == VerdictStatus::error) {
        record["error"] = verdict.error;
        record["schema"] = "sloutils.verdict/1";
        return record;
    }
    record["rounds_seen"] = verdict.rounds_seen;
    record["rounds_required"] = verdict.rounds_required;
    record["tail_window"] = verdict.tail_window;
    record["avg_p50_latency_s"] = or_null(verdict.avg_p50_latency_s);
    record["primary_metric"] = text_or_null(verdict.primary_metric);
    record["slo_s"] = verdict.slo_s;
    record["per_round_p50"] = json::array(verdict.per_round_p50.begin(), verdict.per_round_p50.end());
    record["tail_avg_p50_latency_s"] = or_null(verdict.tail_avg_p50_latency_s);
    record["steady_window_start_idx"] = or_null(verdict.steady_window_start_idx);
    record["steady_window_size"] = verdict.steady_window_size;
    record["steady_avg_p50_latency_s"] = or_null(verdict.steady_avg_p50_latency_s);
    record["warmup_dominated"] = verdict.warmup_dominated;
    record["warmup_ratio_tail_over_tail3"] = or_null(verdict.warmup_ratio_tail_over_tail3);
    record["notes"] = json::array(verdict.notes.begin(), verdict.notes.end());
    record["success_rate_min"] = or_null(verdict.success_rate_min);
    record["tail_spread"] = or_null(verdict.tail_spread);
    record["confidence"] = nullptr;
    if (const auto& interval = verdict.confidence)
        record["confidence"] = json::object{{"level", interval->level},
                                            {"low_s", interval->low_s},
                                            {"high_s", interval->high_s},
                                            {"effective_rounds", interval->effective_rounds}};
    if (verdict.certainty) {
        record["certainty"] = detail::to_record(*verdict.certainty);
        json::array objectives;
        for (const auto& objective : verdict.objectives)
            objectives.push_back(detail::to_record(objective));
        record["objectives"] = std::move(objectives);
    }
    record["shard_merge"] = text_or_null(verdict.shard_merge);
    record["malformed_lines"] = verdict.malformed_lines;
    record["schema"] = "sloutils.verdict/1";
    return record;
}

} // namespace slo::record

#endif
