// SPDX-License-Identifier: MIT
// From the facts of a machine to what speaks against a run on it.

#ifndef SLO_PLAN_PREFLIGHT_RULES_HPP
#define SLO_PLAN_PREFLIGHT_RULES_HPP

#include <slo/plan/findings.hpp>
#include <slo/plan/gpu_rules.hpp>
#include <slo/record/gpu_facts.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace slo::plan {

namespace detail {

inline constexpr double gib = 1024.0 * 1024 * 1024;

inline void offload_rule(const record::PreflightFacts& facts, const Findings& found)
{
    if (!facts.kv_offload_gib)
        return;
    // Engines pin about 1.4 times what they are asked for; 15 GiB keep the system alive.
    constexpr double pinned_share = 1.4, system_gib = 15;
    const double pinned_gib = pinned_share * *facts.kv_offload_gib;
    const auto& host = facts.host;
    if (!host.available_memory_bytes) {
        found.warn("host_memory_unknown", "available host memory is unknown");
    } else if (static_cast<double>(*host.available_memory_bytes) < (pinned_gib + system_gib) * gib) {
        found.red("host_memory",
                  "KV offload of " + format_fixed(*facts.kv_offload_gib, 1) + " GiB needs " +
                      format_fixed(pinned_gib + system_gib, 1) + " GiB of host memory, " +
                      format_fixed(static_cast<double>(*host.available_memory_bytes) / gib, 1) +
                      " GiB are available");
    }
    if (host.memlock_bytes)
        found.warn("memlock",
                   "locked memory is limited to " + std::to_string(*host.memlock_bytes) +
                       " bytes: start the service with memlock unlimited (ulimit -l, --ulimit memlock=-1)");
    constexpr std::uint64_t stack_bytes = 67108864;
    if (host.stack_bytes && *host.stack_bytes < stack_bytes)
        found.note("stack", "the stack is limited to " + std::to_string(*host.stack_bytes) +
                                " bytes; containers of engines are commonly given 67108864 (--ulimit stack)");
}

inline void host_rule(const record::HostFacts& host, const Findings& found)
{
    constexpr double disk_gib = 5;
    constexpr std::uint64_t descriptors = 4096;
    if (!host.workdir.empty() && !host.free_disk_bytes)
        found.warn("disk_unknown",
                   "free space at " + printable(host.workdir) + " is unknown: no such folder");
    else if (host.free_disk_bytes && static_cast<double>(*host.free_disk_bytes) < disk_gib * gib)
        found.warn("disk", "only " + format_fixed(static_cast<double>(*host.free_disk_bytes) / gib, 1) +
                               " GiB free at " + printable(host.workdir));
    if (host.descriptors && *host.descriptors < descriptors)
        found.warn("descriptors", "a process may open only " + std::to_string(*host.descriptors) +
                                      " files (ulimit -Hn): few for a load test");
    // The pstate drivers call their load-following mode powersave.
    const bool follows_load =
        host.governor_driver.starts_with("intel_pstate") || host.governor_driver.starts_with("amd-pstate");
    for (const auto& governor : host.governors) {
        if (governor == "powersave" && !follows_load)
            found.warn("governor", "CPU governor powersave keeps the clock at its lowest");
    }
}

inline bool has_nvidia(const std::vector<record::GpuFacts>& gpus)
{
    return std::any_of(gpus.begin(), gpus.end(), [](auto& gpu) { return gpu.vendor == "nvidia"; });
}

inline void machine_rule(const record::PreflightFacts& facts, const Findings& found)
{
    const auto& gpus = facts.gpus;
    if (!facts.smi.kind.empty())
        found.red(facts.smi.kind, facts.smi.text);
    else if (gpus.empty())
        found.red("no_gpu", "no GPU on this machine");
    for (const auto& gpu : gpus) {
        if (gpu.lost)
            found.about(gpu.at).red("gpu_lost", "lost: the driver does not answer for it" +
                                                    (gpu.message.empty() ? "" : ": " + gpu.message));
    }
    for (const auto& question : facts.unanswered)
        found.warn("not_answered", "could not be asked: " + question);
    for (const auto& message : facts.messages)
        found.warn("nvidia_smi_message",
                   (facts.asked == "nvml" ? "NVML says: " : "nvidia-smi says: ") + message);
    const bool none_visible = std::none_of(gpus.begin(), gpus.end(), [](auto& gpu) { return gpu.visible; });
    if (!gpus.empty() && none_visible)
        found.red("no_visible_gpu", "CUDA_VISIBLE_DEVICES hides every GPU");
    if (has_nvidia(gpus) && !facts.host.kernel_log_unreadable.empty())
        found.note("xid_unknown", "Xid errors are unknown: " + facts.host.kernel_log_unreadable);
}

} // namespace detail

/// All that speaks against a run, the machine's first.
inline std::vector<record::Issue> judge_machine(const record::PreflightFacts& facts)
{
    std::vector<record::Issue> issues;
    const Findings machine(issues);
    detail::machine_rule(facts, machine);
    const bool has_nvidia = detail::has_nvidia(facts.gpus);
    for (const auto& gpu : facts.gpus) {
        const Findings found(issues, gpu_label(gpu));
        if (gpu.vendor != "nvidia" && has_nvidia)
            found.note("other_vendor", "not judged beside NVIDIA cards");
        else if (!gpu.visible)
            found.note("hidden", "hidden by CUDA_VISIBLE_DEVICES: not judged");
        else if (!gpu.lost) {
            judge_gpu(gpu, facts.host, found);
            if (facts.kv_offload_gib && !facts.interrupted)
                detail::offload_bandwidth_rule(gpu, found);
        }
    }
    detail::host_rule(facts.host, machine);
    detail::offload_rule(facts, machine);
    for (const auto& note : facts.notes)
        machine.note("note", note);
    return issues;
}

} // namespace slo::plan

#endif
