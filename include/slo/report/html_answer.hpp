// SPDX-License-Identifier: MIT
// The first section of a page: the answer, in a figure and a sentence.

#ifndef SLO_REPORT_HTML_ANSWER_HPP
#define SLO_REPORT_HTML_ANSWER_HPP

#include <slo/record/probe_evidence.hpp>
#include <slo/report/html_model.hpp>
#include <slo/report/html_text.hpp>
#include <slo/report/objective_words.hpp>

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace slo::report {

/// What one reads first.
struct Answer {
    std::string tone;    ///< "pass", "fail" or "open": the colour, beside words that say the same
    std::string heading; ///< what the figure is
    std::string figure;
    std::string unit;
    std::string sentence;
    std::vector<std::pair<std::string, std::string>> tiles; ///< figure and name
    std::vector<std::string> notes;
};

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

inline std::string tone_of_status(std::string_view status)
{
    return status == "PASS" ? "pass" : status == "FAIL" ? "fail" : "open";
}

inline Answer answer_of_verdict(const json::object& verdict)
{
    const auto status = printable(string_at(verdict, "status").value_or("no status"), 40);
    Answer answer;
    answer.tone = tone_of_status(status);
    answer.heading = "Verdict of the run";
    answer.figure = status;
    answer.notes = record::detail::texts_at(verdict, "notes");
    if (const auto p50_s = number_at(verdict, "avg_p50_latency_s"))
        answer.tiles.emplace_back(shown_number(p50_s, "s"), "mean of the rounds' median latency");
    if (const auto slo_s = number_at(verdict, "slo_s"))
        answer.tiles.emplace_back(shown_number(slo_s, "s"), "SLO");
    if (const auto rounds = number_at(verdict, "rounds_seen"))
        answer.tiles.emplace_back(shown_number(rounds), "rounds seen");
    if (const auto success = number_at(verdict, "success_rate_min"))
        answer.tiles.emplace_back(shown_number(success, "%"), "lowest success rate of a round");
    const auto* certainty = object_at(verdict, "certainty");
    const auto level = certainty ? number_at(*certainty, "level") : std::nullopt;
    answer.sentence = status == "PASS"   ? "The service kept its objectives"
                      : status == "FAIL" ? "The service did not keep its objectives"
                                         : "No verdict on the service is possible";
    answer.sentence += level ? ", stated with " + record::percent_text(*level) + " confidence." : ".";
    return answer;
}

inline Answer answer_of_envelope(const artifact::Artifact& artifact)
{
    auto pass = artifact.truth("slo.overall_pass");
    std::string missed;
    if (const auto* rows = artifact.object("slo.results"); rows && pass) // a row that fails is no kept SLO
        for (const auto& row : *rows) {
            const auto* object = row.value().if_object();
            const auto* kept = object ? find(*object, "pass") : nullptr;
            const bool is_kept = kept && *kept == json::value(true);
            pass = *pass && is_kept;
            if (!is_kept)
                missed += (missed.empty() ? "" : ", ") + std::string(row.key());
        }
    Answer answer;
    answer.tone = pass ? *pass ? "pass" : "fail" : "open";
    answer.heading = pass ? "Service level objectives of the sidecar" : "One run";
    answer.figure =
        pass ? *pass ? "kept" : "missed" : shown_number(artifact.number("metrics.request_throughput"));
    answer.unit = pass ? "" : "requests per second completed";
    answer.sentence = pass ? "" : "The artifact names no objective to judge the run by.";
    if (!missed.empty())
        answer.sentence = "Missed: " + missed + ".";
    // Latencies are those of the requests that succeeded: they say nothing of a service that fails many.
    constexpr double most_failed = 0.01;
    if (const auto failed = artifact.number("metrics.error_rate"); failed && *failed > most_failed) {
        answer.tone = "fail";
        answer.sentence += " " + shown_number(100 * *failed, "%") +
                           " of the requests failed; the latencies are those of the rest.";
    }
    const auto tile = [&](const char* path, double factor, const char* unit, const char* name) {
        if (const auto value = artifact.number(path))
            answer.tiles.emplace_back(shown_number(factor * *value, unit), name);
    };
    tile("metrics.request_throughput", 1, "req/s", "answered, first due to last answer");
    tile("metrics.ttft_ms.p99", 1, "ms", "time to first token, p99");
    tile("metrics.e2e_ms.p99", 1, "ms", "end to end, p99");
    tile("metrics.output_toks_per_s", 1, "tok/s", "output tokens");
    tile("metrics.error_rate", 100, "%", "errors");
    return answer;
}

inline Answer answer_of_rounds(const HtmlModel& model)
{
    Answer answer{"open",
                  "Rounds of one run",
                  std::to_string(model.rounds.size()),
                  "rounds",
                  "No verdict and no search was given: the page shows what was measured and judges nothing.",
                  {},
                  {}};
    const auto count = [&](const char* name) {
        const auto found = model.counts.find(name);
        return found == model.counts.end() ? std::nullopt : std::optional(static_cast<double>(found->second));
    };
    answer.tiles = {{shown_number(count("due")), "requests due"}, {shown_number(count("ok")), "succeeded"}};
    return answer;
}

// The page's badge of the validity gate.
inline std::string validity_badge(const artifact::Artifact& artifact)
{
    const auto name = artifact.text("validity.classification");
    if (!name)
        return "<span class=\"badge open\">? validity not checked</span>";
    const bool stands = *name == "valid_controlled_baseline" || *name == "valid_production_representative";
    const bool smoke = *name == "valid_smoke_only";
    const char* tone = stands ? "pass" : smoke ? "open" : "fail";
    const char* sign = stands ? "✓ " : smoke ? "! " : "✗ ";
    std::string words = *name;
    std::replace(words.begin(), words.end(), '_', ' ');
    return std::string("<span class=\"badge ") + tone + "\">" + sign + escaped(words, 80) + "</span>";
}

} // namespace detail

/// The answer that the records give: of a search its limit, else the verdict, else the SLO rows of the
/// artifact, else how much was measured.
inline Answer answer_of(const HtmlModel& model)
{
    if (!model.search.empty())
        return detail::answer_of_search(model.search);
    if (model.verdict)
        return detail::answer_of_verdict(*model.verdict);
    if (model.envelope)
        return detail::answer_of_envelope(*model.envelope);
    return detail::answer_of_rounds(model);
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
