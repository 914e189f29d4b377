// SPDX-License-Identifier: MIT
// The verbs of the study and their options.

#ifndef SLO_TESTS_STUDY_STUDY_OPTIONS_HPP
#define SLO_TESTS_STUDY_STUDY_OPTIONS_HPP

#include "cell.hpp"
#include "parallel.hpp"
#include "search_study.hpp"
#include "search_table.hpp"
#include "strategy.hpp"
#include "truth.hpp"
#include "verdict_study.hpp"
#include "verdict_table.hpp"

#include <slo/base/error.hpp>
#include <slo/base/text.hpp>
#include <slo/cli/progress.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace study {

/// Takes text for stdout.
using Print = std::function<void(const std::string&)>;

/// The names in a list with commas between them; "all" is none.
inline std::vector<std::string> names_in(std::string_view list)
{
    std::vector<std::string> names;
    for (bool more = true; more;) {
        const auto comma = list.find(',');
        const auto name = trim(list.substr(0, comma));
        if (!name.empty() && name != "all")
            names.emplace_back(name);
        more = comma != std::string_view::npos;
        list.remove_prefix(more ? comma + 1 : list.size());
    }
    return names;
}

/// What the verbs that simulate share.
struct RunOptions {
    std::string cells = "all";
    std::size_t jobs = 2;
    std::string progress = "auto";

    template <class Table>
    void describe(Table& table)
    {
        table.add("cells", cells, "LIST", "engines, or cells in full, with commas between them");
        table.add("jobs", jobs, "N", "threads");
        table.add("progress", progress, "HOW", "auto, bar, plain or none");
    }

    /// make(i) for each i below `count`, with progress said on stderr.
    template <class Result, class Make>
    std::vector<Result> make(const std::string& what, std::size_t count, Make make) const
    {
        cli::Progress shown("study", progress, false, 30);
        return make_all<Result>(count, jobs, make, [&](std::size_t done) {
            shown.update(static_cast<double>(done) / static_cast<double>(count), what);
        });
    }
};

/// The limit of a cell in a file of them. Throws Error where it is not there.
inline const Truth& truth_of(const std::map<std::string, Truth>& truths, const Cell& cell)
{
    const auto found = truths.find(cell.name());
    if (found == truths.end())
        throw Error(cell.name(), "has no line in the file of the true limits");
    return found->second;
}

/// Finds the true limits.
struct TruthOptions {
    RunOptions run_options;
    double median_precision_pct = 0.8;
    double tail_precision_pct = 2;
    std::size_t median_requests = 100000;
    std::size_t tail_requests = 300000;

    template <class Table>
    void describe(Table& table)
    {
        table.section("Truth");
        run_options.describe(table);
        table.add("median-precision", median_precision_pct, "PERCENT", "width of the interval, of a median");
        table.add("tail-precision", tail_precision_pct, "PERCENT", "width of the interval, of a tail");
        table.add("median-requests", median_requests, "N", "requests counted at a rate, of a median");
        table.add("tail-requests", tail_requests, "N", "requests counted at a rate, of a tail");
    }

    void run(const Print& print) const
    {
        const auto cells = cells_named(names_in(run_options.cells));
        const auto truths = run_options.make<Truth>("true limits", cells.size(), [&](std::size_t i) {
            const bool median = cells[i].objective.share == 0.5;
            return find_truth(cells[i], (median ? median_precision_pct : tail_precision_pct) / 100,
                              median ? median_requests : tail_requests);
        });
        print(std::string(truth_columns) + "\n");
        for (std::size_t i = 0; i < cells.size(); ++i)
            print(to_csv(cells[i], truths[i]) + "\n");
    }
};

/// Runs searches.
struct SearchOptions {
    RunOptions run_options;
    std::string truth = "tests/study/truth.csv";
    std::string strategies = "all";
    std::size_t searches = 300;
    std::uint64_t seed = 1;

