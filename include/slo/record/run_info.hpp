// SPDX-License-Identifier: MIT
// What a summary says of a run besides its figures, whatever its form.

#ifndef SLO_RECORD_RUN_INFO_HPP
#define SLO_RECORD_RUN_INFO_HPP

#include <slo/base/json.hpp>
#include <slo/record/request.hpp>
#include <slo/record/run_totals.hpp>
#include <slo/stats/sketch.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace slo::record {

/// What is known of a run apart from its figures.
struct RunInfo {
    double start_epoch_s = 0; ///< wall clock
    std::string backend;      ///< "openai-chat" or "openai"
    std::string model;
    std::string label;                           ///< for people; may be empty
    std::string dataset;                         ///< name of the route
    std::optional<double> request_rate;          ///< per second; absent where there was none to keep
    std::optional<double> burstiness;            ///< of a random arrival process
    std::optional<std::int64_t> max_concurrency; ///< absent: no bound
};

namespace detail {

// A figure in another unit.
inline json::value times(std::optional<double> value, double factor)
{
    return value ? json::value(*value * factor) : json::value(nullptr);
}

inline json::value whole(double amount)
{
    return static_cast<std::int64_t>(amount);
}

inline json::object errors_by_kind(const RunTotals& totals)
{
    json::object errors;
    for (std::size_t kind = 1; kind < error_kind_names.size(); ++kind)
        if (totals.by_kind[kind] > 0)
            errors[error_kind_names[kind].data()] = totals.by_kind[kind];
    return errors;
}

// Ours in every form, in names that none of the others uses.
inline void add_own_fields(json::object& summary, const RunTotals& totals)
{
    summary["e2el_basis"] = json_text(name_of(totals.terms.basis));
    summary["achieved_rate"] = or_null(totals.achieved_rate());
    summary["send_lag_p99_ms"] = times(totals.send_lag_s.quantile(0.99), 1000);
    summary["errors_by_kind"] = errors_by_kind(totals);
    summary["client_saturated_rounds"] = totals.saturated_rounds;
    summary["percentile_error"] = stats::QuantileSketch::relative_error;
}

} // namespace detail

} // namespace slo::record

#endif
