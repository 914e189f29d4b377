// SPDX-License-Identifier: MIT
// The reliability flags of a card, as far as one artifact can tell whether they apply.

#ifndef SLO_ARTIFACT_VALIDITY_FLAGS_HPP
#define SLO_ARTIFACT_VALIDITY_FLAGS_HPP

#include <slo/artifact/artifact.hpp>
#include <slo/artifact/validity_evidence.hpp>
#include <slo/artifact/validity_metrics.hpp>
#include <slo/base/json.hpp>
#include <slo/base/text.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace slo::artifact {

/// What a flag comes to.
struct FlagResult {
    bool applies = false;
    std::string seen;
    std::string expected; ///< of an artifact to which it does not apply
    Evidence evidence = Evidence::derived;
};

namespace detail {

/// Lengths differ from the card's by more than this share where they have drifted, as the standard compares
/// synthetic with real data.
inline constexpr double most_drift = 0.25;

// A token count of a card: a number, or a map with p50 or mean.
inline std::optional<double> card_tokens(const json::object& card, std::string_view key)
{
    const auto path = "dataset." + std::string(key);
    if (const auto number = as_number(value_at(card, path)))
        return number;
    for (const auto* figure : {".p50", ".mean"}) {
        if (const auto number = as_number(value_at(card, path + figure)))
            return number;
    }
    return as_number(value_at(card, "dataset.observed_distribution." + std::string(key) + ".p50"));
}

inline std::optional<FlagResult> length_flag(const Artifact& artifact, const json::object& card,
                                             std::string_view key, bool only_longer)
{
    const auto expected = card_tokens(card, key);
    const auto path = "extensions.distribution." + std::string(key) + ".p50";
    const auto seen = artifact.number(path);
    if (!expected || !seen || *expected <= 0)
        return std::nullopt;
    const auto drift = *seen / *expected - 1;
    return FlagResult{(only_longer ? drift : std::abs(drift)) > most_drift,
                      "p50 of " + plain_number(*seen) + " tokens",
                      (only_longer ? "at most 25 % above " : "within 25 % of ") + plain_number(*expected),
                      evidence_of(artifact, path)};
}

// "64k", "1m", "128": tokens.
inline std::optional<double> tier_tokens(std::string_view label)
{
    constexpr double kilo = 1024;
    const auto lower = lower_case(label);
    double unit = 1;
    auto digits = std::string_view(lower);
    if (digits.ends_with('k') || digits.ends_with('m')) {
        unit = digits.back() == 'k' ? kilo : kilo * kilo;
        digits.remove_suffix(1);
    }
    const auto number = parse_double(digits);
    return number && *number > 0 ? std::optional(*number * unit) : std::nullopt;
}

// KV use may grow a fifth faster than the context (12 times from 100K to 1M).
inline std::optional<FlagResult> kv_growth_flag(const Artifact& artifact)
{
    const auto* path = "extensions.tiers.kv_cache_usage_perc_per_tier";
    const auto* tiers = artifact.object(path);
    std::map<double, double> usage;
    if (tiers) {
        for (const auto& tier : *tiers) {
            const auto tokens = tier_tokens({tier.key().data(), tier.key().size()});
            const auto used = as_number(&tier.value());
            if (tokens && used && *used > 0)
                usage.emplace(*tokens, *used);
        }
    }
    if (usage.size() < 2)
        return std::nullopt;
    constexpr double most_excess = 1.2;
    const auto growth = usage.rbegin()->second / usage.begin()->second;
    const auto most = usage.rbegin()->first / usage.begin()->first * most_excess;
    return FlagResult{growth > most, "grown " + format_fixed(growth, 1) + " times",
                      "at most " + format_fixed(most, 1) + " times", evidence_of(artifact, path)};
}

inline std::optional<FlagResult> tier_flag(const Artifact& artifact)
{
    const auto* path = "extensions.tiers.per_tier_completion";
    const auto* tiers = artifact.object(path);
    if (!tiers || tiers->empty())
        return std::nullopt;
    std::string out;
    for (const auto& tier : *tiers) {
        const auto* object = tier.value().if_object();
        const auto* oom = object ? find(*object, "oom") : nullptr;
        if (oom && oom->is_bool() && oom->get_bool())
            out += (out.empty() ? "" : ", ") +
                   printable(std::string_view(tier.key().data(), tier.key().size()), 40);
    }
    return FlagResult{!out.empty(), out.empty() ? "none" : "out of memory at " + out, "no tier out of memory",
                      evidence_of(artifact, path)};
}

inline std::optional<FlagResult> degenerate_flag(const Artifact& artifact)
{
    const auto seen = artifact.number("extensions.distribution.output_tokens.p50");
    if (!seen)
        return std::nullopt;
    constexpr double fewest = 2; // one token has no time between tokens
    return FlagResult{*seen < fewest, "p50 of " + plain_number(*seen) + " output tokens", "at least 2",
                      evidence_of(artifact, "extensions.distribution.output_tokens")};
}

// METRIC_gt_LIMIT and METRIC_lt_LIMIT.
inline std::optional<FlagResult> threshold_flag(const Artifact& artifact, const json::object& card,
                                                std::string_view rule)
{
    const bool is_above = rule.find("_gt_") != std::string_view::npos;
    const auto at = is_above ? rule.rfind("_gt_") : rule.rfind("_lt_");
    if (at == std::string_view::npos)
        return std::nullopt;
    const auto metric = rule.substr(0, at);
    const auto bound = rule.substr(at + std::string_view("_gt_").size());
    const auto limit = bound == "corpus_ceiling"
                           ? as_number(value_at(card, "dataset.approx_prefix_reuse_ceiling"))
                           : parse_double(bound);
    std::optional<double> seen;
    auto evidence = metric_evidence(artifact, metric);
    if (metric == "p99_p50_ttft_ratio") {
        const auto p50 = artifact.number("metrics.ttft_ms.p50");
        const auto p99 = artifact.number("metrics.ttft_ms.p99");
        if (p50 && p99 && *p50 > 0)
            seen = *p99 / *p50;
        evidence = Evidence::derived;
    } else {
        seen = metric_number(artifact, metric);
    }
    if (!limit || !seen)
        return std::nullopt;
    return FlagResult{is_above ? *seen > *limit : *seen < *limit, format_fixed(*seen, 4),
                      (is_above ? "at most " : "at least ") + plain_number(*limit), evidence};
}

} // namespace detail

/// Whether a flag of the card applies; nothing where this artifact cannot tell.
inline std::optional<FlagResult> flag_result(const Artifact& artifact, const json::object& card,
                                             std::string_view rule)
{
    if (rule == "synthetic_isl_distribution_drift")
        return detail::length_flag(artifact, card, "input_tokens", false);
    if (rule == "output_len_exceeds_telemetry")
        return detail::length_flag(artifact, card, "output_tokens", true);
    if (rule == "kv_growth_superlinear")
        return detail::kv_growth_flag(artifact);
    if (rule == "oom_at_any_tier")
        return detail::tier_flag(artifact);
    if (rule == "degenerate_output_tokens")
        return detail::degenerate_flag(artifact);
    return detail::threshold_flag(artifact, card, rule);
}

/// What a flag costs by its action: flag_invalid… everything, flag_unrealistic and flag_unreliable the
/// production class; the others are for a reader to know.
inline Need need_of_action(std::string_view action) noexcept
{
    if (action.starts_with("flag_invalid"))
        return Need::every_class;
    return action == "flag_unrealistic" || action == "flag_unreliable" ? Need::production : Need::none;
}

} // namespace slo::artifact

#endif
