// SPDX-License-Identifier: MIT
// The first section of a page: the answer, in a figure and a sentence.

#ifndef SLO_REPORT_HTML_ANSWER_HPP
#define SLO_REPORT_HTML_ANSWER_HPP

#include <slo/record/probe_evidence.hpp>
#include <slo/report/html_model.hpp>
#include <slo/report/html_run_answer.hpp>
#include <slo/report/html_text.hpp>
#include <slo/report/objective_words.hpp>

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace slo::report {

namespace detail {

inline std::string rate_text(std::optional<double> qps)
{
    return shown_number(qps, "req/s");
}

inline Answer answer_of_certified(const record::SearchResult& result, const record::SearchSettings& settings,
                                  const std::string& objectives)
{
    const auto& rates = *result.certified;
    const auto level = record::percent_text(settings.confidence);
    Answer answer;
    answer.notes = result.notes;
    const bool certifies = settings.strategy == "certify";
    if (rates.non_monotone) {
        answer = {"open",
                  "No one limit",
                  "none",
                  "",
                  "A higher rate passed with confidence than one that failed: "
                  "the service has no single limit for " +
                      objectives + ".",
                  {},
                  result.notes};
    } else if (certifies && rates.certified_qps) {
        answer.tone = "pass";
        answer.heading = "Largest request rate that is certified";
        answer.figure = shown_number(rates.certified_qps);
        answer.unit = "requests per second";
        answer.sentence = "With " + level +
                          " confidence the service keeps its objective at this rate: " + objectives +
                          ". Judged on rounds that decided nothing else.";
    } else {
        answer.tone = "open";
        answer.heading =
            certifies ? "No rate is certified; the limit is likeliest at" : "The limit is likeliest at";
        answer.figure = shown_number(rates.point_qps);
        answer.unit = "requests per second";
        answer.sentence = "Nine in ten between " + detail::rate_text(rates.likely_low_qps) + " and " +
                          rate_text(rates.likely_high_qps) + ", for " + objectives +
                          ". This is an estimate, and not a rate to promise.";
    }
    answer.tiles = {{rate_text(rates.certified_qps), "certified: may be promised"},
                    {rate_text(rates.point_qps), "point: where the limit is likeliest"},
                    {rate_text(rates.rejected_qps), "rejected: fails with " + level + " confidence"}};
    if (const auto resolution = record::resolution_of(rates))
        answer.tiles.emplace_back(format_fixed(100 * *resolution, 1) + "\u00a0%",
                                  "resolution: rejected \u2212 certified");
    answer.tiles.emplace_back(shown_number(static_cast<double>(result.probes)) + " / " +
                                  shown_number(rates.rounds_spent),
                              "probes / rounds spent");
    return answer;
}

inline Answer answer_of_search(const SearchView& search)
{
    const auto settings = search.settings();
    const auto objectives = objectives_text(search);
    const auto result = search.result();
    if (!result) {
        Answer answer{"open",
                      "The search has not ended",
                      "?",
                      "",
                      "Its records end after " + std::to_string(search.probes().size()) +
                          " probes and without a result.",
                      {},
                      {}};
        return answer;
    }
    Answer answer;
    if (result->certified) {
        answer = answer_of_certified(*result, settings, objectives);
    } else if (result->max_qps) {
        answer.tone = result->converged ? "pass" : "open";
        answer.heading = "Largest request rate that passed";
        answer.figure = shown_number(result->max_qps);
        answer.unit = "requests per second";
        answer.sentence = "It kept " + objectives + "; the next rate probed above it, " +
                          rate_text(result->first_fail_qps) +
                          ", did not. A classic search states no confidence.";
        if (!result->first_fail_qps)
            answer.sentence = "It kept " + objectives + ", and no rate failed: the limit is higher.";
        answer.tiles = {{rate_text(result->max_qps), "highest that passed"},
                        {rate_text(result->first_fail_qps), "lowest that failed"},
                        {shown_number(settings.precision_qps, "req/s"), "precision"},
                        {std::to_string(result->probes), "probes"}};
        answer.notes = result->notes;
    } else {
        answer = {"fail",
                  "No rate passed",
                  "0",
                  "requests per second",
                  "None of the rates probed kept " + objectives + ".",
                  {},
                  result->notes};
    }
    if (!result->converged)
        answer.notes.push_back("The search ended before it converged: " + result->reason + ".");
    if (result->first_fail_qps && !result->first_fail_measured)
        answer.notes.push_back(
            "The lowest failing rate is no measurement of the service: the limit may be the client's.");
    if (result->reconciled == false)
        answer.notes.push_back("Client and server did not count the same requests in every probe.");
    return answer;
}

} // namespace detail

/// The answer that the records give: of a search its limit, else the verdict, else the SLO rows of the
/// artifact, else how much was measured.
inline Answer answer_of(const HtmlModel& model)
{
    if (!model.search.empty())
        return detail::answer_of_search(model.search);
    if (!model.verdict && !model.envelope)
        return detail::answer_of_rounds(model);
    auto answer = model.verdict ? detail::answer_of_verdict(*model.verdict)
                                : detail::answer_of_envelope(*model.envelope);
    detail::doubt(answer, model);
    return answer;
}

/// The section with the answer; the tone stands in words, too.
inline std::string answer_section(const HtmlModel& model)
{
    const auto answer = answer_of(model);
    const std::string sign = answer.tone == "pass" ? "✓ " : answer.tone == "fail" ? "✗ " : "";
    std::string out = "<section class=\"answer " + answer.tone + "\" id=\"answer\"><h2>" + sign +
                      escaped(answer.heading) + "</h2>\n<p class=\"figure\">" + escaped(answer.figure) +
                      (answer.unit.empty() ? "" : " <small>" + escaped(answer.unit) + "</small>") + "</p>\n";
    if (!answer.sentence.empty())
        out += html_paragraph("said", answer.sentence);
    if (model.envelope)
        out += "<p>" + detail::validity_badge(*model.envelope) +
               "<a href=\"#validity\">what it rests on</a></p>\n";
    if (!answer.tiles.empty()) {
        out += "<div class=\"tiles\">";
        for (const auto& [figure, name] : answer.tiles)
            out +=
                "<div class=\"tile\"><b>" + escaped(figure) + "</b><span>" + escaped(name) + "</span></div>";
        out += "</div>\n";
    }
    return out + html_list(answer.notes) + "</section>\n";
}

} // namespace slo::report

#endif
