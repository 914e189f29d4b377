// SPDX-License-Identifier: MIT
// Where the largest passing rate is believed to be, when all of several objectives must hold.

#ifndef SLO_PLAN_EDGE_BELIEF_HPP
#define SLO_PLAN_EDGE_BELIEF_HPP

#include <slo/base/error.hpp>
#include <slo/plan/grid.hpp>
#include <slo/plan/rate_posterior.hpp>
#include <slo/plan/search.hpp>
#include <slo/stats/student.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace slo::plan {

/// Where a search may look. Throws UsageError unless 0 < low < high ≤ ceiling.
inline RateRange range_of(const Grid& grid, const SearchBounds& bounds)
{
    if (bounds.low <= 0 || bounds.low >= bounds.high)
        throw UsageError("low", grid.text(bounds.low) + " is not below high " + grid.text(bounds.high));
    if (bounds.ceiling < bounds.high)
        throw UsageError("ceiling", grid.text(bounds.ceiling) + " is below high " + grid.text(bounds.high));
    return {grid.qps(1), grid.qps(bounds.ceiling) * 1.0001, grid.qps(bounds.low), grid.qps(bounds.high)};
}

/// One RatePosterior an objective; the edge is the least of theirs. What only told its side did so of that
/// least one.
class EdgeBelief {
public:
    /// Objectives of a search; a verdict on still others tells only its side.
    static constexpr std::size_t most_objectives = 64;

    explicit EdgeBelief(const RateRange& range) : prior_(range), sides_(RatePosterior::size()) {}

    /// Takes in what a probe at `qps` said. A verdict without margins tells only its side.
    void add(double qps, const Outcome& outcome)
    {
        if (outcome.said == Said::invalid)
            return;
        if (outcome.margins.empty() || !has_room_for(outcome.margins)) {
            constexpr double right_with_confidence = 0.95;
            constexpr double right_without = 0.8;
            if (outcome.said != Said::open)
                add_side(std::log(qps), outcome.said == Said::pass,
                         outcome.stated ? right_with_confidence : right_without);
            return;
        }
        for (const auto& margin : outcome.margins)
            of(margin.objective).add(qps, margin.estimate, margin.error);
        probes_.push_back({std::log(qps), outcome.rounds, binding(outcome.margins)});
    }

    /// The rate below which the edge lies with probability `p`.
    double quantile(double p) const
    {
        const auto masses = density();
        double all = 0;
        for (const double mass : masses)
            all += mass;
        double below = 0;
        std::size_t point = 0;
        for (; point + 1 < masses.size() && below + masses[point] / 2 < p * all; ++point)
            below += masses[point];
        return std::exp(prior_.at(point));
    }

    double median() const { return quantile(0.5); }

    /// True where a probe tells more than was known: a margin is not far beyond its error, or the verdict
    /// stands against what is believed. Margins are not linear over greater distances, those of a tail least
    /// of all.
    bool is_news(double qps, const Outcome& outcome) const
    {
        const auto is_near = [](const Margin& margin) {
            return std::abs(margin.estimate) < 3.5 * margin.error;
        };
        return outcome.margins.empty() || (outcome.said == Said::pass && qps > median()) ||
               (outcome.said == Said::fail && qps < median()) ||
               std::any_of(outcome.margins.begin(), outcome.margins.end(), is_near);
    }

    /// The standard deviation of ln(edge), as the middle two thirds tell it.
    double deviation() const { return std::max(1e-4, std::log(quantile(0.8413) / quantile(0.1587)) / 2); }

    /// The standard deviation of ln(rate) that one round near the edge leaves, as the probes nearest to it
    /// tell; nothing before one told its margin.
    std::optional<double> noise_of_round() const
    {
        const double edge = std::log(median());
        auto nearest = probes_;
        std::sort(nearest.begin(), nearest.end(), [&](const auto& a, const auto& b) {
            return std::abs(a.rate - edge) < std::abs(b.rate - edge);
        });
        nearest.resize(std::min<std::size_t>(nearest.size(), 6));
        if (nearest.empty())
            return std::nullopt;
        // Their geometric mean: a few rounds now and then state an error that is far off.
        double sum = 0;
        for (const auto& probe : nearest) {
            const double slope = posteriors_.at(probe.margin.objective).slope();
            const double rounds = std::max(1.0, probe.rounds);
            // A verdict on few rounds states its error generously, for it knows it badly itself.
            const double generosity = 1 + 2.5 / rounds;
            sum += std::log(probe.margin.error / slope * std::sqrt(rounds) / generosity);
        }
        return std::exp(sum / static_cast<double>(nearest.size()));
    }

private:
    struct Probe {
        double rate = 0; ///< its logarithm
        double rounds = 0;
        Margin margin;
    };

    void add_side(double x, bool passed, double right)
    {
        for (std::size_t i = 0; i < sides_.size(); ++i)
            sides_[i] += std::log((prior_.at(i) > x) == passed ? right : 1 - right);
        const double most = *std::max_element(sides_.begin(), sides_.end());
        // Never so unlikely that sides and margins which contradict each other leave nothing.
        for (double& side : sides_)
            side = std::max(side - most, -30.0);
    }

    // Of the least edge, not normalized. It is at a point where all are there or above, less where all are
    // above.
    std::vector<double> density() const
    {
        std::vector<double> reached(RatePosterior::size() + 1, 1.0);
        reached.back() = 0;
        const auto take_in = [&](const RatePosterior& posterior) {
            double sum = 0;
            for (std::size_t i = RatePosterior::size(); i-- > 0;)
                reached[i] *= sum += posterior.density()[i];
        };
        for (const auto& [objective, posterior] : posteriors_)
            take_in(posterior);
        if (posteriors_.empty())
            take_in(prior_);
        std::vector<double> masses(RatePosterior::size());
        for (std::size_t i = 0; i < masses.size(); ++i)
            masses[i] = std::max(0.0, reached[i] - reached[i + 1]) * std::exp(sides_[i]);
        return masses;
    }

    bool has_room_for(const std::vector<Margin>& margins) const
    {
        std::set<std::string> fresh;
        for (const auto& margin : margins)
            if (!posteriors_.contains(margin.objective))
                fresh.insert(margin.objective);
        return posteriors_.size() + fresh.size() <= most_objectives;
    }

    RatePosterior& of(const std::string& objective)
    {
        return posteriors_.try_emplace(objective, prior_).first->second;
    }

    // The margin that is likeliest to be on the failing side.
    static Margin binding(const std::vector<Margin>& margins)
    {
        return *std::max_element(margins.begin(), margins.end(), [](const auto& a, const auto& b) {
            return a.estimate / a.error < b.estimate / b.error;
        });
    }

    RatePosterior prior_;
    std::map<std::string, RatePosterior> posteriors_;
    std::vector<double> sides_; ///< the logarithms of how likely they are, by where the least edge is
    std::vector<Probe> probes_;
};

} // namespace slo::plan

#endif