    template <class Table>
    void describe(Table& table)
    {
        table.section("Searches");
        run_options.describe(table);
        table.add("truth", truth, "FILE", "the true limits");
        table.add("strategies", strategies, "LIST", "with commas between them");
        table.add("searches", searches, "N", "for each cell and strategy");
        table.add("seed", seed, "N", "of all that is drawn");
    }

    void run(const Print& print) const
    {
        const auto truths = read_truths(truth);
        const auto chosen = strategies_named(names_in(strategies));
        print(std::string(search_columns) + "\n");
        for (const auto& cell : cells_named(names_in(run_options.cells))) {
            const auto& limit = truth_of(truths, cell);
            for (const auto& strategy : chosen) {
                const auto lines = run_options.make<SearchLine>(
                    cell.name() + " " + strategy.name, searches,
                    [&](std::size_t i) { return run_search(cell, limit, strategy, i + 1, seed); });
                for (const auto& line : lines)
                    print(to_csv(line) + "\n");
            }
        }
    }
};

/// Runs verdicts at rates about the limits.
struct VerdictOptions {
    RunOptions run_options;
    std::string truth = "tests/study/truth.csv";
    std::size_t runs = 300;
    std::uint64_t seed = 1;

    template <class Table>
    void describe(Table& table)
    {
        table.section("Verdicts");
        run_options.describe(table);
        table.add("truth", truth, "FILE", "the true limits");
        table.add("runs", runs, "N", "for each cell and rate");
        table.add("seed", seed, "N", "of all that is drawn");
    }

    void run(const Print& print) const
    {
        const auto truths = read_truths(truth);
        print(std::string(verdict_columns) + "\n");
        for (const auto& cell : cells_named(names_in(run_options.cells))) {
            const auto& limit = truth_of(truths, cell);
            const auto rules = verdict_rules(cell);
            const auto all = run_options.make<std::vector<plan::Outcome>>(
                cell.name() + " verdicts", verdict_factors.size() * runs, [&](std::size_t i) {
                    return run_verdicts(cell, limit, rules, verdict_factors[i / runs],
                                        engine::mix64(engine::mix64(seed) + i));
                });
            for (std::size_t rule = 0; rule < rules.size(); ++rule) {
                for (std::size_t f = 0; f < verdict_factors.size(); ++f) {
                    VerdictLine line{cell.engine,
                                     stats::to_text(cell.objective),
                                     rules[rule].name,
                                     verdict_factors[f],
                                     0,
                                     0,
                                     0,
                                     0,
                                     0,
                                     0};
                    for (std::size_t i = f * runs; i < (f + 1) * runs; ++i)
                        count(line, all[i][rule]);
                    print(to_csv(line) + "\n");
                }
            }
        }
    }
};

/// Summarises.
struct TableOptions {
    std::string truth = "tests/study/truth.csv";
    std::vector<std::string> searches;
    std::vector<std::string> verdicts;
    bool plot_data = false;

    template <class Table>
    void describe(Table& table)
    {
        table.section("Tables");
        table.add("truth", truth, "FILE", "the true limits");
        table.add_repeatable("searches", searches, "FILE", "what the verb searches printed");
        table.add_repeatable("verdicts", verdicts, "FILE", "what the verb verdicts printed");
        table.flag("plot-data", plot_data, "print what the plot of the searches is drawn from instead");
    }

    void run(const Print& print) const
    {
        const auto truths = read_truths(truth);
        SearchTable table;
        for (const auto& file : searches)
            for (const auto& line : read_csv(file))
                table.add(search_of(line));
        if (plot_data) {
            print(table.plot_data());
            return;
        }
        VerdictTable judged;
        for (const auto& file : verdicts)
            for (const auto& line : read_csv(file))
                judged.add(verdict_of(line));
        print("## Searches\n\n" + table.by_strategy() + "\n" + table.by_cell(truths) + "\n");
        if (const auto reasons = table.without_claim(); !reasons.empty())
            print("Searches that ended without a claim:\n\n" + reasons + "\n");
        print("## Verdicts\n\n" + judged.goals() + "\n" + judged.by_cell(truths));
    }
};

} // namespace study

#endif
