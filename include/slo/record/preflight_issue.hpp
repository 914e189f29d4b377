// SPDX-License-Identifier: MIT
// What a preflight finds fault with.

#ifndef SLO_RECORD_PREFLIGHT_ISSUE_HPP
#define SLO_RECORD_PREFLIGHT_ISSUE_HPP

#include <slo/base/error.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace slo::record {

/// How bad it is: `red` forbids a run with KV offload, `warn` wants a look, `note` is said for completeness:
/// mostly of what this machine cannot tell.
enum class Severity { note, warn, red };

inline constexpr std::array<std::string_view, 3> severity_names{"note", "warn", "red"};

constexpr std::string_view name_of(Severity severity) noexcept
{
    return severity_names[static_cast<std::size_t>(severity)];
}

/// One finding.
struct Issue {
    Severity severity;
    std::string kind; ///< a fixed word for programs: "link_slow", "aer", …
    std::string gpu;  ///< of which card; empty for the machine
    std::string text; ///< for people
};

/// The status of a tool that found these: 0 all green, 1 warnings, 2 a blocker.
inline Exit exit_of(const std::vector<Issue>& issues) noexcept
{
    auto worst = Severity::note;
    for (const auto& issue : issues)
        worst = std::max(worst, issue.severity);
    return worst == Severity::red ? Exit::undecided : worst == Severity::warn ? Exit::negative : Exit::ok;
}

} // namespace slo::record

#endif
