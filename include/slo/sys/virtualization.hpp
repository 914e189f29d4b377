// SPDX-License-Identifier: MIT
// Whether this machine is a virtual one, and whether we are in a container: two different things.

#ifndef SLO_SYS_VIRTUALIZATION_HPP
#define SLO_SYS_VIRTUALIZATION_HPP

#include <slo/base/text.hpp>
#include <slo/sys/pci_tree.hpp>
#include <slo/sys/small_file.hpp>

#include <unistd.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace slo::sys {

/// The hypervisor below this machine, in words; empty on bare metal, as far as it can be told.
inline std::string hypervisor(const std::string& sysfs, const std::string& proc,
                              const std::vector<PciDevice>& devices)
{
    constexpr std::uint32_t virtio_gpu = 0x1050;
    const bool has_virtio_gpu = std::any_of(devices.begin(), devices.end(), [](const PciDevice& device) {
        return device.vendor == pci_vendor_red_hat && device.device == virtio_gpu;
    });
    if (has_virtio_gpu)
        return "virtio-gpu detected (KVM/QEMU)";
    if (const auto type = small_file_line(sysfs + "/hypervisor/type"); type && *type != "none")
        return "hypervisor type: " + *type;
    const auto info = small_file(proc + "/cpuinfo").value_or("");
    const auto flags = info.find("\nflags");
    const auto line = flags == std::string::npos
                          ? std::string_view()
                          : std::string_view(info).substr(flags + 1, info.find('\n', flags + 1) - flags - 1);
    const auto found = words(line);
    const bool flagged = std::find(found.begin(), found.end(), "hypervisor") != found.end();
    const auto vendor = small_file_line(sysfs + "/class/dmi/id/sys_vendor").value_or("");
    const auto product = small_file_line(sysfs + "/class/dmi/id/product_name").value_or("");
    const auto names = product.empty() ? vendor : vendor + " " + product;
    constexpr std::array<std::string_view, 9> makers{
        "QEMU", "VMware", "innotek", "Xen", "Parallels", "BHYVE", "KVM", "Bochs", "Google Compute"};
    for (const auto maker : makers) {
        if (vendor.starts_with(maker) || product.starts_with(maker))
            return "firmware of a virtual machine: " + names;
    }
    // These also make machines of metal, so that the CPU has the last word.
    if (flagged)
        return "the CPU reports a hypervisor" + (vendor.empty() ? "" : " (" + names + ")");
    return {};
}

/// The container we are in, in words; empty where there is none, as far as it can be told.
inline std::string container(const std::string& proc)
{
    if (proc == "/proc") {
        if (::access("/.dockerenv", F_OK) == 0)
            return "docker";
        if (::access("/run/.containerenv", F_OK) == 0)
            return "podman";
    }
    const auto groups = small_file(proc + "/1/cgroup").value_or("");
    constexpr std::array<std::pair<std::string_view, const char*>, 5> marks{{{"kubepods", "kubernetes"},
                                                                             {"docker", "docker"},
                                                                             {"libpod", "podman"},
                                                                             {"containerd", "containerd"},
                                                                             {"lxc", "lxc"}}};
    for (const auto& [mark, name] : marks) {
        if (groups.find(mark) != std::string::npos)
            return name;
    }
    return {};
}

} // namespace slo::sys

#endif
