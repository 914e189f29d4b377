// SPDX-License-Identifier: MIT
// The table of the verdicts: how often each rule passed and failed rates about the true limit.

#ifndef SLO_TESTS_STUDY_VERDICT_TABLE_HPP
#define SLO_TESTS_STUDY_VERDICT_TABLE_HPP

#include "markdown.hpp"
#include "summary.hpp"
#include "truth.hpp"
#include "verdict_study.hpp"

#include <slo/base/text.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace study {

/// The verdicts of each cell and rule over the factors.
class VerdictTable {
public:
    void add(const VerdictLine& line) { lines_.push_back(line); }

    /// A row for each cell and rule, a column for each factor: the shares that passed, failed and stayed open
    /// in percent, and the mean number of rounds with its standard error.
    std::string by_cell(const std::map<std::string, Truth>& truths) const
    {
        std::vector<std::string> columns{"Cell (true limit, qps)", "Rule"};
        for (const double factor : verdict_factors)
            columns.push_back(format_fixed(factor, 2));
        MarkdownTable table(columns);
        std::vector<std::string> done;
        for (const auto& first : lines_) {
            const auto key = first.cell + " " + first.objective + "\n" + first.rule;
            if (std::find(done.begin(), done.end(), key) != done.end())
                continue;
            done.push_back(key);
            std::vector<std::string> cells{cell_with_truth(first.cell + " " + first.objective, truths),
                                           first.rule};
            for (const double factor : verdict_factors)
                cells.push_back(shares_at(first, factor));
            table.add(cells);
        }
        return table.text();
    }

    /// A row for each rule and kind of cell with the figures that goals are set for.
    std::string goals() const
    {
        MarkdownTable table({"Rule", "Cells", "Runs a rate", "False PASS at 1.03, % (95 %)",
                             "False FAIL at 0.97, % (95 %)", "Decided at 0.95 within 20 rounds, % (95 %)"});
        std::vector<std::string> rules;
        for (const auto& line : lines_)
            if (std::find(rules.begin(), rules.end(), line.rule) == rules.end())
                rules.push_back(line.rule);
        for (const auto& rule : rules)
            for (const bool median : {true, false})
                add_goals(table, rule, median);
        return table.text();
    }

private:
    static bool is_at(const VerdictLine& line, double factor)
    {
        return std::abs(line.factor - factor) < 1e-6;
    }

    std::string shares_at(const VerdictLine& like, double factor) const
    {
        for (const auto& line : lines_) {
            if (line.cell != like.cell || line.objective != like.objective || line.rule != like.rule ||
                !is_at(line, factor))
                continue;
            const auto runs = static_cast<double>(line.runs);
            const auto share = [&](std::size_t k) {
                return format_fixed(100 * static_cast<double>(k) / runs, 0);
            };
            const double mean = line.rounds / runs;
            const double spread = std::sqrt(std::max(0.0, line.rounds_squared / runs - mean * mean) / runs);
            return "P" + share(line.passed) + " F" + share(line.failed) + " I" +
                   share(line.runs - line.passed - line.failed) + ", " + format_fixed(mean, 1) +
                   (spread > 0 ? " ± " + format_fixed(spread, 1) : "");
        }
        return "–";
    }

    void add_goals(MarkdownTable& table, const std::string& rule, bool median) const
    {
        Share false_pass, false_fail, soon;
        for (const auto& line : lines_) {
            if (line.rule != rule || median != (line.objective.find(":p50") != std::string::npos))
                continue;
            const auto count = [&](Share& share, double factor, std::size_t k) {
                if (is_at(line, factor)) {
                    share.k += k;
                    share.n += line.runs;
                }
            };
            count(false_pass, 1.03, line.passed);
            count(false_fail, 0.97, line.failed);
            count(soon, 0.95, line.decided_within_20);
        }
        if (false_pass.n == 0)
            return;
        const auto text = [](const Share& share) {
            return percent(share.value()) + " (" + percent(share.low()) + "–" + percent(share.high()) + ")";
        };
        table.add({rule, median ? "the medians" : "the tails", std::to_string(false_pass.n), text(false_pass),
                   text(false_fail), text(soon)});
    }

    std::vector<VerdictLine> lines_;
};

} // namespace study

#endif
