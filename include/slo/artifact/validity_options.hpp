// SPDX-License-Identifier: MIT
// The options of the validity gate.

#ifndef SLO_ARTIFACT_VALIDITY_OPTIONS_HPP
#define SLO_ARTIFACT_VALIDITY_OPTIONS_HPP

#include <slo/artifact/validity.hpp>
#include <slo/base/clock.hpp>
#include <slo/base/error.hpp>
#include <slo/base/text.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace slo::artifact {

/// What run-validate is asked.
struct ValidityOptions {
    std::vector<std::string> files{"-"};
    std::string card;
    std::string claim = "auto";
    std::string sources;
    std::optional<double> max_age_days;
    bool strict_production = false;
    bool in_place = false;
    bool list_rules = false;
    bool quiet = false;

    template <class Table>
    void describe(Table& table)
    {
        table.positional(files);
        table.section("What is claimed");
        table.add("claim", claim, "CLASS", "auto, smoke, baseline or production");
        table.flag("strict-production", strict_production, "no production class without --sources");
        table.section("What the artifact is held against");
        table.add("card", card, "FILE", "the workload card that was run");
        table.add("sources", sources, "DIR", "compute the digests of the source files in DIR again");
        table.add("max-age", max_age_days, "DAYS", "no artifact that was made longer ago");
        table.section("Output");
        table.flag("in-place", in_place, "write the verdict into the artifact");
        table.flag("list-rules", list_rules, "list the rules beside those of the classic gate, and end");
        table.flag("quiet,q", quiet, "no lines on stderr");
    }

    /// Reads the card, and refuses what makes no sense. Throws UsageError, IoError, InputError.
    Gate gate() const
    {
        Gate gate;
        gate.claim = claim_named(claim);
        gate.strict_production = strict_production;
        gate.sources = sources;
        const auto stdins = std::count(files.begin(), files.end(), "-");
        if (stdins + (card == "-" ? 1 : 0) > 1)
            throw UsageError("more than one file is standard input");
        if (in_place && stdins > 0)
            throw UsageError("--in-place", "needs files, not standard input");
        std::error_code error;
        if (!sources.empty() && !std::filesystem::is_directory(sources, error))
            throw UsageError("--sources", "there is no folder " + printable(sources));
        if (max_age_days && !(*max_age_days >= 0))
            throw UsageError("--max-age", "must be 0 or more");
        gate.max_age_days = max_age_days;
        gate.now_s = wall_clock_s();
        if (!card.empty())
            gate.card = load_card_file(card);
        return gate;
    }

    /// All artifacts: one that cannot be read ends the tool before another is judged or written. Throws
    /// IoError, InputError.
    std::vector<Artifact> artifacts() const
    {
        std::vector<Artifact> all;
        for (const auto& file : files)
            all.push_back(load_artifact(file));
        return all;
    }
};

/// How many different runs there are: an artifact given twice counts once.
inline std::size_t runs_of(const std::vector<Artifact>& artifacts)
{
    std::set<std::string> ids;
    for (const auto& one : artifacts)
        ids.insert(one.text("artifact_id").value_or(""));
    return ids.size();
}

namespace detail {

// What stands between the artifact and the class that is wished for: a line for each rule, most costly first.
inline std::vector<std::string> obstacles(const Validity& validity)
{
    constexpr std::array<std::string_view, 3> costs{"invalid: ", "not baseline: ", "not production: "};
    constexpr std::size_t most = 6;
    std::vector<std::string> lines;
    std::set<std::string_view> rules;
    for (const auto need : {Need::every_class, Need::baseline, Need::production}) {
        if (static_cast<Class>(need) >= validity.wished)
            break;
        for (const auto& finding : validity.findings) {
            if (finding.ok || finding.need != need || !rules.insert(finding.rule).second)
                continue;
            const auto others =
                std::count_if(validity.findings.begin(), validity.findings.end(), [&](const Finding& other) {
                    return !other.ok && other.need == need && other.rule == finding.rule;
                });
            lines.push_back(std::string(costs[static_cast<std::size_t>(need)]) + sentence(finding) +
                            (others > 1 ? "; and " + std::to_string(others - 1) + " more of this rule" : ""));
        }
    }
    if (lines.size() > most) {
        const auto more = lines.size() - most;
        lines.resize(most);
        lines.push_back("and " + std::to_string(more) + (more == 1 ? " more rule" : " more rules") +
                        ": see rules in the record");
    }
    return lines;
}

} // namespace detail

/// What a person is told of an artifact, line by line.
inline std::vector<std::string> lines_of(const Validity& validity)
{
    std::vector<std::string> lines{std::string(name_of(validity.classification)) +
                                   (validity.met ? "" : ", which does not meet the claim")};
    if (validity.classification < validity.wished)
        for (auto& line : detail::obstacles(validity))
            lines.push_back(std::move(line));
    for (const auto& warning : validity.warnings)
        lines.push_back("warning: " + warning);
    return lines;
}

} // namespace slo::artifact

#endif
