// SPDX-License-Identifier: MIT
// NVML's answers in the form of nvidia-smi's, so that one reader makes facts of both.

#ifndef SLO_RUN_NVML_TABLE_HPP
#define SLO_RUN_NVML_TABLE_HPP

#include <slo/base/error.hpp>
#include <slo/base/text.hpp>
#include <slo/sys/nvml.hpp>
#include <slo/wire/pcie.hpp>

#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace slo::run {

/// A question as nvidia-smi takes it: --query-WHAT=FIELDS, of the cards at these PCI addresses (none: all).
struct SmiQuestion {
    std::string what;
    std::vector<std::string> fields;
    std::vector<std::string> only;
};

/// Answers such questions.
class NvmlTable {
public:
    static constexpr int no_library_status = 127;

    /// Writes the answer to a descriptor; returns the status that nvidia-smi would have: 0, or NVML's number
    /// of an error; no_library_status where there is no such library. Meant for a process of its own: a
    /// driver may hang.
    static int write_answer(const std::string& library, const SmiQuestion& question, int out)
    {
        std::string text;
        int status = 0;
        try {
            const sys::Nvml nvml(library);
            status = NvmlTable(nvml, question).answer(text);
        } catch (const Error& error) {
            text = error.what();
            status = no_library_status;
        }
        for (std::string_view rest = text; !rest.empty();) {
            const auto put = ::write(out, rest.data(), rest.size());
            if (put <= 0)
                break;
            rest.remove_prefix(static_cast<std::size_t>(put));
        }
        return status;
    }

private:
    using Device = sys::Nvml::Device;
    using NvmlError = sys::NvmlError;

    NvmlTable(const sys::Nvml& nvml, const SmiQuestion& question) : nvml_(nvml), question_(question) {}

    int answer(std::string& text) const
    {
        if (const auto error = nvml_.init(); error != NvmlError::none) {
            text = error == NvmlError::version_mismatch
                       ? "Failed to initialize NVML: Driver/library version mismatch"
                   : error == NvmlError::driver_not_loaded
                       ? "NVML couldn't communicate with the NVIDIA driver: " + nvml_.words(error)
                       : "Failed to initialize NVML: " + nvml_.words(error);
            return static_cast<int>(error);
        }
        const auto count = nvml_.count();
        if (count.ok() && count.value == 0)
            text = "No devices were found";
        else if (!count.ok())
            text = "Unable to count the devices: " + nvml_.words(count.error);
        if (!text.empty())
            return static_cast<int>(count.error);
        text = line(question_.fields);
        int status = 0;
        for (unsigned i = 0; i < std::min(count.value, 1024u); ++i) {
            const auto device = nvml_.device(i);
            if (device.ok()) {
                status = std::max(status, add_rows(i, device.value, text));
            } else if (question_.what == "gpu") { // once is enough
                text += "Unable to determine the device handle for GPU " + std::to_string(i) + ": " +
                        nvml_.words(device.error) + "\n";
                status = std::max(status, static_cast<int>(device.error));
            }
        }
        return status;
    }

    int add_rows(unsigned index, Device device, std::string& text) const
    {
        const auto at = nvml_.pci_address(device);
        const auto& only = question_.only;
        if (!only.empty() &&
            std::find(only.begin(), only.end(), wire::pci_address(at.value).value_or("")) == only.end())
            return 0;
        if (question_.what != "compute-apps") {
            text += row([&](std::string_view name) { return field(name, index, device); });
            return 0;
        }
        const auto processes = nvml_.processes(device);
        for (const auto& process : processes.value)
            text += row([&](std::string_view name) { return process_field(name, process, device); });
        const bool unknown = !processes.ok() && processes.error != NvmlError::not_supported;
        if (unknown)
            text += "Unable to list the processes of GPU " + at.value + "\n";
        return unknown ? static_cast<int>(processes.error) : 0;
    }

    std::string row(const std::function<std::string(std::string_view)>& field_of) const
    {
        std::vector<std::string> values;
        for (const auto& name : question_.fields)
            values.push_back(field_of(name));
        return line(values);
    }

    static std::string line(const std::vector<std::string>& values)
    {
        std::string text;
        for (const auto& value : values)
            text += (text.empty() ? "" : ", ") + value;
        return text + "\n";
    }

    // What nvidia-smi has in place of a value.
    static std::string word_of(NvmlError error)
    {
        switch (error) {
        case NvmlError::not_supported:
        case NvmlError::function_not_found:
            return "[N/A]";
        case NvmlError::no_permission:
            return "[Insufficient Permissions]";
        case NvmlError::gpu_is_lost:
            return "[GPU is lost]";
        case NvmlError::reset_required:
            return "[GPU requires reset]";
        default:
            return "[Unknown Error]";
        }
    }

