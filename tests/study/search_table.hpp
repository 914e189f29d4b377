// SPDX-License-Identifier: MIT
// The table of the searches, for people and for plotting.

#ifndef SLO_TESTS_STUDY_SEARCH_TABLE_HPP
#define SLO_TESTS_STUDY_SEARCH_TABLE_HPP

#include "markdown.hpp"
#include "search_study.hpp"
#include "summary.hpp"
#include "truth.hpp"

#include <slo/base/error.hpp>
#include <slo/base/text.hpp>

#include <algorithm>
#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace study {

/// The searches of each cell and strategy, and of each strategy over the cells of a kind, in the order in
/// which they came.
class SearchTable {
public:
    void add(const SearchLine& line)
    {
        const auto cell = line.cell + " " + line.objective;
        at(cells_, cell, line.strategy).add(line);
        const bool is_median = line.objective.find(":p50") != std::string::npos;
        at(kinds_, is_median ? medians : tails, line.strategy).add(line);
        at(kinds_, all, line.strategy).add(line);
    }

    /// A row for each cell and strategy.
    std::string by_cell(const std::map<std::string, Truth>& truths) const
    {
        MarkdownTable table(columns("Cell (true limit, qps)"));
        std::vector<std::string> done;
        for (const auto& first : cells_) {
            if (std::find(done.begin(), done.end(), first.what) != done.end())
                continue;
            done.push_back(first.what);
            for (const auto& group : cells_)
                if (group.what == first.what)
                    table.add(row(cell_with_truth(group.what, truths), group.strategy, group.summary));
        }
        return table.text();
    }

    /// A row for each strategy, over all cells and over those of a kind.
    std::string by_strategy() const
    {
        MarkdownTable table(columns("Cells"));
        for (const char* kind : {medians, tails, all})
            for (const auto& group : kinds_)
                if (group.what == kind)
                    table.add(row(group.what, group.strategy, group.summary));
        return table.text();
    }

    /// Why searches ended without a claim, a line for each strategy and reason.
    std::string without_claim() const
    {
        std::string text;
        for (const auto& group : cells_)
            for (const auto& [reason, count] : group.summary.reasons)
                text += "- " + group.what + ", " + group.strategy + ": " + reason + ", " +
                        std::to_string(count) + " of " + std::to_string(group.summary.searches) + "\n";
        return text;
    }

    /// What the plot is drawn from: of each cell (numbered) and strategy the quantiles of what was claimed,
    /// in percent of the limit, and the mean of the rounds.
    std::string plot_data() const
    {
        std::string text = "place,cell,strategy,claim_p05,claim_p25,claim_p50,claim_p75,claim_p95,rounds\n";
        std::map<std::string, std::size_t> places;
        for (const auto& group : cells_) {
            const auto place = places.try_emplace(group.what, places.size() + 1).first->second;
            text += std::to_string(place) + "," + group.what + "," + group.strategy;
            for (const double q : {0.05, 0.25, 0.5, 0.75, 0.95})
                text += "," + field(quantile_of(group.summary.claims, q), 2);
            text += "," + field(mean_of(group.summary.rounds)->value, 1) + "\n";
        }
        return text;
    }

private:
    static constexpr const char* medians = "the medians";
    static constexpr const char* tails = "the tails";
    static constexpr const char* all = "all";

    struct Group {
        std::string what;
        std::string strategy;
        SearchSummary summary;
    };

    static SearchSummary& at(std::vector<Group>& groups, const std::string& what, const std::string& strategy)
    {
        for (auto& group : groups)
            if (group.what == what && group.strategy == strategy)
                return group.summary;
        groups.push_back({what, strategy, {}});
        return groups.back().summary;
    }

    static std::vector<std::string> columns(const char* first)
    {
        return {first,
                "Strategy",
                "Searches",
                "Rounds: mean (median)",
                "RMSE, %",
                "Bias, %",
                "Over-claims > 2 %, % (at most)",
                "Both ends given, %",
                "Covered, % (95 %)",
                "Median width, %",
                "No claim, %"};
    }

    static std::vector<std::string> row(const std::string& what, const std::string& strategy,
                                        const SearchSummary& s)
    {
        const Share both{s.covered.n, s.searches};
        return {what,
                strategy,
                std::to_string(s.searches),
                text_of(mean_of(s.rounds)) + " (" + format_fixed(quantile_of(s.rounds, 0.5).value_or(0), 0) +
                    ")",
                text_of(rms_of(s.errors)),
                text_of(mean_of(s.errors)),
                percent(s.overclaims.value()) + " (" + percent(s.overclaims.most()) + ")",
                percent(both.value()),
                s.covered.n > 0 ? percent(s.covered.value()) + " (" + percent(s.covered.low()) + "–" +
                                      percent(s.covered.high()) + ")"
                                : "–",
                s.widths.empty() ? "–" : format_fixed(*quantile_of(s.widths, 0.5), 1),
                percent(s.without_claim.value())};
    }

    std::vector<Group> cells_;
    std::vector<Group> kinds_;
};

} // namespace study

#endif
