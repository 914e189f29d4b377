// SPDX-License-Identifier: MIT
// NVIDIA's cards: those that answer, those that are lost, and what else there is to ask about them.

#ifndef SLO_RUN_NVIDIA_CARDS_HPP
#define SLO_RUN_NVIDIA_CARDS_HPP

#include <slo/base/text.hpp>
#include <slo/io/signals.hpp>
#include <slo/record/gpu_facts.hpp>
#include <slo/run/gpu_preflight_options.hpp>
#include <slo/run/gpu_rows.hpp>
#include <slo/run/lost_cards.hpp>
#include <slo/run/nvidia_smi.hpp>
#include <slo/sys/pci_tree.hpp>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace slo::run {

/// Asks nvidia-smi, or NVML where that program is not there.
class NvidiaCards {
public:
    /// `devices` are those of `tree`; `smi` is left as it answers, for questions under load.
    NvidiaCards(const GpuPreflightOptions& options, const sys::PciTree& tree,
                const std::vector<sys::PciDevice>& devices, NvidiaSmi& smi, io::StopSignal& stop,
                record::PreflightFacts& facts)
        : options_(options), tree_(tree), devices_(devices), smi_(smi), stop_(stop), facts_(facts)
    {
    }

    /// Adds them to the facts; `is_ours` says which processes belong here.
    void ask(const std::function<bool(std::int64_t pid)>& is_ours)
    {
        auto answer = smi_.cards();
        if (answer.problem.kind == "no_nvidia_smi" && !options_.nvml_library().empty())
            ask_nvml(answer);
        else if (!answer.table.rows().empty() || answer.problem.kind == "gpu_lost")
            facts_.asked = "nvidia-smi";
        for (const auto& row : answer.table.rows())
            facts_.gpus.push_back(gpu_of(row));
        const bool needless = answer.problem.kind == "no_nvidia_smi" && !on_bus(sys::pci_vendor_nvidia);
        if (needless && !on_bus(sys::pci_vendor_amd))
            answer.problem = {"no_gpu", "no GPU on this machine, and no nvidia-smi"};
        else if (needless)
            answer.problem = {};
        auto messages = answer.table.messages();
        if (answer.problem.kind == "gpu_lost" && facts_.gpus.empty())
            ask_one_by_one(messages);
        if (facts_.gpus.empty() && answer.problem.kind != "gpu_lost") {
            facts_.smi = explained(std::move(answer.problem));
            return;
        }
        place_only_card();
        const auto answering = facts_.gpus.size();
        LostCards(facts_, devices_, options_.proc_of_machine()).find(messages);
        // The card that is lost says so itself.
        if (answer.problem.kind != "gpu_lost" || facts_.gpus.size() == answering)
            facts_.smi = explained(std::move(answer.problem));
        if (answering > 0)
            ask_further(is_ours);
    }

private:
    // A container may have the driver's libraries without its programs. A library that finds no driver on a
    // machine without such a card means nothing.
    void ask_nvml(NvidiaSmi::Answer& answer)
    {
        const auto library = options_.nvml_library();
        smi_.use_nvml(library);
        auto own = smi_.cards();
        if (own.problem.kind == "no_nvidia_smi") {
            answer.problem.text += ", and " + own.problem.text;
        } else if (own.problem.kind.empty() || !own.table.rows().empty() || on_bus(sys::pci_vendor_nvidia)) {
            facts_.asked = "nvml";
            facts_.notes.push_back(answer.problem.text + ": NVML was asked (" + printable(library, 80) + ")");
            answer = std::move(own);
        }
    }

    // A lost card makes some versions of nvidia-smi give up on all: the others are asked for one by one.
    void ask_one_by_one(std::vector<std::string>& messages)
    {
        std::vector<std::string> answering;
        for (const auto& device : devices_) {
            const bool is_nvidia = device.is_gpu() && device.vendor == sys::pci_vendor_nvidia;
            if (!is_nvidia || stop_.requested())
                continue;
            smi_.ask_only({device.at});
            const auto answer = smi_.cards();
            messages.insert(messages.end(), answer.table.messages().begin(), answer.table.messages().end());
            if (answer.table.rows().size() == 1) {
                facts_.gpus.push_back(gpu_of(answer.table.rows()[0]));
                answering.push_back(device.at);
            } else if (answer.problem.kind != "gpu_lost") {
                facts_.lacks("the card at " + device.at, answer.problem);
            }
        }
        smi_.ask_only(answering);
    }

    void ask_further(const std::function<bool(std::int64_t pid)>& is_ours)
    {
        const auto processes = smi_.processes();
        facts_.lacks("processes on the cards", processes.problem);
        take_processes(processes.table, is_ours, facts_.gpus);
        const auto remapped = smi_.remapped_rows();
        facts_.lacks("remapped memory rows", remapped.problem);
        for (const auto& row : remapped.table.rows()) {
            const auto at = wire::pci_address(row.field("gpu_bus_id").value_or(""));
            for (auto& gpu : facts_.gpus) {
                if (at != gpu.at)
                    continue;
                gpu.remapped_rows_pending = detail::word_of(row, "remapped_rows.pending");
                gpu.remapped_rows_failure = detail::word_of(row, "remapped_rows.failure");
            }
        }
        for (auto& gpu : facts_.gpus)
            gpu.numa_node = tree_.numa_node(gpu.at);
    }

    bool on_bus(std::uint32_t vendor) const
    {
        return std::any_of(devices_.begin(), devices_.end(), [&](const sys::PciDevice& device) {
            return device.is_gpu() && device.vendor == vendor;
        });
    }

    record::SmiProblem explained(record::SmiProblem problem) const
    {
        if (problem.kind == "driver_library_mismatch" && !facts_.host.kernel_module.empty())
            problem.text += "; the kernel module is " + facts_.host.kernel_module;
        if (problem.kind == "no_nvidia_smi" && on_bus(sys::pci_vendor_nvidia))
            problem.text += ", but NVIDIA cards are on the bus: install the driver";
        return problem;
    }

    // A table without addresses still tells where the card is when there is but one.
    void place_only_card()
    {
        std::vector<std::string> addresses;
        for (const auto& device : devices_) {
            if (device.is_gpu() && device.vendor == sys::pci_vendor_nvidia)
                addresses.push_back(device.at);
        }
        if (facts_.gpus.size() == 1 && facts_.gpus[0].at.empty() && addresses.size() == 1)
            facts_.gpus[0].at = addresses[0];
    }

    const GpuPreflightOptions& options_;
    const sys::PciTree& tree_;
    const std::vector<sys::PciDevice>& devices_;
    NvidiaSmi& smi_;
    io::StopSignal& stop_;
    record::PreflightFacts& facts_;
};

} // namespace slo::run

#endif
