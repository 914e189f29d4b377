// SPDX-License-Identifier: MIT
// The closest series that never falls.

#ifndef SLO_STATS_ISOTONIC_HPP
#define SLO_STATS_ISOTONIC_HPP

#include <slo/base/error.hpp>

#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

namespace slo::stats {

/// The non-decreasing series with the least Σ weight (fit - value)², in the unit of the values, by pooling
/// adjacent violators (Ayer et al. 1955; Barlow et al. 1972, "Statistical Inference under Order
/// Restrictions"); O(n). Throws Error unless values are finite and each has a finite weight above 0.
inline std::vector<double> isotonic(std::span<const double> values, std::span<const double> weights)
{
    if (values.size() != weights.size())
        throw Error("an isotonic fit", "needs a weight for each value");
    struct Block {
        double mean;
        double weight;
        std::size_t size;
    };
    std::vector<Block> blocks;
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (!std::isfinite(values[i]) || !(weights[i] > 0) || !std::isfinite(weights[i]))
            throw Error("an isotonic fit", "needs finite values and weights above 0");
        Block block{values[i], weights[i], 1};
        while (!blocks.empty() && blocks.back().mean > block.mean) {
            const Block& left = blocks.back();
            // Shares first, so that neither large weights nor large values overflow.
            const double larger = std::fmax(left.weight, block.weight);
            const double share = block.weight / larger / (left.weight / larger + block.weight / larger);
            block.mean = left.mean * (1 - share) + block.mean * share;
            block.weight += left.weight;
            block.size += left.size;
            blocks.pop_back();
        }
        blocks.push_back(block);
    }
    std::vector<double> fit;
    fit.reserve(values.size());
    for (const Block& block : blocks)
        fit.insert(fit.end(), block.size, block.mean);
    return fit;
}

} // namespace slo::stats

#endif
