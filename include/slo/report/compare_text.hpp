// SPDX-License-Identifier: MIT
// A comparison as a table for people, and as a record.

#ifndef SLO_REPORT_COMPARE_TEXT_HPP
#define SLO_REPORT_COMPARE_TEXT_HPP

#include <slo/artifact/comparability.hpp>
#include <slo/artifact/comparison.hpp>
#include <slo/base/json.hpp>
#include <slo/base/text.hpp>
#include <slo/record/probe_evidence.hpp>
#include <slo/report/search_table.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace slo::report {

/// All that a comparison came to.
struct Comparison {
    std::vector<artifact::ResultGroup> groups; ///< the first is what the others are compared with
    std::vector<artifact::KeyDifference> differences;
    std::vector<artifact::MetricComparison> metrics;
    std::vector<std::string> notes;
    double threshold_percent = 5;
    double confidence = 0.95;
    bool regression = false; ///< asked for
};

/// "engine.name: vllm in base, sglang in other".
inline std::string difference_line(const artifact::KeyDifference& difference,
                                   const std::vector<artifact::ResultGroup>& groups)
{
    auto line = difference.key + ": ";
    for (std::size_t i = 0; i < groups.size(); ++i)
        line += (i == 0 ? "" : ", ") + difference.values[i] + " in " + groups[i].label;
    return printable(line, 600);
}

namespace detail {

// With its sign, but for what is 0 in so many digits.
inline std::string signed_text(double value, int decimals)
{
    auto text = format_fixed(value, decimals);
    if (text.find_first_of("123456789") == std::string::npos)
        return format_fixed(0, decimals);
    return (value > 0 ? "+" : "") + text;
}

inline std::string metric_text(const artifact::ComparedMetric& metric, double value, bool is_change = false)
{
    const auto text = is_change ? signed_text(value * metric.factor, metric.decimals)
                                : format_fixed(value * metric.factor, metric.decimals);
    if (metric.unit == "%" && is_change)
        return text + " points";
    return text + (metric.unit.empty() ? "" : " " + std::string(metric.unit));
}

inline std::string percent_change(const std::optional<double>& percent)
{
    return percent ? signed_text(*percent, 1) + " %" : "from 0";
}

inline std::string side_text(const artifact::ComparedMetric& metric, const artifact::MetricSide& side)
{
    return side.p50 ? metric_text(metric, *side.p50) +
                          (side.missing > 0 ? " (" + std::to_string(side.missing) + " missing)" : "")
                    : "n/a";
}

// The interval of a change: in percent of the first, where that is not 0.
inline std::string interval_text(const artifact::MetricComparison& one, const artifact::MetricChange& change)
{
    if (change.outcome == artifact::Outcome::equal &&
        (!change.interval || change.interval->low == change.interval->high))
        return "";
    if (!change.interval)
        return change.delta ? "unknown" : "";
    const double first = one.sides.front().p50.value_or(0);
    const auto part = [&](double bound) {
        return first != 0 ? signed_text(100 * bound / std::abs(first), 1)
                          : metric_text(*one.metric, bound, true);
    };
    return part(change.interval->low) + " to " + part(change.interval->high) + (first != 0 ? " %" : "");
}

constexpr const char* invalid_text = "invalid runs";

inline std::string outcome_text(artifact::Outcome outcome, const std::vector<artifact::ResultGroup>& groups)
{
    const auto &first = groups[0].label, &other = groups[1].label;
    switch (outcome) {
    case artifact::Outcome::better:
    case artifact::Outcome::worse:
        if (artifact::any_invalid(groups))
            return invalid_text;
        return (outcome == artifact::Outcome::better ? other : first) + " better";
    case artifact::Outcome::equal:
        return "equal";
    case artifact::Outcome::within_noise:
        return "within noise";
    case artifact::Outcome::unknown_noise:
        return "unknown noise";
    case artifact::Outcome::missing:
        return "missing in " + other;
    case artifact::Outcome::incomplete:
        break;
    }
    return "missing in " + first;
}

inline std::string regression_text(artifact::Regression regression)
{
    return regression == artifact::Regression::yes         ? "REGRESSION"
           : regression == artifact::Regression::undecided ? "undecided"
                                                           : "";
}

inline Row pair_row(const artifact::MetricComparison& one, const Comparison& all)
{
    const auto& change = one.changes.front();
    Row row{std::string(one.metric->label),
            side_text(*one.metric, one.sides[0]),
            side_text(*one.metric, one.sides[1]),
            change.delta ? metric_text(*one.metric, *change.delta, true) : "",
            change.delta ? percent_change(change.percent) : "",
            interval_text(one, change),
            outcome_text(change.outcome, all.groups)};
    if (all.regression)
        row.push_back(regression_text(change.regression));
    return row;
}

inline Row matrix_row(const artifact::MetricComparison& one, const Comparison& all)
{
    Row row{std::string(one.metric->label), side_text(*one.metric, one.sides[0])};
    bool unknown = false, equal = true, complete = true;
    std::string regressed;
    for (std::size_t i = 1; i < one.sides.size(); ++i) {
        const auto& change = one.changes[i - 1];
        row.push_back(side_text(*one.metric, one.sides[i]) +
                      (change.delta ? " (" + percent_change(change.percent) + ")" : ""));
        unknown |= change.outcome == artifact::Outcome::unknown_noise;
        equal &= change.outcome == artifact::Outcome::equal;
        complete &=
            change.outcome != artifact::Outcome::missing && change.outcome != artifact::Outcome::incomplete;
        if (change.regression != artifact::Regression::no)
            regressed += (regressed.empty() ? "" : ", ") + all.groups[i].label +
                         (change.regression == artifact::Regression::undecided ? " undecided" : "");
    }
    row.push_back(one.winner                          ? all.groups[*one.winner].label
                  : equal                             ? "equal"
                  : unknown                           ? "unknown noise"
                  : !complete                         ? "incomplete"
                  : artifact::any_invalid(all.groups) ? invalid_text
                                                      : "none beyond noise");
    if (all.regression)
        row.push_back(regressed);
    return row;
}

inline std::string regression_line(const Comparison& all)
{
    std::string yes, undecided;
    for (const auto& one : all.metrics)
        for (std::size_t i = 0; i < one.changes.size(); ++i) {
            if (one.changes[i].regression == artifact::Regression::no)
                continue;
            auto& list = one.changes[i].regression == artifact::Regression::yes ? yes : undecided;
            list += (list.empty() ? "" : ", ") + std::string(one.metric->label) +
                    (all.groups.size() > 2 ? " of " + all.groups[i + 1].label : "");
        }
    const auto threshold = " (threshold " + format_fixed(all.threshold_percent, 1) + " %)\n";
    std::string text;
    if (!yes.empty())
        text += "Regression: " + yes + threshold;
    if (!undecided.empty())
        text += "Undecided, beyond the threshold but within noise: " + undecided + threshold;
    if (text.empty() && artifact::any_invalid(all.groups))
        return "Undecided: some runs are invalid\n";
    return text.empty() ? "No regression" + threshold : text;
}

} // namespace detail

