// SPDX-License-Identifier: MIT
// Text fit for a page: escaped for HTML and for scripts, numbers for people, tables.

#ifndef SLO_REPORT_HTML_TEXT_HPP
#define SLO_REPORT_HTML_TEXT_HPP

#include <slo/base/digest.hpp>
#include <slo/base/json.hpp>
#include <slo/base/text.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace slo::report {

/// `text` as it stands in HTML, between tags or in a quoted attribute: nothing of it is markup, control
/// characters and bytes that are no UTF-8 become '?', and at most `limit` bytes of it are shown.
inline std::string escaped(std::string_view text, std::size_t limit = 2000)
{
    std::string out;
    for (const char c : printable(text, limit)) {
        switch (c) {
        case '&':
            out += "&amp;";
            break;
        case '<':
            out += "&lt;";
            break;
        case '>':
            out += "&gt;";
            break;
        case '"':
            out += "&quot;";
            break;
        case '\'':
            out += "&#39;";
            break;
        default:
            out += c;
        }
    }
    return out;
}

/// JSON that may stand in a script element: no '<', '>' or '&', so that no text in it ends the element.
inline std::string script_json(const json::value& value)
{
    std::string out;
    for (const char c : to_json(value)) {
        if (c == '<')
            out += "\\u003c";
        else if (c == '>')
            out += "\\u003e";
        else if (c == '&')
            out += "\\u0026";
        else
            out += c;
    }
    return out;
}

/// How a Content-Security-Policy names one inline script or style: 'sha256-…' (W3C CSP3, section 2.3.1).
inline std::string policy_hash(std::string_view text)
{
    constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    constexpr std::string_view hex_digits = "0123456789abcdef";
    auto hex = sha256(text);
    const auto bytes = hex.size() / 2;
    hex.resize((bytes + 2) / 3 * 6, '0');
    std::string out = "'sha256-";
    for (std::size_t i = 0; i < hex.size(); i += 3) { // three hexadecimal digits are two of base 64
        std::size_t twelve_bits = 0;
        for (std::size_t j = 0; j < 3; ++j)
            twelve_bits = twelve_bits * 16 + hex_digits.find(hex[i + j]);
        out += digits[twelve_bits >> 6];
        out += digits[twelve_bits & 63];
    }
    const auto padding = (3 - bytes % 3) % 3;
    out.replace(out.size() - padding, padding, padding, '=');
    return out + "'";
}

/// A number for people: about four digits that count, thousands grouped by thin spaces; "–" where it is not
/// known.
inline std::string shown_number(std::optional<double> value)
{
    if (!value || !std::isfinite(*value))
        return "–";
    const double magnitude = std::abs(*value);
    if (magnitude >= 1e15 || (magnitude > 0 && magnitude < 1e-4))
        return format_double(*value);
    int decimals = 0;
    for (double limit = 1000; decimals < 6 && magnitude < limit; limit /= 10)
        ++decimals;
    auto text = format_fixed(*value, std::min(decimals, magnitude >= 100 ? 1 : decimals));
    if (const auto point = text.find('.'); point != std::string::npos) {
        text.erase(text.find_last_not_of('0') + 1);
        if (text.ends_with('.'))
            text.pop_back();
    }
    const std::size_t first = text.starts_with('-') ? 1 : 0;
    const auto point = std::min(text.find('.'), text.size());
    if (point - first > 4)
        for (std::size_t at = point; at > first + 3; at -= 3)
            text.insert(at - 3, "\u2009");
    return text;
}

/// The same with its unit after it, unless it is not known.
inline std::string shown_number(std::optional<double> value, std::string_view unit)
{
    return value && std::isfinite(*value) ? shown_number(value) + "\u00a0" + std::string(unit) : "–";
}

/// One cell of a table: text, which is escaped when it is written, and whether it is a figure (set to the
/// right) or has a class of its own.
struct Cell {
    Cell(std::string shown, std::string style = "") : text(std::move(shown)), css_class(std::move(style)) {}
    Cell(const char* shown) : text(shown) {}
    Cell(std::optional<double> value) : text(shown_number(value)), css_class("n") {}

    std::string text;
    std::string css_class;
};

using Cells = std::vector<Cell>;

/// A table with a caption for those who do not see the page; headings whose first row has a figure are set to
/// the right like it.
inline std::string html_table(const std::string& caption, const std::vector<std::string>& headings,
                              const std::vector<Cells>& rows)
{
    std::string out =
        "<div class=\"scroll\" tabindex=\"0\"><table><caption>" + escaped(caption) + "</caption><thead><tr>";
    for (std::size_t i = 0; i < headings.size(); ++i) {
        const bool is_figure = !rows.empty() && i < rows.front().size() && rows.front()[i].css_class == "n";
        out += std::string("<th scope=\"col\"") + (is_figure ? " class=\"n\">" : ">") + escaped(headings[i]) +
               "</th>";
    }
    out += "</tr></thead><tbody>\n";
    for (const auto& row : rows) {
        out += "<tr>";
        for (const auto& cell : row)
            out += (cell.css_class.empty() ? "<td>" : "<td class=\"" + escaped(cell.css_class) + "\">") +
                   escaped(cell.text) + "</td>";
        out += "</tr>\n";
    }
    return out + "</tbody></table></div>\n";
}

/// A list of names and what they stand for; nothing for an empty one.
inline std::string html_facts(const std::vector<std::pair<std::string, std::string>>& facts)
{
    if (facts.empty())
        return "";
    std::string out = "<dl>\n";
    for (const auto& [name, text] : facts)
        out += "<div><dt>" + escaped(name) + "</dt><dd>" + escaped(text) + "</dd></div>\n";
    return out + "</dl>\n";
}

/// A paragraph of one class ("missing", "note").
inline std::string html_paragraph(const std::string& css_class, const std::string& text)
{
    return "<p class=\"" + css_class + "\">" + escaped(text) + "</p>\n";
}

/// A list of sentences; nothing for none.
inline std::string html_list(const std::vector<std::string>& sentences)
{
    if (sentences.empty())
        return "";
    std::string out = "<ul>\n";
    for (const auto& sentence : sentences)
        out += "<li>" + escaped(sentence) + "</li>\n";
    return out + "</ul>\n";
}

} // namespace slo::report

#endif
