// SPDX-License-Identifier: MIT
#include <slo/sys/virtualization.hpp>

#define BOOST_TEST_MODULE sys_virtualization
#include <boost/test/unit_test.hpp>

#include "../../support/scratch_folder.hpp"

namespace {
using namespace slo;

struct Machine {
    test::ScratchFolder root;
    std::vector<sys::PciDevice> devices;
    std::string hypervisor() const
    {
        return sys::hypervisor(root.path() + "/sys", root.path() + "/proc", devices);
    }
};

BOOST_AUTO_TEST_CASE(metal_has_none)
{
    Machine machine;
    BOOST_TEST(machine.hypervisor().empty());
    machine.root.write("proc/cpuinfo", "processor : 0\nflags\t\t: fpu vme\n");
    machine.root.write("sys/class/dmi/id/sys_vendor", "Microsoft Corporation\n");
    BOOST_TEST(machine.hypervisor().empty());
}

BOOST_AUTO_TEST_CASE(several_things_give_a_hypervisor_away)
{
    Machine flagged, named, xen, virtio;
    flagged.root.write("proc/cpuinfo", "processor : 0\nflags\t\t: fpu hypervisor vme\n");
    BOOST_TEST(flagged.hypervisor() == "the CPU reports a hypervisor");
    named.root.write("sys/class/dmi/id/sys_vendor", "QEMU\n");
    named.root.write("sys/class/dmi/id/product_name", "Standard PC\n");
    BOOST_TEST(named.hypervisor() == "firmware of a virtual machine: QEMU Standard PC");
    xen.root.write("sys/hypervisor/type", "xen\n");
    BOOST_TEST(xen.hypervisor() == "hypervisor type: xen");
    virtio.devices.push_back({"0000:00:02.0", sys::pci_vendor_red_hat, 0x1050, 0x030000, ""});
    BOOST_TEST(virtio.hypervisor() == "virtio-gpu detected (KVM/QEMU)");
}

BOOST_AUTO_TEST_CASE(a_container_is_no_hypervisor)
{
    Machine machine;
    machine.root.write("proc/1/cgroup", "0::/kubepods.slice/pod1\n");
    BOOST_TEST(sys::container(machine.root.path() + "/proc") == "kubernetes");
    BOOST_TEST(machine.hypervisor().empty());
    BOOST_TEST(sys::container("/no/such").empty());
}

} // namespace
