// SPDX-License-Identifier: MIT
// How a search by likelihood spends its rounds.

#ifndef SLO_PLAN_CERTIFY_OPTIONS_HPP
#define SLO_PLAN_CERTIFY_OPTIONS_HPP

#include <slo/plan/search.hpp>

#include <cstddef>
#include <optional>
#include <vector>

namespace slo::plan {

/// How a search by likelihood spends its rounds.
struct CertifyOptions {
    bool certify = true;                          ///< false: only to the point, the probabilistic strategy
    std::vector<std::size_t> locate_looks{5, 12}; ///< of a probe on the way to the point
    std::vector<std::size_t> certify_looks{10, 16, 24, 32}; ///< of one that certifies or rejects
    double locate_rounds = 24;     ///< on the way to the point, unless it is still far then
    double point_deviation = 0.01; ///< of ln(rate): near enough to the point
    double certify_rounds = 30;    ///< that one verdict should take: the fewer, the wider the interval
    double needed_errors = 1.3;    ///< standard errors from the edge at which a look decides
    double farthest_up = 0.08; ///< of ln(rate), above the point at first: a queue beyond its edge fails soon
    double rounds = 100;       ///< while fewer are spent, the interval is made narrower
    bool common_numbers = false; ///< the same seed for all probes on the way to the point
};

/// The looks that a verdict has with at most so many rounds.
inline std::vector<std::size_t> looks_within(std::vector<std::size_t> looks, double rounds)
{
    std::erase_if(looks, [&](std::size_t look) { return static_cast<double>(look) > rounds; });
    return looks;
}

/// One end of the interval that a search certifies: the rate tried last, and how often the verdict was not
/// the wanted one.
struct IntervalEnd {
    std::optional<Rate> last;
    std::size_t tries = 0;  ///< without the wanted verdict
    std::size_t in_row = 0; ///< of these, since the last that had it

    /// Takes in that `rate` was tried.
    void tried(Rate rate, bool is_wanted)
    {
        last = rate;
        tries += !is_wanted;
        in_row = is_wanted ? 0 : in_row + 1;
    }

    /// By how much farther from the point the next try is: half of it for each verdict that stayed open.
    double widening() const { return 1 + 0.5 * static_cast<double>(in_row); }
};

} // namespace slo::plan

#endif
