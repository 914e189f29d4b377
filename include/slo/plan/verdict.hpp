// SPDX-License-Identifier: MIT
// Whether the rounds of one rate keep the SLO.

#ifndef SLO_PLAN_VERDICT_HPP
#define SLO_PLAN_VERDICT_HPP

#include <slo/base/text.hpp>
#include <slo/plan/figures.hpp>
#include <slo/plan/line_notes.hpp>
#include <slo/plan/offered_load.hpp>
#include <slo/plan/shards.hpp>
#include <slo/plan/verdict_options.hpp>
#include <slo/record/round.hpp>
#include <slo/record/verdict.hpp>
#include <slo/stats/decimal.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace slo::plan {

/// Takes a verdict back: what was measured stays in it, but it says neither PASS nor FAIL any more.
inline void withhold(record::Verdict& verdict, const std::string& note)
{
    verdict.status = record::VerdictStatus::not_enough_rounds;
    verdict.notes.push_back(note);
}

namespace detail {

class Judge {
public:
    Judge(const Series& series, const VerdictOptions& options) : options_(options)
    {
        for (const auto& window : series.windows) {
            // An interrupted window is shorter than the others: neither its load nor its median is theirs.
            if (!options.ignore_client && is_cut_short(window))
                ++interrupted_;
            else
                windows_.push_back(&window);
        }
        for (std::size_t i = 0; i < windows_.size(); ++i) {
            if (!windows_[i]->p50_s)
                continue;
            p50_.push_back(*windows_[i]->p50_s);
            window_of_.push_back(i);
        }
        verdict_.rounds_seen = static_cast<std::int64_t>(p50_.size());
        verdict_.rounds_required = options.total_rounds;
        verdict_.tail_window = options.tail_window;
        verdict_.slo_s = options.slo_s;
        verdict_.per_round_p50 = p50_;
        verdict_.shard_merge = series.merged_by;
        if (!series.aligned)
            remark("shards matched by position: not every round has a measurement_round of its own");
        one_run_ = series.run_faults.empty();
        for (const auto& fault : series.run_faults)
            remark(fault);
        for (const auto& gap : series.gaps)
            remark(printable(gap.file) + " lacks " + counted(gap.rounds.size(), "round") +
                   " that another shard has, the first: " + std::to_string(gap.rounds.front()));
        if (interrupted_ > 0)
            remark(counted(interrupted_, "interrupted round") + " left out");
    }

    record::Verdict decide()
    {
        const bool complete = verdict_.rounds_seen >= options_.total_rounds;
        const bool runaway = judges_success() && any_window(0, [](const Window& window) {
                                 return window.flags.contains("runaway");
                             });
        if (!complete && !dead_in_tail()) {
            if (runaway)
                remark(ran_away);
            remark_missing();
            return std::move(verdict_);
        }
        const auto tail = complete ? tail_begin(p50_.size()) : measured_from(tail_begin(windows_.size()));
        if (complete && tail == p50_.size()) {
            verdict_.notes.emplace_back("no round is left in the tail window");
            return std::move(verdict_);
        }
        auto first_window = tail_begin(windows_.size());
        verdict_.status = record::VerdictStatus::fail;
        if (tail < p50_.size()) {
            const auto deciding = put_figures(verdict_, tail, options_);
            if (verdict_.tail_spread.value_or(0) > 1.5)
                remark("the tail spreads: its largest p50 is " + format_fixed(*verdict_.tail_spread, 2) +
                       " times its smallest");
            if (complete && is_below_slo(deciding))
                verdict_.status = record::VerdictStatus::pass;
            else if (*verdict_.avg_p50_latency_s < options_.slo_s && complete)
                verdict_.notes.emplace_back("the mean is below the SLO only by rounding");
            first_window = complete ? window_of_[deciding] : std::min(first_window, window_of_[deciding]);
        }
        if (runaway)
            fail(ran_away);
        check_success(first_window);
        check_client(first_window);
        return std::move(verdict_);
    }

private:
    void remark_missing()
    {
        remark(counted(p50_.size(), "round") + " with a success of the " +
               std::to_string(options_.total_rounds) + " that are asked for");
        const auto idle = static_cast<std::size_t>(
            std::count_if(windows_.begin(), windows_.end(), [](const Window* window) {
                return !window->p50_s && window->due == 0 && !window->success_rate;
            }));
        if (idle > 0)
            remark(counted(idle, "round") + " had no request due");
        if (any_window(0, [](const Window& window) { return window.flags.contains("route_exhausted"); }))
            remark("the route ran out");
    }

    static constexpr const char* ran_away = "latency ran away: the run was ended early";

    bool judges_success() const { return options_.min_success_pct > 0; }

    // With both switches off, what is said is what the classic analyzer says, and no more.
    bool is_classic() const { return !judges_success() && options_.ignore_client; }

    void remark(std::string note)
    {
        if (!is_classic())
            verdict_.notes.push_back(std::move(note));
    }

    void fail(std::string note)
    {
        verdict_.status = record::VerdictStatus::fail;
        remark(std::move(note));
    }

    template <class Predicate>
    bool any_window(std::size_t first, Predicate predicate) const
    {
        return std::any_of(windows_.begin() + static_cast<std::ptrdiff_t>(first), windows_.end(),
                           [&](const Window* window) { return predicate(*window); });
    }

    // The index from which the last `tail_window` of `size` things stand, as a slice [-n:] of Python has it.
    std::size_t tail_begin(std::size_t size) const
    {
        const auto n = static_cast<std::int64_t>(size);
        const auto wanted = options_.tail_window;
        if (wanted >= 0)
            return wanted == 0 || wanted >= n ? 0 : static_cast<std::size_t>(n - wanted);
        return wanted <= -n ? size : static_cast<std::size_t>(-wanted);
    }

