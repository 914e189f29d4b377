// SPDX-License-Identifier: MIT
// What a verdict by objectives is asked for.

#ifndef SLO_PLAN_CERTAIN_OPTIONS_HPP
#define SLO_PLAN_CERTAIN_OPTIONS_HPP

#include <slo/base/error.hpp>
#include <slo/base/text.hpp>
#include <slo/stats/objective.hpp>
#include <slo/stats/sequential.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace slo::plan {

/// How the end of the warm-up is found.
enum class WarmUpRule {
    mser,     ///< where the marginal standard error of the rest is least
    walk_back ///< the steady window of the classic rule
};

/// How a percentile is judged.
enum class PercentileRule {
    intervals, ///< by an interval that knows that requests of a round are alike
    mlperf     ///< by MLPerf's early stopping, as if they were independent
};

/// What a verdict by objectives is asked for. All objectives must hold.
struct CertainOptions {
    std::vector<stats::Objective> objectives;
    double confidence = 0.95;       ///< of PASS, and of FAIL
    std::vector<std::size_t> looks; ///< rounds after which to look; empty: once, at the end
    stats::Spending spending = stats::Spending::pocock;
    WarmUpRule warm_up = WarmUpRule::mser;
    PercentileRule rule = PercentileRule::intervals;
    double min_success_pct = 99; ///< 0: the success rate does not matter
    bool ignore_client = false;  ///< judge also what the client spoilt
};

/// Reads "8,14,20,26,32": ascending numbers of rounds. Throws UsageError naming `option`.
inline std::vector<std::size_t> parse_looks(std::string_view text, std::string_view option)
{
    std::vector<std::size_t> looks;
    for (auto rest = text; !text.empty();) {
        const auto comma = rest.find(',');
        const auto look = parse_integer<std::size_t>(trim(rest.substr(0, comma)));
        if (!look || *look < 2 || *look > 100'000 || (!looks.empty() && *look <= looks.back()))
            throw UsageError(option, "'" + printable(text, 60) +
                                         "' is no list of ascending round numbers, 2 to 100000");
        looks.push_back(*look);
        if (comma == std::string_view::npos)
            break;
        rest = rest.substr(comma + 1);
    }
    if (looks.size() > stats::max_looks)
        throw UsageError(option, "at most " + std::to_string(stats::max_looks) + " looks");
    return looks;
}

/// "pocock" or "obrien-fleming". Throws UsageError.
inline stats::Spending parse_spending(const std::string& text)
{
    if (text == "pocock")
        return stats::Spending::pocock;
    if (text == "obrien-fleming")
        return stats::Spending::obrien_fleming;
    throw UsageError("--spending", "'" + printable(text, 40) + "' is neither pocock nor obrien-fleming");
}

/// "mser" or "walk-back". Throws UsageError.
inline WarmUpRule parse_warm_up(const std::string& text)
{
    if (text == "mser")
        return WarmUpRule::mser;
    if (text == "walk-back")
        return WarmUpRule::walk_back;
    throw UsageError("--steady", "'" + printable(text, 40) + "' is neither mser nor walk-back");
}

/// "intervals" or "mlperf". Throws UsageError.
inline PercentileRule parse_percentile_rule(const std::string& text)
{
    if (text == "intervals")
        return PercentileRule::intervals;
    if (text == "mlperf")
        return PercentileRule::mlperf;
    throw UsageError("--percentile-rule", "'" + printable(text, 40) + "' is neither intervals nor mlperf");
}

/// The name a spending has in options and records.
constexpr std::string_view name_of(stats::Spending spending) noexcept
{
    return spending == stats::Spending::pocock ? "pocock" : "obrien-fleming";
}

/// The error that each look may make on one side, so that all together make 1 - confidence at most.
inline std::vector<double> errors_of_looks(const CertainOptions& options)
{
    if (options.looks.size() < 2)
        return {1 - options.confidence};
    const std::vector<double> rounds(options.looks.begin(), options.looks.end());
    return stats::nominal_alphas(rounds, 1 - options.confidence, options.spending);
}

} // namespace slo::plan

#endif
