// SPDX-License-Identifier: MIT
// What the validity gate asks of an artifact because its card says so.

#ifndef SLO_ARTIFACT_VALIDITY_CARD_HPP
#define SLO_ARTIFACT_VALIDITY_CARD_HPP

#include <slo/artifact/artifact.hpp>
#include <slo/artifact/validity_evidence.hpp>
#include <slo/artifact/validity_flags.hpp>
#include <slo/artifact/validity_load.hpp>
#include <slo/artifact/validity_metrics.hpp>
#include <slo/base/json.hpp>
#include <slo/base/text.hpp>
#include <slo/stats/repetitions.hpp>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace slo::artifact {

/// True when a word of `text` is `word`, whatever its case: "chat-smoke" has the word smoke, "presmoke" not.
inline bool has_word(std::string_view text, std::string_view word)
{
    const auto lower = lower_case(text);
    const auto is_letter = [&](std::size_t i) {
        const auto c = static_cast<unsigned char>(lower[i]);
        return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c >= 0x80;
    };
    for (auto at = lower.find(word); at != std::string::npos; at = lower.find(word, at + 1)) {
        const auto end = at + word.size();
        if ((at == 0 || !is_letter(at - 1)) && (end == lower.size() || !is_letter(end)))
            return true;
    }
    return false;
}

namespace detail {

inline void judge_same(const Artifact& artifact, const json::object& card, std::string_view rule,
                       const std::string& artifact_path, std::string_view card_path, Findings& findings)
{
    const auto seen = artifact.text(artifact_path);
    const auto expected = text_of(card, card_path);
    findings.add(rule, seen && !expected.empty() && *seen == expected, evidence_of(artifact, artifact_path),
                 seen ? "'" + printable(*seen, 60) + "'" : "none",
                 expected.empty() ? "what the card does not say" : "'" + printable(expected, 60) + "'");
}

// One content, however it is written: 8 and 8.0 are the same, and so are members in another order.
inline bool is_same_content(const json::value& a, const json::value& b)
{
    const auto *left = a.if_object(), *right = b.if_object();
    if (left && right)
        return left->size() == right->size() &&
               std::all_of(left->begin(), left->end(), [&](const auto& member) {
                   const auto* other = right->if_contains(member.key());
                   return other && is_same_content(member.value(), *other);
               });
    const auto *list = a.if_array(), *other_list = b.if_array();
    if (list && other_list)
        return std::equal(list->begin(), list->end(), other_list->begin(), other_list->end(),
                          is_same_content);
    return is_same(a, b);
}

// A card whose bytes are others is the one that was run where it says the same of what the artifact says of
// its requests; then it is a warning, for the artifact does not say all that a card does. Its id and its load
// are judged by rules of their own.
inline void judge_digest(const Artifact& artifact, const json::object& card, bool is_one, Findings& findings)
{
    std::vector<std::string> differ;
    const auto* dataset = object_at(card, "dataset");
    for (const auto& member : dataset && !is_one ? *dataset : json::object()) {
        const auto key = "dataset." + std::string(member.key());
        const auto* seen = artifact.at("workload." + key);
        if (seen && !seen->is_null() && !is_same_content(*seen, member.value()))
            differ.push_back(printable(key, 80));
    }
    auto& finding = findings.add("card-digest", is_one, Evidence::measured,
                                 is_one           ? "the same"
                                 : differ.empty() ? "another digest, and no other data set"
                                                  : "another digest, and another " + listed(differ, 3),
                                 "the digest in sources");
    if (differ.empty())
        finding.need = is_one ? finding.need : Need::none;
}

inline void judge_required(const Artifact& artifact, const json::object& card, Findings& findings)
{
    for (const auto& name : required_metrics(card)) {
        auto evidence = metric_evidence(artifact, name);
        if (const auto point = point_metric(name); point && evidence == Evidence::absent) {
            const auto load = point->is_rate ? point_rate(artifact) : point_concurrency(artifact);
            if (load && *load != point->load) {
                findings.add("required-metrics", true, evidence, "asked of another load point", "a figure",
                             name);
                continue;
            }
            if (load)
                evidence = evidence_of(artifact, point->path);
        }
        const auto seen = std::string(name_of(evidence));
        findings.add("required-metrics", evidence != Evidence::absent, evidence, seen, "a figure",
                     printable(name, 80));
        if (evidence != Evidence::absent)
            findings.add("required-measured", evidence >= Evidence::derived, evidence, seen,
                         "measured, or derived from what was", printable(name, 80));
    }
}

inline void judge_config(const Artifact& artifact, const json::object& card, Findings& findings)
{
    const auto* config = value_at(card, "validation.required_config");
    if (!config || !config->is_object())
        return;
    for (const auto& member : config->get_object()) {
        const std::string key(member.key().data(), member.key().size());
        auto dashed = key;
        std::replace(dashed.begin(), dashed.end(), '_', '-');
        const json::value* seen = nullptr;
        for (const auto& path : {key, "engine." + key, "engine.extra_args." + key,
                                 "engine.extra_args." + dashed, "extensions." + key}) {
            if (!seen)
                seen = artifact.at(path);
        }
        const auto& wanted = member.value();
        bool ok = seen && is_same(*seen, wanted);
        if (const auto* any = wanted.if_array(); any && seen)
            ok = ok ||
                 std::any_of(any->begin(), any->end(), [&](const auto& one) { return is_same(*seen, one); });
        findings.add("required-config", ok, seen ? Evidence::declared : Evidence::absent,
                     seen ? printable(to_json(*seen), 80) : "not said", printable(to_json(wanted), 80),
                     printable(key, 80));
    }
}

inline void judge_flags(const Artifact& artifact, const json::object& card, Findings& findings)
{
    const auto* flags = array_value(card, "validation.reliability_flags");
    if (!flags)
        return;
    for (const auto& element : *flags) {
        const auto* flag = element.if_object();
        const auto rule = flag ? string_at(*flag, "rule").value_or("") : "";
        const auto action = flag ? string_at(*flag, "action").value_or("") : "";
        const auto name = printable(rule, 80);
        if (const auto result = flag_result(artifact, card, rule)) {
            auto& finding = findings.add("reliability", !result->applies, result->evidence, result->seen,
                                         result->expected, name);
            finding.need = need_of_action(action);
        } else {
            findings
                .add("reliability", false, Evidence::absent, "cannot be told from this artifact", "figures",
                     name)
                .need = Need::none;
        }
    }
}

// The ratio of p99 to p50 of TTFT that the card allows itself; 3 where it does not say.
inline double tail_limit(const json::object* card)
{
    const auto* flags = card ? array_value(*card, "validation.reliability_flags") : nullptr;
    constexpr std::string_view prefix = "p99_p50_ttft_ratio_gt_";
    if (flags) {
        for (const auto& element : *flags) {
            const auto* flag = element.if_object();
            const auto rule = flag ? string_at(*flag, "rule").value_or("") : "";
            if (rule.starts_with(prefix)) {
                if (const auto limit = parse_double(rule.substr(prefix.size())))
                    return *limit;
            }
        }
    }
    return stats::long_tail_ratio;
}

inline void judge_limits(const Artifact& artifact, const json::object* card, Findings& findings)
{
    auto limit = artifact.number("slo.targets.error_rate_max");
    if (const auto of_card = card ? as_number(value_at(*card, "slo.error_rate_max")) : std::nullopt)
        limit = std::min(*of_card, limit.value_or(*of_card));
    if (limit) {
        const auto rate = artifact.number("metrics.error_rate");
        findings.add("error-limit", rate && *rate <= *limit, evidence_of(artifact, "metrics.error_rate"),
                     plain_number(rate), "at most " + format_double(*limit));
    }
    const auto p50 = artifact.number("metrics.ttft_ms.p50");
    const auto p99 = artifact.number("metrics.ttft_ms.p99");
    const auto most = tail_limit(card);
    if (const auto is_long = stats::has_long_tail(p50, p99, most))
        findings.add("ttft-tail", !*is_long, evidence_of(artifact, "metrics.ttft_ms"),
                     "p99/p50 of " + format_fixed(*p99 / *p50, 2), "at most " + plain_number(most));
}

inline void judge_smoke(const Artifact& artifact, const json::object* card, Findings& findings)
{
    std::vector<std::string> smoky;
    const auto look = [&](const std::string& text) {
        if (has_word(text, "smoke") && std::find(smoky.begin(), smoky.end(), text) == smoky.end())
            smoky.push_back(printable(text, 60));
    };
    for (const auto* path : {"workload.catalog_id", "workload.use_case"})
        look(artifact.text(path).value_or(""));
    for (const auto* key : {"catalog_id", "use_case"})
        look(card ? text_of(*card, key) : "");
    findings.add("smoke-card", smoky.empty(), Evidence::declared, smoky.empty() ? "none" : listed(smoky),
                 "no name with the word smoke");
}

} // namespace detail

