// SPDX-License-Identifier: MIT
// What the validity gate asks of the evidence: origins, sources and their digests, client, rounds, SLO rows,
// gates.

#ifndef SLO_ARTIFACT_VALIDITY_PROVENANCE_HPP
#define SLO_ARTIFACT_VALIDITY_PROVENANCE_HPP

#include <slo/artifact/artifact.hpp>
#include <slo/artifact/slo_rows.hpp>
#include <slo/artifact/validity_artifact.hpp>
#include <slo/artifact/validity_evidence.hpp>
#include <slo/base/digest.hpp>
#include <slo/base/error.hpp>
#include <slo/base/json.hpp>
#include <slo/base/text.hpp>
#include <slo/io/jsonl.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace slo::artifact {

namespace detail {

inline void judge_origins(const Artifact& artifact, Findings& findings)
{
    std::vector<std::string> declared;
    if (const auto* origins = artifact.object("extensions.sloutils.origin")) {
        for (const auto& member : *origins) {
            const std::string path(member.key().data(), member.key().size());
            const bool is_figure = path.starts_with("metrics") ||
                                   path.starts_with("extensions.cache_stats") ||
                                   path.starts_with("extensions.distribution") ||
                                   path.starts_with("extensions.reconciliation") ||
                                   path.starts_with("extensions.gpu_telemetry") ||
                                   path.starts_with("power") || path.starts_with("hardware_errors");
            // Some clients do not say how many requests they sent: what failed is then counted from the
            // card's number, which proves nothing, but is no invention either (measured-figures).
            const bool is_count = path == "metrics.failed" || path == "metrics.error_rate";
            const auto* origin = member.value().if_string();
            if (is_figure && !is_count && origin && is_declaration({origin->data(), origin->size()}) &&
                holds_something(artifact.at(path)))
                declared.push_back(path + " (" + std::string(*origin) + ")");
        }
    }
    findings.add("declared-figures", declared.empty(), Evidence::declared,
                 declared.empty() ? "none" : listed(declared), "no figure from card or sidecar");

    std::vector<std::string> unproven;
    auto weakest = Evidence::measured;
    for (const auto* name : {"duration_s", "completed", "failed", "error_rate", "ttft_ms", "tpot_ms",
                             "itl_ms", "e2e_ms", "output_toks_per_s", "request_throughput"}) {
        const auto path = "metrics." + std::string(name);
        const auto evidence = evidence_of(artifact, path);
        weakest = std::min(weakest, evidence);
        if (evidence < Evidence::derived)
            unproven.push_back(path + " (" + std::string(name_of(evidence)) + ")");
    }
    findings.add("measured-figures", unproven.empty(), weakest,
                 unproven.empty() ? "all measured, or derived from what was" : listed(unproven, 3),
                 "an origin of client, server, gpu or derived for each");
}

inline bool is_sha256(std::string_view text)
{
    return text.size() == 64 && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

inline void judge_sources(const Artifact& artifact, Findings& findings)
{
    std::size_t with_records = 0;
    std::vector<std::string> bare;
    if (const auto* sources = artifact.array("extensions.sloutils.sources")) {
        for (const auto& element : *sources) {
            const auto* source = element.if_object();
            const auto name = source ? string_at(*source, "name").value_or("") : "";
            if (!source || (!string_at(*source, "file") && find(*source, "absent")))
                continue;
            if (!is_sha256(string_at(*source, "sha256").value_or("")))
                bare.push_back(printable(name, 40));
            else if (name != "card" && name != "sidecar" && number_at(*source, "records").value_or(0) > 0)
                ++with_records;
        }
    }
    const auto evidence = with_records > 0 ? Evidence::measured : Evidence::absent;
    findings.add("sources", with_records > 0 && bare.empty(), evidence,
                 !bare.empty()       ? "no SHA-256 of " + listed(bare)
                 : with_records == 0 ? "no file with records"
                                     : std::to_string(with_records) + " files with records",
                 "files with SHA-256 and a count of records");
}

inline void judge_client(const Artifact& artifact, Findings& findings)
{
    const auto* path = "extensions.sloutils.client_health.saturated";
    const auto saturated = artifact.truth(path);
    findings.add("client-health", saturated == false, saturated ? Evidence::measured : Evidence::absent,
                 !saturated   ? "unknown"
                 : *saturated ? "the client was saturated"
                              : "not saturated",
                 "a client that was not saturated");
    const auto size = artifact.number("extensions.sloutils.steady.size");
    constexpr double fewest = 3;
    findings.add("steady", size && *size >= fewest, size ? Evidence::derived : Evidence::absent,
                 size ? plain_number(*size) + " rounds" : "no steady window", "at least 3 rounds");
}

// What a row {target, actual, pass} lacks; empty where it lacks nothing.
inline std::string row_fault(std::string_view name, const json::object* row)
{
    const auto target = row ? number_at(*row, "target") : std::nullopt;
    const auto actual = row ? number_at(*row, "actual") : std::nullopt;
    if (target && actual)
        return {};
    return std::string(name) + " without " + (target ? "a figure" : "a target");
}

// What of a row does not follow from its numbers and from the metric it names; empty where all does.
inline std::string row_contradiction(const Artifact& artifact, std::string_view name, const json::object& row)
{
    const auto target = number_at(row, "target");
    const auto actual = number_at(row, "actual");
    const auto* pass = find(row, "pass");
    const std::string what = printable(name, 60);
    if (!actual)
        return pass && pass->is_bool() && pass->get_bool() ? what + " passes without a figure" : "";
    bool is_floor = name.find("floor") != std::string_view::npos;
    for (const auto& known : slo_keys) {
        if (known.key != name)
            continue;
        is_floor = known.is_floor;
        const auto metric = artifact.number("metrics." + std::string(known.metric));
        if (!metric || !is_figure_of(*metric, *actual))
            return what + " of " + plain_number(actual) + ", but metrics." + std::string(known.metric) +
                   " is " + plain_number(metric);
    }
    if (!target)
        return {};
    const bool is_kept = is_floor ? *actual >= *target : *actual <= *target;
    if (!pass || !pass->is_bool() || pass->get_bool() != is_kept)
        return what + " with another verdict than its numbers";
    return {};
}

inline void judge_slo(const Artifact& artifact, Findings& findings)
{
    const auto* rows = artifact.object("slo.results");
    const auto overall = artifact.truth("slo.overall_pass");
    std::vector<std::string> faults, contradictions;
    bool all_kept = true;
    if (rows) {
        for (const auto& member : *rows) {
            const auto* row = member.value().if_object();
            auto fault = row_fault({member.key().data(), member.key().size()}, row);
            if (!fault.empty())
                faults.push_back(std::move(fault));
            auto contradiction =
                row ? row_contradiction(artifact, {member.key().data(), member.key().size()}, *row) : "";
            if (!contradiction.empty())
                contradictions.push_back(std::move(contradiction));
            const auto* pass = row ? find(*row, "pass") : nullptr;
            all_kept = all_kept && pass && pass->is_bool() && pass->get_bool();
        }
        if (overall != all_kept)
            contradictions.emplace_back("overall_pass with another verdict than its rows");
    }
    const bool judged = rows && !rows->empty();
    findings.add("slo", judged && faults.empty(), evidence_of(artifact, "slo.results"),
                 !judged          ? "no SLO judged"
                 : faults.empty() ? std::to_string(rows->size()) + " rows"
                                  : listed(faults, 3),
                 "target and figure in each row");
    if (judged) {
        findings.add("slo-rows", contradictions.empty(), Evidence::derived,
                     contradictions.empty() ? "no contradiction" : listed(contradictions, 3),
                     "rows that follow from the metrics");
        findings.add("slo-kept", overall == true, evidence_of(artifact, "slo.results"),
                     overall == true ? "kept" : "not kept", "a kept SLO");
    }
}

// A gate that failed spoils everything, one that did not come to an end the production class.
inline void add_gate(std::string_view rule, const std::vector<std::string>& failed,
                     const std::optional<bool>& passed, Evidence evidence, std::string expected,
                     Findings& findings)
{
    const bool is_open = failed.empty() && !passed;
    auto& finding = findings.add(rule, failed.empty() && !is_open, evidence,
                                 is_open          ? "the gate says neither"
                                 : failed.empty() ? "no failure"
                                                  : listed(failed),
                                 std::move(expected));
    if (is_open)
        finding.need = Need::production;
}

inline void judge_gates(const Artifact& artifact, Findings& findings)
{
    std::vector<std::string> failed;
    if (artifact.object("quality")) {
        const auto passed = artifact.truth("quality.gate_passed");
        if (passed == false)
            failed.emplace_back("gate_passed is false");
        if (const auto* evals = artifact.array("quality.evals")) {
            for (const auto& eval : *evals) {
                const auto* object = eval.if_object();
                const auto* good = object ? find(*object, "passed") : nullptr;
                if (good && good->is_bool() && !good->get_bool())
                    failed.push_back(printable(string_at(*object, "eval").value_or("an eval"), 40) +
                                     " failed");
            }
        }
        add_gate("quality", failed, passed, evidence_of(artifact, "quality"), "no failed eval", findings);
    }
    failed.clear();
    if (artifact.object("stability")) {
        const auto passed = artifact.truth("stability.drift_gate_passed");
        if (passed == false)
            failed.emplace_back("drift_gate_passed is false");
        if (const auto errors = artifact.number("stability.unrecoverable_errors"); errors && *errors > 0)
            failed.push_back(plain_number(*errors) + " unrecoverable errors");
        add_gate("stability", failed, passed, evidence_of(artifact, "stability"),
                 "no drift, no unrecoverable error", findings);
    }
}

// True for a source whose records are the lines of its file.
inline bool is_of_records(std::string_view source)
{
    constexpr std::array<std::string_view, 5> names{"rounds", "requests", "run", "samples", "search"};
    return std::find(names.begin(), names.end(), source) != names.end();
}

// The file as it is now: digest, and how many lines of it are objects.
struct FileFacts {
    std::string sha256;
    std::uint64_t records = 0;
};

inline FileFacts facts_of(const std::string& path, bool of_records)
{
    FileFacts facts;
    Sha256 digest;
    io::LineReader reader(path);
    reader.observe({{}, [&](std::string_view bytes) { digest.update(bytes); }});
    while (const auto line = reader.next()) {
        if (!of_records || trim(*line).empty())
            continue;
        try {
            facts.records += parse_json(*line).is_object();
        } catch (const JsonError&) {
            continue; // the torn line of a killed writer is no record
        }
    }
    facts.sha256 = digest.finish();
    return facts;
}

} // namespace detail

/// Judges where the figures of an artifact come from, and what gates said of it, as it says itself.
inline void judge_provenance(const Artifact& artifact, Findings& findings)
{
    detail::judge_origins(artifact, findings);
    detail::judge_sources(artifact, findings);
    detail::judge_client(artifact, findings);
    detail::judge_slo(artifact, findings);
    detail::judge_gates(artifact, findings);
}

/// Computes the digest and the count of each source anew from the files of a folder (by their last name: what
/// an artifact says of folders is not followed). A file that cannot be read is a finding like a changed one.
inline void judge_digests(const Artifact& artifact, const std::string& folder, Findings& findings)
{
    bool any = false;
    if (const auto* sources = artifact.array("extensions.sloutils.sources")) {
        for (const auto& element : *sources) {
            const auto* source = element.if_object();
            const auto file = source ? string_at(*source, "file") : std::nullopt;
            if (!file)
                continue;
            any = true;
            const auto name = std::string(string_at(*source, "name").value_or(""));
            const auto last = std::filesystem::path(std::string(*file)).filename();
            const bool of_records = detail::is_of_records(name);
            std::string seen = "unchanged";
            bool ok = true;
            try {
                const auto facts =
                    detail::facts_of((std::filesystem::path(folder) / last).string(), of_records);
                const auto records = number_at(*source, "records");
                if (facts.sha256 != string_at(*source, "sha256").value_or("")) {
                    ok = false;
                    seen = "another digest";
                } else if (of_records && records && *records != static_cast<double>(facts.records)) {
                    ok = false;
                    seen = std::to_string(facts.records) + " records, not " + plain_number(*records);
                }
            } catch (const Error& error) {
                ok = false;
                seen = error.what();
            }
            findings.add("digests", ok, Evidence::measured, printable(seen), "the digest and count it had",
                         printable(name, 40));
        }
    }
    if (!any)
        findings.add("digests", false, Evidence::absent, "no source with a file", "sources to check");
}

} // namespace slo::artifact

#endif
