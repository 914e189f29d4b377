// SPDX-License-Identifier: MIT
// What many searches or verdicts come to, each figure with its Monte Carlo error.

#ifndef SLO_TESTS_STUDY_SUMMARY_HPP
#define SLO_TESTS_STUDY_SUMMARY_HPP

#include "rounds.hpp"
#include "search_study.hpp"

#include <slo/stats/binomial.hpp>
#include <slo/stats/moments.hpp>

#include <cmath>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace study {

/// A figure and its standard error.
struct Figure {
    double value = 0;
    double error = 0;
};

/// The mean of a sample.
inline std::optional<Figure> mean_of(const std::vector<double>& values)
{
    stats::Moments moments;
    for (const double value : values)
        moments.add(value);
    if (!moments.mean())
        return std::nullopt;
    return Figure{*moments.mean(),
                  moments.deviation().value_or(0) / std::sqrt(static_cast<double>(values.size()))};
}

/// The root of the mean square of a sample; its error by the delta method.
inline std::optional<Figure> rms_of(std::vector<double> values)
{
    for (double& value : values)
        value *= value;
    const auto square = mean_of(values);
    if (!square)
        return std::nullopt;
    const double root = std::sqrt(square->value);
    return Figure{root, root > 0 ? square->error / (2 * root) : 0};
}

/// k of n, with the 95 % interval of Clopper and Pearson.
struct Share {
    std::size_t k = 0;
    std::size_t n = 0;

    double value() const noexcept { return n > 0 ? static_cast<double>(k) / static_cast<double>(n) : 0; }
    double low() const { return stats::lower_share(static_cast<double>(k), static_cast<double>(n), 0.025); }
    double high() const { return stats::upper_share(static_cast<double>(k), static_cast<double>(n), 0.025); }
    /// The limit that the true share exceeds with 5 % probability at most.
    double most() const { return stats::upper_share(static_cast<double>(k), static_cast<double>(n), 0.05); }
};

/// A cell and a strategy, or a strategy over all its cells. Errors, widths in percent of the true limit.
struct SearchSummary {
    std::size_t searches = 0;
    std::vector<double> rounds;
    std::vector<double> errors; ///< of the points
    std::vector<double> claims; ///< what was claimed, against the limit
    std::vector<double> widths; ///< of the intervals that have both ends
    Share overclaims;           ///< above the limit by more than 2 %
    Share covered;              ///< of the searches that gave both ends
    Share covered_sides;        ///< of all ends given, those on their side of the limit
    Share without_claim;
    std::map<std::string, std::size_t> reasons; ///< of the searches without a claim

    void add(const SearchLine& line)
    {
        constexpr double much_pct = 2;
        const auto& answer = line.answer;
        const auto percent = [&](double qps) { return 100 * (qps / line.truth_qps - 1); };
        ++searches;
        rounds.push_back(static_cast<double>(line.rounds));
        if (answer.point)
            errors.push_back(percent(*answer.point));
        ++overclaims.n;
        ++without_claim.n;
        if (answer.claimed) {
            claims.push_back(percent(*answer.claimed));
            overclaims.k += claims.back() > much_pct;
        } else {
            ++without_claim.k;
            ++reasons[answer.reason];
        }
        const bool above_low = !answer.certified || *answer.certified <= line.truth_qps;
        const bool below_high = !answer.rejected || *answer.rejected >= line.truth_qps;
        if (answer.certified && answer.rejected) {
            widths.push_back(percent(*answer.rejected) - percent(*answer.certified));
            ++covered.n;
            covered.k += above_low && below_high;
        }
        covered_sides.n += answer.certified.has_value() + answer.rejected.has_value();
        covered_sides.k += (answer.certified && above_low) + (answer.rejected && below_high);
    }
};

} // namespace study

#endif
