// SPDX-License-Identifier: MIT
// What stands in an artifact beside the two sides of its run: the machine, verdicts, gates of long runs.

#ifndef SLO_ARTIFACT_ENVELOPE_SIDES_HPP
#define SLO_ARTIFACT_ENVELOPE_SIDES_HPP

#include <slo/artifact/cold_start.hpp>
#include <slo/artifact/envelope.hpp>
#include <slo/artifact/envelope_options.hpp>
#include <slo/artifact/envelope_sources.hpp>
#include <slo/artifact/gpu_series.hpp>
#include <slo/artifact/named_files.hpp>
#include <slo/artifact/power.hpp>
#include <slo/artifact/quality.hpp>
#include <slo/artifact/stability.hpp>
#include <slo/base/error.hpp>
#include <slo/base/json.hpp>
#include <slo/card/sidecar.hpp>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace slo::artifact {

/// Reads the files of `options` that are not of client or server, after those of the client.
class EnvelopeSides {
public:
    EnvelopeSides(const EnvelopeOptions& options, Sources& sources, Envelope& envelope)
        : options_(options), sources_(sources), envelope_(envelope)
    {
    }

    /// Readings of GPUs within `window`, since 1970, and what gpu-preflight saw. Throws IoError, InputError.
    void read_machine(const card::Sidecar& sidecar, const std::optional<RunWindow>& window)
    {
        if (options_.gpu.empty()) {
            sources_.absent("gpu", "no --gpu given");
        } else if (window) {
            sources_.list("gpu", options_.gpu);
            PowerContext context;
            context.total_output_tokens = number_at(envelope_.metrics(), "total_output_tokens");
            if (const auto* named = sidecar.map("artifacts")) {
                context.load_fraction = number_at(*named, "load_fraction");
                context.sentinel_divergences = integer_at(*named, "sentinel_divergences");
            }
            const auto blocks = power_blocks(read_gpu_series(options_.gpu, options_.gpu_utc_offset_h * 3600),
                                             *window, context);
            envelope_.add_block("power", blocks.power, "gpu");
            envelope_.add_block("hardware_errors", blocks.hardware_errors, "gpu");
            envelope_.add_block("extensions.gpu_telemetry", blocks.gpu_telemetry, "gpu");
            if (const auto power = blocks.power.value)
                if (const auto* temperature = object_at(*power, "temp_c"))
                    max_temp_c_ = number_at(*temperature, "max");
        } else {
            sources_.list("gpu", options_.gpu);
            envelope_.note("gpu: when the run was is not known: give --requests or --run");
        }
        if (options_.preflight.empty())
            return sources_.absent("preflight", "no --preflight given");
        const auto record = sources_.read_object("preflight", options_.preflight);
        if (string_at(record, "schema") != "sloutils.preflight/1")
            throw InputError(options_.preflight, "is no sloutils.preflight/1 record of gpu-preflight");
        const auto* cards = array_at(record, "gpus");
        const auto count = sidecar.integer("infrastructure.gpu.count");
        if (cards && count && static_cast<std::int64_t>(cards->size()) != *count)
            envelope_.note("the sidecar has " + std::to_string(*count) + " GPUs, gpu-preflight saw " +
                           std::to_string(cards->size()));
        envelope_.set_own("preflight", record);
    }

    /// The verdict, the search, and the gates of long runs. Throws IoError, InputError.
    void read_rest()
    {
        if (options_.verdict.empty()) {
            sources_.absent("verdict", "no --verdict given");
        } else {
            const auto record = sources_.read_object("verdict", options_.verdict);
            if (!string_at(record, "status") || !find(record, "rounds_seen"))
                throw InputError(options_.verdict, "is no verdict record of rounds-analyze");
            envelope_.set_own("verdict", record);
        }
        if (options_.search.empty()) {
            sources_.absent("search", "no --search given");
        } else {
            json::value result;
            sources_.read_records("search", options_.search, [&](const json::object& record) {
                if (string_at(record, "event") == "result")
                    result = record;
            });
            if (result.is_null())
                envelope_.note("search: the journal has no result yet");
            envelope_.set_own("search", result);
        }
        read_blocks();
    }

    /// Results of other tools that the sidecar names; what an option gives goes before them. Throws IoError,
    /// InputError.
    void read_named(const card::Sidecar& sidecar)
    {
        const auto* named = sidecar.map("artifacts");
        if (!named)
            return;
        const auto folder = std::filesystem::path(options_.sidecar).parent_path().string();
        const auto blocks = named_blocks(*named, folder, number_at(envelope_.metrics(), "duration_s"),
                                         number_at(envelope_.metrics(), "total_output_tokens"),
                                         [this](const std::string& block, const std::string& path) {
                                             return sources_.read_text("sidecar_" + block, path);
                                         });
        const auto add = [this](const char* path, const SideBlock& block, bool given) {
            if (!given)
                envelope_.add_block(path, block, "sidecar");
        };
        add("quality", blocks.quality, !options_.quality.empty());
        add("power", blocks.power, !options_.gpu.empty());
        add("hardware_errors", blocks.hardware_errors, !options_.gpu.empty());
        add("stability", blocks.stability, !options_.stability.empty());
        add("cold_start", blocks.cold_start, !options_.cold_start.empty());
    }

private:
    void read_blocks()
    {
        const auto listed = [&](const char* name, const std::vector<std::string>& paths) {
            if (paths.empty())
                sources_.absent(name, "no --" + std::string(name) + " given");
            else
                sources_.list(name, paths);
            return !paths.empty();
        };
        if (listed("quality", options_.quality))
            envelope_.add_block("quality", quality_block(options_.quality), "client");
        if (listed("stability", options_.stability)) {
            StabilityTerms terms;
            terms.warmup_minutes = options_.stability_warmup_min;
            terms.slice_minutes = options_.slice_min;
            terms.max_temp_c = max_temp_c_;
            envelope_.add_block("stability", stability_block(read_slices(options_.stability), terms),
                                "derived");
        }
        if (options_.cold_start.empty())
            return sources_.absent("cold_start", "no --cold-start given");
        sources_.list("cold_start", {options_.cold_start});
        envelope_.add_block("cold_start", {read_cold_start(options_.cold_start), {}}, "client");
    }

    const EnvelopeOptions& options_;
    Sources& sources_;
    Envelope& envelope_;
    std::optional<double> max_temp_c_;
};

} // namespace slo::artifact

#endif