/// The table, for two configurations with the interval of each change.
inline std::string to_text(const Comparison& all)
{
    std::string text;
    const bool pair = all.groups.size() == 2;
    for (const auto& group : all.groups) {
        const auto& run = group.runs.front();
        const auto said = [&](const char* path) { return printable(run.text(path).value_or(""), 60); };
        const auto engine = said("engine.name"), version = said("engine.version");
        const auto workload = said("workload.catalog_id");
        text += group.label + ": " + std::to_string(group.runs.size()) +
                (group.runs.size() == 1 ? " run" : " runs") + (engine.empty() ? "" : ", " + engine) +
                (version.empty() ? "" : " " + version) + (workload.empty() ? "" : ", " + workload) + "\n";
    }
    std::vector<detail::Row> rows{{"Metric"}};
    for (const auto& group : all.groups)
        rows[0].push_back(group.label);
    if (pair)
        for (const auto& name : {std::string("Delta"), std::string("Change"),
                                 record::percent_text(all.confidence) + " interval", std::string("Result")})
            rows[0].push_back(name);
    else
        rows[0].emplace_back("Best");
    if (all.regression)
        rows[0].emplace_back(pair ? "" : "Regression");
    for (const auto& one : all.metrics)
        rows.push_back(pair ? detail::pair_row(one, all) : detail::matrix_row(one, all));
    text += "\n" + detail::aligned(rows);
    for (const auto& note : all.notes)
        text += "Note: " + printable(note, 600) + "\n";
    return text + (all.regression ? detail::regression_line(all) : "");
}

/// The record of a comparison (sloutils.compare/1).
inline json::object to_record(const Comparison& all)
{
    const bool refused = std::any_of(all.differences.begin(), all.differences.end(),
                                     [](const auto& difference) { return !difference.allowed; });
    const auto worst = artifact::worst_regression(all.metrics, all.groups);
    json::object record{{"schema", "sloutils.compare/1"}};
    record["status"] = refused                                    ? "NOT_COMPARABLE"
                       : worst == artifact::Regression::yes       ? "REGRESSION"
                       : worst == artifact::Regression::undecided ? "UNDECIDED"
                                                                  : "NO_REGRESSION";
    record["threshold_pct"] = all.threshold_percent;
    record["confidence"] = all.confidence;
    json::array groups, differences, metrics;
    for (const auto& group : all.groups) {
        json::array files, ids;
        for (const auto& run : group.runs) {
            files.push_back(json_text(run.name()));
            ids.push_back(text_or_null(run.text("artifact_id").value_or("")));
        }
        groups.push_back(json::object{{"label", json_text(group.label)},
                                      {"runs", group.runs.size()},
                                      {"files", std::move(files)},
                                      {"artifact_ids", std::move(ids)}});
    }
    for (const auto& difference : all.differences)
        differences.push_back(
            json::object{{"key", json_text(difference.key)},
                         {"values", json::array(difference.values.begin(), difference.values.end())},
                         {"allowed", difference.allowed}});
    for (const auto& one : all.metrics) {
        json::array sides, changes;
        for (const auto& side : one.sides)
            sides.push_back(json::object{{"p50", or_null(side.p50)},
                                         {"values", json::array(side.values.begin(), side.values.end())},
                                         {"missing", side.missing}});
        for (const auto& change : one.changes) {
            json::value interval = nullptr;
            if (change.interval)
                interval = json::object{{"low", change.interval->low},
                                        {"high", change.interval->high},
                                        {"degrees", change.interval->degrees}};
            changes.push_back(json::object{{"delta", or_null(change.delta)},
                                           {"pct", or_null(change.percent)},
                                           {"interval", std::move(interval)},
                                           {"outcome", json_text(name_of(change.outcome))},
                                           {"regression", json_text(name_of(change.regression))}});
        }
        metrics.push_back(json::object{
            {"metric", json_text(one.metric->name)},
            {"better", one.metric->higher_is_better ? "higher" : "lower"},
            {"groups", std::move(sides)},
            {"changes", std::move(changes)},
            {"winner", one.winner ? json_text(all.groups[*one.winner].label) : json::value(nullptr)}});
    }
    record["groups"] = std::move(groups);
    record["differences"] = std::move(differences);
    record["metrics"] = std::move(metrics);
    record["notes"] = json::array(all.notes.begin(), all.notes.end());
    return record;
}

} // namespace slo::report

#endif
