// SPDX-License-Identifier: MIT
// What one rule of config-check says of a deployment, as lines for a test.

#ifndef SLO_TESTS_SUPPORT_CHECKED_DEPLOYMENT_HPP
#define SLO_TESTS_SUPPORT_CHECKED_DEPLOYMENT_HPP

#include <slo/card/sidecar.hpp>
#include <slo/config/document.hpp>
#include <slo/serving/facts.hpp>
#include <slo/serving/finding.hpp>

#include <string>
#include <string_view>

namespace slo::test {

/// The facts of a sidecar in YAML and, where it is not empty, a config.json.
inline serving::Facts facts_of(std::string_view sidecar, std::string_view config = "")
{
    serving::Facts facts(card::parse_sidecar(sidecar, "b.yaml"));
    if (!config.empty())
        facts.add_model(config::parse_document(config, "config.json"), "config.json");
    return facts;
}

/// "fail: reason [source] (fix)", a line a finding; "kept", or why the rule does not apply.
inline std::string said(void (*rule)(const serving::Facts&, serving::RuleReport&),
                        const serving::Facts& facts)
{
    serving::RuleReport report("rule");
    rule(facts, report);
    std::string text;
    for (const auto& finding : report.findings())
        text += (text.empty() ? "" : "\n") + std::string(name_of(finding.verdict)) + ": " + finding.reason +
                " [" + finding.source + "]" + (finding.fix.empty() ? "" : " (" + finding.fix + ")");
    if (!text.empty())
        return text;
    const auto record = report.record();
    const auto why = string_at(record, "why");
    return why ? "not applicable: " + std::string(*why) : "kept";
}

} // namespace slo::test

#endif
