// SPDX-License-Identifier: MIT
// What is known of a machine and its cards before a run: facts, without judgement.

#ifndef SLO_RECORD_GPU_FACTS_HPP
#define SLO_RECORD_GPU_FACTS_HPP

#include <slo/wire/pcie.hpp>
#include <slo/wire/xid.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace slo::record {

/// A program that has memory on a card.
struct GpuProcess {
    std::int64_t pid = 0;
    std::string name;
    std::optional<double> memory_mib;
    bool ours = false; ///< named by the user as one that belongs here
};

/// Rates of copies of one size, in GB/s (10^9 bytes).
struct CopyRates {
    int size_mib = 0;
    std::optional<double> h2d, d2h; ///< host to device, device to host
    std::string error;
};

/// What copies between pinned host memory and a card gave.
struct Bandwidth {
    bool wanted = false;
    std::vector<CopyRates> sizes;
    std::string error;                ///< why there are no rates at all
    std::string remark;               ///< the same, where that is nobody's fault
    std::optional<int> node;          ///< NUMA node that the copying thread ran on
    std::optional<bool> beside_card;  ///< whether that thread could be kept on the card's node
    std::optional<int> node_distance; ///< from that node to the card's; 10 is the same node
    bool data_differs = false;        ///< the card gave back other data than it was given
};

/// Facts of one card; nothing, or empty, where they are not known.
struct GpuFacts {
    std::string vendor = "nvidia"; ///< or "amd"
    std::optional<int> index;      ///< nvidia-smi's
    std::string at;                ///< PCI address, as sysfs writes it
    std::string name, uuid, driver, pstate;
    bool visible = true; ///< to CUDA programs, by CUDA_VISIBLE_DEVICES
    bool lost = false;   ///< on the bus, but the driver does not answer for it
    std::string message; ///< of nvidia-smi about it, in place of a row

    std::optional<double> memory_total_mib, memory_free_mib, memory_used_mib;
    std::optional<double> utilization_pct, power_w, fan_pct, temperature_c;

    wire::PcieLink link;             ///< of the card, as the driver says
    std::vector<wire::PcieHop> path; ///< the card and the bridges above it, as the kernel says
    bool link_under_load = false;    ///< the two were read while data was copied, or the card was busy
    std::optional<wire::AerCounters> aer_in_copy; ///< errors that were counted while data was copied

    std::optional<std::string> persistence_mode, mig_mode;
    std::optional<double> ecc_volatile_uncorrected, ecc_aggregate_uncorrected, ecc_volatile_corrected;
    std::optional<std::string> retired_pages_pending, remapped_rows_pending, remapped_rows_failure;
    std::vector<std::string> throttle_reasons; ///< those active
    std::vector<std::string> fields_in_error;  ///< "ERR!", "[GPU requires reset]"
    std::vector<std::string> implausible;      ///< "memory.used -5 MiB": what cannot be, and is unknown here
    std::vector<wire::Xid> xids;

    std::optional<int> numa_node;
    std::vector<GpuProcess> processes;
    Bandwidth bandwidth;
};

/// The weakest figures on the way from a card to its root.
struct LinkMinimum {
    std::optional<int> gen, width;
    std::string at;                    ///< address of the slowest link, "" where no link is known
    std::optional<double> theory_gb_s; ///< of the slowest link
};

/// How a card's link is.
enum class LinkState {
    ok,
    recheck_under_load, ///< slow on an idle card, which may be to save power
    warn,               ///< below its best: a lower generation from 3 on, or fewer lanes
    red,                ///< generation 1 or 2 under load, of a card that can do more
    unknown
};

inline constexpr std::array<std::string_view, 5> link_state_names{"ok", "recheck_under_load", "warn", "red",
                                                                  "unknown"};

/// The name a state has in records.
constexpr std::string_view name_of(LinkState state) noexcept
{
    return link_state_names[static_cast<std::size_t>(state)];
}

/// What the facts say of a card's link.
struct LinkVerdict {
    LinkMinimum least;
    LinkState state = LinkState::unknown;
};

/// Facts of the machine around the cards.
struct HostFacts {
    std::string hypervisor, container; ///< in words; empty for none
    std::string kernel_module;         ///< version of NVIDIA's, as loaded
    std::optional<std::uint64_t> available_memory_bytes;
    std::optional<std::uint64_t> memlock_bytes; ///< the soft limit; nothing: unlimited
    std::optional<std::uint64_t> stack_bytes;   ///< the same
    std::optional<std::uint64_t> descriptors;   ///< the hard limit: what the tools raise themselves to
    std::vector<std::string> governors;
    std::string governor_driver;
    std::string workdir;
    std::optional<std::uint64_t> free_disk_bytes;
    std::string kernel_log_unreadable; ///< why no Xid is known
};

/// Why nvidia-smi gave no table, or not a whole one.
struct SmiProblem {
    std::string kind; ///< "no_nvidia_smi", "driver_library_mismatch", …; empty for none
    std::string text;
};

/// All of it, and what was asked for.
struct PreflightFacts {
    std::vector<GpuFacts> gpus;
    HostFacts host;
    std::string asked; ///< who told of NVIDIA's cards, "nvidia-smi" or "nvml"; empty where nobody did
    SmiProblem smi;
    std::vector<std::string> messages;   ///< of nvidia-smi that belong to no card
    std::vector<std::string> unanswered; ///< "processes: nvidia-smi did not answer within 30 s"
    std::vector<std::string> notes;
    std::optional<double> kv_offload_gib; ///< host memory that a run will pin for KV blocks
    bool interrupted = false;

    /// Puts down a question that has no answer because of that; an interruption speaks for itself.
    void lacks(const std::string& question, const SmiProblem& problem)
    {
        if (!problem.kind.empty() && problem.kind != "interrupted")
            unanswered.push_back(question + ": " + problem.text);
    }
};

} // namespace slo::record

#endif
