// SPDX-License-Identifier: MIT
// A self-contained page: no network, no font, no script but its own and Chart.js.

#ifndef SLO_REPORT_HTML_PAGE_HPP
#define SLO_REPORT_HTML_PAGE_HPP

#include <slo/base/error.hpp>
#include <slo/base/version.hpp>
#include <slo/io/fd.hpp>
#include <slo/report/html_answer.hpp>
#include <slo/report/html_evidence.hpp>
#include <slo/report/html_model.hpp>
#include <slo/report/html_run.hpp>
#include <slo/report/html_search.hpp>
#include <slo/report/html_service.hpp>
#include <slo/report/page/charts.hpp>
#include <slo/report/page/style.hpp>

#include <array>
#include <cerrno>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace slo::report {

/// Where Debian's package libjs-chart.js puts the library.
inline constexpr const char* chart_js_path = "/usr/share/javascript/chart.js/chart.min.js";

/// The text of Chart.js, fit to stand in a script element. Throws InputError for a text that is not, and
/// where there is no such file; IoError.
inline std::string load_chart_js(const std::string& path)
{
    constexpr std::size_t most_bytes = std::size_t{8} << 20;
    std::string text;
    try {
        text = io::read_all(path, most_bytes);
    } catch (const IoError& error) {
        if (error.error_number() == ENOENT)
            throw InputError(
                path + ": Chart.js is not there: install Debian's package libjs-chart.js, or name its file "
                       "with --chart-js");
        throw;
    }
    if (!is_utf8(text) || text.find("Chart") == std::string::npos)
        throw InputError(path + ": is not Chart.js");
    const auto lower = lower_case(text);
    if (lower.find("</script") != std::string::npos || lower.find("<!--") != std::string::npos)
        throw InputError(path + ": has \"</script\" or \"<!--\" in it, and cannot stand in a page");
    return text;
}

namespace detail {

// What the page is about, in a line.
inline std::string about_line(const HtmlModel& model)
{
    std::vector<std::string> parts;
    const auto add = [&](const std::optional<std::string>& text) {
        if (text && !text->empty())
            parts.push_back(*text);
    };
    if (model.envelope) {
        const auto& artifact = *model.envelope;
        add(artifact.text("model.name"));
        const auto engine = artifact.text("engine.name");
        if (engine)
            add(*engine + " " + artifact.text("engine.version").value_or(""));
        add(artifact.text("infrastructure.instance_type"));
        const auto gpu = artifact.text("infrastructure.gpu.name");
        if (gpu)
            add(shown_number(artifact.number("infrastructure.gpu.count")) + " × " + *gpu);
        add(artifact.text("workload.catalog_id"));
        add(artifact.text("extensions.session_metadata.run_start"));
    } else if (model.run) {
        const auto* config = object_at(*model.run, "config");
        for (const auto* name : {"model", "api_base"})
            if (const auto text = config ? string_at(*config, name) : std::nullopt)
                add(shown_shell_line(*text));
        if (const auto start = string_at(*model.run, "start"))
            add(std::string(*start));
    }
    std::string line;
    for (const auto& part : parts)
        line += (line.empty() ? "" : " · ") + part;
    return line;
}

} // namespace detail

/// The whole page. `chart_js` is the text of Chart.js; a text of load_chart_js().
inline std::string html_page(const HtmlModel& model, const std::string& title, const std::string& chart_js)
{
    ChartSheet charts;
    const std::vector<std::pair<std::string, std::string>> parts{
        {"Answer", answer_section(model)},
        {"Search", search_section(model, charts)},
        {"Rounds", rounds_section(model, charts)},
        {"Distributions", distributions_section(model, charts)},
        {"Errors", errors_section(model)},
        {"Client", client_section(model, charts)},
        {"Client and server", sides_section(model)},
        {"Caches and GPUs", telemetry_section(model, charts)},
        {"Configuration", configuration_section(model)},
        {"Validity", validity_section(model)},
        {"Sources", sources_section(model)}};
    constexpr std::array<const char*, 11> ids{"answer",        "search",   "rounds", "distributions",
                                              "errors",        "client",   "sides",  "telemetry",
                                              "configuration", "validity", "sources"};
    std::string menu, body;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        menu += "<li><a href=\"#" + std::string(ids[i]) + "\">" + escaped(parts[i].first) + "</a></li>";
        body += parts[i].second;
    }
    const auto about = detail::about_line(model);
    const std::string script(page::charts);
    const std::string style(page::style);
    return "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
           "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src " +
           policy_hash(chart_js) + " " + policy_hash(script) + "; style-src " + policy_hash(style) +
           "; img-src data:; base-uri 'none'; form-action 'none'\">\n"
           "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<meta "
           "name=\"referrer\" content=\"no-referrer\">\n"
           "<link rel=\"icon\" href=\"data:,\">\n<title>" +
           escaped(title) + "</title>\n<style>" + style + "</style>\n</head>\n<body>\n<header><div><h1>" +
           escaped(title) + "</h1>\n" + (about.empty() ? "" : html_paragraph("about", about)) +
           "<nav aria-label=\"Sections\"><ul>" + menu +
           "</ul></nav></div>\n<button id=\"theme\" type=\"button\" hidden>Dark "
           "theme</button></header>\n<main>\n"
           "<noscript><p class=\"note\">The charts need JavaScript; every number stands in a table, "
           "too.</p></noscript>\n" +
           body + "</main>\n<footer>Made by sloutils " + version +
           ", report html. The page holds all it needs and asks no network for anything.</footer>\n"
           "<script type=\"application/json\" id=\"chart-data\">" +
           script_json(charts.data()) + "</script>\n<script>" + chart_js + "</script>\n<script>" + script +
           "</script>\n</body>\n</html>\n";
}

} // namespace slo::report

#endif
