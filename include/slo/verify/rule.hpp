// SPDX-License-Identifier: MIT
// A rule that a route must keep, and what it found.

#ifndef SLO_VERIFY_RULE_HPP
#define SLO_VERIFY_RULE_HPP

#include <slo/base/json.hpp>
#include <slo/verify/row.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace slo::verify {

/// The lines that break a rule: all are counted, the first five kept with a reason each. Line 0 stands for
/// the route as a whole.
class Findings {
public:
    void add(std::size_t line, std::string reason)
    {
        if (kept_.size() < most_kept)
            kept_.push_back({line, std::move(reason)});
        ++count_;
    }
    void add(std::string reason) { add(0, std::move(reason)); }

    /// True where another finding would be kept: its reason need not be made else.
    bool has_room() const noexcept { return kept_.size() < most_kept; }

    /// The same as add(line, make()), but the reason is made only where it is kept.
    template <class Make>
    void add_lazily(std::size_t line, Make&& make)
    {
        if (has_room())
            add(line, make());
        else
            ++count_;
    }

    std::uint64_t count() const noexcept { return count_; }
    bool empty() const noexcept { return count_ == 0; }

    struct Finding {
        std::size_t line;
        std::string reason;
    };
    const std::vector<Finding>& kept() const noexcept { return kept_; }

private:
    static constexpr std::size_t most_kept = 5;

    std::vector<Finding> kept_;
    std::uint64_t count_ = 0;
};

/// What is reported of a rule.
struct RuleReport {
    std::string expected; ///< in words
    std::string seen;     ///< in words
    Findings findings;    ///< none: the rule is kept
    json::object figures; ///< what there is to count, by name
    /// Why no row had what the rule looks at; empty: one had. A finding where the rule was asked
    /// for and has no other.
    std::string nothing_to_check;
};

/// One rule. Rows come in the order of the file.
class Rule {
public:
    virtual ~Rule() = default;

    /// Looks at a well-formed row, which is valid only during the call.
    virtual void look(const Row& row) = 0;

    /// What was found in all rows; the last call to this object.
    virtual RuleReport report() = 0;
};

/// The report of a rule as an element of `rules` in a sloutils.verify/1 record.
inline json::object to_record(const std::string& name, const RuleReport& report)
{
    json::array lines;
    json::array reasons;
    for (const auto& finding : report.findings.kept()) {
        if (finding.line > 0)
            lines.emplace_back(finding.line);
        reasons.emplace_back(json_text(finding.reason));
    }
    json::object record{{"rule", name},
                        {"ok", report.findings.empty()},
                        {"expected", json_text(report.expected)},
                        {"seen", json_text(report.seen)},
                        {"lines", std::move(lines)},
                        {"reasons", std::move(reasons)},
                        {"findings", report.findings.count()}};
    if (!report.figures.empty())
        record["figures"] = report.figures;
    return record;
}

/// "1 row", "2 rows"; or with its own plural, "2 bodies".
inline std::string counted(std::uint64_t count, const std::string& thing, const std::string& plural = "")
{
    return std::to_string(count) + " " + (count == 1 ? thing : plural.empty() ? thing + "s" : plural);
}

} // namespace slo::verify

#endif
