// SPDX-License-Identifier: MIT
// From the files of one run to a verdict by objectives.

#ifndef SLO_PLAN_CERTAIN_RUN_HPP
#define SLO_PLAN_CERTAIN_RUN_HPP

#include <slo/base/text.hpp>
#include <slo/plan/certain_verdict.hpp>
#include <slo/plan/objective_rounds.hpp>
#include <slo/plan/offered_load.hpp>
#include <slo/plan/shards.hpp>
#include <slo/record/round.hpp>
#include <slo/record/verdict.hpp>
#include <slo/stats/interval.hpp>
#include <slo/stats/steady.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace slo::plan {

namespace detail {

// What is known of a run beside its rounds.
class RunFacts {
public:
    RunFacts(const Series& series, const CertainOptions& options) : series_(series), options_(options) {}

    void put_medians(record::Verdict& verdict) const
    {
        const auto seen = static_cast<std::size_t>(verdict.rounds_seen);
        for (const auto* window : whole_windows())
            if (window->p50_s && verdict.per_round_p50.size() < seen)
                verdict.per_round_p50.push_back(*window->p50_s);
        const std::span<const double> all(verdict.per_round_p50);
        const auto first = static_cast<std::size_t>(verdict.certainty->warm_up_rounds);
        if (first >= all.size())
            return;
        const auto steady = all.subspan(first);
        verdict.primary_metric = "steady";
        verdict.steady_window_start_idx = verdict.certainty->warm_up_rounds;
        verdict.steady_window_size = static_cast<std::int64_t>(steady.size());
        verdict.avg_p50_latency_s = verdict.steady_avg_p50_latency_s = stats::plain_mean(steady);
        if (const auto interval = stats::mean_interval(steady, options_.confidence))
            verdict.confidence = record::Confidence{options_.confidence, interval->low, interval->high,
                                                    interval->effective_size};
    }

    void weigh(record::Verdict& verdict) const
    {
        const auto windows = whole_windows();
        const bool ran_away = std::any_of(windows.begin(), windows.end(), [](const auto* window) {
            return window->flags.contains("runaway");
        });
        if (ran_away && options_.min_success_pct > 0) {
            verdict.status = record::VerdictStatus::fail;
            verdict.notes.emplace_back("latency ran away: the run was ended early");
        }
        const OfferedLoad load(windows);
        for (auto& note : load.notes())
            verdict.notes.push_back(std::move(note));
        if (options_.ignore_client)
            return;
        for (const auto& fault : series_.run_faults)
            void_by(verdict, fault);
        if (load.is_too_much())
            void_by(verdict, "more load than asked for: these are not the shards of one run");
        if (load.is_uneven())
            void_by(verdict, "the rounds were asked for at different rates");
        if (load.is_too_little() && verdict.status == record::VerdictStatus::pass)
            void_by(verdict, "less load than asked for was offered");
    }

private:
    static void void_by(record::Verdict& verdict, const std::string& note)
    {
        verdict.status = record::VerdictStatus::invalid;
        verdict.notes.push_back(note);
    }

    std::vector<const Window*> whole_windows() const
    {
        std::vector<const Window*> windows;
        for (const auto& window : series_.windows)
            if (!is_cut_short(window))
                windows.push_back(&window);
        return windows;
    }

    const Series& series_;
    const CertainOptions& options_;
};

} // namespace detail

/// Judges what there is of a run's files so far; nothing while the verdict is open and more may come (`ended`
/// is false). Throws InputError as merge_shards() and certain_rounds() do.
inline std::optional<record::Verdict> judge_run(const std::vector<record::RoundFile>& files,
                                                const CertainJudge& judge, ShardMerge merge, bool ended)
{
    const auto series = merge_shards(files, merge);
    const auto& options = judge.options();
    auto verdict = judge.judge(certain_rounds(series, options.objectives), ended);
    if (!verdict)
        return std::nullopt;
    const detail::RunFacts facts(series, options);
    facts.put_medians(*verdict);
    facts.weigh(*verdict);
    verdict->shard_merge = series.merged_by;
    return verdict;
}

/// A verdict by objectives as one line for people: "PASS (95 %) after 20 rounds: e2e:p50<6.5 kept by
/// 53.2–57.9 %, 50 % needed; notes".
inline std::string certain_sentence(const record::Verdict& verdict)
{
    const auto percent = [](double share) { return format_fixed(100 * share, 2); };
    std::string text(record::name_of(verdict.status));
    text += " (" + format_fixed(100 * verdict.certainty->level, 0) + " %) after " +
            std::to_string(verdict.rounds_seen) + " rounds";
    const char* separator = ": ";
    for (const auto& objective : verdict.objectives) {
        text += separator + objective.objective + " kept by " + percent(objective.attainment_low) + " to " +
                percent(objective.attainment_high) + " % of requests, " + percent(objective.required) +
                " % needed";
        separator = "; ";
    }
    for (const auto& note : verdict.notes) {
        text += separator + note;
        separator = "; ";
    }
    return text;
}

} // namespace slo::plan

#endif
