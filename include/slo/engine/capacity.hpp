// SPDX-License-Identifier: MIT
// The true capacity of an engine for a workload: the largest rate at which an objective holds for ever.

#ifndef SLO_ENGINE_CAPACITY_HPP
#define SLO_ENGINE_CAPACITY_HPP

#include <slo/base/error.hpp>
#include <slo/engine/objective.hpp>
#include <slo/engine/profile.hpp>
#include <slo/engine/simulate.hpp>
#include <slo/stats/interval.hpp>
#include <slo/stats/quantile.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace slo::engine {

/// How carefully the capacity is looked for.
struct CapacityOptions {
    Objective objective;
    stats::Arrival arrival; ///< constant, poisson or gamma; the rate does not count
    std::uint64_t seed = 1;
    std::size_t batch_requests = 500; ///< requests in each of the batches a rate is measured in
    std::size_t batches = 10;
    double warm_up_s = 120;   ///< virtual time before the first batch, at least one pass of the workload
    double tolerance = 0.001; ///< of the answer, as a share of it
    double ceiling_qps = 1e5; ///< rates above are not tried
};

/// The answer. `low` is the largest rate known to keep the objective, `high` the smallest known not to, each
/// with 95 % confidence given the simulated noise; nothing where no rate does.
struct Capacity {
    std::optional<double> qps;
    std::optional<double> low;
    std::optional<double> high;
    std::size_t rates_tried = 0;
};

/// A long run at one rate.
struct RateMeasurement {
    double value_s = 0; ///< the objective's percentile over all batches
    double low_s = 0;   ///< its 95 % interval by batch means
    double high_s = 0;
};

/// Measures the objective's percentile at `qps` in the steady state: batches of consecutive requests after a
/// warm-up. The engine's overload shows as a value that grows with the length of the run. Throws what
/// Simulation throws.
inline RateMeasurement measure_rate(const Profile& profile, std::span<const WorkRequest> rows, double qps,
                                    const CapacityOptions& options)
{
    const auto warm_up = std::max(rows.size(), static_cast<std::size_t>(std::ceil(options.warm_up_s * qps)));
    SimulationOptions load;
    load.arrival = options.arrival;
    load.arrival.qps = qps;
    load.seed = options.seed;
    // The last requests run in an engine that empties: as many as can be under way are sent and not counted.
    const auto counted = options.batch_requests * options.batches;
    load.max_requests = warm_up + counted + static_cast<std::size_t>(profile.limits.max_num_seqs);
    std::vector<std::vector<double>> batches(options.batches);
    Simulation(profile, rows, load).run([&](const Outcome& outcome) {
        if (outcome.serial < warm_up || outcome.serial >= warm_up + counted)
            return;
        if (const auto value = measure(options.objective, outcome))
            batches[(outcome.serial - warm_up) / options.batch_requests].push_back(*value);
    });
    std::vector<double> all;
    std::vector<double> of_batches;
    for (auto& batch : batches) {
        std::sort(batch.begin(), batch.end());
        if (!batch.empty())
            of_batches.push_back(stats::quantile_sorted(batch, options.objective.percentile / 100));
        all.insert(all.end(), batch.begin(), batch.end());
    }
    if (all.empty())
        throw Error("objective", "no request of the workload has a value for it");
    std::sort(all.begin(), all.end());
    RateMeasurement result;
    result.value_s = stats::quantile_sorted(all, options.objective.percentile / 100);
    const auto interval = stats::mean_interval(of_batches, 0.95);
    const double half = interval ? (interval->high - interval->low) / 2 : 0;
    result.low_s = result.value_s - half;
    result.high_s = result.value_s + half;
    return result;
}

namespace detail {

// Looks for the rates at which the measured value, and the ends of its interval, cross the limit. Rates are
// points of a geometric grid as fine as the tolerance, so that the three searches share their measurements.
class CapacitySearch {
public:
    CapacitySearch(const Profile& profile, std::span<const WorkRequest> rows, const CapacityOptions& options)
        : profile_(profile), rows_(rows), options_(options), ratio_(1 + options.tolerance)
    {
    }

    Capacity run()
    {
        const auto last =
            static_cast<std::int64_t>(std::floor(std::log(options_.ceiling_qps) / std::log(ratio_)));
        const auto first = static_cast<std::int64_t>(std::ceil(std::log(floor_qps) / std::log(ratio_)));
        const auto passes = [&](double RateMeasurement::*value) {
            return [this, value](std::int64_t point) {
                return measured(point).*value < options_.objective.limit_s;
            };
        };
        // One search after the other: the next begins where the last one ended.
        const auto middle = edge(first, last, 0, passes(&RateMeasurement::value_s));
        const auto start = middle.value_or(first);
        const auto sure = edge(first, last, start, passes(&RateMeasurement::high_s));
        const auto doubtful = edge(first, last, start, passes(&RateMeasurement::low_s));
        Capacity capacity;
        if (middle)
            capacity.qps = *middle == last ? rate(last) : std::sqrt(rate(*middle) * rate(*middle + 1));
        if (sure)
            capacity.low = rate(*sure);
        if (!doubtful || *doubtful < last)
            capacity.high = rate(doubtful.value_or(first - 1) + 1);
        capacity.rates_tried = measured_.size();
        return capacity;
    }

private:
    static constexpr double floor_qps = 1e-3;

    double rate(std::int64_t point) const { return std::pow(ratio_, static_cast<double>(point)); }

    const RateMeasurement& measured(std::int64_t point)
    {
        const auto found = measured_.find(point);
        if (found != measured_.end())
            return found->second;
        return measured_.emplace(point, measure_rate(profile_, rows_, rate(point), options_)).first->second;
    }

    // The last point that passes, where all before pass and none after; nothing when even `first` fails.
    // Walks from `start` in doubling strides until it has one of each, then halves.
    template <class Passes>
    std::optional<std::int64_t> edge(std::int64_t first, std::int64_t last, std::int64_t start, Passes passes)
    {
        const auto octave = static_cast<std::int64_t>(std::ceil(std::log(2.0) / std::log(ratio_)));
        auto low = start;
        auto high = start;
        if (passes(start)) {
            for (std::int64_t stride = 1; passes(high); stride = std::min(2 * stride, octave)) {
                if (high == last)
                    return last;
                low = high;
                high = std::min(last, high + stride);
            }
        } else {
            for (std::int64_t stride = 1; !passes(low); stride = std::min(2 * stride, octave)) {
                if (low == first)
                    return std::nullopt;
                high = low;
                low = std::max(first, low - stride);
            }
        }
        while (high - low > 1) {
            const auto middle = low + (high - low) / 2;
            (passes(middle) ? low : high) = middle;
        }
        return low;
    }

    const Profile& profile_;
    std::span<const WorkRequest> rows_;
    const CapacityOptions& options_;
    double ratio_;
    std::map<std::int64_t, RateMeasurement> measured_;
};

} // namespace detail

/// Finds the capacity by search over rates in virtual time; deterministic for a seed. Throws what Simulation
/// throws.
inline Capacity find_capacity(const Profile& profile, std::span<const WorkRequest> rows,
                              const CapacityOptions& options)
{
    return detail::CapacitySearch(profile, rows, options).run();
}

} // namespace slo::engine

#endif
