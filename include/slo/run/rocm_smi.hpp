// SPDX-License-Identifier: MIT
// What rocm-smi adds to what sysfs tells of AMD's cards.

#ifndef SLO_RUN_ROCM_SMI_HPP
#define SLO_RUN_ROCM_SMI_HPP

#include <slo/base/text.hpp>
#include <slo/io/signals.hpp>
#include <slo/record/gpu_facts.hpp>
#include <slo/sys/forked.hpp>
#include <slo/wire/rocm_smi.hpp>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace slo::run {

/// An answer of rocm-smi, or why there is none.
struct RocmSmiAnswer {
    std::optional<wire::RocmSmiReport> report;
    bool is_there = true; ///< the program
    std::string problem;
};

/// Asks it; `program` is looked for along PATH. Throws IoError.
inline RocmSmiAnswer ask_rocm_smi(const std::string& program, double timeout_s, io::StopSignal& stop)
{
    using Cause = sys::CommandAnswer::Cause;
    const auto answer = sys::run_bounded({program, "--showbus", "--showtemp", "--showpower", "--showuse",
                                          "--showmeminfo", "vram", "--showpids", "--json"},
                                         timeout_s, stop.fd(), &stop.mask_before());
    const auto name = printable(program, 80);
    switch (answer.cause) {
    case Cause::not_found:
        return {{}, false, name + " is not there"};
    case Cause::timed_out:
        return {{}, true, name + " did not answer within " + format_double(timeout_s) + " s"};
    case Cause::stuck:
        return {{}, true, name + " hangs in the driver and cannot be killed: reboot"};
    case Cause::signalled:
        return {{}, true, name + " was ended by signal " + std::to_string(answer.code)};
    case Cause::stopped:
        return {};
    case Cause::exited:
        break;
    }
    // Its status is not always 0 where it tells all the same.
    if (auto report = wire::parse_rocm_smi(answer.output))
        return {std::move(report), true, {}};
    const auto text = printable(trim(answer.output), 160);
    return {{},
            true,
            name + " ended with status " + std::to_string(answer.code) + " and told of no card" +
                (text.empty() ? "" : ": " + text)};
}

/// Adds what it tells to the cards of AMD among `gpus`; what sysfs told stays. Returns what is to be said
/// about it.
inline std::vector<std::string> take_rocm_report(const wire::RocmSmiReport& report,
                                                 const std::function<bool(std::int64_t pid)>& is_ours,
                                                 std::vector<record::GpuFacts>& gpus)
{
    constexpr double mib = 1024.0 * 1024;
    std::vector<record::GpuFacts*> cards;
    for (auto& gpu : gpus) {
        if (gpu.vendor == "amd")
            cards.push_back(&gpu);
    }
    const bool is_only_one = cards.size() == 1 && report.cards.size() == 1;
    std::vector<std::string> notes;
    for (const auto& said : report.cards) {
        const auto found = std::find_if(cards.begin(), cards.end(), [&](const auto* card) {
            return said.at.empty() ? is_only_one : card->at == said.at;
        });
        if (found == cards.end()) {
            notes.push_back("rocm-smi tells of a card that /sys does not have" +
                            (said.at.empty() ? std::string() : ": " + said.at));
            continue;
        }
        auto& gpu = **found;
        const auto fill = [](std::optional<double>& fact, std::optional<double> value, double unit = 1) {
            if (!fact && value)
                fact = *value / unit;
        };
        fill(gpu.temperature_c, said.temperature_c);
        fill(gpu.power_w, said.power_w);
        fill(gpu.utilization_pct, said.utilization_pct);
        fill(gpu.memory_total_mib, said.memory_total_bytes, mib);
        fill(gpu.memory_used_mib, said.memory_used_bytes, mib);
        if (gpu.memory_total_mib && gpu.memory_used_mib && *gpu.memory_used_mib <= *gpu.memory_total_mib)
            fill(gpu.memory_free_mib, *gpu.memory_total_mib - *gpu.memory_used_mib);
        gpu.implausible.insert(gpu.implausible.end(), said.implausible.begin(), said.implausible.end());
    }
    std::string elsewhere;
    for (const auto& process : report.processes) {
        const auto memory_mib =
            process.memory_bytes ? std::optional(*process.memory_bytes / mib) : std::nullopt;
        if (cards.size() == 1)
            cards[0]->processes.push_back({process.pid, process.name, memory_mib, is_ours(process.pid)});
        else if (elsewhere.size() < 400)
            elsewhere +=
                (elsewhere.empty() ? "" : ", ") + std::to_string(process.pid) + " (" + process.name + ")";
    }
    if (!elsewhere.empty())
        notes.push_back("rocm-smi lists processes, and not on which card: " + elsewhere);
    return notes;
}

} // namespace slo::run

#endif
