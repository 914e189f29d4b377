// SPDX-License-Identifier: MIT
// The rules by which a card is fit for a measurement, one function each.

#ifndef SLO_PLAN_GPU_RULES_HPP
#define SLO_PLAN_GPU_RULES_HPP

#include <slo/plan/findings.hpp>
#include <slo/plan/pcie_link.hpp>
#include <slo/record/gpu_facts.hpp>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace slo::plan {

namespace detail {

using record::GpuFacts;
using record::HostFacts;

inline std::string count_text(double count)
{
    return format_fixed(count, 0);
}

inline void link_rule(const GpuFacts& gpu, const HostFacts& host, const Findings& found)
{
    const bool virtual_machine = !host.hypervisor.empty();
    const auto now = link_minimum(gpu, !virtual_machine);
    const auto most = link_maximum(gpu);
    const auto state = judge_link(gpu, !virtual_machine);
    const auto where = now.at.empty() || now.at == gpu.at ? std::string() : " at " + now.at;
    if (state == LinkState::unknown)
        found.warn("link_unknown", "generation or width of the PCIe link is unknown");
    if (now.width && most.width_max && *now.width < *most.width_max)
        found.warn("link_narrow", "PCIe link runs x" + std::to_string(*now.width) + " of x" +
                                      std::to_string(*most.width_max) + where +
                                      ": check slot, riser and bifurcation");
    if (now.gen && most.gen_max && *now.gen < *most.gen_max) {
        const auto gens = "PCIe link runs at Gen" + std::to_string(*now.gen) + " of Gen" +
                          std::to_string(*most.gen_max) + where;
        const auto is = link_theory_gb_s(*now.gen, 16), could = link_theory_gb_s(*most.gen_max, 16);
        const auto loss = is && could
                              ? ", " + format_fixed(*could / *is, 1) + "x slower (" + format_fixed(*is, 0) +
                                    " in place of " + format_fixed(*could, 0) + " GB/s at x16)"
                              : std::string();
        const std::string advice =
            virtual_machine ? "; in a virtual machine: have the host's slot and passthrough checked"
                            : "; reseat the card, check the riser and the BIOS setting of the slot";
        if (!gpu.link_under_load)
            found.warn("link_unknown_under_load",
                       gens + " on an idle card, which may be to save power: unknown under load");
        else
            found.add(state == LinkState::red ? Severity::red : Severity::warn, "link_slow",
                      gens + " under load" + loss + advice);
    }
    if (virtual_machine && link_minimum(gpu).theory_gb_s < now.theory_gb_s)
        found.note("link_bridges",
                   "bridges above the card are those of a hypervisor; their links are not judged");
}

inline void aer_rule(const GpuFacts& gpu, const HostFacts&, const Findings& found)
{
    constexpr std::uint64_t correctable_limit = 1000;
    wire::AerCounters sum;
    std::string seen;
    for (const auto& hop : gpu.path) {
        sum.add(hop.aer);
        if (hop.aer.fatal.value_or(0) + hop.aer.nonfatal.value_or(0) > 0 ||
            hop.aer.correctable.value_or(0) > correctable_limit)
            seen += (seen.empty() ? " at " : ", ") + hop.at;
    }
    if (!sum.correctable || !sum.nonfatal || !sum.fatal)
        found.note("aer_unknown", "the kernel does not count all PCIe errors of this card (no AER)");
    if (sum.fatal.value_or(0) > 0 || sum.nonfatal.value_or(0) > 0)
        found.red("aer", "PCIe errors since boot: " + std::to_string(sum.fatal.value_or(0)) + " fatal, " +
                             std::to_string(sum.nonfatal.value_or(0)) + " nonfatal" + seen);
    else if (sum.correctable.value_or(0) > correctable_limit)
        found.warn("aer_correctable",
                   "correctable PCIe errors since boot: " + std::to_string(*sum.correctable) + seen);
    else if (gpu.aer_in_copy && gpu.aer_in_copy->correctable.value_or(0) > 0)
        found.warn("aer_correctable",
                   "correctable PCIe errors while copying: " + std::to_string(*gpu.aer_in_copy->correctable));
}

inline void memory_rule(const GpuFacts& gpu, const HostFacts&, const Findings& found)
{
    constexpr double held_limit = 0.5;
    const auto& total = gpu.memory_total_mib;
    if (!total || !(*total > 0) || (!gpu.memory_used_mib && !gpu.memory_free_mib))
        found.warn("memory_unknown", "total or used memory is unknown");
    std::string holders, foreign, unknown;
    double foreign_mib = 0, ours_mib = 0;
    bool ours_known = true;
    const auto append = [](std::string& list, const std::string& name) {
        list += (list.empty() ? "" : ", ") + name;
    };
    for (const auto& process : gpu.processes) {
        const auto name = std::to_string(process.pid) + " (" + process.name + ")";
        if (process.ours) {
            ours_mib += process.memory_mib.value_or(0);
            ours_known = ours_known && process.memory_mib;
        } else if (!process.memory_mib) {
            append(unknown, name);
        } else {
            foreign_mib += *process.memory_mib;
            append(foreign, name);
            if (total && *process.memory_mib > held_limit * *total)
                append(holders, name);
        }
    }
    if (holders.empty() && total && foreign_mib > held_limit * *total)
        holders = foreign;
    if (!unknown.empty())
        found.warn("process_memory_unknown", "memory of other processes is unknown: " + unknown);
    if (!holders.empty())
        found.warn("memory_held", "more than half of the memory is held by " + holders);
    else if (!foreign.empty())
        found.note("memory_shared",
                   "other processes hold " + count_text(foreign_mib) + " MiB of the memory: " + foreign);
    if (!holders.empty() || !total || !(*total > 0) || !gpu.memory_used_mib || !ours_known)
        return;
    const auto used = " (" + count_text(*gpu.memory_used_mib) + " of " + count_text(*total) + " MiB)";
    // A driver keeps a few hundred MiB for itself.
    constexpr double unseen_limit = 0.05;
    if (*gpu.memory_used_mib - ours_mib > held_limit * *total)
        found.warn("memory_held",
                   "more than half of the memory is used" + used + ", by processes not seen from here");
    else if (unknown.empty() && *gpu.memory_used_mib - ours_mib - foreign_mib > unseen_limit * *total)
        found.note("memory_shared", "memory is used" + used + " by processes not seen from here");
}

// One finding for both directions: they share a cause.
inline void rate_rule(std::optional<double> h2d, std::optional<double> d2h, std::optional<double> theory_gb_s,
                      const Findings& found)
{
    constexpr double good_share = 0.55, offload_gb_s = 15;
    const auto below = [&](double limit_gb_s) {
        std::string text;
        const auto take = [&](const char* direction, std::optional<double> rate) {
            if (rate && *rate < limit_gb_s)
                text +=
                    (text.empty() ? "pinned copies: " : ", ") + format_fixed(*rate, 1) + " GB/s " + direction;
        };
        take("host to device", h2d);
        take("device to host", d2h);
        return text;
    };
    if (const auto text = theory_gb_s ? below(good_share * *theory_gb_s) : std::string(); !text.empty())
        found.warn("bandwidth_low", text + "; less than 55 % of the " + format_fixed(*theory_gb_s, 1) +
                                        " GB/s that the link can carry");
    if (const auto text = below(offload_gb_s); !text.empty())
        found.red("bandwidth_offload", text + "; KV offload needs 15 GB/s");
}

// What KV offload lives on; an error has a warning already.
inline void offload_bandwidth_rule(const GpuFacts& gpu, const Findings& found)
{
    const auto& bandwidth = gpu.bandwidth;
    bool h2d = false, d2h = false, explained = !bandwidth.error.empty();
    for (const auto& size : bandwidth.sizes) {
        h2d |= size.h2d.has_value();
        d2h |= size.d2h.has_value();
        explained |= !size.error.empty();
    }
    if ((h2d && d2h) || explained)
        return;
    const auto why = !bandwidth.remark.empty() ? bandwidth.remark
                     : bandwidth.wanted        ? "the copy gave no figure"
                                               : "no copy was made (--no-bandwidth)";
    found.warn("bandwidth_unknown", std::string("KV offload is asked for, but the bandwidth ") +
                                        (h2d   ? "device to host"
                                         : d2h ? "host to device"
                                               : "between host and device") +
                                        " is unknown: " + why);
}

inline void bandwidth_rule(const GpuFacts& gpu, const HostFacts& host, const Findings& found)
{
    const auto& bandwidth = gpu.bandwidth;
    if (!bandwidth.wanted)
        return;
    if (!bandwidth.remark.empty())
        found.note("bandwidth_not_measured", "bandwidth was not measured: " + bandwidth.remark);
    if (!bandwidth.error.empty())
        found.warn("bandwidth_unknown", "bandwidth was not measured: " + bandwidth.error);
    std::optional<double> h2d, d2h;
    for (const auto& size : bandwidth.sizes) {
        if (size.h2d)
            h2d = std::max(*size.h2d, h2d.value_or(0));
        if (size.d2h)
            d2h = std::max(*size.d2h, d2h.value_or(0));
        if (!size.error.empty() && !bandwidth.data_differs)
            found.warn("bandwidth_unknown",
                       "copies of " + std::to_string(size.size_mib) + " MiB failed: " + size.error);
    }
    if (bandwidth.data_differs)
        found.red("data_differs", "copied data came back changed");
    const auto theory_gb_s = link_minimum(gpu, host.hypervisor.empty()).theory_gb_s;
    rate_rule(h2d, d2h, theory_gb_s, found);
    if (bandwidth.beside_card == false)
        found.warn("numa", "this process may not run on the CPUs beside the card (NUMA node " +
                               (gpu.numa_node ? std::to_string(*gpu.numa_node) : "?") + ")");
}

inline void ecc_rule(const GpuFacts& gpu, const HostFacts&, const Findings& found)
{
    if (gpu.ecc_volatile_uncorrected.value_or(0) > 0)
        found.red("ecc", "uncorrected memory errors since the driver was loaded: " +
                             count_text(*gpu.ecc_volatile_uncorrected));
    else if (gpu.ecc_aggregate_uncorrected.value_or(0) > 0)
        found.warn("ecc_history", "uncorrected memory errors in the card's life: " +
                                      count_text(*gpu.ecc_aggregate_uncorrected));
    const auto is_yes = [](const std::optional<std::string>& text) {
        return text && (*text == "Yes" || (parse_double(*text).value_or(0) > 0));
    };
    if (is_yes(gpu.retired_pages_pending))
        found.red("pages_pending", "memory pages wait to be retired: reset the card or reboot");
    if (is_yes(gpu.remapped_rows_pending))
        found.red("pages_pending", "memory rows wait to be remapped: reset the card or reboot");
    if (is_yes(gpu.remapped_rows_failure))
        found.red("remap_failed", "a memory row could not be remapped: the card must be replaced");
}

inline void state_rule(const GpuFacts& gpu, const HostFacts&, const Findings& found)
{
    for (const auto& field : gpu.fields_in_error) {
        const bool useless =
            field.find("reset") != std::string::npos || field.find("is lost") != std::string::npos;
        found.add(useless ? Severity::red : Severity::warn, "card_error", "nvidia-smi gives " + field);
    }
    for (const auto& figure : gpu.implausible)
        found.warn("figure_implausible", figure + " cannot be: taken as unknown");
    std::string reasons;
    for (const auto& reason : gpu.throttle_reasons)
        reasons += (reasons.empty() ? "" : ", ") + reason;
    if (!reasons.empty())
        found.warn("throttled", "clocks are held down: " + reasons);
    if (gpu.persistence_mode == "Disabled")
        found.warn("persistence_off",
                   "persistence mode is off: the driver unloads between runs (nvidia-smi -pm 1)");
    if (gpu.mig_mode == "Enabled")
        found.warn("mig", "MIG is on: a service sees a part of the card, and figures here are of the whole");
}

inline void xid_rule(const GpuFacts& gpu, const HostFacts&, const Findings& found)
{
    std::string hardware, application;
    for (const auto& xid : gpu.xids) {
        auto& list = wire::is_application_xid(xid.number) ? application : hardware;
        const auto number = std::to_string(xid.number);
        if (list.size() < 200 && (", " + list + ",").find(", " + number + ",") == std::string::npos)
            list += (list.empty() ? "" : ", ") + number;
    }
    if (!hardware.empty())
        found.warn("xid", "the kernel log has Xid " + hardware +
                              " of this card since boot; the last: " + gpu.xids.back().text);
    if (!application.empty())
        found.note("xid_application",
                   "the kernel log has Xid " + application + " of this card, which programs can cause");
}

/// Which rule finds what, in the order of its findings.
struct GpuRule {
    std::string_view name;
    void (*judge)(const GpuFacts&, const HostFacts&, const Findings&);
};

inline constexpr std::array<GpuRule, 7> gpu_rules{{{"link", link_rule},
                                                   {"aer", aer_rule},
                                                   {"memory", memory_rule},
                                                   {"bandwidth", bandwidth_rule},
                                                   {"ecc", ecc_rule},
                                                   {"state", state_rule},
                                                   {"xid", xid_rule}}};

} // namespace detail

/// Judges one card that the driver answers for, and that programs may use.
inline void judge_gpu(const record::GpuFacts& gpu, const record::HostFacts& host, const Findings& found)
{
    for (const auto& rule : detail::gpu_rules)
        rule.judge(gpu, host, found);
}

} // namespace slo::plan

#endif
