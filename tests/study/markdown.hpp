// SPDX-License-Identifier: MIT
// Tables in Markdown, and how the study writes its figures.

#ifndef SLO_TESTS_STUDY_MARKDOWN_HPP
#define SLO_TESTS_STUDY_MARKDOWN_HPP

#include "summary.hpp"
#include "truth.hpp"

#include <slo/base/text.hpp>

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace study {

/// A table whose first column is text and whose others are figures.
class MarkdownTable {
public:
    explicit MarkdownTable(const std::vector<std::string>& columns)
    {
        add(columns);
        text_ += "|";
        for (std::size_t i = 0; i < columns.size(); ++i)
            text_ += i < 2 ? "---|" : "---:|";
        text_ += "\n";
    }

    void add(const std::vector<std::string>& cells)
    {
        text_ += "|";
        for (const auto& cell : cells)
            text_ += " " + cell + " |";
        text_ += "\n";
    }

    const std::string& text() const noexcept { return text_; }

private:
    std::string text_;
};

/// A share as a percentage.
inline std::string percent(double share)
{
    return format_fixed(100 * share, 1);
}

/// "2.8 ± 0.1".
inline std::string text_of(const std::optional<Figure>& figure)
{
    return figure ? format_fixed(figure->value, 1) + " ± " + format_fixed(figure->error, 1) : "–";
}

/// "chat e2e:p50<4 (10.36 ± 0.04)": the name of a cell, with the limit and half its interval.
inline std::string cell_with_truth(const std::string& cell, const std::map<std::string, Truth>& truths)
{
    const auto truth = truths.find(cell);
    if (truth == truths.end())
        return cell;
    return cell + " (" + format_fixed(truth->second.qps, 2) + " ± " +
           format_fixed((truth->second.high - truth->second.low) / 2, 2) + ")";
}

} // namespace study

#endif
