// SPDX-License-Identifier: MIT
// Whether sure verdicts of several rates fit one edge, below which all rates pass and above which all fail.

#ifndef SLO_PLAN_EDGE_EVIDENCE_HPP
#define SLO_PLAN_EDGE_EVIDENCE_HPP

#include <slo/plan/grid.hpp>
#include <slo/plan/search.hpp>

#include <algorithm>
#include <map>
#include <optional>

namespace slo::plan {

/// Two rates that no single edge divides.
struct Contradiction {
    Rate fails = 0;  ///< it and lower ones failed
    Rate passes = 0; ///< it and higher ones passed; above `fails`
};

/// The verdicts with confidence of a search, by rate. One that stands against another by chance is nothing
/// unusual near the edge; so each counts by the square of its distance from the edge in standard errors, and
/// as much is asked for on either side as one verdict at three standard errors tells.
class EdgeEvidence {
public:
    /// Takes in what a probe of `rate` said; only a pass or a fail with confidence counts.
    void add(Rate rate, const Outcome& outcome)
    {
        if (!outcome.stated || (outcome.said != Said::pass && outcome.said != Said::fail))
            return;
        const bool passed = outcome.said == Said::pass;
        const double distance = errors_from_edge(outcome, passed);
        (passed ? passes_ : fails_)[rate] += distance * distance;
    }

    /// The lowest rate up to which enough failed and the highest from which enough passed, where the latter
    /// is above the former.
    std::optional<Contradiction> contradiction() const
    {
        const auto fails = first_enough(fails_.begin(), fails_.end());
        const auto passes = first_enough(passes_.rbegin(), passes_.rend());
        if (!fails || !passes || *passes <= *fails)
            return std::nullopt;
        return Contradiction{*fails, *passes};
    }

private:
    static constexpr double enough = 9;

    // Of several objectives the one that is likeliest to be missed tells; without margins, the 95 % of a
    // verdict.
    static double errors_from_edge(const Outcome& outcome, bool passed)
    {
        constexpr double of_side = 1.645;
        constexpr double most = 100;
        if (outcome.margins.empty())
            return of_side;
        double worst = -most;
        for (const auto& margin : outcome.margins)
            worst = std::max(worst, margin.estimate / margin.error);
        return std::clamp(passed ? -worst : worst, 0.0, most);
    }

    template <class Iterator>
    static std::optional<Rate> first_enough(Iterator from, Iterator end)
    {
        double sum = 0;
        for (; from != end; ++from)
            if ((sum += from->second) >= enough)
                return from->first;
        return std::nullopt;
    }

    std::map<Rate, double> passes_;
    std::map<Rate, double> fails_;
};

} // namespace slo::plan

#endif
