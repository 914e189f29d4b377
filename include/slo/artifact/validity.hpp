// SPDX-License-Identifier: MIT
// The validity gate: what may be claimed from an artifact, with every rule that decided.

#ifndef SLO_ARTIFACT_VALIDITY_HPP
#define SLO_ARTIFACT_VALIDITY_HPP

#include <slo/artifact/artifact.hpp>
#include <slo/artifact/validity_artifact.hpp>
#include <slo/artifact/validity_card.hpp>
#include <slo/artifact/validity_evidence.hpp>
#include <slo/artifact/validity_provenance.hpp>
#include <slo/artifact/validity_table.hpp>
#include <slo/base/digest.hpp>
#include <slo/base/error.hpp>
#include <slo/base/json.hpp>
#include <slo/base/text.hpp>
#include <slo/card/card.hpp>
#include <slo/io/fd.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace slo::artifact {

/// What is claimed of an artifact; `automatic`: as much as its data set can bear.
enum class Claim { automatic, smoke, baseline, production };

inline constexpr std::array<std::string_view, 4> claim_names{"auto", "smoke", "baseline", "production"};

/// The claim of that name. Throws UsageError.
inline Claim claim_named(std::string_view name)
{
    const auto* found = std::find(claim_names.begin(), claim_names.end(), name);
    if (found == claim_names.end())
        throw UsageError("--claim", "is none of auto, smoke, baseline, production");
    return static_cast<Claim>(found - claim_names.begin());
}

/// The card that was run, and the digest of its file.
struct CardFile {
    json::object root;
    std::string sha256; ///< empty: not known
};

/// Reads a card strictly. Throws IoError, InputError.
inline CardFile load_card_file(const std::string& path)
{
    constexpr std::size_t most_bytes = std::size_t{16} << 20;
    const auto text = io::read_all(path, most_bytes);
    return {card::parse_card(text, io::display_name(path)).root, slo::sha256(text)};
}

/// How an artifact is judged.
struct Gate {
    Claim claim = Claim::automatic;
    bool strict_production = false;
    std::optional<CardFile> card;
    std::string sources;  ///< the folder of the sources; empty: their digests are not computed again
    std::size_t runs = 1; ///< how many runs are judged together
    std::optional<double> max_age_days;
    double now_s = 0; ///< since 1970; asked for with max_age_days only
};

/// What the gate came to.
struct Validity {
    Class classification = Class::invalid;
    Claim claim = Claim::automatic;
    Class wished = Class::invalid; ///< of the claim; for an automatic one, what the data can bear
    bool met = false;              ///< the class is that of the claim, or a higher one
    std::vector<Finding> findings;
    std::vector<std::string> reasons, warnings, failures, required_next;
};

namespace detail {

inline bool is_production_data(std::string_view type)
{
    return type == "real" || type == "trace-replay";
}

inline std::string dataset_type(const Artifact& artifact, const Gate& gate)
{
    if (const auto type = artifact.text("workload.dataset.type"); type && !type->empty())
        return *type;
    const auto of_card = gate.card ? text_of(gate.card->root, "dataset.type") : "";
    return of_card.empty() ? "unknown" : of_card;
}

inline void judge_dataset(const Artifact& artifact, const std::string& type, Findings& findings)
{
    constexpr std::array<std::string_view, 7> synthetic{
        "synthetic",          "synthetic-agentic",       "synthetic-multiturn",
        "synthetic-rag",      "synthetic-shared-prefix", "generated-shared-prefix",
        "synthetic-fixed-seq"};
    const auto evidence = evidence_of(artifact, "workload.dataset.type");
    findings.add("dataset", is_production_data(artifact.text("workload.dataset.type").value_or("")), evidence,
                 "'" + printable(type, 60) + "'", "real or trace-replay");
    const bool is_known =
        is_production_data(type) || std::find(synthetic.begin(), synthetic.end(), type) != synthetic.end();
    findings.add("dataset-known", is_known, evidence, "'" + printable(type, 60) + "'",
                 "real, trace-replay, or a synthetic type");
}

inline void judge_age(const Artifact& artifact, const Gate& gate, Findings& findings)
{
    if (!gate.max_age_days)
        return;
    constexpr double s_per_day = 86400;
    const auto created_s = moment_s(artifact, "created_at");
    const double days = created_s ? (gate.now_s - *created_s) / s_per_day : 0;
    findings.add("age", created_s && days <= *gate.max_age_days && days > -1, Evidence::declared,
                 created_s ? format_fixed(days, 1) + " days" : "no created_at",
                 "at most " + plain_number(gate.max_age_days) + " days");
}

inline Class class_of(const std::vector<Finding>& findings, Class wish)
{
    auto best = Class::production;
    for (const auto& finding : findings) {
        if (!finding.ok && finding.need != Need::none)
            best = std::min(best, static_cast<Class>(finding.need));
    }
    // A wish for production that is not borne is a failure, as in the classic gate; lesser wishes fall.
    if (wish == Class::production && best < wish)
        return Class::invalid;
    return std::min(best, wish);
}

inline void explain(Validity& validity, Class wish)
{
    std::set<std::string> next;
    for (const auto& finding : validity.findings) {
        if (finding.ok)
            continue;
        const auto& row = rule_row(finding.rule);
        const bool fails =
            finding.need == Need::every_class || (finding.need != Need::none && wish == Class::production);
        if (fails)
            validity.failures.push_back(sentence(finding));
        else if (finding.need == Need::none)
            validity.warnings.push_back(sentence(finding));
        else if (static_cast<Class>(finding.need) < wish)
            validity.reasons.push_back(sentence(finding));
        next.emplace(row.next);
    }
    const bool only_too_much =
        wish == Class::production && class_of(validity.findings, Class::baseline) == Class::baseline;
    if (!validity.failures.empty() && only_too_much)
        next.emplace("claim a baseline (--claim baseline), or less");
    validity.required_next.assign(next.begin(), next.end());
}

} // namespace detail

