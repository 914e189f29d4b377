// SPDX-License-Identifier: MIT
// The facts of a machine and its cards, from nvidia-smi, the kernel and copies.

#ifndef SLO_RUN_GPU_SURVEY_HPP
#define SLO_RUN_GPU_SURVEY_HPP

#include <slo/base/error.hpp>
#include <slo/base/text.hpp>
#include <slo/io/signals.hpp>
#include <slo/plan/visible_devices.hpp>
#include <slo/record/gpu_facts.hpp>
#include <slo/run/amd_cards.hpp>
#include <slo/run/gpu_bandwidth.hpp>
#include <slo/run/gpu_preflight_options.hpp>
#include <slo/run/gpu_rows.hpp>
#include <slo/run/lost_cards.hpp>
#include <slo/run/nvidia_smi.hpp>
#include <slo/run/rocm_smi.hpp>
#include <slo/sys/host.hpp>
#include <slo/sys/kernel_log.hpp>
#include <slo/sys/pci_tree.hpp>
#include <slo/sys/virtualization.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace slo::run {

/// Gathers what there is to know of the machine.
class GpuSurvey {
public:
    /// Throws UsageError.
    GpuSurvey(const GpuPreflightOptions& options, io::StopSignal& stop)
        : options_(options), our_pids_(options.checked()), stop_(stop), tree_(options.sysfs),
          devices_(tree_.devices()), smi_(options.nvidia_smi, options.timeout_s, stop)
    {
    }

    /// Throws IoError where not even a process can be started.
    record::PreflightFacts facts()
    {
        facts_.kv_offload_gib = options_.kv_offload_gib;
        look_at_host();
        ask_nvidia_smi();
        ask_rocm_smi();
        for (auto& gpu : facts_.gpus)
            gpu.path = tree_.path_to_root(gpu.at);
        if (const char* visible = std::getenv("CUDA_VISIBLE_DEVICES")) {
            const char* order = std::getenv("CUDA_DEVICE_ORDER");
            const bool by_bus = order && std::string_view(order) == "PCI_BUS_ID";
            if (const auto note = plan::mark_visible(facts_.gpus, visible, by_bus))
                facts_.notes.push_back(*note);
        }
        read_kernel_log();
        measure();
        facts_.interrupted = stop_.requested();
        return std::move(facts_);
    }

private:
    void look_at_host()
    {
        auto& host = facts_.host;
        host.hypervisor = sys::hypervisor(options_.sysfs, options_.proc_of_machine(), devices_);
        host.container = sys::container(options_.proc_of_machine());
        host.kernel_module = sys::small_file_line(options_.sysfs + "/module/nvidia/version").value_or("");
        host.available_memory_bytes =
            sys::available_memory_bytes(options_.proc.value_or("/proc"), options_.sysfs);
        if (const auto limit = sys::resource_limit(RLIMIT_MEMLOCK))
            host.memlock_bytes = limit->soft;
        if (const auto limit = sys::resource_limit(RLIMIT_STACK))
            host.stack_bytes = limit->soft;
        if (const auto limit = sys::resource_limit(RLIMIT_NOFILE))
            host.descriptors = limit->hard;
        const auto governors = sys::cpu_governors(options_.sysfs);
        host.governors.assign(governors.governors.begin(), governors.governors.end());
        host.governor_driver = governors.driver;
        host.workdir = options_.workdir;
        host.free_disk_bytes = sys::free_disk_bytes(options_.workdir);
    }

    bool on_bus(std::uint32_t vendor) const
    {
        return std::any_of(devices_.begin(), devices_.end(), [&](const sys::PciDevice& device) {
            return device.is_gpu() && device.vendor == vendor;
        });
    }

    void ask_nvidia_smi()
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
            ask_further();
    }

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
                heard("the card at " + device.at, answer.problem);
            }
        }
        smi_.ask_only(answering);
    }

    // Puts down what an answer lacks.
    void heard(const std::string& question, const record::SmiProblem& problem)
    {
        if (!problem.kind.empty() && problem.kind != "interrupted")
            facts_.unanswered.push_back(question + ": " + problem.text);
    }

    void ask_further()
    {
        const auto processes = smi_.processes();
        heard("processes on the cards", processes.problem);
        take_processes(
            processes.table, [this](std::int64_t pid) { return is_ours(pid); }, facts_.gpus);
        const auto remapped = smi_.remapped_rows();
        heard("remapped memory rows", remapped.problem);
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

    void ask_rocm_smi()
    {
        auto cards = amd_cards(tree_, devices_);
        if (cards.empty())
            return;
        const bool judged = facts_.gpus.empty(); // not beside cards of NVIDIA
        for (auto& gpu : cards)
            facts_.gpus.push_back(std::move(gpu));
        const auto program = options_.rocm_program();
        if (program.empty())
            return;
        const auto answer = run::ask_rocm_smi(program, options_.timeout_s, stop_);
        if (!answer.is_there)
            facts_.notes.push_back(answer.problem + ": temperature and processes of AMD cards are unknown");
        else if (!answer.problem.empty())
            (judged ? facts_.unanswered : facts_.notes).push_back("AMD cards: " + answer.problem);
        if (!answer.report)
            return;
        const auto is_ours = [this](std::int64_t pid) { return this->is_ours(pid); };
        for (const auto& note : take_rocm_report(*answer.report, is_ours, facts_.gpus))
            facts_.notes.push_back(note);
    }

    // One of --our-pid, or a descendant: engines hold their memory in workers.
    bool is_ours(std::int64_t pid) const
    {
        constexpr int deepest = 64;
        std::optional<std::int64_t> at = pid;
        for (int i = 0; at && i < deepest; ++i) {
            if (std::find(our_pids_.begin(), our_pids_.end(), *at) != our_pids_.end())
                return true;
            at = sys::parent_pid(options_.proc.value_or("/proc"), *at);
        }
        return false;
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

    void read_kernel_log()
    {
        const auto log = sys::read_kernel_log(options_.kernel_log);
        facts_.host.kernel_log_unreadable = log.unreadable.value_or("");
        for (auto& gpu : facts_.gpus) {
            for (const auto& xid : log.xids) {
                if (xid.at == gpu.at)
                    gpu.xids.push_back(xid);
            }
        }
    }

    void measure()
    {
        const BandwidthOptions how{options_.libcuda, options_.timeout_s, options_.wake_up_s,
                                   facts_.host.hypervisor.empty()};
        for (auto& gpu : facts_.gpus) {
            const bool judged = gpu.visible && !gpu.lost && gpu.vendor == facts_.gpus.front().vendor;
            if (options_.no_bandwidth || !judged || stop_.requested())
                continue;
            gpu.bandwidth.wanted = true;
            if (gpu.vendor != "nvidia")
                gpu.bandwidth.error = "only the CUDA driver is known here";
            else if (gpu.at.empty())
                gpu.bandwidth.error = "the card's PCI address is unknown";
            else
                heard("the link of the card at " + gpu.at + " under load",
                      BandwidthRun(how, tree_, smi_, stop_, gpu).run());
        }
    }

    const GpuPreflightOptions& options_;
    std::vector<std::int64_t> our_pids_;
    io::StopSignal& stop_;
    sys::PciTree tree_;
    std::vector<sys::PciDevice> devices_;
    NvidiaSmi smi_;
    record::PreflightFacts facts_;
};

} // namespace slo::run

#endif
