// SPDX-License-Identifier: MIT
// Many verdicts at rates about the true limit, by several rules on the same rounds.

#ifndef SLO_TESTS_STUDY_VERDICT_STUDY_HPP
#define SLO_TESTS_STUDY_VERDICT_STUDY_HPP

#include "cell.hpp"
#include "certain_rule.hpp"
#include "csv_file.hpp"
#include "rule.hpp"
#include "truth.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace study {

/// The rates at which verdicts are taken, as shares of the true limit.
inline constexpr std::array<double, 7> verdict_factors{0.90, 0.95, 0.97, 1.00, 1.03, 1.05, 1.10};

/// What a rule came to in several runs at one rate.
struct VerdictLine {
    std::string cell;
    std::string objective;
    std::string rule;
    double factor = 1; ///< rate over true limit
    std::size_t runs = 0;
    std::size_t passed = 0;
    std::size_t failed = 0;
    std::size_t decided_within_20 = 0;
    double rounds = 0;         ///< the sum over all runs
    double rounds_squared = 0; ///< the sum of the squares
};

/// The rules that the study compares.
inline std::vector<Rule> verdict_rules(const Cell& cell)
{
    return {classic_rule(8, 4), classic_rule(16, 8), certain_rule(cell, {8, 14, 20, 26, 32}, 0.95)};
}

/// One run at `factor` times the limit: what each rule comes to, on the same rounds.
inline std::vector<plan::Outcome> run_verdicts(const Cell& cell, const Truth& truth,
                                               const std::vector<Rule>& rules, double factor,
                                               std::uint64_t seed)
{
    std::vector<plan::Outcome> outcomes(rules.size());
    std::size_t most = 0;
    for (const auto& rule : rules)
        most = std::max(most, rule.looks.back());
    const double qps = factor * truth.qps;
    run_rounds(cell, qps, seed, most, [&](std::span<const Round> rounds) {
        bool go_on = false;
        for (std::size_t i = 0; i < rules.size(); ++i) {
            auto& outcome = outcomes[i];
            const auto last = rules[i].looks.back();
            if (is_decided(outcome) || rounds.size() > last)
                continue;
            if (rules[i].looks_after(rounds.size()))
                outcome = rules[i].judge(cell, qps, rounds);
            outcome.rounds = static_cast<double>(rounds.size());
            go_on |= !is_decided(outcome) && rounds.size() < last;
        }
        return go_on;
    });
    return outcomes;
}

/// Counts a run into the line of its rule.
inline void count(VerdictLine& line, const plan::Outcome& outcome)
{
    constexpr double soon = 20;
    ++line.runs;
    line.passed += outcome.said == plan::Said::pass;
    line.failed += outcome.said == plan::Said::fail;
    line.decided_within_20 += is_decided(outcome) && outcome.rounds <= soon;
    line.rounds += outcome.rounds;
    line.rounds_squared += outcome.rounds * outcome.rounds;
}

inline constexpr const char* verdict_columns =
    "cell,objective,rule,factor,runs,passed,failed,decided_within_20,rounds,rounds_squared";

inline std::string to_csv(const VerdictLine& line)
{
    return line.cell + "," + line.objective + "," + line.rule + "," + field(line.factor, 2) + "," +
           std::to_string(line.runs) + "," + std::to_string(line.passed) + "," + std::to_string(line.failed) +
           "," + std::to_string(line.decided_within_20) + "," + field(line.rounds, 0) + "," +
           field(line.rounds_squared, 0);
}

inline VerdictLine verdict_of(const CsvLine& line)
{
    const auto whole = [&](const char* column) { return static_cast<std::size_t>(line.number(column)); };
    return {line.text("cell"),     line.text("objective"),
            line.text("rule"),     line.number("factor"),
            whole("runs"),         whole("passed"),
            whole("failed"),       whole("decided_within_20"),
            line.number("rounds"), line.number("rounds_squared")};
}

} // namespace study

#endif
