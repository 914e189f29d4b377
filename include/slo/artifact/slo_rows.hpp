// SPDX-License-Identifier: MIT
// The objectives of a deployment held against what was measured.

#ifndef SLO_ARTIFACT_SLO_ROWS_HPP
#define SLO_ARTIFACT_SLO_ROWS_HPP

#include <slo/artifact/artifact.hpp>
#include <slo/base/error.hpp>
#include <slo/base/json.hpp>

#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace slo::artifact {

/// An objective of a sidecar, the figure of `metrics` that it is about, and whether the figure must be at
/// least the target; else it must be at most the target.
struct SloKey {
    std::string_view key;
    std::string_view metric;
    bool is_floor = false;
};

inline constexpr std::array slo_keys{SloKey{"ttft_p99_ms", "ttft_ms.p99"},
                                     SloKey{"tpot_p99_ms", "tpot_ms.p99"}, SloKey{"e2e_p99_ms", "e2e_ms.p99"},
                                     SloKey{"error_rate_max", "error_rate"},
                                     SloKey{"throughput_floor_toks", "output_toks_per_s", true}};

/// The block `slo` of an artifact: a row {target, actual, pass} for each target that `targets` has, in the
/// order of slo_keys. A figure that was not measured has pass null; overall_pass is true only where every row
/// passes. Nothing where there are no targets: a run that was held against nothing has passed nothing. Throws
/// InputError for a target that is no number.
inline std::optional<json::object> slo_block(const json::object* targets, const json::object& metrics)
{
    json::object asked;
    json::object results;
    bool overall = true;
    for (const auto& known : slo_keys) {
        const auto* target = targets ? find(*targets, known.key) : nullptr;
        if (!target || target->is_null())
            continue;
        const auto limit = as_number(target);
        if (!limit || !std::isfinite(*limit))
            throw InputError("slo." + std::string(known.key), "is no number");
        auto actual = as_number(value_at(metrics, known.metric));
        if (actual && !std::isfinite(*actual))
            actual.reset();
        std::optional<bool> pass;
        if (actual)
            pass = known.is_floor ? *actual >= *limit : *actual <= *limit;
        overall = overall && pass.value_or(false);
        asked[known.key] = *target;
        results[known.key] =
            json::object{{"target", *target}, {"actual", or_null(actual)}, {"pass", or_null(pass)}};
    }
    if (asked.empty())
        return std::nullopt;
    return json::object{
        {"targets", std::move(asked)}, {"results", std::move(results)}, {"overall_pass", overall}};
}

} // namespace slo::artifact

#endif
