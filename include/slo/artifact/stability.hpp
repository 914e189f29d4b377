// SPDX-License-Identifier: MIT
// Whether the throughput of a long run drifts: a burn-in cut into slices.

#ifndef SLO_ARTIFACT_STABILITY_HPP
#define SLO_ARTIFACT_STABILITY_HPP

#include <slo/artifact/artifact.hpp>
#include <slo/artifact/blocks.hpp>
#include <slo/artifact/foreign.hpp>
#include <slo/base/error.hpp>
#include <slo/base/json.hpp>
#include <slo/base/text.hpp>
#include <slo/io/fd.hpp>
#include <slo/record/round.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace slo::artifact {

/// One slice of a long run.
struct Slice {
    std::string name;                   ///< file, or file:line of a round
    double throughput = 0;              ///< output tokens per second
    std::optional<std::int64_t> failed; ///< requests
    std::optional<double> duration_s;   ///< where the slice tells
};

struct StabilityTerms {
    double warmup_minutes = 10;
    std::optional<double> slice_minutes; ///< else what the slices say, else 5
    std::optional<double> max_temp_c;    ///< the hottest that a GPU was, where that was measured
};

/// The gate: how far the last slice may be above, and below, the first hour after the warm-up, in percent;
/// and from which temperature on a GPU slows itself down.
inline constexpr double max_drift_up_pct = 5;
inline constexpr double max_drift_down_pct = 2;
inline constexpr double thermal_limit_c = 85;

/// Whether a drift, in percent of the baseline, is within the gate.
inline bool drift_is_small(double drift_pct) noexcept
{
    return drift_pct >= 0 ? drift_pct <= max_drift_up_pct : -drift_pct <= max_drift_down_pct;
}

namespace detail {

inline Slice slice_of_round(const json::object& record, const std::string& name)
{
    Slice slice{name, 0, std::nullopt, std::nullopt};
    const auto round = record::read_round(record);
    if (round && !round->shard.empty() && !round->shard.ends_with("/1"))
        throw InputError(name, "a round of shard " + round->shard + " is a part of a slice, not one");
    const auto per_minute = number_at(record, "output_tokens_per_minute");
    if (!per_minute && (!round || round->ok != 0))
        throw InputError(name, "a round without output_tokens_per_minute");
    slice.throughput = per_minute.value_or(0) / 60; // nothing succeeded: no token came
    slice.duration_s = round ? round->duration_s : std::nullopt;
    if (round && round->due && round->ok)
        slice.failed = *round->due - *round->ok;
    return slice;
}

inline Slice slice_of(const json::object& object, const std::string& name)
{
    if (record::read_round(object))
        return slice_of_round(object, name);
    json::object metrics;
    if (const auto* of_artifact = object_at(object, "metrics"))
        metrics = *of_artifact;
    else if (const auto tool = detect_foreign(object))
        metrics = foreign_result(object, *tool, name).metrics;
    else if (find(object, "output_throughput")) // of the standard's own slices
        metrics = {{"output_toks_per_s", object.at("output_throughput")},
                   {"failed", find(object, "failed") ? object.at("failed") : json::value(nullptr)}};
    const auto throughput = number_at(metrics, "output_toks_per_s");
    if (!throughput || *throughput < 0)
        throw InputError(name, "no slice of a run: neither a round, nor an artifact or a result with its "
                               "output tokens per second");
    return {name, *throughput, integer_at(metrics, "failed"), number_at(metrics, "duration_s")};
}

// The slices' own length, the median where all tell it: the last one may be cut short.
inline std::optional<double> told_minutes(const std::vector<Slice>& slices)
{
    std::vector<double> lengths_s;
    for (const auto& slice : slices) {
        if (!slice.duration_s || *slice.duration_s <= 0)
            return std::nullopt;
        lengths_s.push_back(*slice.duration_s);
    }
    const auto middle = lengths_s.begin() + static_cast<std::ptrdiff_t>(lengths_s.size() / 2);
    std::nth_element(lengths_s.begin(), middle, lengths_s.end());
    return *middle / 60;
}

} // namespace detail

