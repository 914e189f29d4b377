// SPDX-License-Identifier: MIT
// What changed between results: metric by metric, against the noise between repetitions.

#ifndef SLO_ARTIFACT_COMPARISON_HPP
#define SLO_ARTIFACT_COMPARISON_HPP

#include <slo/artifact/artifact.hpp>
#include <slo/base/json.hpp>
#include <slo/stats/repetitions.hpp>
#include <slo/stats/welch.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace slo::artifact {

/// A figure that results are compared by.
struct ComparedMetric {
    std::string_view name; ///< in records
    std::string_view label;
    std::string_view unit; ///< of the figure times `factor`
    bool higher_is_better = false;
    double factor = 1;
    int decimals = 1;
    std::array<std::string_view, 3> paths{}; ///< of which the first that is there counts
    bool is_gate = false; ///< true or false: of repetitions the share that is true, noise or not
};

inline constexpr std::array<ComparedMetric, 15> compared_metrics{{
    {"ttft_ms.p50", "TTFT p50", "ms", false, 1, 1, {"metrics.ttft_ms.p50"}},
    {"ttft_ms.p99", "TTFT p99", "ms", false, 1, 1, {"metrics.ttft_ms.p99"}},
    {"tpot_ms.p50", "TPOT p50", "ms", false, 1, 2, {"metrics.tpot_ms.p50"}},
    {"tpot_ms.p99", "TPOT p99", "ms", false, 1, 2, {"metrics.tpot_ms.p99"}},
    {"itl_ms.p50", "ITL p50", "ms", false, 1, 2, {"metrics.itl_ms.p50"}},
    {"itl_ms.p99", "ITL p99", "ms", false, 1, 2, {"metrics.itl_ms.p99"}},
    {"e2e_ms.p50", "E2E p50", "ms", false, 1, 1, {"metrics.e2e_ms.p50"}},
    {"e2e_ms.p99", "E2E p99", "ms", false, 1, 1, {"metrics.e2e_ms.p99"}},
    {"output_toks_per_s", "Output tok/s", "", true, 1, 1, {"metrics.output_toks_per_s"}},
    {"total_toks_per_s", "Total tok/s", "", true, 1, 1, {"metrics.total_toks_per_s"}},
    {"request_throughput", "Requests/s", "", true, 1, 2, {"metrics.request_throughput"}},
    {"error_rate", "Error rate", "%", false, 100, 2, {"metrics.error_rate"}},
    {"slo_pass", "SLO pass", "%", true, 100, 0, {"slo.overall_pass"}, true},
    {"prefix_hit_rate",
     "Prefix hit rate",
     "%",
     true,
     100,
     1,
     {"extensions.cache_stats.prefix_hit_rate", "extensions.cache_stats.prefix_cache_hit_rate",
      "extensions.cache_stats.prefix_cache_hit_rate_mean"}},
    {"max_qps_certified",
     "Certified max QPS",
     "",
     true,
     1,
     2,
     {"extensions.sloutils.search.max_qps_certified"}},
}};

/// The results of one configuration: one run of it, or several.
struct ResultGroup {
    std::string label;
    std::vector<Artifact> runs;
};

/// How many runs the validity gate called invalid or incomplete: their figures prove nothing.
inline std::size_t invalid_runs(const ResultGroup& group)
{
    return static_cast<std::size_t>(
        std::count_if(group.runs.begin(), group.runs.end(), [](const Artifact& run) {
            return run.text("validity.classification") == "invalid_or_incomplete";
        }));
}

inline bool any_invalid(const std::vector<ResultGroup>& groups)
{
    return std::any_of(groups.begin(), groups.end(),
                       [](const ResultGroup& group) { return invalid_runs(group) > 0; });
}

/// One metric of one configuration.
struct MetricSide {
    std::vector<double> values; ///< of the runs that have it
    std::size_t missing = 0;    ///< runs that have not
    std::optional<double> p50;  ///< over the runs: of p50s the p50 of the p50s

    bool complete() const noexcept { return p50 && missing == 0; }
};

/// What became of a metric from the first configuration to another.
enum class Outcome {
    better,
    worse,
    equal,
    within_noise,  ///< a change, but no larger than repetitions differ among themselves
    unknown_noise, ///< a change; without repetitions of both nobody knows whether it means anything
    missing,       ///< the first has it, the other lacks it in some run or all
    incomplete     ///< the first lacks it in some run or all
};

inline constexpr std::array<std::string_view, 7> outcome_names{
    "better", "worse", "equal", "within_noise", "unknown_noise", "missing", "incomplete"};

constexpr std::string_view name_of(Outcome outcome) noexcept
{
    return outcome_names[static_cast<std::size_t>(outcome)];
}

/// Whether a change is a regression.
enum class Regression {
    no,
    undecided, ///< beyond the threshold, but within the noise of the repetitions
    yes
};

constexpr std::string_view name_of(Regression regression) noexcept
{
    constexpr std::string_view names[]{"no", "undecided", "yes"};
    return names[static_cast<std::size_t>(regression)];
}

/// The change of one metric from the first configuration to another.
struct MetricChange {
    std::optional<double> delta;   ///< of the p50s
    std::optional<double> percent; ///< of the first's; nothing where that is 0 and the other is not
    std::optional<stats::DifferenceInterval> interval; ///< of the difference, between runs
    Outcome outcome = Outcome::incomplete;
    Regression regression = Regression::no;
};

