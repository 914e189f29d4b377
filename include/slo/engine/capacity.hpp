// SPDX-License-Identifier: MIT
// The true capacity of an engine for a workload: the largest rate at which objectives hold for ever.

#ifndef SLO_ENGINE_CAPACITY_HPP
#define SLO_ENGINE_CAPACITY_HPP

#include <slo/base/error.hpp>
#include <slo/engine/measure_rate.hpp>
#include <slo/engine/profile.hpp>
#include <slo/engine/rate_evidence.hpp>
#include <slo/engine/simulate.hpp>
#include <slo/engine/tokenizer.hpp>
#include <slo/stats/objective.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace slo::engine {

/// How carefully the capacity is looked for.
struct CapacityOptions {
    RateOptions rate;
    double precision = 0;     ///< go on until the interval is narrower than this share of the answer; 0: once
    double tolerance = 0.001; ///< where the share jumps: how near, as a share, the two sides are sought
    double ceiling_qps = 1e5; ///< rates above are not tried
    std::size_t most_runs = 400;
};

/// The answer. [low, high] holds the rate at which the first objective fails with 95 % confidence given the
/// simulated noise; where the share jumps there, low keeps all objectives and high does not.
struct Capacity {
    std::optional<double> qps;
    std::optional<double> low;
    std::optional<double> high;
    std::string by;                  ///< the objective that fails first, or "steady state"
    std::string reason;              ///< without qps: "below the floor", "ceiling", "drift"
    std::optional<double> again_qps; ///< all hold once more up to this rate, after they have failed
    std::size_t rates_tried = 0;
};

namespace detail {

class CapacitySearch {
public:
    CapacitySearch(const Profile& profile, std::span<const WorkRequest> rows, const CapacityOptions& options)
        : profile_(profile), rows_(rows), options_(options), evidence_(options.rate.objectives)
    {
    }

    Capacity run()
    {
        if (profile_.step.drift_per_hour > 0) {
            capacity_.reason = "drift";
            return capacity_;
        }
        if (bracket()) {
            if (!profile_.step.is_monotone())
                look_around();
            narrow();
        }
        capacity_.rates_tried = runs_;
        return capacity_;
    }

private:
    static constexpr double floor_qps = 1e-3;
    static constexpr int set_size = 6; // of a set of long runs

    RateMeasurement measure(double qps, std::size_t requests)
    {
        auto how = options_.rate;
        how.requests = requests;
        // Another seed each time: noise that the rates share would not show in their scatter.
        how.seed = mix64(options_.rate.seed + runs_++);
        auto measured = measure_rate(profile_, rows_, qps, how);
        for (std::size_t i = 0; i < measured.shares.size(); ++i)
            if (measured.shares[i].requests == 0)
                throw Error("objective '" + stats::to_text(how.objectives[i]) + "'",
                            "no request of the workload has a value for it");
        return measured;
    }

    bool passes_quickly(double qps) { return evidence_.passes(measure(qps, quick())); }
    std::size_t quick() const { return std::max<std::size_t>(250, options_.rate.requests / 4); }

    // Short runs, until a rate that passes and one that does not are 5 % apart. False where there is no such
    // pair; the reason is told.
    bool bracket()
    {
        double qps = std::min(1.0, options_.ceiling_qps);
        if (passes_quickly(qps)) {
            do {
                if (qps >= options_.ceiling_qps) {
                    capacity_.low = qps;
                    capacity_.reason = "ceiling";
                    return false;
                }
                low_ = qps;
                qps = std::min(2 * qps, options_.ceiling_qps);
            } while (passes_quickly(qps));
            high_ = qps;
        } else {
            do {
                if (qps <= floor_qps) {
                    capacity_.high = qps;
                    capacity_.reason = "below the floor";
                    return false;
                }
                high_ = qps;
                qps = std::max(qps / 2, floor_qps);
            } while (!passes_quickly(qps));
            low_ = qps;
        }
        while (high_ / low_ > 1.05) {
            const double middle = std::sqrt(low_ * high_);
            (passes_quickly(middle) ? low_ : high_) = middle;
        }
        return true;
    }

