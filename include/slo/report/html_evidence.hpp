// SPDX-License-Identifier: MIT
// The sections of a page about what it rests on: configuration, files, validity.

#ifndef SLO_REPORT_HTML_EVIDENCE_HPP
#define SLO_REPORT_HTML_EVIDENCE_HPP

#include <slo/base/shown_command.hpp>
#include <slo/report/html_answer.hpp>
#include <slo/report/html_model.hpp>
#include <slo/report/html_run.hpp>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace slo::report {

namespace detail {

// A word as one would type it, on one line.
inline std::string shown_word_of_shell(const std::string& word)
{
    std::string text;
    for (const char c : word) {
        if (c == '\n' && text.ends_with('\\'))
            text.pop_back();
        if (c != '\n' && c != ' ')
            text += c;
        else if (!text.ends_with(' '))
            text += ' ';
    }
    const bool plain = text.find_first_of(" '\"$|&;<>()*?\\") == std::string::npos && !text.empty();
    return plain ? text : "'" + text + "'";
}

// The leaves of an object by their dotted path; nothing secret, and no more than anybody reads.
inline void flatten(const json::value& value, const std::string& path, std::vector<Cells>& rows,
                    const json::object* origin)
{
    constexpr std::size_t most_rows = 400;
    if (const auto* object = value.if_object()) {
        for (const auto& member : *object)
            flatten(member.value(), path + (path.empty() ? "" : ".") + std::string(member.key()), rows,
                    origin);
        return;
    }
    if (value.is_null() || rows.size() >= most_rows)
        return;
    const auto name = path.substr(path.rfind('.') + 1);
    auto text = value.is_string() ? std::string(value.get_string()) : to_json(value);
    text = slo::detail::names_a_hidden_value(name) ? slo::detail::hidden_value(name, text)
                                                   : shown_shell_line(text);
    Cells row{Cell(path, "code"), Cell(text, "code")};
    if (origin) {
        std::string from = "not said"; // that of the longest path that names it or what it stands in
        for (auto part = path; !part.empty();
             part.resize(part.find('.') == std::string::npos ? 0 : part.rfind('.')))
            if (const auto told = string_at(*origin, part)) {
                from = printable(*told, 40);
                break;
            }
        row.emplace_back(from);
    }
    rows.push_back(std::move(row));
}

inline std::string texts_under(const artifact::Artifact& artifact, const char* path, const char* heading)
{
    std::vector<std::string> texts;
    if (const auto* array = artifact.array(path))
        for (const auto& text : *array)
            texts.push_back(text.is_string() ? std::string(text.get_string()) : to_json(text));
    return texts.empty() ? "" : "<h3>" + escaped(heading) + "</h3>\n" + html_list(texts);
}

} // namespace detail

/// What ran, on what, with which options; secrets are left out.
inline std::string configuration_section(const HtmlModel& model)
{
    std::string out;
    if (model.envelope) {
        const auto* origin = model.envelope->object("extensions.sloutils.origin");
        out += "<div class=\"pair\">";
        for (const auto& [part, heading] :
             {std::pair("model", "Model"), std::pair("engine", "Engine"), std::pair("framework", "Framework"),
              std::pair("infrastructure", "Infrastructure"), std::pair("workload", "Workload"),
              std::pair("cost", "Cost")}) {
            std::vector<Cells> rows;
            if (const auto* block = model.envelope->at(part))
                detail::flatten(*block, part, rows, origin);
            std::vector<std::string> headings{"Field", "Value"};
            if (origin)
                headings.push_back("From");
            if (!rows.empty())
                out += "<details open><summary>" + escaped(heading) + "</summary>" +
                       html_table(heading, headings, rows) + "</details>\n";
        }
        out += "</div>\n";
    }
    if (const auto* config = model.run ? object_at(*model.run, "config") : nullptr) {
        std::vector<Cells> rows;
        detail::flatten(*config, "", rows, nullptr);
        out += "<details><summary>Options of the run (" +
               escaped(string_at(*model.run, "tool").value_or("tool")) + " " +
               escaped(string_at(*model.run, "version").value_or("")) + ", seed " +
               escaped(find(*model.run, "seed") ? to_json(*find(*model.run, "seed")) : "–") + ")</summary>" +
               html_table("Options of the run", {"Option", "Value"}, rows) + "</details>\n";
    }
    if (!model.search.settings().command.empty()) {
        std::string line;
        for (const auto& word : shown_command(model.search.settings().command))
            line += (line.empty() ? "" : " ") + detail::shown_word_of_shell(word);
        out += "<h3>Command of each probe</h3>\n<pre>" + escaped(line, 4000) + "</pre>\n";
    }
    return detail::section(
        "configuration", "Configuration", out,
        "Neither an artifact nor a run record nor a search with its command was given: what ran is not "
        "known.");
}

