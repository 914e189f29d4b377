// SPDX-License-Identifier: MIT
// The facts of a machine and its cards, from nvidia-smi, the kernel and copies.

#ifndef SLO_RUN_GPU_SURVEY_HPP
#define SLO_RUN_GPU_SURVEY_HPP

#include <slo/base/text.hpp>
#include <slo/io/signals.hpp>
#include <slo/plan/visible_devices.hpp>
#include <slo/record/gpu_facts.hpp>
#include <slo/run/amd_cards.hpp>
#include <slo/run/gpu_bandwidth.hpp>
#include <slo/run/gpu_preflight_options.hpp>
#include <slo/run/nvidia_cards.hpp>
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
        NvidiaCards(options_, tree_, devices_, smi_, stop_, facts_).ask([this](std::int64_t pid) {
            return is_ours(pid);
        });
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
                facts_.lacks("the link of the card at " + gpu.at + " under load",
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