/// One metric of all configurations; `changes` are those of the second and on.
struct MetricComparison {
    const ComparedMetric* metric = nullptr;
    std::vector<MetricSide> sides;
    std::vector<MetricChange> changes;
    std::optional<std::size_t> winner; ///< the one that is better than every other, beyond the noise
};

namespace detail {

inline MetricSide metric_side(const ResultGroup& group, const ComparedMetric& metric)
{
    MetricSide side;
    for (const auto& run : group.runs) {
        std::optional<double> value;
        for (const auto path : metric.paths) {
            if (value || path.empty())
                break;
            value = run.number(path);
            if (const auto truth = run.truth(path); metric.is_gate)
                value = truth ? std::optional(*truth ? 1.0 : 0.0) : std::nullopt;
        }
        if (value)
            side.values.push_back(*value);
        else
            ++side.missing;
    }
    if (metric.is_gate && !side.values.empty()) {
        double sum = 0;
        for (const double value : side.values)
            sum += value;
        side.p50 = sum / static_cast<double>(side.values.size());
    } else if (const auto summary = stats::summarize_repetitions(side.values)) {
        side.p50 = summary->p50;
    }
    return side;
}

// The interval of the difference; nothing where there are no repetitions that tell of noise.
inline std::optional<stats::DifferenceInterval> interval_of(const MetricSide& a, const MetricSide& b,
                                                            const ComparedMetric& metric, double level)
{
    auto interval = stats::welch_interval(a.values, b.values, level);
    if (!interval || interval->low < interval->high)
        return interval;
    // Shares repeat exactly, and so tell something where all runs agree; of measured times and rates two that
    // are the same to the last digit come of the same random numbers, or of one run counted twice.
    return metric.unit == "%" ? interval : std::nullopt;
}

// The change from a to b. `level` is that of the interval.
inline MetricChange metric_change(const MetricSide& a, const MetricSide& b, const ComparedMetric& metric,
                                  double level, double threshold_percent)
{
    MetricChange change;
    if (!a.p50)
        return change;
    if (!b.complete()) {
        change.outcome = Outcome::missing;
        change.regression = Regression::yes;
        if (!b.p50)
            return change;
    }
    const double delta = *b.p50 - *a.p50;
    change.delta = delta;
    if (*a.p50 != 0)
        change.percent = 100 * delta / std::abs(*a.p50);
    else if (delta == 0)
        change.percent = 0;
    change.interval = detail::interval_of(a, b, metric, level);
    if (change.outcome == Outcome::missing)
        return change;
    const bool better = metric.higher_is_better ? delta > 0 : delta < 0;
    const auto& interval = change.interval;
    // The medians and the means may disagree: then nothing is known either.
    const bool beyond_noise = interval && !interval->has_zero() && (interval->low > 0) == (delta > 0);
    change.outcome = delta == 0     ? Outcome::equal
                     : beyond_noise ? (better ? Outcome::better : Outcome::worse)
                     : interval     ? Outcome::within_noise
                                    : Outcome::unknown_noise;
    if (a.missing > 0)
        change.outcome = Outcome::incomplete;
    if (delta == 0 || better)
        return change;
    // Worse than 0 is worse by any share; a gate that fails more often needs no threshold.
    if (metric.is_gate || !change.percent || std::abs(*change.percent) > threshold_percent)
        change.regression =
            interval && !beyond_noise && !metric.is_gate ? Regression::undecided : Regression::yes;
    return change;
}

// Better than each other beyond the noise, at a level that holds for all these together (Bonferroni).
inline std::optional<std::size_t> winner_of(const MetricComparison& all, double level)
{
    const auto pairs = static_cast<double>(all.sides.size() - 1);
    for (std::size_t i = 0; i < all.sides.size(); ++i) {
        bool wins = true;
        for (std::size_t j = 0; j < all.sides.size() && wins; ++j)
            wins =
                j == i ||
                metric_change(all.sides[j], all.sides[i], *all.metric, 1 - (1 - level) / pairs, 0).outcome ==
                    Outcome::better;
        if (wins)
            return i;
    }
    return std::nullopt;
}

} // namespace detail

/// Compares at least two configurations, each of at least one run, with the first: the metrics that any run
/// has. Intervals are at `level`, regressions are changes for the worse of more than `threshold_percent`.
/// Among invalid runs nothing wins.
inline std::vector<MetricComparison> compare_metrics(const std::vector<ResultGroup>& groups, double level,
                                                     double threshold_percent)
{
    std::vector<MetricComparison> comparisons;
    for (const auto& metric : compared_metrics) {
        MetricComparison one;
        one.metric = &metric;
        for (const auto& group : groups)
            one.sides.push_back(detail::metric_side(group, metric));
        if (std::none_of(one.sides.begin(), one.sides.end(), [](const auto& side) { return side.p50; }))
            continue;
        for (std::size_t i = 1; i < groups.size(); ++i)
            one.changes.push_back(
                detail::metric_change(one.sides[0], one.sides[i], metric, level, threshold_percent));
        if (!any_invalid(groups))
            one.winner = detail::winner_of(one, level);
        comparisons.push_back(std::move(one));
    }
    return comparisons;
}

/// The worst of all changes; where a run is invalid at least undecided.
inline Regression worst_regression(const std::vector<MetricComparison>& comparisons,
                                   const std::vector<ResultGroup>& groups)
{
    auto worst = any_invalid(groups) ? Regression::undecided : Regression::no;
    for (const auto& one : comparisons)
        for (const auto& change : one.changes)
            worst = std::max(worst, change.regression);
    return worst;
}

} // namespace slo::artifact

#endif