    // Of an engine that may be faster with more load: moves the bracket to the first rate that fails, and
    // notes the last that passes.
    void look_around()
    {
        constexpr int reach = 20;
        constexpr double ratio = 1.08;
        const double center = low_;
        std::optional<double> first_failing, last_passing;
        double before = center * std::pow(ratio, -reach - 1);
        double before_failing = before;
        for (int i = -reach; i <= reach; ++i) {
            const double qps = center * std::pow(ratio, i);
            if (passes_quickly(qps)) {
                last_passing = qps;
            } else if (!first_failing) {
                first_failing = qps;
                before_failing = before;
            }
            before = qps;
        }
        if (first_failing && last_passing && *last_passing > *first_failing) {
            capacity_.again_qps = *last_passing;
            low_ = before_failing;
            high_ = *first_failing;
        }
    }

    // Long runs around the place where the share crosses.
    void narrow()
    {
        double center = std::sqrt(low_ * high_);
        double spread = std::max(0.06, high_ / low_ - 1);
        bool fitted = false;
        while (runs_ < options_.most_runs) {
            for (int i = 0; i < set_size; ++i) {
                const double place = 2.0 * i / (set_size - 1) - 1;
                const double qps = std::min(center * (1 + spread * place), options_.ceiling_qps);
                evidence_.add(measure(qps, options_.rate.requests));
            }
            if (const auto root = evidence_.first_root()) {
                // The first curve tells where, and how far apart, the points are worth most.
                if (take(*root) && fitted)
                    return;
                fitted = true;
                center = std::exp(root->crossing.x);
                spread = std::clamp(-1 / root->crossing.slope, options_.tolerance, 0.12);
            } else if (const int passing = evidence_.passing_of_last(set_size);
                       evidence_.has_curve() && passing != set_size / 2) {
                center *= passing > set_size / 2 ? 1 + spread : 1 / (1 + spread);
            } else if (jump(center, spread)) {
                return;
            }
        }
    }

    // True when the interval is as narrow as was asked for.
    bool take(const RateEvidence::Root& root)
    {
        const double qps = std::exp(root.crossing.x);
        const double factor = std::exp(root.crossing.half_width(0.95));
        capacity_.qps = qps;
        capacity_.low = qps / factor;
        capacity_.high = qps * factor;
        capacity_.by = stats::to_text(options_.rate.objectives[root.objective]);
        return options_.precision <= 0 || factor - 1 / factor <= options_.precision;
    }

    // Without a curve: closes in on the jump between the rates that pass and those that do not. True when
    // they are near enough.
    bool jump(double& center, double& spread)
    {
        const auto edge = evidence_.split([&](const auto& run) { return evidence_.passes(run); });
        if (!edge) {
            center *= evidence_.passing_of_last(set_size) > 0 ? 1 + spread : 1 / (1 + spread);
            return false;
        }
        capacity_.qps = std::sqrt(edge->first * edge->second);
        capacity_.low = edge->first;
        capacity_.high = edge->second;
        for (const auto& run : evidence_.runs()) {
            if (evidence_.passes(run))
                capacity_.high = std::max(*capacity_.high, run.qps);
            else
                capacity_.low = std::min(*capacity_.low, run.qps);
            if (run.qps == edge->second)
                capacity_.by = evidence_.name_of_broken(run);
        }
        center = *capacity_.qps;
        // A little wider than the gap, in case noise has put one side wrong.
        spread = 0.75 * (edge->second / edge->first - 1);
        return edge->second / edge->first - 1 <= options_.tolerance;
    }

    const Profile& profile_;
    std::span<const WorkRequest> rows_;
    const CapacityOptions& options_;
    Capacity capacity_;
    double low_ = 0;
    double high_ = 0;
    std::size_t runs_ = 0;
    RateEvidence evidence_;
};

} // namespace detail

/// Finds the capacity in virtual time: short runs for the place, then a curve through the shares that long
/// runs around it see; deterministic for a seed. Throws what Simulation throws, and Error for an objective
/// about which no request of the workload says anything.
inline Capacity find_capacity(const Profile& profile, std::span<const WorkRequest> rows,
                              const CapacityOptions& options)
{
    return detail::CapacitySearch(profile, rows, options).run();
}

} // namespace slo::engine

#endif
