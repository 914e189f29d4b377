// SPDX-License-Identifier: MIT
// Prompts so short that two may be the same by chance, told apart.

#ifndef SLO_WORKLOAD_DISTINCT_PROMPTS_HPP
#define SLO_WORKLOAD_DISTINCT_PROMPTS_HPP

#include <boost/unordered/unordered_flat_set.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>

namespace slo::workload {

/// Remembers short prompts by a hash of 64 bits each.
class DistinctPrompts {
public:
    /// `choices`: how many tokens there are to choose from; `most`: prompts to remember at most.
    explicit DistinctPrompts(double choices, std::size_t most = std::size_t{4} << 20)
        : most_(most), short_tokens_(choices > 1 ? std::ceil(64 / std::log2(choices)) : 1e18)
    {
    }

    /// True where so many tokens of a prompt's own may be another prompt's by chance: less than 64 bits.
    bool matters(std::int64_t own_tokens) const noexcept
    {
        return static_cast<double>(own_tokens) < short_tokens_;
    }

    /// Remembers a prompt; false if it was there before. Beyond the bound only those that are there count.
    bool insert(std::string_view prompt)
    {
        const auto name = std::hash<std::string_view>()(prompt);
        return seen_.size() < most_ ? seen_.insert(name).second : !seen_.contains(name);
    }

    /// False once some were not remembered.
    bool remembers_all() const noexcept { return seen_.size() < most_; }

private:
    std::size_t most_;
    double short_tokens_;
    boost::unordered_flat_set<std::uint64_t> seen_;
};

} // namespace slo::workload

#endif