    // The first measured round at or after a window.
    std::size_t measured_from(std::size_t window) const
    {
        const auto first = std::lower_bound(window_of_.begin(), window_of_.end(), window);
        return static_cast<std::size_t>(first - window_of_.begin());
    }

    // A run that came to its end but answered too little in its tail to have a median there has failed; it
    // does not lack rounds.
    bool dead_in_tail() const
    {
        return judges_success() && static_cast<std::int64_t>(windows_.size()) >= options_.total_rounds &&
               any_window(tail_begin(windows_.size()), [&](const Window& window) {
                   return !window.p50_s && window.success_rate &&
                          *window.success_rate < options_.min_success_pct;
               });
    }

    bool is_below_slo(std::size_t deciding) const
    {
        stats::ExactMean mean;
        for (auto i = deciding; i < p50_.size(); ++i)
            for (const double part : windows_[window_of_[i]]->p50_parts)
                mean.add(part);
        return mean.below(options_.slo_s);
    }

    void check_success(std::size_t first_window)
    {
        for (auto i = first_window; i < windows_.size(); ++i) {
            const auto rate = windows_[i]->success_rate;
            if (rate && *rate < verdict_.success_rate_min.value_or(*rate + 1))
                verdict_.success_rate_min = rate;
        }
        if (judges_success() && verdict_.success_rate_min &&
            *verdict_.success_rate_min < options_.min_success_pct)
            fail("success rate down to " + format_fixed(*verdict_.success_rate_min, 2) + " %, below " +
                 format_fixed(options_.min_success_pct, 2) + " %" + commonest_failure(first_window));
    }

    // What most requests failed for: with a wrong model or key it is no matter of the rate at all.
    std::string commonest_failure(std::size_t first_window) const
    {
        std::map<std::string, std::int64_t> failures;
        for (auto i = first_window; i < windows_.size(); ++i)
            for (const auto& [cause, count] : windows_[i]->exceptions)
                failures[cause] += count;
        const auto most = std::max_element(failures.begin(), failures.end(),
                                           [](const auto& a, const auto& b) { return a.second < b.second; });
        return most == failures.end() ? "" : "; " + std::to_string(most->second) + " times: " + most->first;
    }

    void check_client(std::size_t first_window)
    {
        check_offered(first_window);
        if (options_.ignore_client)
            return;
        const auto flagged = [&](const char* flag) {
            return any_window(first_window,
                              [&](const Window& window) { return window.flags.contains(flag); });
        };
        // The burst after a stall of the client weighs on the window that follows.
        const bool fails = verdict_.status == record::VerdictStatus::fail;
        const auto since = fails && first_window > 0 ? first_window - 1 : first_window;
        if (any_window(since, [](const Window& window) { return window.client_saturated; }))
            withhold("the client was saturated: this is no measurement of the service");
        if (flagged("server_restarted"))
            withhold("the service was restarted during the run");
        // Less load than asked for can only make a service look better than it is.
        if (flagged("route_exhausted") && verdict_.status == record::VerdictStatus::pass)
            withhold("the route ran out: less load than asked for was offered");
        if (verdict_.status == record::VerdictStatus::pass && !one_run_)
            withhold("these are not the rounds of one run");
        if (verdict_.status == record::VerdictStatus::pass &&
            any_window(first_window, [](const Window& window) { return !window.complete; }))
            withhold("a deciding round is not there from every shard");
    }

    void check_offered(std::size_t first_window)
    {
        const OfferedLoad load({windows_.data() + first_window, windows_.size() - first_window});
        for (auto& note : load.notes())
            remark(std::move(note));
        if (options_.ignore_client || verdict_.status != record::VerdictStatus::pass)
            return;
        if (load.is_too_little())
            withhold("less load than asked for was offered");
        if (load.is_uneven())
            withhold("the deciding rounds were asked for at different rates");
    }

    void withhold(const char* note) { plan::withhold(verdict_, note); }

    const VerdictOptions& options_;
    std::vector<const Window*> windows_;
    std::vector<double> p50_;            // of the windows that have one
    std::vector<std::size_t> window_of_; // beside p50_
    std::size_t interrupted_ = 0;
    bool one_run_ = true;
    record::Verdict verdict_;
};

} // namespace detail

/// Judges a series of windows: PASS where the exact mean of the deciding rounds' p50 is strictly below the
/// SLO and nothing speaks against it.
inline record::Verdict judge(const Series& series, const VerdictOptions& options)
{
    return detail::Judge(series, options).decide();
}

/// Judges the files of one run, each a shard of it; lines that could not be read are counted and noted.
/// Throws InputError as merge_shards does.
inline record::Verdict judge(const std::vector<record::RoundFile>& files, const VerdictOptions& options)
{
    auto verdict = judge(merge_shards(files, options.shard_merge), options);
    note_lines(verdict, files);
    return verdict;
}

/// A verdict as one line for people: "PASS: mean p50 1.81 s over the tail, SLO 2 s; 8 of 8 rounds; notes".
inline std::string sentence(const record::Verdict& verdict)
{
    std::string text(record::name_of(verdict.status));
    text += ":";
    if (verdict.avg_p50_latency_s)
        text += " mean p50 " + format_fixed(*verdict.avg_p50_latency_s, 3) + " s over the " +
                (verdict.primary_metric == "steady" ? "steady window" : "tail") + ", SLO " +
                format_double(verdict.slo_s) + " s;";
    text += " " + std::to_string(verdict.rounds_seen) + " of " + std::to_string(verdict.rounds_required) +
            " rounds";
    for (const auto& note : verdict.notes)
        text += "; " + note;
    return text;
}

} // namespace slo::plan

#endif