/// The files that the page and the artifact rest on, and what was absent.
inline std::string sources_section(const HtmlModel& model)
{
    std::vector<Cells> rows;
    for (const auto& [file, source] : model.sources) {
        std::string kinds;
        for (const auto& [kind, count] : source.records)
            kinds += (kinds.empty() ? "" : ", ") + shown_number(static_cast<double>(count)) + " " + kind;
        rows.push_back(
            {Cell(file, "code"), Cell(kinds), Cell(source.sha256.empty() ? "–" : source.sha256, "code")});
    }
    auto out = html_table("Read for this page", {"File", "Records", "SHA-256"}, rows);
    std::vector<Cells> kept;
    std::vector<std::string> absent;
    if (const auto* sources = model.envelope ? model.envelope->array("extensions.sloutils.sources") : nullptr)
        for (const auto& value : *sources) {
            const auto* source = value.if_object();
            if (!source)
                continue;
            const std::string name(string_at(*source, "name").value_or("?"));
            if (const auto why = string_at(*source, "absent"))
                absent.push_back(name + ": " + std::string(*why));
            else
                kept.push_back({Cell(name),
                                Cell(std::string(string_at(*source, "file").value_or("–")), "code"),
                                Cell(number_at(*source, "records")),
                                Cell(std::string(string_at(*source, "sha256").value_or("–")), "code")});
        }
    if (!kept.empty())
        out += html_table("Joined into the artifact", {"Source", "File", "Records", "SHA-256"}, kept);
    if (!absent.empty())
        out += "<h3>Absent</h3>\n" + html_list(absent);
    return detail::section("sources", "Sources", out, "");
}

/// The verdict of the validity gate with its reasons, and the SLO rows.
inline std::string validity_section(const HtmlModel& model)
{
    if (!model.envelope)
        return detail::section(
            "validity", "Validity", "",
            "No artifact was given (envelope-build makes one, run-validate judges it): what may be "
            "claimed from this page is not decided.");
    const auto& artifact = *model.envelope;
    std::string out = "<p>" + detail::validity_badge(artifact) + "</p>\n";
    if (!artifact.at("validity"))
        out += html_paragraph("missing",
                              "The artifact was not judged: run-validate --in-place writes its class and the "
                              "rules that decided.");
    if (const auto claim = artifact.text("validity.claim"))
        out += html_paragraph("note", "Claim: " + *claim + ", " +
                                          (artifact.truth("validity.met") == true ? "met." : "not met."));
    out += detail::texts_under(artifact, "validity.failures", "Failures") +
           detail::texts_under(artifact, "validity.warnings", "Warnings") +
           detail::texts_under(artifact, "validity.reasons", "Reasons") +
           detail::texts_under(artifact, "validity.required_next", "Needed for more");
    std::vector<Cells> rows;
    if (const auto* results = artifact.object("slo.results"))
        for (const auto& member : *results)
            if (const auto* row = member.value().if_object()) {
                const auto* pass = find(*row, "pass");
                const std::string status =
                    pass && pass->is_bool() ? pass->get_bool() ? "kept" : "missed" : "not known";
                rows.push_back({Cell(std::string(member.key()), "code"), Cell(number_at(*row, "target")),
                                Cell(number_at(*row, "actual")),
                                Cell(status, status == "kept"     ? "pass"
                                             : status == "missed" ? "fail"
                                                                  : "open")});
            }
    out += rows.empty() ? html_paragraph("missing", "The artifact has no service level objectives.")
                        : html_table("Service level objectives of the sidecar",
                                     {"Objective", "Target", "Actual", "Result"}, rows);
    return detail::section(
        "validity", "Validity and objectives",
        out + detail::texts_under(artifact, "extensions.sloutils.notes", "Notes of the artifact"), "");
}

} // namespace slo::report

#endif
