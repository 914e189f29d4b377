// SPDX-License-Identifier: MIT
// From the record of a probe to what its search is told.

#ifndef SLO_RUN_PROBE_OUTCOME_HPP
#define SLO_RUN_PROBE_OUTCOME_HPP

#include <slo/plan/interval_margin.hpp>
#include <slo/plan/search.hpp>
#include <slo/record/probe_evidence.hpp>
#include <slo/record/search.hpp>
#include <slo/record/search_settings.hpp>

#include <algorithm>
#include <string>

namespace slo::run {

/// The note on a verdict without a confidence.
inline constexpr auto no_confidence = "COMMAND states no confidence: nothing can be certified";

namespace detail {

inline bool is_enough(double confidence, const record::SearchSettings& settings)
{
    return confidence >= settings.confidence - 1e-9;
}

// A verdict on a mean is only as sure as its interval is on one side of the SLO. A fail whose latency is
// below it failed for another reason, of which the interval knows nothing.
inline void judge_by_interval(record::SearchProbe& probe, const record::SearchSettings& settings)
{
    auto& evidence = probe.evidence;
    const auto interval = *evidence.interval;
    const double slo_s = evidence.judged_slo_s.value_or(settings.slo_s);
    evidence.confidence = interval.level;
    const bool below = interval.high_s < slo_s;
    const bool above = interval.low_s >= slo_s;
    if (probe.status == record::ProbeStatus::fail && below)
        return;
    if (const auto margin = plan::margin_of_interval(interval.low_s, interval.high_s, interval.level,
                                                     probe.avg_p50_latency_s, slo_s))
        evidence.margins.push_back({std::string(record::deciding_latency), margin->estimate, margin->error});
    const bool sure = probe.status == record::ProbeStatus::pass ? below : above;
    if (!is_decided(probe.status) || sure || !is_enough(interval.level, settings))
        return;
    probe.notes.push_back("verdict " + std::string(name_of(probe.status)) + ", but its interval of " +
                          record::percent_text(interval.level) + " contains the SLO: counted as open");
    probe.status = record::ProbeStatus::inconclusive;
    probe.measured = false;
}

} // namespace detail

/// Makes the evidence of a probe what its search needs and its record keeps: margins from an interval where
/// the verdict has none, a note where it certifies nothing. Doing it twice changes nothing.
inline void complete_evidence(record::SearchProbe& probe, const record::SearchSettings& settings)
{
    auto& evidence = probe.evidence;
    if (settings.is_classic()) {
        evidence = {};
        return;
    }
    if (evidence.interval && !evidence.confidence) {
        if (evidence.margins.empty())
            detail::judge_by_interval(probe, settings);
        else
            evidence.confidence = evidence.interval->level;
    }
    evidence.interval.reset();
    if (!is_decided(probe.status) || !probe.measured || probe.service_died)
        return;
    std::string note;
    if (!evidence.confidence)
        note = no_confidence;
    else if (!detail::is_enough(*evidence.confidence, settings))
        note = "COMMAND states a confidence of " + record::percent_text(*evidence.confidence) +
               ", below the " + record::percent_text(settings.confidence) +
               " asked for: nothing can be certified";
    if (!note.empty() && std::find(probe.notes.begin(), probe.notes.end(), note) == probe.notes.end())
        probe.notes.push_back(note);
}

/// What the search is told of a probe whose evidence is complete. A fail that was no verdict on the service
/// is one for the classic strategy, and no measurement for the others; a death of the service is a fail.
inline plan::Outcome outcome_of(const record::SearchProbe& probe, const record::SearchSettings& settings)
{
    using record::ProbeStatus;
    plan::Outcome outcome{probe.status == ProbeStatus::pass, probe.avg_p50_latency_s};
    if (settings.is_classic())
        return outcome;
    const auto& evidence = probe.evidence;
    if (probe.status == ProbeStatus::inconclusive)
        outcome.said = plan::Said::open;
    else if (!is_decided(probe.status) || !probe.measured)
        outcome.said = plan::Said::invalid;
    else
        outcome.said = outcome.pass ? plan::Said::pass : plan::Said::fail;
    if (is_decided(probe.status) && !probe.service_died)
        outcome.stated = evidence.confidence && detail::is_enough(*evidence.confidence, settings);
    for (const auto& margin : evidence.margins)
        outcome.margins.push_back({margin.objective, margin.margin, margin.margin_error});
    // A probe costs something, even where it does not say what.
    constexpr double usual_rounds = 8;
    constexpr double most_rounds = 100'000;
    outcome.rounds = std::clamp(evidence.rounds.value_or(usual_rounds), 1.0, most_rounds);
    return outcome;
}

} // namespace slo::run

#endif
