// SPDX-License-Identifier: MIT
// The result record of a search (sloutils.search/1).

#ifndef SLO_RECORD_SEARCH_RESULT_HPP
#define SLO_RECORD_SEARCH_RESULT_HPP

#include <slo/base/json.hpp>
#include <slo/record/search_settings.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace slo::record {

/// What a search by likelihood came to beside that, in requests a second.
struct CertifiedRates {
    std::optional<double> point_qps;      ///< where the edge is most likely
    std::optional<double> certified_qps;  ///< the highest rate that passed with confidence
    std::optional<double> rejected_qps;   ///< the lowest that failed with confidence
    std::optional<double> likely_low_qps; ///< the edge lies between these two with nine in ten
    std::optional<double> likely_high_qps;
    bool non_monotone = false; ///< certified is not below rejected
    double rounds_spent = 0;   ///< of all probes
};

/// (rejected - certified) / point, or nothing where one of them is missing.
inline std::optional<double> resolution_of(const CertifiedRates& rates)
{
    if (!rates.point_qps || !rates.certified_qps || !rates.rejected_qps || !(*rates.point_qps > 0) ||
        rates.non_monotone)
        return std::nullopt;
    return (*rates.rejected_qps - *rates.certified_qps) / *rates.point_qps;
}

/// What a search came to.
struct SearchResult {
    std::optional<double> max_qps;
    std::optional<double> first_fail_qps;
    bool first_fail_measured = true; ///< false: the limit may be that of the client, not of the service
    bool first_fail_died = false;    ///< it failed because the service died
    bool converged = false;
    std::string reason;
    std::size_t probes = 0;
    double elapsed_s = 0;
    std::vector<std::string> notes;
    std::optional<double> hit_rate;     ///< prefix cache at max_qps
    std::optional<double> hit_rate_min; ///< of all probes that have one
    std::optional<double> hit_rate_max;
    std::optional<bool> reconciled;        ///< true where it is of every probe, false where it is not of one
    std::size_t confirm = 0;               ///< runs beyond the first that were asked for
    std::vector<double> unstable_qps;      ///< rates that both passed and failed
    std::optional<std::size_t> relaunches; ///< of the service; nothing where none was watched
    std::optional<std::size_t> cache_reset_failures; ///< nothing where none was to be reset
    std::optional<CertifiedRates> certified{};       ///< nothing for the classic strategy
    std::vector<std::string> objectives{}; ///< by which the probes were judged, where they named any
};

/// The result record: the last line of a search.
inline json::object to_record(const SearchResult& result, const SearchSettings& settings)
{
    auto record = search_event("result");
    record["max_qps"] = or_null(result.max_qps);
    record["first_fail_qps"] = or_null(result.first_fail_qps);
    record["first_fail_measured"] =
        result.first_fail_qps ? json::value(result.first_fail_measured) : json::value(nullptr);
    if (const auto& rates = result.certified) {
        record["max_qps_point"] = or_null(rates->point_qps);
        record["max_qps_certified"] = or_null(rates->certified_qps);
        record["min_qps_rejected"] = or_null(rates->rejected_qps);
        record["likely_low_qps"] = or_null(rates->likely_low_qps);
        record["likely_high_qps"] = or_null(rates->likely_high_qps);
        record["resolution"] = or_null(resolution_of(*rates));
        record["rounds_spent"] = rates->rounds_spent;
        if (rates->non_monotone)
            record["non_monotone"] = true;
    }
    record["converged"] = result.converged;
    record["reason"] = result.reason;
    record["interrupted"] = result.reason == "interrupted";
    if (result.confirm > 0 || !result.unstable_qps.empty()) {
        record["confirm"] = result.confirm;
        record["unstable_qps"] = json::array(result.unstable_qps.begin(), result.unstable_qps.end());
    }
    if (result.first_fail_died)
        record["service_died"] = true;
    if (result.relaunches)
        record["relaunches"] = *result.relaunches;
    if (result.cache_reset_failures)
        record["cache_reset_failures"] = *result.cache_reset_failures;
    record["hit_rate"] = or_null(result.hit_rate);
    if (result.hit_rate_min) {
        record["hit_rate_min"] = *result.hit_rate_min;
        record["hit_rate_max"] = *result.hit_rate_max;
    }
    record["reconciled"] = or_null(result.reconciled);
    record["probes"] = result.probes;
    detail::add_settings(record, settings);
    if (!result.objectives.empty()) {
        record["slo_s"] = nullptr;
        record["objectives"] = to_array(result.objectives);
    }
    record["elapsed_s"] = result.elapsed_s;
    record["notes"] = to_array(result.notes);
    return record;
}

} // namespace slo::record

#endif