/// The slices of files, in the order of the files and of their lines: round records, artifacts, and results
/// of other clients, one slice each. Throws IoError, InputError.
inline std::vector<Slice> read_slices(const std::vector<std::string>& paths)
{
    std::vector<Slice> slices;
    for (const auto& path : paths) {
        const auto name = io::display_name(path);
        bool had_nan = false;
        const auto objects = objects_of(io::read_all(path, max_foreign_bytes), name, had_nan);
        for (std::size_t i = 0; i < objects.size(); ++i)
            slices.push_back(detail::slice_of(
                objects[i], objects.size() == 1 ? name : name + ":" + std::to_string(i + 1)));
    }
    return slices;
}

/// The block `stability`: the throughput of the last slice against the mean of the first hour after the
/// warm-up, which is left out. The gate is passed where the drift is within [-2 %, 5 %] and no request
/// failed in any slice; it is undecided (null) where the slices do not reach beyond that hour, or do not tell
/// of failures. Throws InputError without slices, and where the warm-up leaves none.
inline SideBlock stability_block(const std::vector<Slice>& slices, const StabilityTerms& terms)
{
    if (slices.empty())
        throw InputError("stability", "no slices");
    const double minutes =
        terms.slice_minutes ? *terms.slice_minutes : detail::told_minutes(slices).value_or(5);
    if (!(minutes > 0) || !(terms.warmup_minutes >= 0))
        throw InputError("stability", "a slice of no length, or a warm-up below 0");
    const auto slices_in = [minutes](double span) {
        return static_cast<std::size_t>(std::max(1.0, std::floor(std::min(span / minutes, 1e6))));
    };
    const auto warm_up = slices_in(terms.warmup_minutes);
    if (slices.size() <= warm_up)
        throw InputError("stability", "all slices are within the warm-up of " +
                                          format_double(terms.warmup_minutes) + " minutes");
    const auto count = static_cast<double>(slices.size());
    const auto hour = std::min(slices_in(60), slices.size() - warm_up);
    double baseline = 0;
    for (std::size_t i = warm_up; i < warm_up + hour; ++i)
        baseline += slices[i].throughput;
    baseline /= static_cast<double>(hour);
    const double last = slices.back().throughput;

    SideBlock block;
    std::optional<std::int64_t> failed = 0;
    for (const auto& slice : slices)
        failed = failed && slice.failed ? std::optional(*failed + *slice.failed) : std::nullopt;
    const auto drift_pct =
        baseline > 0 ? std::optional((last - baseline) / baseline * 100) : std::optional<double>();
    const bool beyond = slices.size() > warm_up + slices_in(60);
    std::optional<bool> gate = drift_pct && drift_is_small(*drift_pct) && failed.value_or(0) == 0;
    if (*gate && (!beyond || !failed))
        gate.reset();
    if (!beyond)
        block.notes.push_back("stability: no slice lies beyond the first hour after the warm-up, so that a "
                              "drift over time does not show");
    if (!drift_pct)
        block.notes.push_back("stability: nothing was generated in the first hour after the warm-up");
    if (!failed)
        block.notes.push_back("stability: not every slice tells how many requests failed");
    if (!terms.max_temp_c)
        block.notes.push_back("stability: no temperature of GPUs was measured");
    block.value = json::object{
        {"duration_hours", count * minutes / 60},
        {"warmup_minutes", terms.warmup_minutes},
        {"hour_1_throughput", baseline},
        {"final_throughput", last},
        {"throughput_drift_pct", or_null(drift_pct)},
        {"drift_direction",
         drift_pct ? json::value(*drift_pct >= 0 ? "improvement" : "degradation") : json::value(nullptr)},
        {"thermal_events",
         terms.max_temp_c ? json::value(*terms.max_temp_c > thermal_limit_c ? 1 : 0) : json::value(nullptr)},
        {"unrecoverable_errors", or_null(failed)},
        {"drift_gate_passed", or_null(gate)},
        {"num_slices", slices.size()}};
    return block;
}

} // namespace slo::artifact

#endif
