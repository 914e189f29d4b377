// SPDX-License-Identifier: MIT
// Copies to and from a card in a process of their own, and the card's link while they run.

#ifndef SLO_RUN_GPU_BANDWIDTH_HPP
#define SLO_RUN_GPU_BANDWIDTH_HPP

#include <slo/base/clock.hpp>
#include <slo/base/json.hpp>
#include <slo/io/signals.hpp>
#include <slo/plan/pcie_link.hpp>
#include <slo/record/gpu_facts.hpp>
#include <slo/run/gpu_rows.hpp>
#include <slo/run/nvidia_smi.hpp>
#include <slo/sys/cuda_copy.hpp>
#include <slo/sys/forked.hpp>
#include <slo/sys/host.hpp>
#include <slo/sys/pci_tree.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace slo::run {

/// How the copies are made.
struct BandwidthOptions {
    std::string library;       ///< the CUDA driver's
    double timeout_s = 30;     ///< for one card
    double wake_up_s = 1.5;    ///< how long a link may take to come up under the load
    bool trust_bridges = true; ///< false in a virtual machine
};

/// Measures one card, and fills in its link under load, its bandwidth, and what the copies did to the error
/// counters.
class BandwidthRun {
public:
    BandwidthRun(const BandwidthOptions& options, const sys::PciTree& tree, const NvidiaSmi& smi,
                 io::StopSignal& stop, record::GpuFacts& gpu)
        : options_(options), tree_(tree), smi_(smi), stop_(stop), gpu_(gpu),
          cpus_(sys::number_list(tree.line(gpu.at, "local_cpulist").value_or(""))),
          child_(
              [&](int in, int out) {
                  return sys::CudaCopy::run({options_.library, gpu_.at, cpus_}, in, out);
              },
              &stop.mask_before()),
          until_ns_(monotonic_ns() + to_ns(options.timeout_s))
    {
    }

    /// Returns what kept nvidia-smi from telling the link under load, if anything.
    record::SmiProblem run()
    {
        const auto before = errors_on_path(gpu_.path);
        auto event = sys::Forked::Event::output;
        while (event == sys::Forked::Event::output) {
            event = child_.wait(until_ns_, stop_.fd());
            take_lines();
        }
        explain(event, child_.finish(event == sys::Forked::Event::ended ? 1 : 0));
        if (link_read_)
            gpu_.link_under_load = loaded_;
        gpu_.path = with_links_of(gpu_.path);
        count_errors(before, errors_on_path(gpu_.path));
        if (gpu_.numa_node && gpu_.bandwidth.node)
            gpu_.bandwidth.node_distance =
                sys::numa_distance(tree_.root(), *gpu_.bandwidth.node, *gpu_.numa_node);
        return problem_;
    }

private:
    static wire::AerCounters errors_on_path(const std::vector<wire::PcieHop>& path)
    {
        wire::AerCounters sum;
        for (const auto& hop : path)
            sum.add(hop.aer);
        return sum;
    }

    // The counters as they are now, the links as they were under load.
    std::vector<wire::PcieHop> with_links_of(const std::vector<wire::PcieHop>& loaded) const
    {
        auto path = tree_.path_to_root(gpu_.at);
        for (std::size_t i = 0; i < path.size() && i < loaded.size(); ++i)
            path[i].link = loaded[i].link;
        return path;
    }

    void take_lines()
    {
        auto& text = child_.text();
        for (auto end = text.find('\n'); end != std::string::npos; end = text.find('\n')) {
            const auto line = text.substr(0, end);
            text.erase(0, end + 1);
            // A driver may print, too; it has no say here.
            if (line.starts_with('{'))
                take(parse_json(line).as_object());
        }
    }

