// SPDX-License-Identifier: MIT
// A verdict by objectives, with a stated confidence: after some rounds it stands, or it says that it does
// not.

#ifndef SLO_PLAN_CERTAIN_VERDICT_HPP
#define SLO_PLAN_CERTAIN_VERDICT_HPP

#include <slo/base/text.hpp>
#include <slo/plan/certain_options.hpp>
#include <slo/plan/objective_rounds.hpp>
#include <slo/plan/one_sided_rounds.hpp>
#include <slo/plan/share_test.hpp>
#include <slo/plan/steadiness.hpp>
#include <slo/record/verdict.hpp>
#include <slo/stats/early_stopping.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace slo::plan {

namespace detail {

// The verdict after some rounds, none of which is known to come later.
class Look {
public:
    Look(std::span<const CertainRound> rounds, const CertainOptions& options, double error)
        : all_(rounds), options_(options), error_(error)
    {
        verdict_.certainty.emplace();
        verdict_.certainty->error_per_look = error;
    }

    record::Verdict decide()
    {
        if (const auto* reason = spoilt())
            return ended(record::VerdictStatus::invalid, *reason);
        const auto first = warm_up_rounds(all_, options_.warm_up);
        verdict_.certainty->warm_up_rounds = static_cast<std::int64_t>(first);
        used_ = all_.subspan(first);
        test_objectives();
        check_success();
        check_steadiness(first);
        return std::move(verdict_);
    }

private:
    record::Verdict ended(record::VerdictStatus status, std::string note)
    {
        verdict_.status = status;
        verdict_.notes.push_back(std::move(note));
        return std::move(verdict_);
    }

    const std::string* spoilt() const
    {
        if (!options_.ignore_client)
            for (const auto& round : all_)
                if (!round.spoilt.empty())
                    return &round.spoilt;
        return nullptr;
    }

    void test_objectives()
    {
        // All must pass, which needs no correction; that one of many fails by chance is likelier than one of
        // one.
        const auto tiers = static_cast<double>(options_.objectives.size());
        bool all_pass = true;
        bool any_fails = false;
        for (std::size_t i = 0; i < options_.objectives.size(); ++i) {
            auto objective = test(i, error_ / tiers);
            all_pass &= objective.status == record::VerdictStatus::pass;
            any_fails |= objective.status == record::VerdictStatus::fail;
            verdict_.objectives.push_back(std::move(objective));
        }
        verdict_.status = any_fails  ? record::VerdictStatus::fail
                          : all_pass ? record::VerdictStatus::pass
                                     : record::VerdictStatus::inconclusive;
    }

    record::ObjectiveVerdict test(std::size_t index, double error_of_fail) const
    {
        const auto& objective = options_.objectives[index];
        std::vector<ObjectiveRound> rounds;
        record::ObjectiveVerdict verdict;
        for (const auto& round : used_) {
            rounds.push_back(round.objectives[index]);
            verdict.requests += rounds.back().requests;
        }
        verdict.objective = stats::to_text(objective);
        verdict.required = objective.share;
        const auto test = test_share(rounds, 1 - objective.share, error_, error_of_fail);
        if (!test)
            return verdict;
        auto decision = test->decision;
        if (decision == Decision::open)
            decision = decide_one_sided(rounds, 1 - objective.share, error_of_fail);
        verdict.attainment = 1 - test->share;
        // What the percentiles decide, they do for the edge alone.
        verdict.attainment_low =
            decision == Decision::pass ? std::max(1 - test->high, objective.share) : 1 - test->high;
        verdict.attainment_high =
            decision == Decision::fail ? std::min(1 - test->low, objective.share) : 1 - test->low;
        verdict.effective_requests = test->effective_requests;
        verdict.design_effect = test->design_effect;
        verdict.load_adjusted = test->by_control;
        verdict.margin = test->margin;
        verdict.margin_error = test->margin_error;
        if (options_.rule == PercentileRule::mlperf && objective.kind == stats::Objective::Kind::percentile)
            decision = by_early_stopping(rounds, objective.share, decision);
        verdict.status = decision == Decision::pass   ? record::VerdictStatus::pass
                         : decision == Decision::fail ? record::VerdictStatus::fail
                                                      : record::VerdictStatus::inconclusive;
        return verdict;
    }

    // MLPerf's rule says only that a percentile is shown to be kept, or not yet: a fail stays that of the
    // intervals.
    static Decision by_early_stopping(std::span<const ObjectiveRound> rounds, double share, Decision other)
    {
        const auto total = total_of(rounds);
        // More than it takes is refused there; a double may hold more than an integer.
        const auto whole = static_cast<std::int64_t>(std::min(total.requests, 1e10));
        const auto most = stats::early_stopping_violations(whole, share);
        if (most && total.missed_most <= static_cast<double>(*most))
            return Decision::pass;
        return other == Decision::fail ? Decision::fail : Decision::open;
    }

    void check_success()
    {
        double requests = 0;
        double failed = 0;
        for (const auto& round : used_) {
            requests += round.requests;
            failed += round.failed;
        }
        if (!(requests > 0))
            return;
        const double success_pct = 100 * (1 - failed / requests);
        verdict_.success_rate_min = success_pct;
        if (options_.min_success_pct > 0 && success_pct < options_.min_success_pct) {
            verdict_.status = record::VerdictStatus::fail;
            verdict_.notes.push_back("success rate " + format_fixed(success_pct, 2) + " %, below " +
                                     format_fixed(options_.min_success_pct, 2) + " %");
        }
    }