/// Judges an artifact; a verdict that stands in it from before has no say. Reads files where the gate has a
/// folder of sources.
inline Validity judge(const Artifact& given, const Gate& gate)
{
    auto root = given.root();
    root.erase("validity");
    const Artifact artifact(std::move(root), given.name());
    Findings findings;
    judge_measurement(artifact, findings);
    judge_provenance(artifact, findings);
    const auto type = detail::dataset_type(artifact, gate);
    detail::judge_dataset(artifact, type, findings);
    judge_by_card(artifact, gate.card ? &gate.card->root : nullptr, gate.card ? gate.card->sha256 : "",
                  findings);
    detail::judge_age(artifact, gate, findings);
    if (const auto repeats =
            gate.card ? as_number(value_at(gate.card->root, "statistics.min_repeats")) : std::nullopt)
        findings.add("repeats", static_cast<double>(gate.runs) >= *repeats, Evidence::derived,
                     std::to_string(gate.runs) + " runs", "at least " + plain_number(repeats));
    if (!gate.sources.empty())
        judge_digests(artifact, gate.sources, findings);
    if (gate.strict_production)
        findings.add("digests-checked", !gate.sources.empty(), Evidence::derived,
                     gate.sources.empty() ? "not checked" : "checked", "--sources DIR");

    const auto is_real = detail::is_production_data(type);
    const auto wish = gate.claim != Claim::automatic ? static_cast<Class>(gate.claim)
                      : is_real                      ? Class::production
                                                     : Class::baseline;
    Validity validity;
    validity.findings = findings.all();
    validity.claim = gate.claim;
    validity.wished = wish;
    validity.classification = detail::class_of(validity.findings, wish);
    validity.met = validity.classification != Class::invalid &&
                   (gate.claim == Claim::automatic || validity.classification >= wish);
    validity.reasons.push_back("data set '" + printable(type, 60) + "' bears " +
                               (is_real ? "production" : "a controlled baseline at most"));
    detail::explain(validity, wish);
    return validity;
}

/// The `validity` block of the artifact.
inline json::object validity_block(const Validity& validity)
{
    const auto list = [](const std::vector<std::string>& texts) {
        json::array array;
        for (const auto& text : texts)
            array.emplace_back(json_text(text));
        return array;
    };
    return {{"classification", json_text(name_of(validity.classification))},
            {"production_representative", validity.classification == Class::production},
            {"claim", json_text(claim_names[static_cast<std::size_t>(validity.claim)])},
            {"met", validity.met},
            {"reasons", list(validity.reasons)},
            {"warnings", list(validity.warnings)},
            {"failures", list(validity.failures)},
            {"required_next", list(validity.required_next)}};
}

/// The record sloutils.validity/1 of the artifact in a file of that name.
inline json::object to_record(const Validity& validity, std::string_view name)
{
    json::object record{{"schema", "sloutils.validity/1"}, {"artifact", json_text(name)}};
    for (const auto& member : validity_block(validity))
        record[member.key()] = member.value();
    json::array rules;
    for (const auto& finding : validity.findings) {
        json::object rule{{"rule", json_text(finding.rule)}};
        if (!finding.subject.empty())
            rule["subject"] = json_text(finding.subject);
        rule["ok"] = finding.ok;
        rule["severity"] = json_text(severity_of(finding.need));
        rule["evidence"] = json_text(name_of(finding.evidence));
        rule["seen"] = json_text(finding.seen);
        rule["expected"] = json_text(finding.expected);
        rules.push_back(std::move(rule));
    }
    record["rules"] = std::move(rules);
    return record;
}

/// The artifact as JSON with the verdict in it; all else as it was.
inline std::string with_validity(const Artifact& artifact, const Validity& validity)
{
    auto root = artifact.root();
    root["validity"] = validity_block(validity);
    return to_json(root) + "\n";
}

} // namespace slo::artifact

#endif
