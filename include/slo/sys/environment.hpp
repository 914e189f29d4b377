// SPDX-License-Identifier: MIT
// The environment of a process to be started.

#ifndef SLO_SYS_ENVIRONMENT_HPP
#define SLO_SYS_ENVIRONMENT_HPP

#include <unistd.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace slo::sys {

/// Our environment with `added` (name, value) in it, which replaces what had such a name; of two with one
/// name the last counts. What `removed` names is not in it. Entries are "NAME=VALUE".
inline std::vector<std::string>
environment_with(const std::vector<std::pair<std::string, std::string>>& added,
                 const std::vector<std::string>& removed = {})
{
    std::vector<std::string> entries;
    for (auto at = environ; at && *at; ++at)
        entries.emplace_back(*at);
    for (const auto& name : removed)
        std::erase_if(entries, [&](const std::string& entry) { return entry.starts_with(name + "="); });
    for (const auto& variable : added) {
        const auto begin = variable.first + "=";
        std::erase_if(entries, [&](const std::string& entry) { return entry.starts_with(begin); });
        entries.push_back(begin + variable.second);
    }
    return entries;
}

/// Pointers to `texts`, a null behind them, as exec wants; valid while `texts` stays as it is.
inline std::vector<char*> exec_pointers(std::vector<std::string>& texts)
{
    std::vector<char*> pointers;
    for (auto& text : texts)
        pointers.push_back(text.data());
    pointers.push_back(nullptr);
    return pointers;
}

} // namespace slo::sys

#endif
