// SPDX-License-Identifier: MIT
// The results of other tools that a sidecar names under `artifacts`.

#ifndef SLO_ARTIFACT_NAMED_FILES_HPP
#define SLO_ARTIFACT_NAMED_FILES_HPP

#include <slo/artifact/blocks.hpp>
#include <slo/artifact/cold_start.hpp>
#include <slo/artifact/power_summary.hpp>
#include <slo/artifact/quality.hpp>
#include <slo/artifact/stability.hpp>
#include <slo/base/error.hpp>
#include <slo/base/json.hpp>
#include <slo/base/text.hpp>
#include <slo/io/fd.hpp>

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace slo::artifact {

/// How a named file's text is had; throws IoError, InputError.
using ReadNamed = std::function<std::string(const std::string& block, const std::string& path)>;

/// The blocks of those files. A file that cannot be read leaves its block out, with a note, but for quality,
/// whose gate it fails.
struct NamedBlocks {
    SideBlock quality, power, hardware_errors, stability, cold_start;
};

namespace detail {

/// The block `stability` that another analysis wrote. Its gate is what its own figures say: the file's word
/// can only make it worse.
inline SideBlock told_stability(const json::object& file)
{
    SideBlock block;
    json::object kept;
    for (const char* key :
         {"duration_hours", "warmup_minutes", "hour_1_throughput", "final_throughput", "throughput_drift_pct",
          "drift_direction", "thermal_events", "unrecoverable_errors", "num_slices"}) {
        if (const auto* value = find(file, key); value && value->is_primitive())
            kept[key] = *value;
    }
    if (const auto error = string_at(file, "error"))
        block.notes.push_back("stability: " + printable(*error, 200));
    const auto drift_pct = number_at(file, "throughput_drift_pct");
    const auto errors = integer_at(file, "unrecoverable_errors");
    const auto baseline = number_at(file, "hour_1_throughput");
    const auto* told = find(file, "drift_gate_passed");
    std::optional<bool> gate;
    if (drift_pct && errors && baseline)
        gate = drift_is_small(*drift_pct) && *errors == 0 && *baseline > 0;
    if (told && *told == json::value(false))
        gate = false;
    if (told && *told == json::value(true) && gate != true)
        block.notes.push_back("stability: the file calls its gate passed, its figures do not");
    kept["drift_gate_passed"] = or_null(gate);
    block.value = std::move(kept);
    return block;
}

inline std::vector<std::string> names_at(const json::object& artifacts, std::string_view key)
{
    std::vector<std::string> names;
    if (const auto name = string_at(artifacts, key))
        names.emplace_back(*name);
    if (const auto* list = array_at(artifacts, key)) {
        for (const auto& name : *list) {
            if (name.is_string())
                names.emplace_back(name.get_string());
        }
    }
    return names;
}

} // namespace detail

/// Reads what `artifacts` of a sidecar names: quality (one file or several), power (a summary of the
/// standard's sampler), stability, cold_start; `run_s` is how long the run took. Names are relative to
/// `folder`.
inline NamedBlocks named_blocks(const json::object& artifacts, const std::string& folder,
                                std::optional<double> run_s, std::optional<double> total_output_tokens,
                                const ReadNamed& read)
{
    NamedBlocks blocks;
    // Hands on the object in the file, or says why there is none.
    const auto open = [&](const char* block, const std::string& name, const auto& take,
                          const auto& complain) {
        const auto path = (std::filesystem::path(folder) / name).string();
        try {
            auto value = parse_json(read(block, path));
            if (!value.is_object())
                throw InputError("not a JSON object");
            take(value.get_object());
        } catch (const Error& error) {
            const std::string_view what = error.what();
            complain(std::string(what.starts_with(path + ": ") ? what.substr(path.size() + 2) : what));
        }
    };
    std::vector<QualityFile> evals;
    for (const auto& name : detail::names_at(artifacts, "quality")) {
        QualityFile file{name, std::nullopt, ""};
        open(
            "quality", name, [&](json::object& object) { file.content = std::move(object); },
            [&](std::string why) { file.why_not = std::move(why); });
        evals.push_back(std::move(file));
    }
    blocks.quality = quality_of(evals);

    PowerContext context;
    context.total_output_tokens = total_output_tokens;
    context.load_fraction = number_at(artifacts, "load_fraction");
    context.sentinel_divergences = integer_at(artifacts, "sentinel_divergences");
    const auto one = [&](const char* key, SideBlock& block, const auto& take) {
        for (const auto& name : detail::names_at(artifacts, key))
            open(key, name, take, [&](const std::string& why) {
                block.notes.push_back(std::string(key) + ": " + printable(name, 200) + ": " + why);
            });
    };
    one("power", blocks.power, [&](const json::object& file) {
        auto told = power_of_summary(file, "power", run_s, context);
        blocks.power = std::move(told.power);
        blocks.hardware_errors = std::move(told.hardware_errors);
    });
    one("stability", blocks.stability,
        [&](const json::object& file) { blocks.stability = detail::told_stability(file); });
    one("cold_start", blocks.cold_start,
        [&](const json::object& file) { blocks.cold_start.value = cold_start_block(file, "cold_start"); });
    return blocks;
}

} // namespace slo::artifact

#endif
