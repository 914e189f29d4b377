// SPDX-License-Identifier: MIT
// A search whose answer is run again before it is claimed. Pure: no clock, no I/O.

#ifndef SLO_PLAN_CONFIRMED_SEARCH_HPP
#define SLO_PLAN_CONFIRMED_SEARCH_HPP

#include <slo/plan/grid.hpp>
#include <slo/plan/search.hpp>
#include <slo/plan/strategy.hpp>

#include <algorithm>
#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace slo::plan {

/// The search of plan::Search and, where `bounds.confirm` is above 0, the confirmation of its answer: once
/// it has converged, that many runs beyond the first of the best rate, all of which must pass, and of its
/// neighbour above. Where the best rate fails one, the next lower rate is tried in the same way. As with
/// Search, the decision depends on what was tested alone, so that it can be taken up again from any record.
class ConfirmedSearch : public Strategy {
public:
    /// Rates tried below the one that the search had found.
    static constexpr Rate most_steps_down = 8;

    /// Throws what Search throws.
    ConfirmedSearch(Grid grid, const SearchBounds& bounds) : all_(grid, bounds), first_(grid, bounds) {}

    std::unique_ptr<Strategy> clone() const override { return std::make_unique<ConfirmedSearch>(*this); }

    const Grid& grid() const noexcept override { return all_.grid(); }
    const SearchBounds& bounds() const noexcept override { return all_.bounds(); }
    std::size_t probes() const noexcept override { return all_.probes(); }

    /// Takes in what a probe of `rate` said.
    void add(Rate rate, const Outcome& outcome) override
    {
        all_.add(rate, outcome);
        auto& runs = runs_[rate];
        if (runs.passes + runs.fails == 0)
            first_.add(rate, outcome);
        (outcome.pass ? runs.passes : runs.fails) += 1;
    }

    /// How often a rate was probed.
    std::size_t runs(Rate rate) const override
    {
        const auto at = runs_.find(rate);
        return at == runs_.end() ? 0 : at->second.passes + at->second.fails;
    }

    /// The lowest rate of which a run failed, and the highest below it of which every run passed.
    std::optional<Rate> first_fail() const override { return all_.first_fail(); }
    std::optional<Rate> best() const override { return all_.best(); }

    /// The rates that both passed and failed, in ascending order.
    std::vector<Rate> unstable() const override
    {
        std::vector<Rate> rates;
        for (const auto& [rate, runs] : runs_)
            if (runs.passes > 0 && runs.fails > 0)
                rates.push_back(rate);
        return rates;
    }

    /// The next probe, or why there is none; `elapsed_s` is the time spent on the search so far.
    std::variant<NextProbe, EndReason> decide(double elapsed_s) const override
    {
        if (bounds().confirm == 0)
            return all_.decide(elapsed_s);
        const auto decision = choose();
        if (std::holds_alternative<EndReason>(decision))
            return decision;
        if (const auto reason = all_.over_budget(elapsed_s))
            return *reason;
        return decision;
    }

    /// How many probes are still to come, if all goes as it has so far.
    std::size_t probes_left() const override
    {
        if (bounds().confirm == 0)
            return all_.probes_left();
        if (!converged())
            return first_.probes_left() + 2 * bounds().confirm;
        if (std::holds_alternative<EndReason>(choose()))
            return 0;
        const auto edge = *first_fail();
        return runs_left(edge - 1) + (is_unstable(edge) ? 0 : runs_left(edge));
    }

    /// What does not fit one threshold: rates that passed and failed, passes above a failing rate.
    std::vector<std::string> notes() const override { return all_.notes(); }

private:
    struct Runs {
        std::size_t passes = 0;
        std::size_t fails = 0;
    };

    // Only first runs count for the search: a rate that fails a later one is no reason to search anew.
    bool converged() const
    {
        const auto decision = first_.choose();
        const auto* reason = std::get_if<EndReason>(&decision);
        return reason && *reason == EndReason::converged;
    }

    std::variant<NextProbe, EndReason> choose() const
    {
        if (!converged())
            return first_.choose();
        const auto edge = *first_fail();
        const auto rate = edge - 1;
        if (rate < 1)
            return EndReason::below_floor;
        if (*first_.best() - rate > most_steps_down)
            return EndReason::unstable;
        if (runs_left(rate) > 0)
            return NextProbe{rate, Phase::confirm};
        if (is_unstable(edge))
            return EndReason::unstable_edge;
        if (runs_left(edge) > 0)
            return NextProbe{edge, Phase::confirm};
        return EndReason::converged;
    }

    std::size_t runs_left(Rate rate) const
    {
        const auto wanted = bounds().confirm + 1;
        return wanted - std::min(wanted, runs(rate));
    }

    bool is_unstable(Rate rate) const
    {
        const auto at = runs_.find(rate);
        return at != runs_.end() && at->second.passes > 0 && at->second.fails > 0;
    }

    Search all_;   ///< told of every run
    Search first_; ///< told of each rate's first run
    std::map<Rate, Runs> runs_;
};

} // namespace slo::plan

#endif
