// SPDX-License-Identifier: MIT
// Shows rows, given as text, to a rule.

#ifndef TESTS_SUPPORT_VERIFIED_ROWS_HPP
#define TESTS_SUPPORT_VERIFIED_ROWS_HPP

#include <slo/record/row_scan.hpp>
#include <slo/verify/rule.hpp>

#include <cstddef>
#include <string>
#include <vector>

/// Holds one row, and the scanner that its views belong to.
struct ScannedRow {
    explicit ScannedRow(std::string line, std::size_t number = 1) : text(std::move(line))
    {
        scanner.scan(text);
        row.assign(scanner, number);
    }

    std::string text;
    slo::record::RowScanner scanner;
    slo::verify::Row row;
};

/// A row with this body, conversation and time.
inline std::string row_text(const std::string& body, const std::string& conv_id = "c", int ts = 1760000000)
{
    return "{\"ts\":" + std::to_string(ts) + ",\"conv_id\":\"" + conv_id + "\",\"body\":" + body + "}";
}

/// A body of these messages: "s" (system), "u" (user), "a" (assistant), "t" (tool), each with `text`.
inline std::string body_of(const std::string& roles, const std::string& text = "x")
{
    std::string messages;
    for (const char role : roles) {
        const std::string name = role == 's'   ? "system"
                                 : role == 'u' ? "user"
                                 : role == 'a' ? "assistant"
                                               : "tool";
        messages +=
            (messages.empty() ? "" : ",") + ("{\"role\":\"" + name + "\",\"content\":\"" + text + "\"}");
    }
    return "{\"messages\":[" + messages + "]}";
}

/// What the rule says of these rows; their lines count from 1. Where `tokens` has a list for a row, those are
/// its tokens.
inline slo::verify::RuleReport judge(slo::verify::Rule& rule, const std::vector<std::string>& rows,
                                     const std::vector<slo::tokens::TokenList>& tokens = {})
{
    slo::record::RowScanner scanner;
    slo::verify::Row row;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        scanner.scan(rows[i]);
        row.assign(scanner, i + 1);
        if (i < tokens.size())
            row.set_tokens(tokens[i]);
        rule.look(row);
    }
    return rule.report();
}

/// The lines of the findings kept, "2 5".
inline std::string lines_of(const slo::verify::RuleReport& report)
{
    std::string lines;
    for (const auto& finding : report.findings.kept())
        lines += (lines.empty() ? "" : " ") + std::to_string(finding.line);
    return lines;
}

#endif
