// SPDX-License-Identifier: MIT
// How sure a probe of a search is, and how far from the edge it was: what verdicts say of it, and records.

#ifndef SLO_RECORD_PROBE_EVIDENCE_HPP
#define SLO_RECORD_PROBE_EVIDENCE_HPP

#include <slo/base/json.hpp>
#include <slo/base/text.hpp>
#include <slo/record/verdict.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace slo::record {

/// The distance of a probe from the edge of one objective, above 0 on the failing side.
struct ProbeMargin {
    std::string objective;
    double margin = 0;
    double margin_error = 0; ///< its standard error, above 0
};

/// What stands for the objective of a verdict that has only the interval of its deciding latency.
inline constexpr std::string_view deciding_latency = "avg_p50_latency_s";

/// What makes a verdict more than a pass or a fail. Everything may be absent.
struct ProbeEvidence {
    std::vector<ProbeMargin> margins;
    std::optional<double> rounds;         ///< behind the verdict
    std::optional<double> confidence;     ///< with which it is stated, 0 to 1
    std::optional<Confidence> interval{}; ///< of the deciding latency; not kept in the record of a probe
    std::optional<double> judged_slo_s{}; ///< what that was compared with; not kept either
    std::vector<std::int64_t> looks{};    ///< rounds after which the verdict was to look
    std::optional<std::uint64_t> seed{};  ///< told to the command
    std::size_t too_many_objectives = 0;  ///< so many that none was taken; not kept
};

/// No verdict has more objectives than this.
inline constexpr std::size_t most_objectives = 64;

/// The objectives that a verdict named, in order; none for one that judged by its deciding latency.
inline std::set<std::string> named_objectives(const ProbeEvidence& evidence)
{
    std::set<std::string> names;
    for (const auto& margin : evidence.margins)
        if (margin.objective != deciding_latency)
            names.insert(margin.objective);
    return names;
}

/// A share for people, with no more digits than it has: "95 %", "99.9 %".
inline std::string percent_text(double share)
{
    auto text = format_fixed(100 * share, 4);
    text.erase(text.find_last_not_of('0') + 1);
    if (text.ends_with('.'))
        text.pop_back();
    return text + " %";
}

namespace detail {

inline std::optional<double> share_at(const json::object& object, std::string_view key)
{
    const auto share = number_at(object, key);
    return share && *share > 0 && *share < 1 ? share : std::nullopt;
}

inline void read_margins(const json::array& objectives, ProbeEvidence& evidence)
{
    if (objectives.size() > most_objectives) {
        evidence.too_many_objectives = objectives.size();
        return;
    }
    for (const auto& value : objectives) {
        const auto* objective = value.if_object();
        const auto margin = objective ? number_at(*objective, "margin") : std::nullopt;
        const auto error = objective ? number_at(*objective, "margin_error") : std::nullopt;
        if (margin && error && *error > 0)
            evidence.margins.push_back(
                {printable(string_at(*objective, "objective").value_or(""), 200), *margin, *error});
    }
}

} // namespace detail

/// The evidence in a verdict record or in the record of a probe; what is no finite number in its range is
/// absent.
inline ProbeEvidence read_evidence(const json::object& record)
{
    ProbeEvidence evidence;
    const auto* margins = array_at(record, "margins");
    if (!margins)
        margins = array_at(record, "objectives");
    if (margins)
        detail::read_margins(*margins, evidence);
    for (const auto* key : {"rounds", "rounds_seen"})
        if (const auto rounds = number_at(record, key); rounds && *rounds >= 0 && !evidence.rounds)
            evidence.rounds = rounds;
    evidence.confidence = detail::share_at(record, "confidence");
    if (const auto* certainty = object_at(record, "certainty"))
        evidence.confidence = detail::share_at(*certainty, "level");
    if (const auto* interval = object_at(record, "confidence")) {
        const auto level = detail::share_at(*interval, "level");
        const auto low = number_at(*interval, "low_s");
        const auto high = number_at(*interval, "high_s");
        if (level && low && high && *low <= *high)
            evidence.interval = Confidence{*level, *low, *high, 0};
    }
    if (const auto slo = number_at(record, "slo_s"); slo && *slo > 0)
        evidence.judged_slo_s = slo;
    if (const auto* looks = array_at(record, "looks"); looks && looks->size() <= most_objectives)
        for (const auto& look : *looks)
            if (const auto* rounds = look.if_int64())
                evidence.looks.push_back(*rounds);
    if (const auto* seed = find(record, "seed"))
        evidence.seed = seed->is_uint64()  ? std::optional(seed->get_uint64())
                        : seed->is_int64() ? std::optional(static_cast<std::uint64_t>(seed->get_int64()))
                                           : std::nullopt;
    return evidence;
}

/// Adds to the record of a probe what there is of evidence.
inline void add_evidence(json::object& record, const ProbeEvidence& evidence)
{
    if (evidence.confidence)
        record["confidence"] = *evidence.confidence;
    if (!evidence.margins.empty()) {
        json::array margins;
        for (const auto& margin : evidence.margins)
            margins.push_back(json::object{{"objective", json_text(margin.objective)},
                                           {"margin", margin.margin},
                                           {"margin_error", margin.margin_error}});
        record["margins"] = std::move(margins);
    }
    if (evidence.rounds)
        record["rounds"] = *evidence.rounds;
    if (!evidence.looks.empty())
        record["looks"] = json::array(evidence.looks.begin(), evidence.looks.end());
    if (evidence.seed)
        record["seed"] = *evidence.seed;
}

} // namespace slo::record

#endif
