// SPDX-License-Identifier: MIT
// Files that tell what GPUs did, of whichever kind, to whoever listens.

#ifndef SLO_RECORD_GPU_FILES_HPP
#define SLO_RECORD_GPU_FILES_HPP

#include <slo/base/error.hpp>
#include <slo/base/json.hpp>
#include <slo/base/text.hpp>
#include <slo/io/jsonl.hpp>
#include <slo/record/snapshot_file.hpp>
#include <slo/wire/nvidia_smi_csv.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace slo::record {

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
template <class Sink>
void take_gpu_sample(const json::object& record, Sink& sink)
{
    const auto* values = object_at(record, "values");
    if (!values)
        return;
    std::string text;
    for (const auto& value : *values) {
        if (const auto number = as_number(&value.value()))
            text.append(value.key().data(), value.key().size()).append(" ") += format_double(*number) + "\n";
    }
    auto snapshot = parse_snapshot(text, "");
    snapshot.taken_s = parse_utc_moment(string_at(record, "time").value_or(""));
    sink.take(snapshot);
}

template <class Sink>
void read_gpu_samples(io::LineReader& lines, std::string_view first, Sink& sink)
{
    take_gpu_sample(parse_json(first).as_object(), sink);
    while (const auto record = io::next_object(lines))
        take_gpu_sample(*record, sink);
}

template <class Sink>
void read_gpu_table(io::LineReader& lines, std::string_view first, Sink& sink)
{
    wire::NvidiaSmiCsv table;
    for (std::optional<std::string_view> line = first; line; line = lines.next()) {
        if (const char* reason = table.take(*line, sink))
            throw lines.error(reason);
    }
}

template <class Sink>
void read_gpu_snapshots(io::LineReader& lines, std::string_view first, Sink& sink, const NameFilter& keep)
{
    std::string text(first);
    text += '\n';
    while (const auto line = lines.next()) {
        if (text.size() + line->size() > max_snapshot_bytes)
            throw InputError(lines.name(), "larger than 128 MiB");
        text.append(*line) += '\n';
    }
    for (const auto& snapshot : parse_snapshots(text, lines.name(), keep))
        sink.take(snapshot);
}

} // namespace detail

/// Hands what files tell of GPUs to `sink`, in the order of the files: snapshots and samples of an exporter's
/// metrics as prom-snap writes them to `sink.take(const Snapshot&)`, and tables of `nvidia-smi
/// --query-gpu=timestamp,index,… --format=csv` to `sink.reading()` (see wire::NvidiaSmiCsv); "-" is stdin.
/// Of snapshots only the metrics that `keep` names are read. Throws IoError, and InputError ("file:line:
/// reason").
template <class Sink>
void read_gpu_files(const std::vector<std::string>& paths, Sink& sink, const NameFilter& keep)
{
    for (const auto& path : paths) {
        io::LineReader lines(path);
        auto line = lines.next();
        while (line && trim(*line).empty())
            line = lines.next();
        if (!line)
            continue;
        const std::string first(*line);
        if (detail::is_json_object(first))
            detail::read_gpu_samples(lines, first, sink);
        else if (wire::NvidiaSmiCsv::is_header(first))
            detail::read_gpu_table(lines, first, sink);
        else
            detail::read_gpu_snapshots(lines, first, sink, keep);
    }
}

} // namespace slo::record

#endif
