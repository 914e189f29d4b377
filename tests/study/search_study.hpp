// SPDX-License-Identifier: MIT
// Many searches of a cell by a strategy, and a line of CSV for each.

#ifndef SLO_TESTS_STUDY_SEARCH_STUDY_HPP
#define SLO_TESTS_STUDY_SEARCH_STUDY_HPP

#include "cell.hpp"
#include "csv_file.hpp"
#include "strategy.hpp"
#include "truth.hpp"

#include <slo/base/random.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace study {

/// One search: where it began, what it cost and what it said.
struct SearchLine {
    std::string cell;      ///< engine
    std::string objective; ///< canonical
    std::string strategy;
    std::size_t search = 0; ///< from 1
    double truth_qps = 0;
    Bracket bracket;
    std::size_t probes = 0;
    std::size_t rounds = 0;
    Answer answer;
};

/// A bracket around the true limit: from 0.4 to 0.6 of it, and from 1.4 to 1.8, on the grid. The same for
/// every strategy.
inline Bracket draw_bracket(double truth_qps, std::uint64_t seed)
{
    Random random(engine::mix64(seed ^ 0xb7ac'6e75));
    const auto on_grid = [](double qps) { return std::max(1.0, std::round(qps * 10)) / 10; };
    const double low = on_grid(truth_qps * (0.4 + 0.2 * random.uniform()));
    const double high = on_grid(truth_qps * (1.4 + 0.4 * random.uniform()));
    return {low, std::max(high, low + 0.1)};
}

/// Search number `number` of a cell; its outcome depends on nothing but the arguments.
inline SearchLine run_search(const Cell& cell, const Truth& truth, const Strategy& strategy,
                             std::size_t number, std::uint64_t seed)
{
    const auto own_seed = engine::mix64(engine::mix64(seed) + number);
    Prober prober(cell, own_seed);
    SearchLine line{cell.engine, stats::to_text(cell.objective), strategy.name, number, truth.qps, {}, 0, 0,
                    {}};
    line.bracket = draw_bracket(truth.qps, own_seed);
    line.answer = strategy.search(line.bracket, prober);
    line.probes = prober.probes();
    line.rounds = prober.rounds();
    return line;
}

inline constexpr const char* search_columns = "cell,objective,strategy,search,truth_qps,low_qps,high_qps,"
                                              "probes,rounds,point,claimed,certified,rejected,reason";

inline std::string to_csv(const SearchLine& line)
{
    const auto& answer = line.answer;
    std::string text = line.cell + "," + line.objective + "," + line.strategy;
    text += "," + std::to_string(line.search) + "," + field(line.truth_qps);
    text += "," + field(line.bracket.low_qps, 1) + "," + field(line.bracket.high_qps, 1);
    text += "," + std::to_string(line.probes) + "," + std::to_string(line.rounds);
    for (const auto& rate : {answer.point, answer.claimed, answer.certified, answer.rejected})
        text += "," + field(rate);
    return text + "," + answer.reason;
}

inline SearchLine search_of(const CsvLine& line)
{
    return {line.text("cell"),
            line.text("objective"),
            line.text("strategy"),
            static_cast<std::size_t>(line.number("search")),
            line.number("truth_qps"),
            {line.number("low_qps"), line.number("high_qps")},
            static_cast<std::size_t>(line.number("probes")),
            static_cast<std::size_t>(line.number("rounds")),
            {line.maybe("point"), line.maybe("claimed"), line.maybe("certified"), line.maybe("rejected"),
             line.text("reason")}};
}

} // namespace study

#endif
