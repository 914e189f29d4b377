// SPDX-License-Identifier: MIT
// Objectives as people say them.

#ifndef SLO_REPORT_OBJECTIVE_WORDS_HPP
#define SLO_REPORT_OBJECTIVE_WORDS_HPP

#include <slo/base/error.hpp>
#include <slo/record/probe_evidence.hpp>
#include <slo/report/html_text.hpp>
#include <slo/report/search_view.hpp>
#include <slo/stats/objective.hpp>

#include <set>
#include <string>

namespace slo::report {

/// An objective in words ("p50 of end-to-end latency below 500 ms"); as it stands where it is none.
inline std::string objective_words(const std::string& text)
{
    const auto limit_words = [](const stats::Limit& limit) {
        const std::string name = limit.metric == stats::LatencyMetric::e2e    ? "end-to-end latency"
                                 : limit.metric == stats::LatencyMetric::ttft ? "time to first token"
                                                                              : "time per output token";
        return name + " below " +
               (limit.seconds < 1 ? shown_number(1000 * limit.seconds, "ms")
                                  : shown_number(limit.seconds, "s"));
    };
    try {
        const auto objective = stats::parse_objective(text);
        const auto share = record::percent_text(objective.share);
        if (objective.kind == stats::Objective::Kind::success)
            return "at least " + share + " of requests successful";
        std::string limits;
        for (const auto& limit : objective.limits)
            limits += (limits.empty() ? "" : " and ") + limit_words(limit);
        if (objective.kind == stats::Objective::Kind::goodput)
            return "at least " + share + " of requests with " + limits;
        return "p" + share.substr(0, share.find(' ')) + " of " + limits;
    } catch (const Error&) {
        return text;
    }
}

/// The objectives of a search's probes in words; else the SLO that its start record names.
inline std::string objectives_text(const SearchView& search)
{
    std::set<std::string> objectives;
    for (const auto& probe : search.probes())
        for (const auto& margin : probe.evidence.margins)
            objectives.insert(margin.objective);
    const auto slo_s = search.settings().slo_s;
    const auto median = slo_s > 0 ? "median latency below " + shown_number(slo_s, "s") : "its objective";
    std::string text;
    for (const auto& objective : objectives) // without objectives the margin is one of the deciding latency
        text += (text.empty() ? "" : ", ") +
                (objective == "avg_p50_latency_s" || objective.empty() ? median : objective_words(objective));
    return text.empty() ? median : text;
}

} // namespace slo::report

#endif
