// SPDX-License-Identifier: MIT
// The answer of one run: what was kept, what was missed, and how much of it stands.

#ifndef SLO_REPORT_HTML_RUN_ANSWER_HPP
#define SLO_REPORT_HTML_RUN_ANSWER_HPP

#include <slo/record/probe_evidence.hpp>
#include <slo/report/html_model.hpp>
#include <slo/report/html_text.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
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

// An objective of an artifact in words, with what was measured: "time to first token p99 310 ms, above 300
// ms".
inline std::string objective_row_text(std::string_view key, const json::object& row)
{
    struct Words {
        std::string_view key;
        const char* name;
        const char* unit;
        double factor = 1;
    };
    static constexpr std::array<Words, 5> known{{{"ttft_p99_ms", "time to first token p99", "ms"},
                                                 {"tpot_p99_ms", "time per output token p99", "ms"},
                                                 {"e2e_p99_ms", "end to end p99", "ms"},
                                                 {"error_rate_max", "errors", "%", 100},
                                                 {"throughput_floor_toks", "output", "tok/s"}}};
    const auto* words =
        std::find_if(known.begin(), known.end(), [&](const Words& one) { return one.key == key; });
    const auto actual = number_at(row, "actual");
    const auto target = number_at(row, "target");
    if (words == known.end() || !target)
        return printable(key, 60);
    const auto shown = [&](double value) { return shown_number(words->factor * value, words->unit); };
    if (!actual)
        return std::string(words->name) + " not measured";
    const char* side = *actual > *target ? ", above " : *actual < *target ? ", below " : ", against ";
    return std::string(words->name) + " " + shown(*actual) + side + shown(*target);
}

// The rows of an artifact, taken together.
struct ObjectiveRows {
    std::optional<bool> kept; ///< nothing where there are none, or where one was not measured
    std::size_t rows = 0;
    std::vector<std::string> missed, unknown; ///< in words
};

inline ObjectiveRows objective_rows(const artifact::Artifact& artifact)
{
    ObjectiveRows all;
    if (const auto* rows = artifact.object("slo.results"))
        for (const auto& member : *rows) {
            const auto* row = member.value().if_object();
            const auto* pass = row ? find(*row, "pass") : nullptr;
            ++all.rows;
            if (pass && *pass == json::value(true))
                continue;
            auto& place = pass && *pass == json::value(false) ? all.missed : all.unknown;
            place.push_back(
                objective_row_text({member.key().data(), member.key().size()}, row ? *row : json::object()));
        }
    const auto overall = artifact.truth("slo.overall_pass");
    if (!all.missed.empty())
        all.kept = false;
    else if (all.unknown.empty()) // a row that does not pass is no kept SLO
        all.kept = overall;
    return all;
}

// At most four of the texts.
inline std::string first_of(const std::vector<std::string>& texts)
{
    constexpr std::size_t most = 4;
    std::string line;
    for (std::size_t i = 0; i < std::min(texts.size(), most); ++i)
        line += (i > 0 ? "; " : "") + texts[i];
    return texts.size() > most ? line + "; and " + std::to_string(texts.size() - most) + " more" : line;
}

inline Answer answer_of_envelope(const artifact::Artifact& artifact)
{
    const auto objectives = objective_rows(artifact);
    const bool asked = objectives.rows > 0 || objectives.kept;
    Answer answer;
    answer.heading = asked ? "Service level objectives of the sidecar" : "One run";
    answer.tone = objectives.kept ? *objectives.kept ? "pass" : "fail" : "open";
    if (!asked) {
        answer.figure = shown_number(artifact.number("metrics.request_throughput"));
        answer.unit = "requests answered per second";
        answer.sentence = "The artifact names no objective to judge the run by.";
    } else if (!objectives.kept) {
        answer.figure = "not known";
        answer.unit = first_of(objectives.unknown);
        answer.sentence = "An objective that was not measured is not kept.";
    } else if (*objectives.kept) {
        answer.figure = "kept";
    } else {
        answer.figure = "missed";
        answer.unit = first_of(objectives.missed);
        if (objectives.missed.empty())
            answer.sentence = "The artifact says so, though none of its rows does.";
    }
    const auto tile = [&](const char* path, double factor, const char* unit, const char* name) {
        if (const auto value = artifact.number(path))
            answer.tiles.emplace_back(shown_number(factor * *value, unit), name);
    };
    std::string answered = "answered per second, first due to last answer";
    if (const auto rate = artifact.number("workload.load.request_rate"))
        answered += "; asked for: " + shown_number(rate, "req/s");
    tile("metrics.request_throughput", 1, "req/s", answered.c_str());
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
    answer.tiles = {{shown_number(model.counted("due")), "requests due"},
                    {shown_number(model.counted("ok")), "succeeded"}};
    return answer;
}

// The share of the requests that failed, by the artifact, else by the counts.
inline std::optional<double> failed_share(const HtmlModel& model)
{
    if (model.envelope)
        if (const auto rate = model.envelope->number("metrics.error_rate"))
            return rate;
    const auto failed = model.counted("failed").value_or(0) + model.counted("unfinished").value_or(0);
    const auto ended = model.counted("ok").value_or(0) + failed;
    return ended > 0 ? std::optional(failed / ended) : std::nullopt;
}

// Takes its green from an answer that does not stand: latencies are those of the requests that succeeded, and
// say nothing of a service that fails many; and a run that is not valid is no evidence of what it kept.
inline void doubt(Answer& answer, const HtmlModel& model)
{
    constexpr double most_failed = 0.01;
    const auto allowed = model.envelope ? model.envelope->number("slo.targets.error_rate_max") : std::nullopt;
    const auto limit = std::min(most_failed, allowed.value_or(most_failed));
    const auto add = [&](const std::string& text) {
        answer.unit += (answer.unit.empty() ? "" : " · ") + text;
    };
    if (const auto failed = failed_share(model); failed && *failed > limit) {
        if (answer.tone != "fail") // a share that was allowed is no failure, and no reason for green
            answer.tone = allowed && *failed <= *allowed ? "open" : "fail";
        add(shown_number(100 * *failed, "%") + " of the requests failed");
        answer.sentence += (answer.sentence.empty() ? "" : " ") +
                           std::string("The latencies are those of the requests that succeeded.");
    }
    if (model.envelope &&
        model.envelope->text("validity.classification").value_or("valid_").rfind("valid_", 0) != 0) {
        if (answer.tone == "pass")
            answer.tone = "open";
        add("not a valid run");
    }
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

} // namespace slo::report

#endif
