// SPDX-License-Identifier: MIT
// What long runs at several rates say together about the rate at which objectives fail.

#ifndef SLO_ENGINE_RATE_EVIDENCE_HPP
#define SLO_ENGINE_RATE_EVIDENCE_HPP

#include <slo/engine/measure_rate.hpp>
#include <slo/stats/logit_curve.hpp>
#include <slo/stats/objective.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace slo::engine {

/// Runs at several rates, and what they say together.
class RateEvidence {
public:
    explicit RateEvidence(std::vector<stats::Objective> objectives) : objectives_(std::move(objectives)) {}

    /// A place, in the logarithm of the rate, where an objective begins to fail.
    struct Root {
        stats::Crossing crossing;
        std::size_t objective = 0;
    };

    /// Takes in a run; its shares are those of the objectives.
    void add(RateMeasurement measured) { measured_.push_back(std::move(measured)); }

    const std::vector<RateMeasurement>& runs() const noexcept { return measured_; }

    /// True when the run keeps all objectives, and can go on for ever.
    bool passes(const RateMeasurement& measured) const { return broken(measured) == objectives_.size(); }

    /// How many of the last runs pass; there are so many.
    int passing_of_last(int count) const
    {
        return static_cast<int>(std::count_if(measured_.end() - count, measured_.end(),
                                              [&](const auto& measured) { return passes(measured); }));
    }

    /// True when shares lie between none and all, so that more of them will show a curve.
    bool has_curve() const
    {
        for (std::size_t i = 0; i < objectives_.size(); ++i)
            if (usable(i).size() >= 3)
                return true;
        return false;
    }

    /// The smallest rate at which the curve of an objective crosses; nothing where an overload comes before
    /// it, or where too few shares lie between none and all to draw a curve.
    std::optional<Root> first_root() const
    {
        std::optional<Root> first;
        for (std::size_t i = 0; i < objectives_.size(); ++i) {
            const auto points = usable(i);
            const auto curve = points.size() >= 5 ? stats::LogitCurve::fit(points) : std::nullopt;
            if (!curve)
                continue;
            const auto [least, most] = std::minmax_element(
                points.begin(), points.end(), [](const auto& a, const auto& b) { return a.x < b.x; });
            const auto crossing = curve->crossing(objectives_[i].share, least->x, most->x);
            if (crossing && (!first || crossing->x < first->crossing.x))
                first = Root{*crossing, i};
        }
        const auto overload = split([](const auto& measured) { return measured.steady; });
        return first && overload && std::log(overload->second) < first->crossing.x ? std::nullopt : first;
    }

    /// The two neighbouring rates between which `good` turns into its contrary, with the fewest that are on
    /// the wrong side; nothing where fewer than two runs are good or fewer than two are not.
    template <class Good>
    std::optional<std::pair<double, double>> split(Good good) const
    {
        std::vector<std::pair<double, bool>> runs;
        for (const auto& measured : measured_)
            runs.emplace_back(measured.qps, good(measured));
        std::sort(runs.begin(), runs.end());
        auto wrong = std::count_if(runs.begin(), runs.end(), [](const auto& run) { return run.second; });
        if (wrong < 2 || runs.size() - static_cast<std::size_t>(wrong) < 2)
            return std::nullopt;
        auto least = wrong;
        std::size_t place = 0;
        for (std::size_t i = 0; i < runs.size(); ++i) {
            wrong += runs[i].second ? -1 : 1;
            if (wrong < least) {
                least = wrong;
                place = i + 1;
            }
        }
        if (place == 0 || place == runs.size())
            return std::nullopt;
        return std::pair(runs[place - 1].first, runs[place].first);
    }

    /// What the run shows to fail: "steady state" for one that cannot go on, of which objectives fail as a
    /// consequence; else the first objective that it breaks.
    std::string name_of_broken(const RateMeasurement& measured) const
    {
        const auto which = broken(measured);
        return measured.steady && which < objectives_.size() ? stats::to_text(objectives_[which])
                                                             : "steady state";
    }

private:
    // The shares of an objective where they are near the one it asks for. Requests that wait for each other
    // are worth fewer independent ones, by a design effect that all runs estimate together: that of a single
    // run is too uncertain a guess.
    std::vector<stats::SharePoint> usable(std::size_t objective) const
    {
        const double target = stats::logit(objectives_[objective].share);
        std::vector<stats::SharePoint> points;
        double seen = 0;
        double binomial = 0;
        for (const auto& measured : measured_) {
            const auto& estimate = measured.shares[objective];
            const auto requests = static_cast<double>(estimate.requests);
            const double spread = estimate.share * (1 - estimate.share);
            if (requests * spread < 5 || std::abs(stats::logit(estimate.share) - target) > 2.5)
                continue;
            seen += estimate.deviation * estimate.deviation * requests;
            binomial += spread;
            points.push_back({std::log(measured.qps), estimate.share, requests});
        }
        for (auto& point : points)
            point.requests /= std::max(1e-4, seen / binomial);
        return points;
    }

    // The first objective that the measurement breaks; as many as there are when none, one more when all hold
    // but not for ever.
    std::size_t broken(const RateMeasurement& measured) const
    {
        for (std::size_t i = 0; i < objectives_.size(); ++i)
            if (!keeps(objectives_[i], measured.shares[i]))
                return i;
        return objectives_.size() + (measured.steady ? 0 : 1);
    }

    std::vector<stats::Objective> objectives_;
    std::vector<RateMeasurement> measured_;
};

} // namespace slo::engine

#endif
