// SPDX-License-Identifier: MIT
// The record of a machine before a run (sloutils.preflight/1).

#ifndef SLO_RECORD_PREFLIGHT_HPP
#define SLO_RECORD_PREFLIGHT_HPP

#include <slo/base/json.hpp>
#include <slo/record/gpu_facts.hpp>
#include <slo/record/preflight_issue.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace slo::record {

namespace detail {

// Whole numbers as such: existing readers expect them.
inline json::value figure(const std::optional<double>& value)
{
    if (value && *value == std::floor(*value) && std::abs(*value) < 9e15)
        return static_cast<std::int64_t>(*value);
    return or_null(value);
}

inline json::value text_figure(const std::optional<std::string>& value)
{
    return value ? json_text(*value) : json::value(nullptr);
}

template <class Range>
json::array texts(const Range& range)
{
    json::array array;
    for (const auto& text : range)
        array.push_back(json_text(text));
    return array;
}

inline json::object aer_record(const wire::AerCounters& aer)
{
    return {{"correctable", or_null(aer.correctable)},
            {"fatal", or_null(aer.fatal)},
            {"nonfatal", or_null(aer.nonfatal)}};
}

inline wire::AerCounters aer_of_path(const GpuFacts& gpu)
{
    wire::AerCounters sum;
    for (const auto& hop : gpu.path)
        sum.add(hop.aer);
    return sum;
}

// The object that the classic tool has for its one card.
inline json::object classic_gpu(const GpuFacts& gpu)
{
    return {{"name", text_or_null(gpu.name)},
            {"memory_total_mib", figure(gpu.memory_total_mib)},
            {"memory_free_mib", figure(gpu.memory_free_mib)},
            {"driver", text_or_null(gpu.driver)},
            {"link_gen_current", or_null(gpu.link.gen)},
            {"link_gen_max", or_null(gpu.link.gen_max)},
            {"link_width_current", or_null(gpu.link.width)},
            {"link_width_max", or_null(gpu.link.width_max)}};
}

inline json::array process_records(const std::vector<GpuProcess>& processes)
{
    json::array array;
    for (const auto& process : processes) {
        json::object record{{"pid", process.pid},
                            {"name", json_text(process.name)},
                            {"memory_mib", figure(process.memory_mib)}};
        if (process.ours)
            record["ours"] = true;
        array.push_back(std::move(record));
    }
    return array;
}

// Null where nothing was measured, else by size as the classic tool has it.
inline json::value bandwidth_record(const Bandwidth& bandwidth)
{
    if (bandwidth.sizes.empty())
        return nullptr;
    json::object record;
    for (const auto& size : bandwidth.sizes) {
        const bool failed = !size.error.empty();
        record[std::to_string(size.size_mib)] =
            failed ? json::object{{"error", json_text(size.error)}}
                   : json::object{{"h2d", or_null(size.h2d)}, {"d2h", or_null(size.d2h)}};
    }
    return record;
}

inline json::array path_record(const GpuFacts& gpu)
{
    json::array path;
    for (const auto& hop : gpu.path)
        path.push_back(json::object{{"at", hop.at},
                                    {"gen", or_null(hop.link.gen)},
                                    {"gen_max", or_null(hop.link.gen_max)},
                                    {"width", or_null(hop.link.width)},
                                    {"width_max", or_null(hop.link.width_max)},
                                    {"aer", aer_record(hop.aer)}});
    return path;
}

inline json::array xid_records(const GpuFacts& gpu)
{
    json::array xids;
    for (const auto& xid : gpu.xids)
        xids.push_back(json::object{{"xid", xid.number}, {"text", json_text(xid.text)}});
    return xids;
}

inline std::optional<double> used_fraction(const GpuFacts& gpu)
{
    if (!gpu.memory_total_mib || !gpu.memory_used_mib || !(*gpu.memory_total_mib > 0))
        return std::nullopt;
    return *gpu.memory_used_mib / *gpu.memory_total_mib;
}

inline json::object gpu_record(const GpuFacts& gpu, const LinkVerdict& link)
{
    auto record = classic_gpu(gpu);
    record["vendor"] = gpu.vendor;
    record["index"] = or_null(gpu.index);
    record["pci"] = text_or_null(gpu.at);
    record["uuid"] = text_or_null(gpu.uuid);
    record["visible"] = gpu.visible;
    record["lost"] = gpu.lost;
    if (!gpu.message.empty())
        record["message"] = json_text(gpu.message);
    record["pstate"] = text_or_null(gpu.pstate);
    record["memory_used_mib"] = figure(gpu.memory_used_mib);
    record["memory_used_fraction"] = or_null(used_fraction(gpu));
    record["utilization_pct"] = figure(gpu.utilization_pct);
    record["power_w"] = or_null(gpu.power_w);
    record["fan_pct"] = figure(gpu.fan_pct);
    record["temperature_c"] = figure(gpu.temperature_c);
    record["link"] = json_text(name_of(link.state));
    record["link_under_load"] = gpu.link_under_load;
    record["link_path_min"] = {{"gen", or_null(link.least.gen)},
                               {"width", or_null(link.least.width)},
                               {"at", text_or_null(link.least.at)}};
    record["link_theory_gb_s"] = or_null(link.least.theory_gb_s);
    record["path"] = path_record(gpu);
    record["aer"] = aer_record(aer_of_path(gpu));
    record["aer_in_copy"] = gpu.aer_in_copy ? json::value(aer_record(*gpu.aer_in_copy)) : nullptr;
    record["persistence_mode"] = text_figure(gpu.persistence_mode);
    record["mig_mode"] = text_figure(gpu.mig_mode);
    record["ecc"] = {{"volatile_corrected", figure(gpu.ecc_volatile_corrected)},
                     {"volatile_uncorrected", figure(gpu.ecc_volatile_uncorrected)},
                     {"aggregate_uncorrected", figure(gpu.ecc_aggregate_uncorrected)},
                     {"retired_pages_pending", text_figure(gpu.retired_pages_pending)},
                     {"remapped_rows_pending", text_figure(gpu.remapped_rows_pending)},
                     {"remapped_rows_failure", text_figure(gpu.remapped_rows_failure)}};
    record["throttle_reasons"] = texts(gpu.throttle_reasons);
    record["fields_in_error"] = texts(gpu.fields_in_error);
    record["implausible"] = texts(gpu.implausible);
    record["xids"] = xid_records(gpu);
    record["numa"] = {{"node", or_null(gpu.numa_node)},
                      {"copy_node", or_null(gpu.bandwidth.node)},
                      {"copy_beside_card", or_null(gpu.bandwidth.beside_card)},
                      {"distance", or_null(gpu.bandwidth.node_distance)}};
    record["gpu_procs"] = process_records(gpu.processes);
    record["bandwidth"] = bandwidth_record(gpu.bandwidth);
    return record;
}

inline json::object host_record(const HostFacts& host)
{
    return {{"container", text_or_null(host.container)},
            {"kernel_module", text_or_null(host.kernel_module)},
            {"available_memory_bytes", or_null(host.available_memory_bytes)},
            {"memlock_bytes", or_null(host.memlock_bytes)},
            {"stack_bytes", or_null(host.stack_bytes)},
            {"descriptors", or_null(host.descriptors)},
            {"cpu_governors", texts(host.governors)},
            {"workdir", text_or_null(host.workdir)},
            {"free_disk_bytes", or_null(host.free_disk_bytes)}};
}

inline json::array issue_texts(const std::vector<Issue>& issues, Severity severity)
{
    json::array array;
    for (const auto& issue : issues) {
        if (issue.severity == severity)
            array.push_back(json_text(issue.text));
    }
    return array;
}

} // namespace detail