    void take(const json::object& said)
    {
        auto& bandwidth = gpu_.bandwidth;
        const auto text = [&](const char* key) { return std::string(string_at(said, key).value_or("")); };
        if (text("phase") == "loaded") {
            loaded_ = integer_at(said, "copies").value_or(0) > 0;
        } else if (find(said, "phase")) {
            bandwidth.node = static_cast<int>(integer_at(said, "node").value_or(0));
            if (const auto* beside = find(said, "beside_card"); beside && beside->is_bool())
                bandwidth.beside_card = beside->get_bool();
            watch_link();
            child_.send("go\n");
        } else if (const auto size_mib = integer_at(said, "size_mib")) {
            const auto* differs = find(said, "differs");
            bandwidth.data_differs |= differs && differs->is_bool() && differs->get_bool();
            bandwidth.sizes.push_back(
                {static_cast<int>(*size_mib), number_at(said, "h2d"), number_at(said, "d2h"), text("error")});
        } else {
            bandwidth.remark = text("remark");
            bandwidth.error = text("error");
        }
    }

    // Reads the link until it is as good as it should be, or the time for that is over.
    void watch_link()
    {
        const auto give_up_ns = monotonic_ns() + to_ns(options_.wake_up_s);
        do {
            gpu_.path = tree_.path_to_root(gpu_.at);
            const bool driver_tells = read_driver_link();
            const auto kernel = std::find_if(gpu_.path.begin(), gpu_.path.end(),
                                             [&](const auto& hop) { return hop.at == gpu_.at; });
            // What the driver said before was of the idle card.
            if (!driver_tells)
                gpu_.link.gen = gpu_.link.width = std::nullopt;
            link_read_ = driver_tells || (kernel != gpu_.path.end() && kernel->link.gen);
            auto loaded = gpu_;
            loaded.link_under_load = true;
            const auto state = plan::judge_link(loaded, options_.trust_bridges);
            if (state == record::LinkState::ok || state == record::LinkState::unknown)
                return;
        } while (child_.wait(std::min(give_up_ns, monotonic_ns() + to_ns(0.05)), stop_.fd()) ==
                     sys::Forked::Event::timed_out &&
                 monotonic_ns() < give_up_ns);
    }

    // What nvidia-smi says of the link now; false where it says nothing of it. Its time is not the copy's.
    bool read_driver_link()
    {
        if (!problem_.kind.empty())
            return false;
        const auto began_ns = monotonic_ns();
        const auto answer = smi_.links();
        until_ns_ += monotonic_ns() - began_ns;
        bool told = false;
        for (const auto& row : answer.table.rows()) {
            const auto at = wire::pci_address(row.field("pci.bus_id").value_or(""));
            if (at ? *at != gpu_.at : row.number("index") != gpu_.index)
                continue;
            take_link(row, gpu_);
            told = gpu_.link.gen.has_value();
        }
        if (answer.table.rows().empty())
            problem_ = answer.problem;
        return told;
    }

    void explain(sys::Forked::Event event, const sys::Forked::End& end)
    {
        auto& error = gpu_.bandwidth.error;
        if (event == sys::Forked::Event::stopped)
            error = "interrupted";
        else if (end.cause == sys::Forked::End::Cause::stuck)
            error = "the copy hangs in the driver and cannot be killed: reboot";
        else if (event == sys::Forked::Event::timed_out)
            error = "the copy did not end within " + format_double(options_.timeout_s) + " s";
        else if (end.cause == sys::Forked::End::Cause::signalled)
            error = "the copy was ended by signal " + std::to_string(end.code);
        else if (error.empty() && end.code != 0)
            error = "the copy ended with status " + std::to_string(end.code);
    }

    void count_errors(const wire::AerCounters& before, const wire::AerCounters& after)
    {
        const auto more = [](const std::optional<std::uint64_t>& from,
                             const std::optional<std::uint64_t>& to) -> std::optional<std::uint64_t> {
            if (!from || !to || *to < *from)
                return std::nullopt;
            return *to - *from;
        };
        gpu_.aer_in_copy =
            wire::AerCounters{more(before.correctable, after.correctable),
                              more(before.nonfatal, after.nonfatal), more(before.fatal, after.fatal)};
    }

    const BandwidthOptions& options_;
    const sys::PciTree& tree_;
    const NvidiaSmi& smi_;
    io::StopSignal& stop_;
    record::GpuFacts& gpu_;
    std::vector<int> cpus_;
    sys::Forked child_;
    std::int64_t until_ns_;
    record::SmiProblem problem_;
    bool link_read_ = false; // while the child said that it copies
    bool loaded_ = false;    // and it did
};

} // namespace slo::run

#endif
