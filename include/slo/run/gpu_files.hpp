// SPDX-License-Identifier: MIT
// Files that tell what GPUs did, of whichever kind, to one account.

#ifndef SLO_RUN_GPU_FILES_HPP
#define SLO_RUN_GPU_FILES_HPP

#include <slo/base/error.hpp>
#include <slo/base/json.hpp>
#include <slo/base/text.hpp>
#include <slo/io/jsonl.hpp>
#include <slo/plan/gpu_activity.hpp>
#include <slo/record/snapshot_file.hpp>
#include <slo/wire/nvidia_smi_csv.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace slo::run {

namespace detail {

inline bool is_json_object(std::string_view line)
{
    try {
        return parse_json(line).is_object();
    } catch (const JsonError&) {
        return false;
    }
}

// One record of prom-snap --every. Its keys are series in the text format.
inline void take_gpu_sample(const json::object& record, plan::GpuActivity& activity)
{
    const auto* values = object_at(record, "values");
    if (!values)
        return;
    std::string text;
    for (const auto& value : *values) {
        if (const auto number = as_number(&value.value()))
            text.append(value.key().data(), value.key().size()).append(" ") += format_double(*number) + "\n";
    }
    auto snapshot = record::parse_snapshot(text, "");
    snapshot.taken_s = record::parse_utc_moment(string_at(record, "time").value_or(""));
    activity.take(snapshot);
}

inline void read_gpu_samples(io::LineReader& lines, std::string_view first, plan::GpuActivity& activity)
{
    take_gpu_sample(parse_json(first).as_object(), activity);
    while (const auto record = io::next_object(lines))
        take_gpu_sample(*record, activity);
}

inline void read_gpu_table(io::LineReader& lines, std::string_view first, plan::GpuActivity& activity)
{
    wire::NvidiaSmiCsv table;
    for (std::optional<std::string_view> line = first; line; line = lines.next()) {
        if (const char* reason = table.take(*line, activity))
            throw lines.error(reason);
    }
}

inline void read_gpu_snapshots(io::LineReader& lines, std::string_view first, plan::GpuActivity& activity)
{
    std::string text(first);
    text += '\n';
    while (const auto line = lines.next()) {
        if (text.size() + line->size() > record::max_snapshot_bytes)
            throw InputError(lines.name(), "larger than 256 MiB");
        text.append(*line) += '\n';
    }
    const auto keep = [](std::string_view name) { return plan::gpu_source_of(name) != nullptr; };
    for (const auto& snapshot : record::parse_snapshots(text, lines.name(), keep))
        activity.take(snapshot);
}

} // namespace detail

/// What files tell of GPUs, in the order of time: snapshots and samples of an exporter's metrics as prom-snap
/// writes them, and tables of `nvidia-smi --query-gpu=timestamp,index,… --format=csv`; "-" is stdin. Throws
/// IoError, and InputError ("file:line: reason").
inline plan::GpuActivity read_gpu_activity(const std::vector<std::string>& paths)
{
    plan::GpuActivity activity;
    for (const auto& path : paths) {
        io::LineReader lines(path);
        auto line = lines.next();
        while (line && trim(*line).empty())
            line = lines.next();
        if (!line)
            continue;
        const std::string first(*line);
        if (detail::is_json_object(first))
            detail::read_gpu_samples(lines, first, activity);
        else if (wire::NvidiaSmiCsv::is_header(first))
            detail::read_gpu_table(lines, first, activity);
        else
            detail::read_gpu_snapshots(lines, first, activity);
    }
    return activity;
}

} // namespace slo::run

#endif