/// The record; `links` has one verdict for each card. The names of the classic tool, with its meaning for its
/// one card, come first; every card stands in `gpus`.
inline json::object to_record(const PreflightFacts& facts, const std::vector<LinkVerdict>& links,
                              const std::vector<Issue>& issues, Exit exit)
{
    using namespace detail;
    const auto* first = facts.gpus.empty() ? nullptr : &facts.gpus.front();
    json::object record{{"exit", static_cast<int>(exit)}};
    record["gpu"] = first ? json::value(classic_gpu(*first)) : nullptr;
    record["virt"] = text_or_null(facts.host.hypervisor);
    record["aer"] = first ? json::value(aer_record(aer_of_path(*first))) : nullptr;
    json::array processes;
    for (const auto& gpu : facts.gpus) {
        for (auto& process : process_records(gpu.processes))
            processes.push_back(std::move(process));
    }
    record["gpu_procs"] = std::move(processes);
    record["bandwidth"] = first ? bandwidth_record(first->bandwidth) : nullptr;
    record["issues_red"] = issue_texts(issues, Severity::red);
    record["issues_warn"] = issue_texts(issues, Severity::warn);
    if (!first) // what the classic tool writes in place of all this where it finds no card
        record["errors"] = issue_texts(issues, Severity::red);
    json::array gpus, lost;
    for (const auto& gpu : facts.gpus) {
        if (gpu.lost)
            lost.push_back(json_text(gpu.at));
    }
    for (std::size_t i = 0; i < facts.gpus.size(); ++i)
        gpus.push_back(gpu_record(facts.gpus[i], links[i]));
    record["gpus"] = std::move(gpus);
    record["lost"] = std::move(lost);
    record["asked"] = text_or_null(facts.asked);
    json::array all;
    for (const auto& issue : issues)
        all.push_back(json::object{{"severity", json_text(name_of(issue.severity))},
                                   {"kind", json_text(issue.kind)},
                                   {"gpu", text_or_null(issue.gpu)},
                                   {"text", json_text(issue.text)}});
    record["issues"] = std::move(all);
    record["host"] = host_record(facts.host);
    record["kv_offload_gib"] = or_null(facts.kv_offload_gib);
    if (facts.interrupted)
        record["interrupted"] = true;
    record["schema"] = "sloutils.preflight/1";
    return record;
}

} // namespace slo::record

#endif
