// SPDX-License-Identifier: MIT
// The verb `report compare`: configurations beside one another, and whether one is a regression.

#ifndef SLO_REPORT_COMPARE_HPP
#define SLO_REPORT_COMPARE_HPP

#include <slo/artifact/comparability.hpp>
#include <slo/artifact/comparison.hpp>
#include <slo/base/error.hpp>
#include <slo/base/text.hpp>
#include <slo/report/compare_groups.hpp>
#include <slo/report/compare_text.hpp>
#include <slo/report/report_streams.hpp>
#include <slo/stats/repetitions.hpp>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace slo::report {

/// What a reader of the comparison must know beside its figures.
inline std::vector<std::string> comparison_notes(const Comparison& all,
                                                 const std::vector<const artifact::Artifact*>& first_runs)
{
    std::vector<std::string> notes;
    for (const auto& difference : all.differences)
        notes.push_back("meant to differ: " + difference_line(difference, all.groups));
    std::string list;
    for (const auto& key : artifact::unknown_keys(first_runs))
        list += (list.empty() ? "" : ", ") + key;
    if (!list.empty())
        notes.push_back("could not be compared, no artifact says it: " + list);
    list.clear();
    for (const auto& metric : artifact::compared_metrics)
        if (std::none_of(all.metrics.begin(), all.metrics.end(),
                         [&](const auto& one) { return one.metric == &metric; }))
            list += (list.empty() ? "" : ", ") + std::string(metric.label);
    if (!list.empty())
        notes.push_back("in no artifact: " + list);
    for (const auto& group : all.groups) {
        if (const auto invalid = artifact::invalid_runs(group); invalid > 0)
            notes.push_back(group.label + ": " + std::to_string(invalid) + " of " +
                            std::to_string(group.runs.size()) + " invalid or incomplete by run-validate");
    }
    const auto side = [&](std::string_view name, std::size_t i) -> std::optional<artifact::MetricSide> {
        for (const auto& one : all.metrics)
            if (one.metric->name == name)
                return one.sides[i];
        return std::nullopt;
    };
    for (std::size_t i = 0; i < all.groups.size(); ++i) {
        const auto p50 = side("ttft_ms.p50", i), p99 = side("ttft_ms.p99", i);
        if (p50 && p99 && stats::has_long_tail(p50->p50, p99->p50).value_or(false))
            notes.push_back(all.groups[i].label + ": TTFT p99 is more than " +
                            format_fixed(stats::long_tail_ratio, 0) + " times its p50");
        if (p50 && p50->values.size() > 1 &&
            std::all_of(p50->values.begin(), p50->values.end(),
                        [&](double value) { return value == p50->values.front(); }))
            notes.push_back(all.groups[i].label +
                            ": its runs are the same to the last digit, so they tell nothing of noise");
    }
    return notes;
}

/// Options of the verb.
struct CompareOptions {
    static constexpr const char* verb = "compare";
    static constexpr const char* synopsis = "[OPTION]... FILE|FOLDER|LABEL=FILE,FILE... ...";
    static constexpr const char* summary =
        "Compares artifacts, of which each configuration may have several.";
    std::vector<std::string> groups;
    std::vector<std::string> across;
    std::string baseline;
    std::vector<std::string> candidates;
    bool regression = false;
    double threshold_percent = 5;
    double confidence = 0.95;
    bool as_json = false;

    template <class Table>
    void describe(Table& table)
    {
        table.section("What may differ");
        table.add_repeatable(
            "across", across, "KEY",
            "is meant to differ: engine, tensor_parallel, workload.load, …; may be repeated");
        table.section("What counts");
        table.flag("regression", regression,
                   "status 1 where any but the first is worse by more than the threshold, or lacks a metric");
        table.add("threshold", threshold_percent, "PERCENT",
                  "a change for the worse of more is a regression");
        table.add("confidence", confidence, "SHARE",
                  "with which a change is told from the noise between repetitions");
        table.add("baseline", baseline, "RUNS", "the first configuration, in place of an argument");
        table.add_repeatable("candidate", candidates, "RUNS", "a further one; may be repeated");
        table.section("Output");
        table.flag("json", as_json, "one sloutils.compare/1 record instead of a table");
        table.positional(groups);
    }

    Exit run(const ReportStreams& streams) const
    {
        if (!(threshold_percent >= 0))
            throw UsageError("--threshold", "must not be below 0");
        if (!(confidence > 0 && confidence < 1))
            throw UsageError("--confidence", "must be above 0 and below 1");
        Comparison comparison{read_groups(streams), {}, {}, {}, threshold_percent, confidence, regression};
        std::vector<const artifact::Artifact*> first_runs, all_runs;
        for (const auto& group : comparison.groups) {
            first_runs.push_back(&group.runs.front());
            for (const auto& run : group.runs)
                all_runs.push_back(&run);
        }
        artifact::check_across(across, all_runs);
        comparison.differences = artifact::key_differences(first_runs, across);
        const auto forbidden = static_cast<std::size_t>(
            std::count_if(comparison.differences.begin(), comparison.differences.end(),
                          [](const auto& difference) { return !difference.allowed; }));
        if (forbidden > 0) {
            if (as_json)
                streams.out.write(to_record(comparison));
            constexpr std::size_t most_lines = 10;
            std::size_t lines = 0;
            for (const auto& difference : comparison.differences)
                if (!difference.allowed && ++lines <= most_lines)
                    streams.note(difference_line(difference, comparison.groups));
            if (lines > most_lines)
                streams.note("and " + std::to_string(lines - most_lines) + " more");
            throw InputError("not comparable", std::to_string(forbidden) +
                                                   (forbidden == 1 ? " key differs" : " keys differ") +
                                                   "; --across KEY names one that is meant to");
        }
        comparison.metrics = artifact::compare_metrics(comparison.groups, confidence, threshold_percent);
        comparison.notes = comparison_notes(comparison, first_runs);
        if (std::none_of(comparison.metrics.begin(), comparison.metrics.end(),
                         [](const auto& one) { return one.sides.front().p50.has_value(); }))
            throw InputError(comparison.groups.front().label, "has no metric that is compared");
        if (as_json)
            streams.out.write(to_record(comparison));
        else
            streams.out.write_text(to_text(comparison));
        if (!regression)
            return Exit::ok;
        const auto worst = artifact::worst_regression(comparison.metrics, comparison.groups);
        return worst == artifact::Regression::yes         ? Exit::negative
               : worst == artifact::Regression::undecided ? Exit::undecided
                                                          : Exit::ok;
    }

private:
    std::vector<artifact::ResultGroup> read_groups(const ReportStreams& streams) const
    {
        std::vector<std::string> words;
        if (!baseline.empty())
            words.push_back(baseline);
        words.insert(words.end(), groups.begin(), groups.end());
        words.insert(words.end(), candidates.begin(), candidates.end());
        if (words.size() < 2)
            throw UsageError("two configurations are wanted, " + std::to_string(words.size()) + " given");
        std::vector<artifact::ResultGroup> read;
        for (const auto& word : words)
            read.push_back(read_group(word, streams.note));
        make_labels_distinct(read);
        return read;
    }
};

} // namespace slo::report

#endif
