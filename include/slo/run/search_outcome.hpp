// SPDX-License-Identifier: MIT
// From a search and its probes to its result and its exit status.

#ifndef SLO_RUN_SEARCH_OUTCOME_HPP
#define SLO_RUN_SEARCH_OUTCOME_HPP

#include <slo/base/error.hpp>
#include <slo/base/json.hpp>
#include <slo/base/text.hpp>
#include <slo/plan/search.hpp>
#include <slo/plan/strategy.hpp>
#include <slo/record/search.hpp>
#include <slo/record/search_log.hpp>
#include <slo/record/search_result.hpp>
#include <slo/run/probe_outcome.hpp>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace slo::run {

/// The prefix cache's hit rate in the last probe of that rate.
inline std::optional<double> hit_rate_at(const std::vector<record::SearchProbe>& probes,
                                         std::optional<double> qps)
{
    std::optional<double> hit_rate;
    for (const auto& probe : probes)
        if (qps && probe.qps == *qps)
            hit_rate = probe.hit_rate;
    return hit_rate;
}

/// Beyond this difference, the prefix cache was warm in one probe and cold in another.
inline constexpr double largest_hit_rate_spread = 0.1;

/// Adds how far the hit rates of the probes lie apart, and a note where that is too far for them to be one
/// search.
inline void add_hit_rates(const std::vector<record::SearchProbe>& probes, record::SearchResult& result)
{
    for (const auto& probe : probes) {
        if (!probe.hit_rate)
            continue;
        result.hit_rate_min = std::min(result.hit_rate_min.value_or(*probe.hit_rate), *probe.hit_rate);
        result.hit_rate_max = std::max(result.hit_rate_max.value_or(*probe.hit_rate), *probe.hit_rate);
    }
    // A tenth is no binary number: 0.7 - 0.6 is a bit less.
    if (result.hit_rate_min && *result.hit_rate_max - *result.hit_rate_min > largest_hit_rate_spread + 1e-9)
        result.notes.push_back("hit rates between " + format_fixed(100 * *result.hit_rate_min, 1) +
                               " % and " + format_fixed(100 * *result.hit_rate_max, 1) +
                               " %: the prefix cache was warm in some probes and cold in others");
}

/// True where client and server counted the same in every probe, false where they did not in one.
inline std::optional<bool> reconciled_in(const std::vector<record::SearchProbe>& probes)
{
    std::size_t agreed = 0;
    for (const auto& probe : probes) {
        if (probe.reconciled == false)
            return false;
        agreed += probe.reconciled == true;
    }
    return !probes.empty() && agreed == probes.size() ? std::optional(true) : std::nullopt;
}

/// True where a probe passed or failed and did not say how surely.
inline bool lacks_confidence(const std::vector<record::SearchProbe>& probes)
{
    return std::any_of(probes.begin(), probes.end(), [](const auto& probe) {
        return is_decided(probe.status) && probe.measured && !probe.service_died &&
               !probe.evidence.confidence;
    });
}

/// The objectives by which the probes were judged; none where no verdict named any.
inline std::set<std::string> objectives_in(const std::vector<record::SearchProbe>& probes)
{
    std::set<std::string> all;
    for (const auto& probe : probes)
        all.merge(record::named_objectives(probe.evidence));
    return all;
}

/// The reason of a result whose first fail was not measured.
inline constexpr std::string_view not_measured = "not_measured";

/// The reasons of a result that are not the search's own.
inline constexpr std::string_view service_died = "service_died";
inline constexpr std::string_view service_died_before_any_pass = "service_died_before_any_pass";
inline constexpr std::string_view service_stopped = "service_stopped";
inline constexpr std::string_view service_not_answering = "service_not_answering";
inline constexpr std::string_view relaunch_failed = "relaunch_failed";
inline constexpr std::string_view interrupted = "interrupted";