    template <class Value, class Text>
    static std::string shown(const sys::NvmlAnswer<Value>& answer, Text&& text)
    {
        return answer.ok() ? std::string(text(answer.value)) : word_of(answer.error);
    }

    template <class Value>
    static std::string figure(const sys::NvmlAnswer<Value>& answer, const char* unit = "")
    {
        return shown(answer, [&](const Value& value) { return std::to_string(value) + unit; });
    }

    static std::string mib(unsigned long long bytes) { return std::to_string(bytes >> 20) + " MiB"; }
    static const char* enabled(unsigned value) { return value == 1 ? "Enabled" : "Disabled"; }
    static const char* yes(unsigned value) { return value != 0 ? "Yes" : "No"; }

    std::string field(std::string_view name, unsigned index, Device device) const
    {
        using Nvml = sys::Nvml;
        const auto same = [](const std::string& text) { return text; };
        if (name == "index")
            return std::to_string(index);
        if (name == "name")
            return shown(nvml_.text(device, "Name"), same);
        if (name == "uuid")
            return shown(nvml_.text(device, "UUID"), same);
        if (name == "pci.bus_id" || name == "gpu_bus_id")
            return shown(nvml_.pci_address(device), same);
        if (name == "driver_version")
            return shown(nvml_.driver_version(), same);
        if (name == "pstate")
            return shown(nvml_.number(device, "PerformanceState"), [](unsigned state) {
                return state < 16 ? "P" + std::to_string(state) : std::string("[N/A]");
            });
        if (name == "temperature.gpu")
            return figure(nvml_.temperature_c(device));
        if (name == "utilization.gpu")
            return figure(nvml_.utilization_pct(device), " %");
        if (name.starts_with("memory."))
            return shown(nvml_.memory(device), [&](const Nvml::Memory& memory) {
                return mib(name == "memory.total"  ? memory.total
                           : name == "memory.free" ? memory.free
                                                   : memory.used);
            });
        if (name == "fan.speed")
            return figure(nvml_.number(device, "FanSpeed"), " %");
        if (name == "power.draw")
            return shown(nvml_.number(device, "PowerUsage"),
                         [](unsigned milliwatts) { return format_fixed(milliwatts / 1e3, 2) + " W"; });
        if (name.starts_with("pcie.link."))
            return link_field(name, device);
        if (name == "persistence_mode")
            return shown(nvml_.number(device, "PersistenceMode"), enabled);
        if (name == "mig.mode.current")
            return shown(nvml_.mig_enabled(device), enabled);
        if (name == "retired_pages.pending")
            return shown(nvml_.number(device, "RetiredPagesPendingStatus"), yes);
        if (name.starts_with("ecc.errors."))
            return figure(nvml_.memory_errors(
                device, name.find("uncorrected") == name.npos ? Nvml::Ecc::corrected : Nvml::Ecc::uncorrected,
                name.find("volatile") == name.npos ? Nvml::Since::made : Nvml::Since::driver_loaded));
        if (name.starts_with("clocks_event_reasons."))
            return clock_field(name, device);
        if (name.starts_with("remapped_rows."))
            return shown(nvml_.remapped_rows(device), [&](const Nvml::RemappedRows& rows) {
                return yes(name.ends_with("pending") ? rows.pending : rows.failed);
            });
        return "[N/A]";
    }

    std::string link_field(std::string_view name, Device device) const
    {
        const std::string when = name.ends_with("current") ? "Curr" : "Max";
        const bool gen = name.find(".gen.") != name.npos;
        return figure(nvml_.number(device, when + "PcieLink" + (gen ? "Generation" : "Width")));
    }

    std::string clock_field(std::string_view name, Device device) const
    {
        using Nvml = sys::Nvml;
        const auto bit = name.ends_with("hw_slowdown")               ? Nvml::hw_slowdown
                         : name.ends_with("hw_thermal_slowdown")     ? Nvml::hw_thermal_slowdown
                         : name.ends_with("hw_power_brake_slowdown") ? Nvml::hw_power_brake_slowdown
                                                                     : Nvml::sw_thermal_slowdown;
        return shown(nvml_.clock_reasons(device), [&](unsigned long long reasons) {
            return (reasons & bit) != 0 ? "Active" : "Not Active";
        });
    }

    std::string process_field(std::string_view name, const sys::NvmlProcess& process, Device device) const
    {
        if (name == "pid")
            return std::to_string(process.pid);
        if (name == "process_name")
            return shown(nvml_.process_name(process.pid), [](const std::string& text) { return text; });
        if (name == "used_gpu_memory")
            return process.memory_bytes ? mib(*process.memory_bytes) : "[N/A]";
        return field(name == "gpu_uuid" ? "uuid" : name, 0, device);
    }

    const sys::Nvml& nvml_;
    const SmiQuestion& question_;
};

} // namespace slo::run

#endif
