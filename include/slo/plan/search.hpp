// SPDX-License-Identifier: MIT
// Which rate to probe next: extrapolation to a bracket, then bisection on the grid. Pure: no clock, no I/O.

#ifndef SLO_PLAN_SEARCH_HPP
#define SLO_PLAN_SEARCH_HPP

#include <slo/base/error.hpp>
#include <slo/plan/grid.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace slo::plan {

/// What a search looks for and how far it may go. Rates are in steps of the grid.
struct SearchBounds {
    Rate low = 1;
    Rate high = 2;
    Rate ceiling = 128;                    ///< no rate above this one is probed
    double slo_s = 6.5;                    ///< latency the deciding figure must stay below
    std::optional<std::size_t> max_probes; ///< budget over the whole search
    std::optional<double> max_time_s;      ///< no probe begins once this much time has passed
    std::size_t confirm = 0;               ///< runs beyond the first that a ConfirmedSearch wants of the edge
    std::optional<double> max_rounds{};    ///< no probe begins whose rounds would exceed these in all
};

/// How sure a verdict is of what it says.
enum class Said {
    pass,
    fail,
    open,   ///< neither, with the confidence asked for
    invalid ///< that there was no measurement
};

/// How far a probe was from the edge of one objective, by its verdict.
struct Margin {
    std::string objective;
    double estimate = 0; ///< above 0 on the failing side, in any unit that grows with the rate
    double error = 0;    ///< its standard error, above 0
};

/// What one probe said.
struct Outcome {
    bool pass = false;
    std::optional<double> latency_s; ///< the deciding figure; absent: none was measured
    Said said = Said::open;
    std::vector<Margin> margins = {};
    double rounds = 0;  ///< spent on it
    bool stated = true; ///< false: a pass or a fail came without the confidence asked for: certifies nothing
};

/// Why a rate is probed.
enum class Phase { low, down, high, up, step, bisect, confirm, locate, certify, reject };

/// Why a search ends: unstable_edge is an answer whose neighbour above passed and failed, unstable is none;
/// not_resolved: the verdicts stay open, however far apart the rates.
enum class EndReason {
    converged,
    below_floor,
    ceiling,
    max_probes,
    max_time,
    unstable_edge,
    unstable,
    max_rounds,
    not_resolved,
    non_monotone,
    invalid
};

/// The name a phase has in records.
constexpr std::string_view name_of(Phase phase) noexcept
{
    constexpr std::string_view names[]{"low",    "down",    "high",   "up",      "step",
                                       "bisect", "confirm", "locate", "certify", "reject"};
    return names[static_cast<std::size_t>(phase)];
}

/// The name a reason has in records.
constexpr std::string_view name_of(EndReason reason) noexcept
{
    constexpr std::string_view names[]{"converged",    "below_floor",   "ceiling",  "max_probes",
                                       "max_time",     "unstable_edge", "unstable", "max_rounds",
                                       "not_resolved", "non_monotone",  "invalid"};
    return names[static_cast<std::size_t>(reason)];
}

/// A rate to probe.
struct NextProbe {
    Rate rate;
    Phase phase;
    std::vector<std::size_t> looks =
        {}; ///< rounds after which its verdict looks; empty: as the search is set
};

/// The classic search for the largest rate that passes. The decision depends on the set of tested rates
/// alone, not on their order, so a search can be taken up again from any record of it. A rate fails when any
/// probe of it failed, and a pass above a failing rate is not believed.
class Search {
public:
    /// Throws UsageError unless 0 < low < high ≤ ceiling and the SLO is positive.
    Search(Grid grid, SearchBounds bounds) : grid_(grid), bounds_(bounds)
    {
        if (bounds_.low <= 0 || bounds_.low >= bounds_.high)
            throw UsageError("low",
                             grid_.text(bounds_.low) + " is not below high " + grid_.text(bounds_.high));
        if (bounds_.ceiling < bounds_.high)
            throw UsageError("ceiling",
                             grid_.text(bounds_.ceiling) + " is below high " + grid_.text(bounds_.high));
        if (!(bounds_.slo_s > 0))
            throw UsageError("slo", "must be above 0");
    }

    const Grid& grid() const noexcept { return grid_; }
    const SearchBounds& bounds() const noexcept { return bounds_; }
    std::size_t probes() const noexcept { return probes_; }
    bool tested(Rate rate) const { return tested_.contains(rate); }

    /// Takes in what a probe of `rate` said.
    void add(Rate rate, const Outcome& outcome)
    {
        ++probes_;
        const auto [at, fresh] = tested_.try_emplace(rate, outcome);
        if (fresh)
            return;
        const auto note = grid_.text(rate) + " qps both passed and failed: counted as a fail";
        if (at->second.pass != outcome.pass && std::find(notes_.begin(), notes_.end(), note) == notes_.end())
            notes_.push_back(note);
        if (at->second.pass && !outcome.pass)
            at->second = outcome;
    }

    /// The lowest rate that failed.
    std::optional<Rate> first_fail() const
    {
        for (const auto& [rate, outcome] : tested_)
            if (!outcome.pass)
                return rate;
        return std::nullopt;
    }

