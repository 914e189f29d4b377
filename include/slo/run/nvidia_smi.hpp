// SPDX-License-Identifier: MIT
// What nvidia-smi says of the cards, asked so that old and new drivers, and broken ones, answer.

#ifndef SLO_RUN_NVIDIA_SMI_HPP
#define SLO_RUN_NVIDIA_SMI_HPP

#include <slo/base/text.hpp>
#include <slo/io/signals.hpp>
#include <slo/record/gpu_facts.hpp>
#include <slo/run/nvml_table.hpp>
#include <slo/sys/forked.hpp>
#include <slo/wire/nvidia_smi_table.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace slo::run {

/// One program that answers as nvidia-smi does, or NVML in its place.
class NvidiaSmi {
public:
    using Table = wire::NvidiaSmiTable;

    /// `program` is looked for along PATH; each call of it may take `timeout_s`.
    NvidiaSmi(std::string program, double timeout_s, io::StopSignal& stop)
        : program_(std::move(program)), timeout_s_(timeout_s), stop_(stop)
    {
    }

    /// An answer, and why it is none, or not a whole one.
    struct Answer {
        Table table;
        record::SmiProblem problem;
    };

    /// From now on asks NVML's library, in a process of its own, and not the program.
    void use_nvml(std::string library) { nvml_ = std::move(library); }

    /// From now on asks about these cards alone, each by its PCI address.
    void ask_only(std::vector<std::string> addresses) { only_ = std::move(addresses); }

    /// Asks for fields of `what` ("gpu", "compute-apps", "remapped-rows"). Fields that this driver does not
    /// know are left out.
    Answer query(const std::string& what, std::vector<std::string> fields, bool header = true) const
    {
        while (!fields.empty()) {
            const auto answer = ask({what, fields, only_}, header);
            const auto refused = Table::refused_field(answer.output);
            if (!refused || !leave_out(fields, *refused)) {
                Table table(answer.output, fields);
                auto problem = problem_of(answer, table);
                return {std::move(table), std::move(problem)};
            }
        }
        return {};
    }

    /// The cards with all that is asked of them. Falls back to the eight fields that the classic tool asks
    /// for.
    Answer cards() const
    {
        auto answer = query("gpu", {"index",
                                    "name",
                                    "uuid",
                                    "pci.bus_id",
                                    "driver_version",
                                    "pstate",
                                    "temperature.gpu",
                                    "utilization.gpu",
                                    "memory.total",
                                    "memory.free",
                                    "memory.used",
                                    "fan.speed",
                                    "power.draw",
                                    "pcie.link.gen.current",
                                    "pcie.link.gen.max",
                                    "pcie.link.width.current",
                                    "pcie.link.width.max",
                                    "persistence_mode",
                                    "mig.mode.current",
                                    "ecc.errors.corrected.volatile.total",
                                    "ecc.errors.uncorrected.volatile.total",
                                    "ecc.errors.uncorrected.aggregate.total",
                                    "retired_pages.pending",
                                    "clocks_event_reasons.hw_slowdown",
                                    "clocks_event_reasons.hw_thermal_slowdown",
                                    "clocks_event_reasons.hw_power_brake_slowdown",
                                    "clocks_event_reasons.sw_thermal_slowdown"});
        if (answer.problem.kind == "nvidia_smi_unreadable")
            answer = query("gpu",
                           {"name", "memory.total", "memory.free", "driver_version", "pcie.link.gen.current",
                            "pcie.link.gen.max", "pcie.link.width.current", "pcie.link.width.max"},
                           false);
        return answer;
    }

    /// The links and clocks of the cards, as they are now.
    Answer links() const
    {
        return query("gpu", {"index", "pci.bus_id", "pstate", "pcie.link.gen.current", "pcie.link.gen.max",
                             "pcie.link.width.current", "pcie.link.width.max",
                             "clocks_event_reasons.hw_slowdown", "clocks_event_reasons.hw_thermal_slowdown",
                             "clocks_event_reasons.hw_power_brake_slowdown",
                             "clocks_event_reasons.sw_thermal_slowdown"});
    }

    /// Programs that have memory on cards; no rows is an answer, too.
    Answer processes() const
    {
        auto answer =
            query("compute-apps", {"pid", "process_name", "used_gpu_memory", "gpu_uuid", "gpu_bus_id"});
        if (answer.table.rows().empty() && !answer.table.messages().empty())
            answer = query("compute-apps", {"pid", "process_name", "used_gpu_memory"}, false);
        return or_none(std::move(answer));
    }

