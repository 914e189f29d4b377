// SPDX-License-Identifier: MIT
// What the validity gate asks of an artifact by itself, whatever its card says.

#ifndef SLO_ARTIFACT_VALIDITY_ARTIFACT_HPP
#define SLO_ARTIFACT_VALIDITY_ARTIFACT_HPP

#include <slo/artifact/artifact.hpp>
#include <slo/artifact/reconciliation.hpp>
#include <slo/artifact/schema_v1.hpp>
#include <slo/artifact/validity_evidence.hpp>
#include <slo/base/json.hpp>
#include <slo/base/text.hpp>
#include <slo/record/timestamp.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace slo::artifact {

/// Two counts or rates of one thing may differ by this much, inclusive: what was on its way at the edges.
inline constexpr double most_difference = 0.05;

namespace detail {

inline constexpr std::array<std::string_view, 4> latency_blocks{"metrics.ttft_ms", "metrics.tpot_ms",
                                                                "metrics.itl_ms", "metrics.e2e_ms"};

inline std::string sub(std::string_view path, std::string_view member)
{
    return std::string(path) + "." + std::string(member);
}

// |a - b| within the share of a.
inline bool is_near(double a, double b, double share = most_difference)
{
    return std::abs(a - b) <= share * std::abs(a) * (1 + 1e-12);
}

inline void judge_fields(const Artifact& artifact, Findings& findings)
{
    const auto errors = check_envelope(artifact.root());
    findings.add("schema", errors.empty(), Evidence::derived, errors.empty() ? "kept" : to_line(errors),
                 "an envelope of version 1");

    std::vector<std::string> lacking;
    for (const auto* path :
         {"schema_version", "artifact_id", "created_at", "source_tool.name", "model.id", "engine.name",
          "engine.container_image", "infrastructure.instance_type", "workload.catalog_id"}) {
        const auto text = artifact.text(path);
        if (!text || trim(*text).empty())
            lacking.emplace_back(path);
    }
    findings.add("identity", lacking.empty(), Evidence::declared,
                 lacking.empty() ? "all named" : "no " + listed(lacking), "each named");

    lacking.clear();
    auto weakest = Evidence::measured;
    const auto need = [&](const std::string& path) {
        if (!artifact.number(path))
            lacking.push_back(path);
        weakest = std::min(weakest, evidence_of(artifact, path));
    };
    for (const auto* path :
         {"completed", "failed", "error_rate", "duration_s", "output_toks_per_s", "request_throughput"})
        need(sub("metrics", path));
    for (const auto block : latency_blocks) {
        need(sub(block, "p50"));
        need(sub(block, "p99"));
    }
    findings.add("metrics", lacking.empty(), weakest, lacking.empty() ? "all there" : "no " + listed(lacking),
                 "a number in each");
}

inline void judge_zeros(const Artifact& artifact, Findings& findings)
{
    std::vector<std::string> zeros;
    auto evidence = Evidence::absent;
    const auto look = [&](const std::string& path) {
        const auto number = artifact.number(path);
        if (number && *number <= 0)
            zeros.push_back(path + " " + plain_number(*number));
        evidence = std::max(evidence, evidence_of(artifact, path));
    };
    for (const auto* path : {"completed", "duration_s", "request_throughput"})
        look(sub("metrics", path));
    // An embedding has no output token.
    if (artifact.number("metrics.total_output_tokens") != 0)
        look("metrics.output_toks_per_s");
    for (const auto block : latency_blocks) {
        for (const auto figure : {"p50", "p99"})
            look(sub(block, figure));
    }
    findings.add("nonzero", zeros.empty(), evidence, zeros.empty() ? "no zero" : listed(zeros),
                 "more than 0 in each");
}

// What contradicts what among the metrics.
inline std::vector<std::string> contradictions(const Artifact& artifact)
{
    std::vector<std::string> found;
    const auto metric = [&](std::string_view name) { return artifact.number(sub("metrics", name)); };
    const auto completed = metric("completed");
    const auto failed = metric("failed");
    const auto duration_s = metric("duration_s");
    if (const auto rate = metric("error_rate"); rate && completed && failed) {
        constexpr double rounding = 0.0005;
        const auto sent = *completed + *failed;
        const auto expected = sent > 0 ? *failed / sent : 0;
        if (std::abs(*rate - expected) > rounding)
            found.push_back("error_rate " + plain_number(*rate) + " of " + plain_number(*failed) +
                            " failed in " + plain_number(sent));
    }
    const auto rate_of = [&](std::string_view count, std::string_view rate) {
        const auto counted = metric(count);
        const auto given = metric(rate);
        if (counted && given && duration_s && *duration_s > 0 && !is_near(*counted / *duration_s, *given))
            found.push_back(std::string(rate) + " " + plain_number(*given) + " of " + plain_number(*counted) +
                            " in " + plain_number(*duration_s) + " s");
    };
    rate_of("completed", "request_throughput");
    rate_of("total_output_tokens", "output_toks_per_s");
    for (const auto block : latency_blocks) {
        std::optional<double> last;
        for (const auto figure : {"p50", "p90", "p95", "p99"}) {
            const auto value = artifact.number(sub(block, figure));
            if (value && last && *value < *last)
                found.push_back(sub(block, figure) + " below a lower percentile");
            if (value)
                last = value;
        }
    }
    for (const auto figure : {"p50", "p99"}) {
        constexpr double of_sketch = 0.01; // both may come from sketches of 0.5 %
        const auto ttft = artifact.number(sub("metrics.ttft_ms", figure));
        const auto e2e = artifact.number(sub("metrics.e2e_ms", figure));
        if (ttft && e2e && *ttft > *e2e * (1 + of_sketch))
            found.push_back(std::string("ttft_ms.") + figure + " above e2e_ms." + figure);
    }
    return found;
}

inline std::optional<double> moment_s(const Artifact& artifact, std::string_view path)
{
    const auto text = artifact.text(path);
    std::size_t length = 0;
    const auto ns = text ? record::parse_utc_stamp(*text, length) : std::nullopt;
    constexpr double ns_per_s = 1e9;
    return ns ? std::optional(static_cast<double>(*ns) / ns_per_s) : std::nullopt;
}

inline void judge_agreement(const Artifact& artifact, Findings& findings)
{
    auto found = contradictions(artifact);
    const auto start_s = moment_s(artifact, "extensions.session_metadata.run_start");
    const auto end_s = moment_s(artifact, "extensions.session_metadata.run_end");
    const auto created_s = moment_s(artifact, "created_at");
    constexpr double whole_seconds = 2; // stamps are cut to seconds
    if (start_s && end_s) {
        const auto duration_s = artifact.number("metrics.duration_s");
        if (*end_s < *start_s)
            found.emplace_back("run_end before run_start");
        else if (duration_s && *duration_s > (*end_s - *start_s) * (1 + most_difference) + whole_seconds)
            found.push_back("duration_s " + plain_number(*duration_s) + " in a run of " +
                            plain_number(*end_s - *start_s) + " s");
    }
    if (created_s && end_s && *created_s + whole_seconds < *end_s)
        found.emplace_back("created_at before run_end");
    findings.add("agreement", found.empty(), Evidence::derived,
                 found.empty() ? "no contradiction" : listed(found), "numbers of one run");
}

// The same figure at two places of one artifact; what wrote it may have rounded its text.
inline bool is_figure_of(double a, double b)
{
    constexpr double of_text = 1e-9;
    return std::abs(a - b) <= of_text * std::max(std::abs(a), std::abs(b));
}

// The metrics beside the figures of the client from which they were taken.
inline void judge_figures(const Artifact& artifact, Findings& findings)
{
    std::vector<std::string> found;
    std::size_t compared = 0;
    for (const auto block : latency_blocks) {
        for (const auto figure : {"mean", "p50", "p90", "p95", "p99"}) {
            const auto path = sub(block, figure);
            const auto given = artifact.number(path);
            const auto measured =
                artifact.number("extensions.sloutils.client." + path.substr(path.find('.') + 1));
            if (!given || !measured)
                continue;
            ++compared;
            if (!is_figure_of(*given, *measured))
                found.push_back(path + " " + plain_number(given) + ", by the client " +
                                plain_number(measured));
        }
    }
    if (compared > 0)
        findings.add("figures-agree", found.empty(), Evidence::derived,
                     found.empty() ? std::to_string(compared) + " figures" : listed(found, 3),
                     "the client's figures in metrics");
}

inline void judge_requests(const Artifact& artifact, Findings& findings)
{
    constexpr double most_errors = 0.5;
    constexpr double fewest = 10;
    const auto rate = artifact.number("metrics.error_rate");
    findings.add("error-rate", rate && *rate <= most_errors, evidence_of(artifact, "metrics.error_rate"),
                 plain_number(rate), "at most 0.5");
    const auto completed = artifact.number("metrics.completed");
    findings.add("completed", completed && *completed >= fewest, evidence_of(artifact, "metrics.completed"),
                 plain_number(completed) + " requests", "at least 10");
}

inline void judge_reconciliation(const Artifact& artifact, Findings& findings)
{
    const auto said = artifact.truth("extensions.reconciliation.reconciled");
    const auto client = artifact.number("extensions.reconciliation.client_ok");
    const auto server = artifact.number("extensions.reconciliation.prom_success");
    const bool counted = client && server && *client > 0;
    const auto unlisted = artifact.number("extensions.reconciliation.warm_up_not_listed").value_or(0);
    const bool is_warm_up = !said && may_be_warm_up({client, server}, unlisted);
    const bool is_off = counted && !is_near(*client, *server) && !is_warm_up;
    std::string seen =
        counted ? plain_number(*client) + " by the client, " + plain_number(*server) + " by the server"
        : said  ? std::string("reconciled is ") + (*said ? "true" : "false") + ", without both counts"
                : "no count of the server";
    const auto evidence = std::min(evidence_of(artifact, "extensions.reconciliation.client_ok"),
                                   evidence_of(artifact, "extensions.reconciliation.prom_success"));
    findings.add("reconciled", !is_off && said.value_or(true), evidence, seen, "a difference of at most 5 %");
    const auto completed = artifact.number("metrics.completed");
    const bool is_other = counted && completed && *client + 0.5 < *completed;
    if (is_other)
        seen += ", but " + plain_number(*completed) + " completed";
    findings.add("server-side",
                 counted && !is_off && said == true && evidence >= Evidence::derived && !is_other, evidence,
                 seen, "both counts, measured, reconciled");
}

inline void judge_hardware(const Artifact& artifact, Findings& findings)
{
    constexpr std::array<std::string_view, 8> gauges{
        "gpu_util_pct_mean",    "gpu_util_pct_max",  "sm_active_pct_mean", "tensor_active_pct_mean",
        "hbm_bw_util_pct_mean", "power_draw_w_mean", "temp_c_max",         "memory_used_mib_mean"};
    auto evidence = Evidence::absent;
    std::size_t known = 0;
    for (const auto gauge : gauges) {
        const auto path = sub("extensions.gpu_telemetry", gauge);
        const auto value = artifact.number(path);
        if (value && *value > 0) {
            ++known;
            evidence = std::max(evidence, evidence_of(artifact, path));
        }
    }
    findings.add("gpu", known > 0 && evidence >= Evidence::derived, evidence,
                 known == 0 ? "no gauge of a GPU" : std::to_string(known) + " gauges",
                 "measured gauges above 0");

    std::vector<std::string> events;
    for (const auto* path : {"hardware_errors.ecc_dbe_delta", "hardware_errors.sentinel_divergences",
                             "extensions.gpu_telemetry.xid_errors"}) {
        if (const auto count = artifact.number(path); count && *count > 0)
            events.push_back(std::string(path) + " " + plain_number(*count));
    }
    if (const auto* xids = artifact.array("hardware_errors.xid_events"); xids && !xids->empty())
        events.push_back(std::to_string(xids->size()) + " XID events");
    findings.add("hardware", events.empty(), evidence, events.empty() ? "none" : listed(events),
                 "no such event");
}

} // namespace detail

/// Judges what needs no card, no claim and no other file. Provenance and SLO: validity_provenance.hpp.
inline void judge_measurement(const Artifact& artifact, Findings& findings)
{
    detail::judge_fields(artifact, findings);
    detail::judge_zeros(artifact, findings);
    detail::judge_agreement(artifact, findings);
    detail::judge_figures(artifact, findings);
    detail::judge_requests(artifact, findings);
    detail::judge_reconciliation(artifact, findings);
    detail::judge_hardware(artifact, findings);
}

} // namespace slo::artifact

#endif