    /// The highest rate that passed below first_fail().
    std::optional<Rate> best() const
    {
        std::optional<Rate> best;
        for (const auto& [rate, outcome] : tested_) {
            if (!outcome.pass)
                break;
            best = rate;
        }
        return best;
    }

    /// The next probe, or why there is none; `elapsed_s` is the time spent on the search so far.
    std::variant<NextProbe, EndReason> decide(double elapsed_s) const
    {
        const auto decision = choose();
        if (std::holds_alternative<EndReason>(decision))
            return decision;
        if (const auto reason = over_budget(elapsed_s))
            return *reason;
        return decision;
    }

    /// The same as if there were no budget.
    std::variant<NextProbe, EndReason> choose() const
    {
        const auto pass = best();
        const auto fail = first_fail();
        if (pass && fail) {
            if (*fail - *pass == 1)
                return EndReason::converged;
            return NextProbe{*pass + (*fail - *pass) / 2, Phase::bisect};
        }
        if (fail) {
            if (*fail == 1)
                return EndReason::below_floor;
            return NextProbe{lower(*fail), Phase::down};
        }
        if (!pass || *pass < bounds_.low)
            return NextProbe{bounds_.low, Phase::low};
        if (*pass < bounds_.high)
            return NextProbe{bounds_.high, Phase::high};
        if (*pass >= bounds_.ceiling)
            return EndReason::ceiling;
        return higher(*pass);
    }

    /// Which budget is spent, if one is.
    std::optional<EndReason> over_budget(double elapsed_s) const
    {
        if (bounds_.max_probes && probes_ >= *bounds_.max_probes)
            return EndReason::max_probes;
        if (bounds_.max_time_s && elapsed_s >= *bounds_.max_time_s)
            return EndReason::max_time;
        return std::nullopt;
    }

    /// How many probes are still to come: exact to one within a bracket, else a guess that it is soon found.
    std::size_t probes_left() const
    {
        const auto pass = best();
        const auto fail = first_fail();
        const auto halvings = [](Rate width) {
            return std::bit_width(static_cast<std::uint64_t>(width - 1));
        };
        if (pass && fail)
            return static_cast<std::size_t>(halvings(*fail - *pass));
        if (std::holds_alternative<EndReason>(choose()))
            return 0;
        const auto next = std::get<NextProbe>(choose());
        if (next.phase == Phase::step)
            return 1;
        const auto from = pass ? *pass : fail ? *fail : bounds_.low;
        const auto to = pass || fail ? next.rate : bounds_.high;
        return static_cast<std::size_t>(halvings(std::max(from, to) - std::min(from, to)) +
                                        (pass || fail ? 1 : 2));
    }

    /// What does not fit one threshold: repeated rates that disagree, passes above a failing rate.
    std::vector<std::string> notes() const
    {
        auto notes = notes_;
        if (const auto fail = first_fail())
            for (const auto& [rate, outcome] : tested_)
                if (outcome.pass && rate > *fail)
                    notes.push_back(grid_.text(rate) + " qps passed although " + grid_.text(*fail) +
                                    " qps failed: not believed");
        return notes;
    }

private:
    // A half where the figure is beyond 1.5 SLO or missing, else L - max(0.5, 0.3 L).
    Rate lower(Rate rate) const
    {
        const auto latency = tested_.at(rate).latency_s;
        if (!latency || *latency > 1.5 * bounds_.slo_s)
            return std::max<Rate>(divide_half_even(rate, 2), 1);
        const auto unit = grid_.precision_units();
        const auto units = rate * unit;
        const auto down = std::min(10 * units - 5 * grid_.units_per_qps(), 7 * units);
        return std::clamp<Rate>(down > 0 ? divide_half_even(down, 10 * unit) : 1, 1, rate - 1);
    }

    // By slack (SLO - p) / SLO: 1.6 H but at most H + 8; 1.3 H; H + max(1, 0.15 H); then single steps for
    // good.
    NextProbe higher(Rate rate) const
    {
        for (auto at = tested_.lower_bound(bounds_.high); at != tested_.end(); ++at)
            if (slack(at->second) < 0.05)
                return {rate + 1, Phase::step};
        const auto unit = grid_.precision_units();
        const auto one_qps = grid_.units_per_qps();
        const auto units = rate * unit;
        const double room = slack(tested_.at(rate));
        Rate up = 0;
        if (room >= 0.40)
            up = divide_half_even(std::min(16 * units, 10 * units + 80 * one_qps), 10 * unit);
        else if (room >= 0.20)
            up = divide_half_even(13 * units, 10 * unit);
        else
            up = divide_half_even(std::max(100 * (units + one_qps), 115 * units), 100 * unit);
        return {std::clamp(up, rate + 1, bounds_.ceiling), Phase::up};
    }

    // A pass without a figure says nothing about its margin: the middle jump.
    double slack(const Outcome& outcome) const
    {
        return outcome.latency_s ? (bounds_.slo_s - *outcome.latency_s) / bounds_.slo_s : 0.20;
    }

    Grid grid_;
    SearchBounds bounds_;
    std::map<Rate, Outcome> tested_;
    std::size_t probes_ = 0;
    std::vector<std::string> notes_;
};

} // namespace slo::plan

#endif
