// SPDX-License-Identifier: MIT
// An artifact that bears the production class, and ways to spoil it.

#ifndef SLO_TESTS_SUPPORT_JUDGED_ARTIFACT_HPP
#define SLO_TESTS_SUPPORT_JUDGED_ARTIFACT_HPP

#include <slo/artifact/artifact.hpp>
#include <slo/artifact/validity_evidence.hpp>
#include <slo/card/card.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace slo::test {

inline json::object sound_artifact()
{
    return artifact::load_artifact("tests/data/validity/artifact.json").root();
}

inline json::object sound_card()
{
    return card::load_card("tests/data/validity/card.yaml").root;
}

/// Sets the value at a path whose parts have "/" between them ("a/b.c/0"); JSON text, empty to erase.
inline void put(json::object& root, std::string_view path, std::string_view value)
{
    json::value holder(root);
    json::value* place = &holder;
    for (;;) {
        const auto slash = path.find('/');
        const auto part = path.substr(0, slash);
        const bool is_last = slash == std::string_view::npos;
        if (auto* array = place->if_array()) {
            place = &array->at(std::stoul(std::string(part)));
        } else {
            auto& object = place->is_object() ? place->get_object() : place->emplace_object();
            if (is_last && value.empty()) {
                object.erase(json::string_view(part.data(), part.size()));
                break;
            }
            place = &object[json::string_view(part.data(), part.size())];
        }
        if (is_last) {
            *place = parse_json(value);
            break;
        }
        path.remove_prefix(slash + 1);
    }
    root = holder.get_object();
}

/// The rules that are broken, "rule" or "rule:subject".
inline std::vector<std::string> broken(const std::vector<artifact::Finding>& findings,
                                       bool with_subject = true)
{
    std::vector<std::string> names;
    for (const auto& finding : findings) {
        const auto name = std::string(finding.rule) +
                          (with_subject && !finding.subject.empty() ? ":" + finding.subject : "");
        if (!finding.ok && (names.empty() || names.back() != name))
            names.push_back(name);
    }
    return names;
}

} // namespace slo::test

#endif
