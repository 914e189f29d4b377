// SPDX-License-Identifier: MIT
// A search as its records tell it, for whoever shows it.

#ifndef SLO_REPORT_SEARCH_VIEW_HPP
#define SLO_REPORT_SEARCH_VIEW_HPP

#include <slo/base/error.hpp>
#include <slo/base/json.hpp>
#include <slo/base/text.hpp>
#include <slo/plan/grid.hpp>
#include <slo/record/search.hpp>
#include <slo/record/search_log.hpp>
#include <slo/record/search_result.hpp>
#include <slo/record/search_settings.hpp>
#include <slo/stats/objective.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace slo::report {

/// The result in its record; what is of the wrong kind counts as absent.
inline record::SearchResult read_result(const json::object& object)
{
    const auto truth = [&](std::string_view key) {
        const auto* value = find(object, key);
        return value && value->is_bool() ? std::optional(value->get_bool()) : std::nullopt;
    };
    const auto count = [&](std::string_view key) {
        return static_cast<std::size_t>(
            std::clamp<std::int64_t>(integer_at(object, key).value_or(0), 0, 1'000'000));
    };
    record::SearchResult result;
    result.max_qps = number_at(object, "max_qps");
    result.first_fail_qps = number_at(object, "first_fail_qps");
    result.first_fail_measured = truth("first_fail_measured").value_or(true);
    result.first_fail_died = truth("service_died").value_or(false);
    result.converged = truth("converged").value_or(false);
    result.reason = printable(string_at(object, "reason").value_or("reason not said"), 80);
    result.probes = count("probes");
    result.elapsed_s = std::max(0.0, number_at(object, "elapsed_s").value_or(0));
    result.notes = record::detail::texts_at(object, "notes");
    result.hit_rate = number_at(object, "hit_rate");
    result.hit_rate_min = number_at(object, "hit_rate_min");
    result.hit_rate_max = number_at(object, "hit_rate_max");
    result.reconciled = truth("reconciled");
    result.confirm = count("confirm");
    if (const auto* rates = array_at(object, "unstable_qps"))
        for (const auto& rate : *rates)
            if (const auto qps = as_number(&rate))
                result.unstable_qps.push_back(*qps);
    if (find(object, "max_qps_point")) {
        record::CertifiedRates rates;
        rates.point_qps = number_at(object, "max_qps_point");
        rates.certified_qps = number_at(object, "max_qps_certified");
        rates.rejected_qps = number_at(object, "min_qps_rejected");
        rates.likely_low_qps = number_at(object, "likely_low_qps");
        rates.likely_high_qps = number_at(object, "likely_high_qps");
        rates.non_monotone = truth("non_monotone").value_or(false);
        rates.rounds_spent = number_at(object, "rounds_spent").value_or(0);
        result.certified = rates;
    }
    return result;
}

/// A latency that probes were judged by.
struct SloLine {
    double seconds = 0;
    std::string label; ///< "SLO 6.5 s", or the objective
};

/// The records of one search.
class SearchView {
public:
    /// Takes in a record. Throws Error as SearchLog::take, and for a precision that is none.
    void take(const json::object& object)
    {
        log_.take(object);
        if (log_.settings)
            static_cast<void>(plan::Grid(log_.settings->precision_qps)); // refuses what is no precision
        if (const auto slo_s = number_at(object, "slo_s"); slo_s && *slo_s > 0 && !log_.settings)
            verdict_slo_s_ = slo_s;
        if (const auto tail = integer_at(object, "tail_window"); tail && *tail > 0 && *tail < 1000)
            verdict_tail_ = static_cast<int>(*tail);
    }

    const record::SearchLog& log() const noexcept { return log_; }
    const std::vector<record::SearchProbe>& probes() const noexcept { return log_.probes; }

    /// True where there is anything to show.
    bool empty() const noexcept { return log_.probes.empty() && !log_.settings && !log_.result; }

    /// Those of the start record; without one what else the records tell, on a grid of 0.1.
    record::SearchSettings settings() const
    {
        if (log_.settings)
            return *log_.settings;
        record::SearchSettings settings;
        settings.precision_qps = 0.1;
        settings.slo_s = verdict_slo_s_.value_or(0);
        settings.tail_window = verdict_tail_;
        if (log_.result) {
            auto with_range = *log_.result;
            with_range["low_qps"] = with_range["high_qps"] = 0;
            try {
                auto read = record::read_settings(with_range);
                static_cast<void>(plan::Grid(read.precision_qps));
                settings = std::move(read);
            } catch (const Error&) {
                return settings;
            }
        }
        return settings;
    }

    /// The result; nothing while the search goes on, or where it was cut off.
    std::optional<record::SearchResult> result() const
    {
        return log_.result ? std::optional(read_result(*log_.result)) : std::nullopt;
    }

    /// The latency that decided: of a search by margins that of its only objective, where it is a percentile
    /// of e2e (the one that probes tell a figure of); else the SLO of the search.
    std::optional<SloLine> slo_line() const
    {
        std::set<std::string> objectives;
        for (const auto& probe : log_.probes)
            for (const auto& margin : probe.evidence.margins)
                objectives.insert(margin.objective);
        const auto settings = this->settings();
        if (objectives.empty() && settings.slo_s > 0)
            return SloLine{settings.slo_s, "SLO " + format_double(settings.slo_s) + " s"};
        if (objectives.size() != 1)
            return std::nullopt;
        try {
            const auto objective = stats::parse_objective(*objectives.begin());
            if (objective.kind == stats::Objective::Kind::percentile && objective.share == 0.5 &&
                objective.limits.front().metric == stats::LatencyMetric::e2e)
                return SloLine{objective.limits.front().seconds, *objectives.begin()};
        } catch (const Error&) {
            return std::nullopt;
        }
        return std::nullopt;
    }

private:
    record::SearchLog log_;
    std::optional<double> verdict_slo_s_;
    int verdict_tail_ = 4;
};

} // namespace slo::report

#endif
