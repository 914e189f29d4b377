// SPDX-License-Identifier: MIT
// The true limit of each cell, as engine-sim's own capacity search finds it, kept in a file.

#ifndef SLO_TESTS_STUDY_TRUTH_HPP
#define SLO_TESTS_STUDY_TRUTH_HPP

#include "cell.hpp"
#include "csv_file.hpp"

#include <slo/base/error.hpp>
#include <slo/base/text.hpp>
#include <slo/engine/capacity.hpp>

#include <cstddef>
#include <map>
#include <string>

namespace study {

/// The largest rate of a cell at which its objective holds for ever, and the interval that holds it with 95 %
/// confidence.
struct Truth {
    double qps = 0;
    double low = 0;
    double high = 0;
    std::size_t rates_tried = 0;
    std::size_t requests = 0; ///< counted at each rate near the limit
};

/// Finds the limit to within `precision`, the share of it that its interval is wide. Throws Error where the
/// cell has none.
inline Truth find_truth(const Cell& cell, double precision, std::size_t requests)
{
    engine::CapacityOptions options;
    options.rate.objectives = {cell.objective};
    options.rate.arrival = cell.arrival;
    options.rate.requests = requests;
    options.precision = precision;
    const auto capacity = engine::find_capacity(cell.profile, cell.route(0), options);
    if (!capacity.qps)
        throw Error(cell.name(), "no limit: " + capacity.reason);
    return {*capacity.qps, *capacity.low, *capacity.high, capacity.rates_tried, requests};
}

inline constexpr const char* truth_columns = "cell,objective,qps,low,high,rates_tried,requests";

inline std::string to_csv(const Cell& cell, const Truth& truth)
{
    return cell.engine + "," + stats::to_text(cell.objective) + "," + format_fixed(truth.qps, 4) + "," +
           format_fixed(truth.low, 4) + "," + format_fixed(truth.high, 4) + "," +
           std::to_string(truth.rates_tried) + "," + std::to_string(truth.requests);
}

/// The limits in a file that to_csv() made, by the name of the cell. Throws InputError.
inline std::map<std::string, Truth> read_truths(const std::string& path)
{
    std::map<std::string, Truth> truths;
    for (const auto& row : read_csv(path))
        truths[row.text("cell") + " " + row.text("objective")] = {row.number("qps"), row.number("low"),
                                                                  row.number("high"), 0, 0};
    return truths;
}

} // namespace study

#endif
