// SPDX-License-Identifier: MIT
// What a rule says of a deployment, and whether it could be judged at all.

#ifndef SLO_SERVING_FINDING_HPP
#define SLO_SERVING_FINDING_HPP

#include <slo/base/json.hpp>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace slo::serving {

enum class Verdict {
    fail, ///< it will not start, or what it measures is worthless
    warn, ///< it runs, but not as one may think
    info  ///< what could not be judged, or is only worth knowing
};

inline std::string_view name_of(Verdict verdict) noexcept
{
    return verdict == Verdict::fail ? "fail" : verdict == Verdict::warn ? "warn" : "info";
}

struct Finding {
    std::string rule;
    Verdict verdict;
    std::string reason;   ///< with the numbers
    std::string source;   ///< where these were said
    std::string fix;      ///< empty: none is known
    json::object figures; ///< what a program would want of it, by name
};

/// Where one rule puts what it finds. A rule that puts nothing has been checked, and is kept.
class RuleReport {
public:
    explicit RuleReport(std::string_view rule) : rule_(rule) {}

    Finding& add(Verdict verdict, std::string reason, std::string source, std::string fix = {})
    {
        findings_.push_back({rule_, verdict, std::move(reason), std::move(source), std::move(fix), {}});
        return findings_.back();
    }
    Finding& fail(std::string reason, std::string source, std::string fix = {})
    {
        return add(Verdict::fail, std::move(reason), std::move(source), std::move(fix));
    }
    Finding& warn(std::string reason, std::string source, std::string fix = {})
    {
        return add(Verdict::warn, std::move(reason), std::move(source), std::move(fix));
    }
    Finding& info(std::string reason, std::string source, std::string fix = {})
    {
        return add(Verdict::info, std::move(reason), std::move(source), std::move(fix));
    }

    /// The rule would apply, but something that it needs is not known: said, never passed over.
    Finding& not_judged(std::string reason, std::string source, std::string fix = {},
                        Verdict verdict = Verdict::info)
    {
        state_ = "not_judged";
        return add(verdict, std::move(reason), std::move(source), std::move(fix));
    }

    /// There is nothing in this deployment that the rule is about.
    void not_applicable(std::string why)
    {
        state_ = "not_applicable";
        why_ = std::move(why);
    }

    /// What was computed on the way, by name.
    json::object& figures() noexcept { return figures_; }
    const std::vector<Finding>& findings() const noexcept { return findings_; }

    /// {"rule","state"} and, where there is one, why it does not apply, and figures.
    json::object record() const
    {
        json::object record{{"rule", rule_}, {"state", state_}};
        if (!why_.empty())
            record["why"] = json_text(why_);
        if (!figures_.empty())
            record["figures"] = figures_;
        return record;
    }

private:
    std::string rule_;
    const char* state_ = "checked";
    std::string why_;
    json::object figures_;
    std::vector<Finding> findings_;
};

/// {"rule","verdict","reason","source"} and, where there is one, "fix", and figures.
inline json::object to_record(const Finding& finding)
{
    json::object record{{"rule", finding.rule},
                        {"verdict", json_text(name_of(finding.verdict))},
                        {"reason", json_text(finding.reason)},
                        {"source", json_text(finding.source)}};
    if (!finding.fix.empty())
        record["fix"] = json_text(finding.fix);
    for (const auto& figure : finding.figures)
        record[figure.key()] = figure.value();
    return record;
}

inline bool has(const std::vector<Finding>& findings, Verdict verdict)
{
    return std::any_of(findings.begin(), findings.end(),
                       [&](const Finding& finding) { return finding.verdict == verdict; });
}

} // namespace slo::serving

#endif
