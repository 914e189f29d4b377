// SPDX-License-Identifier: MIT
// What stands behind a value of an artifact: a measurement, a computation, a declaration or nothing.

#ifndef SLO_ARTIFACT_VALIDITY_EVIDENCE_HPP
#define SLO_ARTIFACT_VALIDITY_EVIDENCE_HPP

#include <slo/artifact/artifact.hpp>
#include <slo/artifact/validity_table.hpp>
#include <slo/base/json.hpp>
#include <slo/card/card_view.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace slo::artifact {

/// The weakest first: what is made of several values is as good as the weakest of them.
enum class Evidence { absent, declared, derived, measured };

constexpr std::string_view name_of(Evidence evidence) noexcept
{
    constexpr std::array<std::string_view, 4> names{"absent", "declared", "derived", "measured"};
    return names[static_cast<std::size_t>(evidence)];
}

/// True where a value holds at least one finite number, a truth or a text that is not empty: null, {} and
/// {"c1":{}} hold nothing.
inline bool holds_something(const json::value* value) noexcept
{
    if (!value || value->is_null())
        return false;
    if (const auto* text = value->if_string())
        return !text->empty();
    if (const auto* object = value->if_object())
        return std::any_of(object->begin(), object->end(),
                           [](const auto& member) { return holds_something(&member.value()); });
    if (const auto* array = value->if_array())
        return std::any_of(array->begin(), array->end(),
                           [](const auto& element) { return holds_something(&element); });
    const auto number = as_number(value);
    return value->is_bool() || (number && std::isfinite(*number));
}

/// Where the value at a path came from, as extensions.sloutils.origin says for it or for what it is a part
/// of; nothing where it does not say.
inline std::optional<std::string_view> origin_of(const Artifact& artifact, std::string_view path) noexcept
{
    const auto* origins = artifact.object("extensions.sloutils.origin");
    while (origins) {
        if (const auto origin = string_at(*origins, path))
            return origin;
        const auto dot = path.rfind('.');
        if (dot == std::string_view::npos)
            break;
        path = path.substr(0, dot);
    }
    return std::nullopt;
}

/// True for an origin that only declares.
constexpr bool is_declaration(std::string_view origin) noexcept
{
    return origin == "card" || origin == "sidecar";
}

/// What stands behind the value at a path. Without an origin it is declared: anyone can write a number.
inline Evidence evidence_of(const Artifact& artifact, std::string_view path) noexcept
{
    if (!holds_something(artifact.at(path)))
        return Evidence::absent;
    const auto origin = origin_of(artifact, path);
    if (!origin)
        return Evidence::declared;
    if (*origin == "client" || *origin == "server" || *origin == "gpu")
        return Evidence::measured;
    return *origin == "derived" ? Evidence::derived : Evidence::declared;
}

/// What one rule found.
struct Finding {
    std::string_view rule;
    std::string subject; ///< what of several things the rule looks at; empty: there is one
    bool ok = false;
    Need need = Need::every_class;
    Evidence evidence = Evidence::absent;
    std::string seen;
    std::string expected;
};

/// The findings of one artifact, in the order of the rules.
class Findings {
public:
    /// Notes what a rule of the table found. Throws Error for one that is not in it.
    Finding& add(std::string_view rule, bool ok, Evidence evidence, std::string seen, std::string expected,
                 std::string subject = {})
    {
        const auto& row = rule_row(rule);
        return all_.emplace_back(Finding{row.id, std::move(subject), ok, row.need, evidence, std::move(seen),
                                         std::move(expected)});
    }

    const std::vector<Finding>& all() const noexcept { return all_; }

private:
    std::vector<Finding> all_;
};

/// A finding as a sentence: "completed: 9 requests; expected at least 10".
inline std::string sentence(const Finding& finding)
{
    return std::string(finding.rule) + (finding.subject.empty() ? "" : " (" + finding.subject + ")") + ": " +
           finding.seen + "; expected " + finding.expected;
}

/// A number for people, or that it is not known.
inline std::string plain_number(const std::optional<double>& value)
{
    return value ? card::number_text(*value) : "unknown";
}

/// Names in a row, ", " between them; `limit` of them, and how many more there are.
inline std::string listed(const std::vector<std::string>& names, std::size_t limit = 6)
{
    std::string text;
    for (std::size_t i = 0; i < std::min(limit, names.size()); ++i)
        text += (i == 0 ? "" : ", ") + names[i];
    if (names.size() > limit)
        text += " and " + std::to_string(names.size() - limit) + " more";
    return text;
}

} // namespace slo::artifact

#endif
