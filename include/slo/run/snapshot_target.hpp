// SPDX-License-Identifier: MIT
// What is scraped, and the name under which it is shown.

#ifndef SLO_RUN_SNAPSHOT_TARGET_HPP
#define SLO_RUN_SNAPSHOT_TARGET_HPP

#include <slo/base/error.hpp>
#include <slo/base/shown_url.hpp>
#include <slo/base/text.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace slo::run {

/// One metrics page to fetch.
struct SnapshotTarget {
    std::string url;
    std::string label; ///< letters, digits, "_", "." and "-"; empty: none was given
};

/// How a target is called in messages and records: its label, or its URL.
inline std::string source_of(const SnapshotTarget& target)
{
    return target.label.empty() ? shown_url(target.url) : target.label;
}

/// The target of --url. Throws UsageError.
inline SnapshotTarget target_of_url(const std::string& url)
{
    const bool known = url.starts_with("http://") || url.starts_with("https://");
    const bool visible = std::all_of(url.begin(), url.end(), [](char c) { return c > 0x20 && c < 0x7F; });
    if (!known || !visible || url.size() > 8192 || url.ends_with("://"))
        throw UsageError("--url", "'" + printable(shown_url(url), 80) + "' is no http or https URL");
    return {url, ""};
}

/// The target of --label, "NAME=URL". Throws UsageError.
inline SnapshotTarget target_of_label(const std::string& text)
{
    const auto equals = text.find('=');
    const auto name = text.substr(0, equals);
    const bool plain = std::all_of(name.begin(), name.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
               c == '.' || c == '-';
    });
    if (equals == std::string::npos || name.empty() || name.size() > 64 || !plain)
        throw UsageError("--label", "wants NAME=URL, NAME of letters, digits, '_', '.' and '-'");
    auto target = target_of_url(text.substr(equals + 1));
    target.label = name;
    return target;
}

/// All targets, the plain ones first. Throws UsageError when there is none, or when two cannot be told apart.
inline std::vector<SnapshotTarget> snapshot_targets(const std::vector<std::string>& urls,
                                                    const std::vector<std::string>& labels)
{
    std::vector<SnapshotTarget> targets;
    for (const auto& url : urls)
        targets.push_back(target_of_url(url));
    for (const auto& label : labels)
        targets.push_back(target_of_label(label));
    if (targets.empty())
        throw UsageError("nothing to scrape: give --url or --label");
    if (targets.size() > 256)
        throw UsageError("more than 256 URLs");
    std::vector<std::string> sources;
    for (const auto& target : targets)
        sources.push_back(source_of(target));
    std::sort(sources.begin(), sources.end());
    const auto twin = std::adjacent_find(sources.begin(), sources.end());
    if (twin != sources.end())
        throw UsageError("'" + *twin + "' is given twice");
    return targets;
}

} // namespace slo::run

#endif
