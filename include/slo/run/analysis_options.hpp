// SPDX-License-Identifier: MIT
// What rounds-analyze is told.

#ifndef SLO_RUN_ANALYSIS_OPTIONS_HPP
#define SLO_RUN_ANALYSIS_OPTIONS_HPP

#include <slo/base/error.hpp>
#include <slo/base/text.hpp>
#include <slo/plan/certain_options.hpp>
#include <slo/plan/verdict_options.hpp>
#include <slo/stats/objective.hpp>

#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

namespace slo::run {

/// The options of both rules: the classic one, and the one by objectives.
struct AnalysisOptions {
    plan::VerdictOptions verdict = plan::verdict_options_from_environment();
    std::vector<std::string> json;
    std::vector<std::string> files;
    std::string slo = "6.5";
    std::string shard_merge = "auto";
    std::vector<std::string> objectives;
    std::string looks;
    std::string spending;
    std::string steady;
    std::string percentile_rule;
    bool verbose = false;

    /// Adds the options to a table of the cli layer, which this layer does not know.
    template <class Table>
    void describe(Table& table)
    {
        auto& v = verdict;
        table.positional(files);
        table.section("Input");
        table.add_list("json", json, "FILE", "round records, one file a shard of the run (default: stdin)");
        table.add("shard-merge", shard_merge, "HOW", "merge shards by sketch, mean, or auto");
        table.section("Classic rule");
        table.add("total-rounds,n", v.total_rounds, "COUNT", "rounds a full run has");
        table.add("tail-window,t", v.tail_window, "COUNT", "rounds at the end that decide; 0: all");
        table.add("slo,s", slo, "SECONDS", "what the mean p50 latency must stay below");
        table.flag("auto-steady", v.auto_steady,
                   "decide by the steady window at the end, where there is one");
        table.add("steady-tolerance", v.steady_tolerance, "FRACTION",
                  "how far a steady p50 may be off the median");
        table.add("steady-min-window", v.steady_min_window, "COUNT", "rounds a steady window has at least");
        table.section("Rule by objectives");
        table.add_repeatable("objective", objectives, "OBJECTIVE",
                             "such as 'ttft:p99<0.8'; all that are given must hold");
        table.add("looks", looks, "ROUNDS",
                  "decide after so many rounds, 8,14,20,26,32 (default: at the end)");
        table.add("spending", spending, "HOW", "of the error over the looks: pocock or obrien-fleming");
        table.add("steady", steady, "RULE", "where the warm-up ends: mser or walk-back");
        table.add("percentile-rule", percentile_rule, "RULE", "intervals, or mlperf's early stopping");
        table.section("Gates");
        table.add("min-success", v.min_success_pct, "PERCENT",
                  "success rate below which the verdict is FAIL; 0: none");
        table.flag("ignore-client", v.ignore_client, "judge also what the load generator spoilt");
        table.add("confidence", v.confidence_level, "LEVEL",
                  "of a verdict by objectives; of the interval of the mean");
        table.flag("verbose,v", verbose, "one line for people on stderr even where it is no terminal");
    }

    /// The files to read, "-" where none is named.
    std::vector<std::string> paths() const
    {
        auto all = json;
        all.insert(all.end(), files.begin(), files.end());
        return all.empty() ? std::vector<std::string>{"-"} : all;
    }
};

/// The classic rule as asked for. Throws UsageError.
inline plan::VerdictOptions classic_options(const AnalysisOptions& options)
{
    for (const auto& [name, value] : {std::pair{"--looks", &options.looks},
                                      {"--spending", &options.spending},
                                      {"--steady", &options.steady},
                                      {"--percentile-rule", &options.percentile_rule}})
        if (!value->empty())
            throw UsageError(name, "needs --objective");
    auto verdict = options.verdict;
    verdict.slo_s = plan::parse_slo(options.slo);
    verdict.shard_merge = plan::parse_shard_merge(options.shard_merge);
    plan::check(verdict);
    return verdict;
}

/// The rule by objectives as asked for, with what SLO_LOOKS, SLO_SPENDING and SLO_CONFIDENCE say where an
/// option does not: so a search tells the tools below it. Throws UsageError.
inline plan::CertainOptions certain_options(const AnalysisOptions& options)
{
    const auto chosen = [](const std::string& option, const char* variable, const char* fallback) {
        const char* told = std::getenv(variable);
        return !option.empty() ? option : told && *told ? std::string(told) : std::string(fallback);
    };
    plan::check(options.verdict);
    plan::CertainOptions certain;
    for (const auto& text : options.objectives)
        certain.objectives.push_back(stats::parse_objective(text));
    stats::check_distinct(certain.objectives);
    certain.looks = plan::parse_looks(chosen(options.looks, "SLO_LOOKS", ""), "--looks");
    certain.spending = plan::parse_spending(chosen(options.spending, "SLO_SPENDING", "pocock"));
    certain.warm_up = plan::parse_warm_up(chosen(options.steady, "", "mser"));
    certain.rule = plan::parse_percentile_rule(chosen(options.percentile_rule, "", "intervals"));
    certain.confidence = options.verdict.confidence_level;
    if (!(certain.confidence >= 0.5 && certain.confidence <= 0.999999))
        throw UsageError("--confidence", "of a verdict by objectives lies between 0.5 and 0.999999");
    certain.min_success_pct = options.verdict.min_success_pct;
    certain.ignore_client = options.verdict.ignore_client;
    return certain;
}

} // namespace slo::run

#endif