/// Judges an artifact by its card; `card` may be nullptr, `card_sha256` empty where it is not known.
inline void judge_by_card(const Artifact& artifact, const json::object* card, std::string_view card_sha256,
                          Findings& findings)
{
    findings.add("card", card != nullptr, Evidence::declared, card ? "given" : "none given", "a card");
    detail::judge_limits(artifact, card, findings);
    detail::judge_smoke(artifact, card, findings);
    if (!card)
        return;
    detail::judge_same(artifact, *card, "card-id", "workload.catalog_id", "catalog_id", findings);
    if (const auto* sources = artifact.array("extensions.sloutils.sources");
        sources && !card_sha256.empty()) {
        for (const auto& element : *sources) {
            const auto* source = element.if_object();
            const auto digest = source ? string_at(*source, "sha256") : std::nullopt;
            if (digest && string_at(*source, "name") == "card")
                detail::judge_digest(artifact, *card, *digest == card_sha256, findings);
        }
    }
    if (value_at(*card, "dataset.type"))
        detail::judge_same(artifact, *card, "card-dataset", "workload.dataset.type", "dataset.type",
                           findings);
    judge_load(artifact, *card, findings);
    detail::judge_required(artifact, *card, findings);
    detail::judge_config(artifact, *card, findings);
    detail::judge_flags(artifact, *card, findings);
    const auto* demanded = value_at(*card, "slo.quality_gate_required");
    if (demanded && demanded->is_bool() && demanded->get_bool()) {
        const auto passed = artifact.truth("quality.gate_passed");
        findings
            .add("quality", passed == true, passed ? Evidence::measured : Evidence::absent,
                 passed ? "known" : "not known", "a passed gate, as the card demands", "required")
            .need = Need::baseline;
    }
}

} // namespace slo::artifact

#endif