    // There is no steady state at this rate, so no objective is kept in it, whatever its limit.
    void overloaded()
    {
        constexpr double sure = 2.5;
        verdict_.status = record::VerdictStatus::fail;
        verdict_.certainty->stationary = false;
        verdict_.notes.emplace_back("unstable: requests pile up, more fall due than end");
        for (auto& objective : verdict_.objectives)
            objective.margin = std::max(objective.margin, sure * objective.margin_error);
    }

    void check_steadiness(std::size_t first)
    {
        auto& certainty = *verdict_.certainty;
        if (piles_up(all_, first))
            return overloaded();
        const auto trend = trend_of(used_);
        const auto law = littles_law(all_, first);
        if (law)
            certainty.little_ratio = law->ratio;
        certainty.stationary = trend == Trend::none && (!law || law->holds);
        if (certainty.stationary)
            return;
        if (trend == Trend::up && verdict_.status == record::VerdictStatus::fail) {
            verdict_.notes.emplace_back("unstable: the latency grows from round to round");
        } else if (trend == Trend::down && verdict_.status == record::VerdictStatus::pass) {
            verdict_.notes.emplace_back("the latency still falls");
        } else if (verdict_.status != record::VerdictStatus::inconclusive || trend != Trend::none) {
            verdict_.status = record::VerdictStatus::invalid;
            verdict_.notes.emplace_back(trend == Trend::up     ? "not steady: the latency grows"
                                        : trend == Trend::down ? "not steady: the latency falls"
                                                               : "not steady: Little's law does not hold");
        }
    }

    std::span<const CertainRound> all_;
    std::span<const CertainRound> used_;
    const CertainOptions& options_;
    double error_;
    record::Verdict verdict_;
};

} // namespace detail

/// Looks at the rounds of one run as they come and decides as soon as a verdict stands.
class CertainJudge {
public:
    /// Throws UsageError where no objective is given.
    explicit CertainJudge(CertainOptions options)
        : options_(std::move(options)), errors_(errors_of_looks(options_))
    {
        if (options_.objectives.empty())
            throw UsageError("--objective", "is missing");
    }

    const CertainOptions& options() const noexcept { return options_; }

    /// True where it is looked after so many rounds.
    bool is_look(std::size_t rounds) const
    {
        return std::find(options_.looks.begin(), options_.looks.end(), rounds) != options_.looks.end();
    }

    /// The verdict at the first look that decides, else at the last one that the rounds reach; `ended`: no
    /// more rounds will come. Nothing while it is open and more rounds may come.
    std::optional<record::Verdict> judge(std::span<const CertainRound> rounds, bool ended) const
    {
        if (options_.looks.empty() && !ended)
            return std::nullopt;
        constexpr std::size_t fewest = 2;
        const auto looks =
            options_.looks.empty() ? std::vector{std::max(fewest, rounds.size())} : options_.looks;
        std::optional<record::Verdict> last;
        for (std::size_t i = 0; i < looks.size() && looks[i] <= rounds.size(); ++i) {
            auto verdict = detail::Look(rounds.first(looks[i]), options_, errors_[i]).decide();
            verdict.rounds_seen = static_cast<std::int64_t>(looks[i]);
            verdict.certainty->look = static_cast<std::int64_t>(i) + 1;
            const bool stands = verdict.status == record::VerdictStatus::pass ||
                                verdict.status == record::VerdictStatus::fail ||
                                is_spoilt(rounds.first(looks[i]));
            last = std::move(verdict);
            if (stands)
                return complete(std::move(*last), looks);
        }
        if (!ended && (!last || last->rounds_seen < static_cast<std::int64_t>(looks.back())))
            return std::nullopt;
        if (!last) {
            last.emplace();
            last->rounds_seen = static_cast<std::int64_t>(rounds.size());
            last->certainty.emplace();
            last->notes.push_back("ended after " + std::to_string(rounds.size()) +
                                  " rounds, before the first look at " + std::to_string(looks.front()));
        } else if (last->rounds_seen < static_cast<std::int64_t>(looks.back())) {
            last->notes.push_back("the rounds ended before the last look at " + std::to_string(looks.back()));
        }
        return complete(std::move(*last), looks);
    }

private:
    bool is_spoilt(std::span<const CertainRound> rounds) const
    {
        return !options_.ignore_client && std::any_of(rounds.begin(), rounds.end(), [](const auto& round) {
            return !round.spoilt.empty();
        });
    }

    record::Verdict complete(record::Verdict verdict, const std::vector<std::size_t>& looks) const
    {
        verdict.rounds_required = static_cast<std::int64_t>(looks.back());
        auto& certainty = *verdict.certainty;
        certainty.level = options_.confidence;
        certainty.rule = options_.rule == PercentileRule::mlperf ? "mlperf" : "intervals";
        certainty.spending = name_of(options_.spending);
        certainty.looks.assign(looks.begin(), looks.end());
        return verdict;
    }

    CertainOptions options_;
    std::vector<double> errors_;
};

} // namespace slo::plan

#endif