    /// Memory rows that were replaced, by card; no rows, too, where the driver does not know the question.
    Answer remapped_rows() const
    {
        auto answer =
            query("remapped-rows", {"gpu_bus_id", "remapped_rows.pending", "remapped_rows.failure"});
        for (const auto& message : answer.table.messages()) {
            if (message.find("not recognized") != std::string::npos ||
                message.find("ot supported") != std::string::npos)
                answer = {};
        }
        return or_none(std::move(answer));
    }

private:
    sys::CommandAnswer ask(const SmiQuestion& question, bool header) const
    {
        if (!nvml_.empty())
            return sys::run_forked(
                [&](int, int out) { return NvmlTable::write_answer(nvml_, question, out); }, timeout_s_,
                stop_.fd(), &stop_.mask_before());
        std::vector<std::string> command{program_, "--query-" + question.what + "=" + joined(question.fields),
                                         header ? "--format=csv" : "--format=csv,noheader"};
        if (!question.only.empty())
            command.push_back("--id=" + joined(question.only));
        return sys::run_bounded(command, timeout_s_, stop_.fd(), &stop_.mask_before());
    }

    // Takes a refused field out, or puts its older name in its place. False when it was not among them.
    static bool leave_out(std::vector<std::string>& fields, const std::string& refused)
    {
        const auto found = std::find(fields.begin(), fields.end(), refused);
        if (found == fields.end())
            return false;
        const auto older = wire::older_column_name(refused);
        if (older.empty())
            fields.erase(found);
        else
            *found = std::string(older);
        return true;
    }

    // The beginning of an output as part of a sentence.
    static std::string in_one_line(std::string_view output)
    {
        constexpr std::size_t longest = 160;
        std::string text(trim(output).substr(0, 2 * longest));
        for (auto end = text.find('\n'); end != std::string::npos; end = text.find('\n', end))
            text.replace(end, 1, "; ");
        return printable(text, longest);
    }

    static std::string joined(const std::vector<std::string>& texts)
    {
        std::string list;
        for (const auto& text : texts)
            list += (list.empty() ? "" : ",") + text;
        return list;
    }

    // A table without rows that nothing speaks against is an answer.
    static Answer or_none(Answer answer)
    {
        if (answer.problem.kind == "nvidia_smi_unreadable" && answer.table.messages().empty())
            answer.problem = {};
        return answer;
    }

    record::SmiProblem problem_of(const sys::CommandAnswer& answer, const Table& table) const
    {
        using Cause = sys::CommandAnswer::Cause;
        const auto says = [&](const std::string& what) {
            return printable(nvml_.empty() ? program_ : nvml_, 80) + " " + what;
        };
        switch (answer.cause) {
        case Cause::not_found:
            return {"no_nvidia_smi", says("is not there")};
        case Cause::timed_out:
            return {"nvidia_smi_hangs", says("did not answer within " + format_double(timeout_s_) + " s")};
        case Cause::stuck:
            return {"nvidia_smi_hangs", says("hangs in the driver and cannot be killed: reboot")};
        case Cause::signalled:
            return {"nvidia_smi_failed", says("was ended by signal " + std::to_string(answer.code))};
        case Cause::stopped:
            return {"interrupted", says("was interrupted")};
        case Cause::exited:
            break;
        }
        const auto text = in_one_line(answer.output);
        const auto holds = [&](std::string_view words) {
            return answer.output.find(words) != std::string::npos;
        };
        if (!nvml_.empty() && answer.code == NvmlTable::no_library_status)
            return {"no_nvidia_smi", says("cannot be loaded (" + text + ")")};
        if (holds("Driver/library version mismatch"))
            return {"driver_library_mismatch", "the driver's kernel module and library differ in version (" +
                                                   text + "): reboot, or reload the module"};
        if (holds("couldn't communicate with the NVIDIA driver"))
            return {"no_driver", "the NVIDIA driver is not loaded (" + text + ")"};
        if (holds("No devices were found"))
            return {"no_devices", "the NVIDIA driver finds no devices"};
        // The manual of nvidia-smi: "the GPU has fallen off the bus or has otherwise become inaccessible".
        constexpr int lost_status = 15;
        const bool names_lost = holds("Unable to determine the device handle") || holds("GPU is lost");
        if (answer.code == lost_status || (names_lost && (answer.code != 0 || table.rows().empty())))
            return {"gpu_lost", says("lost a GPU" + (names_lost ? ": " + text : std::string(": reboot")))};
        if (answer.code != 0)
            return {"nvidia_smi_failed", says("ended with status " + std::to_string(answer.code) +
                                              (text.empty() ? "" : ": " + text))};
        if (table.rows().empty())
            return {"nvidia_smi_unreadable", says("gave no table" + (text.empty() ? "" : ": " + text))};
        return {};
    }

    std::string program_;
    double timeout_s_;
    io::StopSignal& stop_;
    std::string nvml_;
    std::vector<std::string> only_;
};

} // namespace slo::run

#endif
