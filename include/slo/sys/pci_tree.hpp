// SPDX-License-Identifier: MIT
// The PCI devices of a machine in sysfs: its graphics cards, and the bridges above each.

#ifndef SLO_SYS_PCI_TREE_HPP
#define SLO_SYS_PCI_TREE_HPP

#include <slo/base/text.hpp>
#include <slo/sys/small_file.hpp>
#include <slo/wire/pcie.hpp>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace slo::sys {

inline constexpr std::uint32_t pci_vendor_nvidia = 0x10DE;
inline constexpr std::uint32_t pci_vendor_amd = 0x1002;
inline constexpr std::uint32_t pci_vendor_red_hat = 0x1AF4;

/// One PCI device.
struct PciDevice {
    std::string at; ///< its address, "0000:c1:00.0"
    std::uint32_t vendor = 0;
    std::uint32_t device = 0;
    std::optional<std::uint32_t> class_code; ///< of 24 bits
    std::string driver;                      ///< the kernel module bound to it, or empty

    /// True for graphics cards and accelerators, not for the sound and USB functions beside them.
    bool is_gpu() const noexcept
    {
        constexpr std::uint32_t display = 0x03, accelerator = 0x12;
        const bool vendor_makes_gpus = vendor == pci_vendor_nvidia || vendor == pci_vendor_amd;
        const auto base_class = class_code.value_or(display << 16) >> 16;
        return vendor_makes_gpus && (base_class == display || base_class == accelerator);
    }
};

/// The device tree below a root that stands for /sys.
class PciTree {
public:
    /// Finds the devices; there may be none.
    explicit PciTree(const std::string& sysfs) : sysfs_(sysfs)
    {
        std::error_code error;
        namespace fs = std::filesystem;
        for (fs::directory_iterator at(sysfs + "/bus/pci/devices", error), end; !error && at != end;
             at.increment(error)) {
            const auto address = wire::pci_address(at->path().filename().string());
            std::error_code no_target;
            const auto folder = fs::canonical(at->path(), no_target);
            if (address && !no_target)
                folders_[*address] = folder;
        }
        find_below(fs::path(sysfs) / "devices", 0);
    }

    /// All devices, by address.
    std::vector<PciDevice> devices() const
    {
        std::vector<PciDevice> found;
        for (const auto& [address, folder] : folders_) {
            PciDevice device;
            device.at = address;
            device.vendor = small_file_hex(folder / "vendor").value_or(0);
            device.device = small_file_hex(folder / "device").value_or(0);
            device.class_code = small_file_hex(folder / "class");
            std::error_code error;
            device.driver = std::filesystem::read_symlink(folder / "driver", error).filename().string();
            found.push_back(std::move(device));
        }
        return found;
    }

    /// The file of that name of a device; nothing where there is none.
    std::optional<std::string> line(const std::string& address, const std::string& name) const
    {
        const auto found = folders_.find(address);
        return found == folders_.end() ? std::nullopt : small_file_line(found->second / name);
    }

    /// The NUMA node that a device is on; nothing where the machine has none.
    std::optional<int> numa_node(const std::string& address) const
    {
        const auto node = line(address, "numa_node");
        const auto number = node ? parse_integer<int>(*node) : std::nullopt;
        return number && *number >= 0 ? number : std::nullopt;
    }

    /// The links and error counters from the card up to its root port; empty for an unknown address.
    std::vector<wire::PcieHop> path_to_root(const std::string& address) const
    {
        std::vector<wire::PcieHop> hops;
        const auto found = folders_.find(address);
        if (found == folders_.end())
            return hops;
        for (auto folder = found->second; folder.has_relative_path(); folder = folder.parent_path()) {
            const auto at = wire::pci_address(folder.filename().string());
            if (!at)
                break;
            hops.push_back({*at, read_link(folder), read_aer(folder)});
        }
        return hops;
    }

    /// The root that was given.
    const std::string& root() const noexcept { return sysfs_; }

private:
    using Path = std::filesystem::path;

    // Where bus/pci is not there, or does not know all (a machine copied without its symbolic links).
    void find_below(const Path& folder, int depth)
    {
        constexpr int deepest = 16;
        std::error_code error;
        for (std::filesystem::directory_iterator at(folder, error), end; !error && at != end;
             at.increment(error)) {
            const auto name = at->path().filename().string();
            const auto address = wire::pci_address(name);
            const bool host_bridge = depth == 0 && name.starts_with("pci");
            std::error_code unknown;
            if ((!address && !host_bridge) || depth > deepest || at->is_symlink(unknown))
                continue;
            if (address)
                folders_.emplace(*address, std::filesystem::canonical(at->path(), unknown));
            find_below(at->path(), depth + 1);
        }
    }

    static wire::PcieLink read_link(const Path& folder)
    {
        const auto number = [&](const char* name, auto parse) -> std::optional<int> {
            const auto text = small_file_line(folder / name);
            return text ? parse(std::string_view(*text)) : std::nullopt;
        };
        return {number("current_link_speed", wire::pcie_generation),
                number("max_link_speed", wire::pcie_generation),
                number("current_link_width", wire::pcie_width), number("max_link_width", wire::pcie_width)};
    }

    static wire::AerCounters read_aer(const Path& folder)
    {
        const auto count = [&](const char* name) -> std::optional<std::uint64_t> {
            const auto text = small_file(folder / name);
            return text ? wire::aer_count(*text) : std::nullopt;
        };
        return {count("aer_dev_correctable"), count("aer_dev_nonfatal"), count("aer_dev_fatal")};
    }

    std::string sysfs_;
    std::map<std::string, Path> folders_;
};

} // namespace slo::sys

#endif
