// SPDX-License-Identifier: MIT
// Whether an artifact's load is its card's: type, figures, the point measured, requests, warm-up.

#ifndef SLO_ARTIFACT_VALIDITY_LOAD_HPP
#define SLO_ARTIFACT_VALIDITY_LOAD_HPP

#include <slo/artifact/artifact.hpp>
#include <slo/artifact/validity_evidence.hpp>
#include <slo/base/json.hpp>
#include <slo/base/text.hpp>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace slo::artifact {

namespace detail {

inline std::string text_of(const json::object& card, std::string_view path)
{
    const auto* value = value_at(card, path);
    const auto* text = value ? value->if_string() : nullptr;
    return text ? std::string(*text) : std::string();
}

inline bool is_same(const json::value& a, const json::value& b)
{
    const auto left = as_number(&a);
    const auto right = as_number(&b);
    return left && right ? *left == *right : to_json(a) == to_json(b);
}

inline const json::array* array_value(const json::object& card, std::string_view path)
{
    const auto* value = value_at(card, path);
    return value ? value->if_array() : nullptr;
}

// The rate and the concurrency of the point that was measured.
inline std::optional<double> load_number(const Artifact& artifact, std::initializer_list<const char*> names)
{
    for (const auto* name : names) {
        if (const auto number = artifact.number(std::string("workload.load.") + name))
            return number;
    }
    return std::nullopt;
}
inline std::optional<double> point_rate(const Artifact& artifact)
{
    if (const auto* rounds = artifact.array("extensions.sloutils.rounds"); rounds && !rounds->empty()) {
        const auto* round = rounds->front().if_object();
        if (const auto rate = round ? number_at(*round, "target_qps") : std::nullopt)
            return rate;
    }
    return load_number(artifact, {"request_rate", "target_qps"});
}
inline std::optional<double> point_concurrency(const Artifact& artifact)
{
    return load_number(artifact, {"concurrency", "max_concurrency", "concurrent_sessions"});
}

// Requests of the run itself that were left out as warm-up.
inline std::optional<double> requests_left_out(const Artifact& artifact)
{
    const auto left_out = artifact.number("extensions.sloutils.warm_up.requests_left_out");
    return left_out ? left_out : artifact.number("extensions.sloutils.warmup_requests");
}

// All requests of a warm-up, with those sent before the run, which are none of the card's num_prompts.
inline std::optional<double> warm_up_requests(const Artifact& artifact)
{
    auto requests = requests_left_out(artifact);
    if (artifact.number("extensions.sloutils.warm_up.requests_left_out"))
        *requests += artifact.number("extensions.sloutils.warm_up.requests_before").value_or(0);
    return requests;
}

// How the load that ran differs from the card's.
inline std::vector<std::string> load_differences(const Artifact& artifact, const json::object& card)
{
    std::vector<std::string> found;
    const auto* load = value_at(card, "load") ? value_at(card, "load")->if_object() : nullptr;
    if (!load)
        return found;
    const auto type = artifact.text("workload.load.type").value_or("");
    const auto wanted = text_of(card, "load.type");
    const bool is_point =
        (wanted == "concurrency-sweep" && type == "concurrency") || (wanted == "sweep" && type == "constant");
    if (!wanted.empty() && type != wanted && !is_point)
        found.push_back(type.empty() ? "no load.type" : "load.type " + printable(type, 40));
    for (const auto& member : *load) {
        const std::string key(member.key().data(), member.key().size());
        const auto* seen = artifact.at("workload.load." + key);
        if (key != "type" && seen && !member.value().is_null() && !is_same(*seen, member.value()))
            found.push_back("load." + key + " " + printable(to_json(*seen), 40));
    }
    const auto near = [](double a, double b) { return std::abs(a - b) <= 0.01 * std::abs(b); };
    const auto among = [&](std::string_view list, const std::optional<double>& point, std::string_view what) {
        const auto* values = array_value(card, list);
        if (!values || !point)
            return;
        const bool is_one = std::any_of(values->begin(), values->end(), [&](const json::value& value) {
            const auto number = as_number(&value);
            return number && near(*point, *number);
        });
        if (!is_one)
            found.push_back(std::string(what) + " " + plain_number(*point) + " is none of the card's");
    };
    const auto rate = point_rate(artifact);
    among("load.rates", rate, "rate");
    among("load.levels", point_concurrency(artifact), "concurrency");
    for (const auto* key : {"load.request_rate", "load.target_qps"}) {
        const auto asked = as_number(value_at(card, key));
        if (asked && rate && !near(*rate, *asked))
            found.push_back("a rate of " + plain_number(*rate));
    }
    for (const auto* key : {"load.num_prompts", "load.num_prompts_per_rate", "load.num_prompts_per_level"}) {
        constexpr double most_missing = 0.05;
        const auto asked = as_number(value_at(card, key));
        const auto sent = artifact.number("metrics.completed").value_or(0) +
                          artifact.number("metrics.failed").value_or(0) +
                          requests_left_out(artifact).value_or(0);
        if (asked && sent < *asked * (1 - most_missing))
            found.push_back(plain_number(sent) + " of " + plain_number(*asked) + " requests");
    }
    return found;
}

} // namespace detail

/// Judges the load and the warm-up of an artifact by its card.
inline void judge_load(const Artifact& artifact, const json::object& card, Findings& findings)
{
    const auto differences = detail::load_differences(artifact, card);
    findings.add("card-load", differences.empty(), evidence_of(artifact, "workload.load"),
                 differences.empty() ? "the same" : listed(differences, 4), "the load of the card");
    double asked = 0;
    for (const auto* key : {"load.warmup_requests", "load.warmup_sessions"})
        asked = std::max(asked, as_number(value_at(card, key)).value_or(0));
    if (asked > 0) {
        const auto done = detail::warm_up_requests(artifact);
        findings.add("warm-up", done && *done >= asked, done ? Evidence::derived : Evidence::absent,
                     done ? plain_number(*done) + " left out" : "not known",
                     "at least " + plain_number(asked));
    }
}

} // namespace slo::artifact

#endif
