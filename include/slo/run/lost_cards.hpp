// SPDX-License-Identifier: MIT
// Cards that are on the bus, and that the driver does not answer for.

#ifndef SLO_RUN_LOST_CARDS_HPP
#define SLO_RUN_LOST_CARDS_HPP

#include <slo/record/gpu_facts.hpp>
#include <slo/sys/pci_tree.hpp>
#include <slo/sys/small_file.hpp>
#include <slo/wire/pcie.hpp>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace slo::run {

/// Finds them, once the cards that are listed stand in the facts.
class LostCards {
public:
    /// `proc` stands for /proc.
    LostCards(record::PreflightFacts& facts, const std::vector<sys::PciDevice>& devices, std::string proc)
        : facts_(facts), devices_(devices), proc_(std::move(proc))
    {
    }

    /// Adds the cards that nvidia-smi speaks of in place of a row (`messages`), and those on the bus that it
    /// does not list; keeps the other messages, and notes what is no loss.
    void find(const std::vector<std::string>& messages)
    {
        const bool all_placed = std::none_of(facts_.gpus.begin(), facts_.gpus.end(),
                                             [](const auto& gpu) { return gpu.at.empty(); });
        for (auto at = messages.begin(); at != messages.end(); ++at) {
            const auto& message = *at;
            if (std::find(messages.begin(), at, message) != at)
                continue;
            const auto address = address_in(message);
            if (address && !is_listed(*address))
                add_lost_card(*address, message);
            else if (!address && message.find("Unable to determine the device handle") != message.npos)
                nameless_.push_back(message);
            else
                facts_.messages.push_back(message);
        }
        for (const auto& device : devices_) {
            if (!device.is_gpu() || device.vendor != sys::pci_vendor_nvidia || is_listed(device.at))
                continue;
            if (!all_placed) {
                facts_.notes.push_back("nvidia-smi gives no PCI addresses: lost cards would not be seen");
                break;
            }
            if (const auto excuse = why_not_ours(device); !excuse.empty())
                facts_.notes.push_back("the GPU at " + device.at + excuse);
            else
                add_lost_card(device.at, next_nameless());
        }
        facts_.messages.insert(facts_.messages.end(), nameless_.begin(), nameless_.end());
    }

private:
    // A message that does not say which card it means is about one that is missing.
    std::string next_nameless()
    {
        if (nameless_.empty())
            return {};
        auto message = nameless_.front();
        nameless_.erase(nameless_.begin());
        return message;
    }

    bool is_listed(const std::string& address) const
    {
        return std::any_of(facts_.gpus.begin(), facts_.gpus.end(),
                           [&](const record::GpuFacts& gpu) { return gpu.at == address; });
    }

    void add_lost_card(const std::string& address, const std::string& message)
    {
        record::GpuFacts gpu;
        gpu.at = address;
        gpu.lost = true;
        gpu.message = message;
        facts_.gpus.push_back(std::move(gpu));
    }

    // A container is given some cards and sees the bus of all: there /proc/driver/nvidia/gpus has its own.
    std::string why_not_ours(const sys::PciDevice& device) const
    {
        std::error_code error;
        const auto own = proc_ + "/driver/nvidia/gpus";
        if (device.driver == "vfio-pci")
            return " is given to a virtual machine (vfio-pci)";
        if (!facts_.host.container.empty() && std::filesystem::is_directory(own, error) &&
            !std::filesystem::exists(own + "/" + device.at, error))
            return " is not given to this container";
        return {};
    }

    static std::optional<std::string> address_in(const std::string& message)
    {
        for (auto word : sys::words(message)) {
            while (word.ends_with(':') || word.ends_with(',') || word.ends_with('.'))
                word.remove_suffix(1);
            if (const auto address = wire::pci_address(word))
                return address;
        }
        return std::nullopt;
    }

    record::PreflightFacts& facts_;
    const std::vector<sys::PciDevice>& devices_;
    std::string proc_;
    std::vector<std::string> nameless_;
};

} // namespace slo::run

#endif