/// What a search has come to for `reason`, the name of an EndReason or one of the above or "unfinished". A
/// limit that rests on a first fail which nobody measured is none: it may be that of the client, not of the
/// service.
inline record::SearchResult make_result(const plan::Strategy& search,
                                        const std::vector<record::SearchProbe>& probes,
                                        std::string_view reason, double elapsed_s)
{
    const auto qps = [&](std::optional<plan::Rate> rate) {
        return rate ? std::optional(search.grid().qps(*rate)) : std::nullopt;
    };
    record::SearchResult result;
    result.max_qps = qps(search.best());
    result.first_fail_qps = qps(search.first_fail());
    result.reason = reason;
    if (const auto found = search.certified()) {
        result.certified = record::CertifiedRates{
            found->point_qps,       qps(found->certified), qps(found->rejected), found->likely_low_qps,
            found->likely_high_qps, found->non_monotone,   found->rounds};
        if (found->non_monotone)
            result.max_qps.reset();
        if (reason == plan::name_of(plan::EndReason::not_resolved) && lacks_confidence(probes))
            result.notes.emplace_back(no_confidence);
    }
    result.probes = search.probes();
    result.elapsed_s = elapsed_s;
    const auto notes = search.notes();
    result.notes.insert(result.notes.end(), notes.begin(), notes.end());
    result.hit_rate = hit_rate_at(probes, result.max_qps);
    add_hit_rates(probes, result);
    result.reconciled = reconciled_in(probes);
    const auto objectives = objectives_in(probes);
    result.objectives.assign(objectives.begin(), objectives.end());
    for (const auto& probe : probes) {
        if (probe.qps != result.first_fail_qps)
            continue;
        result.first_fail_died = result.first_fail_died || probe.service_died;
        if (probe.measured || result.certified)
            continue;
        result.first_fail_measured = false;
        result.notes.push_back("the first fail, " + search.grid().text(*search.first_fail()) +
                               " qps, is no measured one: see its notes");
    }
    result.confirm = search.bounds().confirm;
    for (const auto rate : search.unstable())
        result.unstable_qps.push_back(search.grid().qps(rate));
    for (const auto& probe : probes)
        if (probe.cache_reset)
            result.cache_reset_failures = result.cache_reset_failures.value_or(0) + !*probe.cache_reset;
    const auto answered = [&] {
        return result.reason == plan::name_of(plan::EndReason::converged) ||
               result.reason == plan::name_of(plan::EndReason::unstable_edge);
    };
    const bool at_its_end = answered() || reason == plan::name_of(plan::EndReason::below_floor);
    if (at_its_end && !result.first_fail_measured)
        result.reason = not_measured;
    result.converged = answered();
    return result;
}

/// The result of a search as its records stand: its own reason where it has ended, else "unfinished".
inline record::SearchResult make_result(const plan::Strategy& search, const record::SearchLog& log)
{
    const auto decision = search.decide(log.elapsed_s);
    const auto said = log.result ? string_at(*log.result, "reason").value_or("") : "";
    auto why = std::string_view("unfinished");
    for (const auto reason :
         {interrupted, plan::name_of(plan::EndReason::max_probes), plan::name_of(plan::EndReason::max_time),
          plan::name_of(plan::EndReason::max_rounds), plan::name_of(plan::EndReason::ceiling), service_died,
          service_died_before_any_pass, service_stopped, service_not_answering, relaunch_failed})
        if (said == reason)
            why = reason;
    if (const auto* reason = std::get_if<plan::EndReason>(&decision))
        why = plan::name_of(*reason);
    auto result = make_result(search, log.probes, why, log.elapsed_s);
    if (log.relaunches > 0)
        result.relaunches = log.relaunches;
    return result;
}

/// The exit status that a result stands for.
inline Exit exit_of(const record::SearchResult& result)
{
    if (result.converged)
        return Exit::ok;
    if (result.reason == service_died_before_any_pass)
        return Exit::error;
    return result.reason == plan::name_of(plan::EndReason::below_floor) ? Exit::negative : Exit::undecided;
}

} // namespace slo::run

#endif
