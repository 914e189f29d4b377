// SPDX-License-Identifier: MIT
// A long run at one rate: which share of the requests meets each objective in the steady state.

#ifndef SLO_ENGINE_MEASURE_RATE_HPP
#define SLO_ENGINE_MEASURE_RATE_HPP

#include <slo/base/error.hpp>
#include <slo/engine/objective.hpp>
#include <slo/engine/profile.hpp>
#include <slo/engine/simulate.hpp>
#include <slo/stats/arrival.hpp>
#include <slo/stats/interval.hpp>
#include <slo/stats/moments.hpp>
#include <slo/stats/objective.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace slo::engine {

/// How a rate is measured.
struct RateOptions {
    std::vector<stats::Objective> objectives;
    stats::Arrival arrival; ///< constant, poisson or gamma; its rate does not count
    std::uint64_t seed = 1;
    std::size_t requests = 10000; ///< counted, at least 10 a batch
    std::size_t batches = 25;
    double warm_up_s = 120; ///< virtual time before the first of them, at least one pass of the workload
};

/// The share of requests that meet an objective, and its standard deviation by batch means.
struct ShareEstimate {
    double share = 0;
    double deviation = 0;
    std::int64_t requests = 0; ///< that have a say
};

/// What a run at one rate has shown.
struct RateMeasurement {
    double qps = 0;
    std::vector<ShareEstimate> shares; ///< in the order of the objectives
    bool steady = true;                ///< latency does not grow as long as the load lasts
};

namespace detail {

struct Batch {
    std::int64_t requests = 0;
    std::int64_t met = 0;
};

// The variance of a ratio of sums over batches; neighbours that are alike are worth fewer batches (Law and
// Kelton, "Simulation Modeling and Analysis", ch. 9).
inline ShareEstimate estimate_share(std::span<const Batch> batches)
{
    ShareEstimate estimate;
    std::int64_t met = 0;
    for (const auto& batch : batches) {
        estimate.requests += batch.requests;
        met += batch.met;
    }
    if (estimate.requests == 0)
        return estimate;
    const auto requests = static_cast<double>(estimate.requests);
    estimate.share = static_cast<double>(met) / requests;
    std::vector<double> residuals;
    double squares = 0;
    for (const auto& batch : batches) {
        residuals.push_back(static_cast<double>(batch.met) -
                            estimate.share * static_cast<double>(batch.requests));
        squares += residuals.back() * residuals.back();
    }
    const auto size = static_cast<double>(batches.size());
    const double rho = std::clamp(stats::lag1_autocorrelation(residuals), 0.0, 0.8);
    estimate.deviation = std::sqrt(squares * size / (size - 1) * (1 + rho) / (1 - rho)) / requests;
    return estimate;
}

// A load that is more than the engine can do by a share f makes latency grow by f seconds a second for ever.
// Told by the last third of the batches against the first: a straight line makes that difference 14 of its
// deviations, and batches that are alike make it perhaps 5 by chance. `batch_s` is the length of a batch.
inline bool is_steady(std::span<const stats::Moments> batches, double batch_s)
{
    constexpr double least_overload = 0.005;
    const auto third = batches.size() / 3;
    stats::Moments first, last;
    for (std::size_t i = 0; i < third; ++i) {
        if (const auto mean = batches[i].mean())
            first.add(*mean);
        if (const auto mean = batches[batches.size() - 1 - i].mean())
            last.add(*mean);
    }
    if (first.count() < 2 || last.count() < 2)
        return true;
    const auto error = [](const stats::Moments& m) {
        return *m.deviation() * *m.deviation() / static_cast<double>(m.count() - 1);
    };
    const double growth = *last.mean() - *first.mean();
    return growth < least_overload * batch_s * static_cast<double>(batches.size() - third) ||
           growth < 8 * std::sqrt(error(first) + error(last));
}

} // namespace detail

/// Measures at `qps` over consecutive requests after a warm-up. Throws what Simulation throws.
inline RateMeasurement measure_rate(const Profile& profile, std::span<const WorkRequest> rows, double qps,
                                    const RateOptions& options)
{
    const auto batch_size = std::max<std::size_t>(10, options.requests / options.batches);
    const auto warm_up = std::max(rows.size(), static_cast<std::size_t>(std::ceil(options.warm_up_s * qps)));
    SimulationOptions load;
    load.arrival = options.arrival;
    load.arrival.qps = qps;
    load.arrival.seed = options.seed;
    load.seed = options.seed;
    // The last requests run in an engine that empties: as many as can be under way are sent and not counted.
    const auto counted = batch_size * options.batches;
    load.max_requests = warm_up + counted + static_cast<std::size_t>(profile.limits.max_num_seqs);
    std::vector<std::vector<detail::Batch>> met(options.objectives.size(),
                                                std::vector<detail::Batch>(options.batches));
    std::vector<stats::Moments> latency(options.batches);
    Simulation(profile, rows, load).run([&](const Outcome& outcome) {
        if (outcome.serial < warm_up || outcome.serial >= warm_up + counted)
            return;
        const auto batch = (outcome.serial - warm_up) / batch_size;
        const auto measured = measured_of(outcome);
        if (measured.e2e_s)
            latency[batch].add(*measured.e2e_s);
        for (std::size_t i = 0; i < met.size(); ++i) {
            const auto meets = stats::meets(options.objectives[i], measured);
            met[i][batch].requests += meets.has_value();
            met[i][batch].met += meets.value_or(false);
        }
    });
    RateMeasurement result;
    result.qps = qps;
    for (const auto& batches : met)
        result.shares.push_back(detail::estimate_share(batches));
    result.steady = detail::is_steady(latency, static_cast<double>(batch_size) / qps);
    return result;
}

/// Whether the share is what the objective asks for. No requests keep every objective.
inline bool keeps(const stats::Objective& objective, const ShareEstimate& estimate) noexcept
{
    if (estimate.requests == 0)
        return true;
    return objective.kind == stats::Objective::Kind::percentile ? estimate.share > objective.share
                                                                : estimate.share >= objective.share;
}

} // namespace slo::engine

#endif
