// SPDX-License-Identifier: MIT
// Where the largest passing rate is believed to be, when all of several objectives must hold.

#ifndef SLO_PLAN_EDGE_BELIEF_HPP
#define SLO_PLAN_EDGE_BELIEF_HPP

#include <slo/plan/rate_posterior.hpp>
#include <slo/plan/search.hpp>
#include <slo/stats/student.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace slo::plan {

/// One RatePosterior an objective; the edge is the least of theirs.
class EdgeBelief {
public:
    explicit EdgeBelief(const RateRange& range) : prior_(range) {}

    /// Takes in what a probe at `qps` said. A verdict without margins tells only its side.
    void add(double qps, const Outcome& outcome)
    {
        if (outcome.said == Said::invalid)
            return;
        if (outcome.margins.empty()) {
            constexpr double right_with_confidence = 0.95;
            constexpr double right_without = 0.8;
            if (outcome.said != Said::open)
                of("").add_side(qps, outcome.said == Said::pass,
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
        std::size_t low = 0;
        std::size_t high = RatePosterior::size() - 1;
        while (low < high) {
            const auto middle = low + (high - low) / 2;
            double above = posteriors_.empty() ? prior_.above(middle) : 1.0;
            for (const auto& [objective, posterior] : posteriors_)
                above *= posterior.above(middle);
            if (1 - above >= p)
                high = middle;
            else
                low = middle + 1;
        }
        return std::exp(prior_.at(low));
    }

    double median() const { return quantile(0.5); }

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
        nearest.resize(std::min<std::size_t>(nearest.size(), 4));
        if (nearest.empty())
            return std::nullopt;
        double variance = 0;
        for (const auto& probe : nearest) {
            const double slope = posteriors_.at(probe.margin.objective).slope();
            const double error = probe.margin.error / slope;
            variance += error * error * std::max(1.0, probe.rounds) / static_cast<double>(nearest.size());
        }
        return std::sqrt(variance);
    }

private:
    struct Probe {
        double rate = 0; ///< its logarithm
        double rounds = 0;
        Margin margin;
    };

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
    std::vector<Probe> probes_;
};

} // namespace slo::plan

#endif
