// SPDX-License-Identifier: MIT
// Where the rules of a preflight put what they find.

#ifndef SLO_PLAN_FINDINGS_HPP
#define SLO_PLAN_FINDINGS_HPP

#include <slo/record/gpu_facts.hpp>
#include <slo/record/preflight_issue.hpp>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace slo::plan {

using record::Severity;

/// Collects findings about one card, or about the machine.
class Findings {
public:
    explicit Findings(std::vector<record::Issue>& issues, std::string gpu = {})
        : issues_(issues), gpu_(std::move(gpu))
    {
    }

    /// The same collection, for findings about that card.
    Findings about(std::string gpu) const { return Findings(issues_, std::move(gpu)); }

    void add(Severity severity, std::string_view kind, const std::string& text) const
    {
        issues_.push_back(
            {severity, std::string(kind), gpu_, gpu_.empty() ? text : "GPU " + gpu_ + ": " + text});
    }
    void red(std::string_view kind, const std::string& text) const { add(Severity::red, kind, text); }
    void warn(std::string_view kind, const std::string& text) const { add(Severity::warn, kind, text); }
    void note(std::string_view kind, const std::string& text) const { add(Severity::note, kind, text); }

private:
    std::vector<record::Issue>& issues_;
    std::string gpu_;
};

/// What a card is called in findings: its index, else its address.
inline std::string gpu_label(const record::GpuFacts& gpu)
{
    return gpu.index ? std::to_string(*gpu.index) : gpu.at.empty() ? "0" : gpu.at;
}

} // namespace slo::plan

#endif
