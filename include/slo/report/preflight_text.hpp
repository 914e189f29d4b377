// SPDX-License-Identifier: MIT
// A preflight in lines for people.

#ifndef SLO_REPORT_PREFLIGHT_TEXT_HPP
#define SLO_REPORT_PREFLIGHT_TEXT_HPP

#include <slo/base/text.hpp>
#include <slo/plan/findings.hpp>
#include <slo/record/gpu_facts.hpp>
#include <slo/record/preflight_issue.hpp>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace slo::report {

namespace detail {

inline std::string figure_text(const std::optional<double>& value, const char* unit)
{
    return (value ? format_fixed(*value, 0) : std::string("?")) + unit;
}

inline std::string number_text(const std::optional<int>& value)
{
    return value ? std::to_string(*value) : std::string("?");
}

inline std::string card_line(const record::GpuFacts& gpu, const record::LinkVerdict& link)
{
    auto line = "GPU " + plan::gpu_label(gpu) + ": " + (gpu.name.empty() ? "unknown card" : gpu.name) +
                (gpu.at.empty() ? "" : " at " + gpu.at) + ", " + figure_text(gpu.memory_free_mib, "") +
                " of " + figure_text(gpu.memory_total_mib, " MiB") + " free, link Gen" +
                number_text(link.least.gen) + " x" + number_text(link.least.width) +
                (gpu.link_under_load ? " under load" : " when idle");
    for (const auto& size : gpu.bandwidth.sizes) {
        if (size.h2d && size.d2h)
            line += ", " + std::to_string(size.size_mib) + " MiB " + format_fixed(*size.h2d, 1) + " in " +
                    format_fixed(*size.d2h, 1) + " out GB/s";
    }
    return line;
}

} // namespace detail

/// A line for each card, for each finding with the worst first, and for the sum of it.
inline std::vector<std::string> preflight_lines(const record::PreflightFacts& facts,
                                                const std::vector<record::LinkVerdict>& links,
                                                const std::vector<record::Issue>& issues)
{
    std::vector<std::string> lines;
    for (std::size_t i = 0; i < facts.gpus.size(); ++i) {
        if (!facts.gpus[i].lost)
            lines.push_back(detail::card_line(facts.gpus[i], links[i]));
    }
    using record::Severity;
    const auto count = [&](Severity severity) {
        return std::count_if(issues.begin(), issues.end(),
                             [&](const record::Issue& issue) { return issue.severity == severity; });
    };
    for (const auto severity : {Severity::red, Severity::warn, Severity::note}) {
        for (const auto& issue : issues) {
            if (issue.severity == severity)
                lines.push_back(std::string(record::name_of(severity)) + ": " + issue.text);
        }
    }
    const auto reds = count(Severity::red), warnings = count(Severity::warn);
    const std::string counts = std::to_string(reds) + " red, " + std::to_string(warnings) +
                               (warnings == 1 ? " warning" : " warnings");
    lines.push_back(facts.interrupted ? "interrupted; so far " + counts
                    : reds > 0        ? counts + ": no run with KV offload"
                    : warnings > 0    ? counts + ": look before you run"
                                      : "all green");
    return lines;
}

} // namespace slo::report

#endif
