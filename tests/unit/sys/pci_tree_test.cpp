// SPDX-License-Identifier: MIT
#include <slo/sys/pci_tree.hpp>

#define BOOST_TEST_MODULE sys_pci_tree
#include <boost/test/unit_test.hpp>

#include "../../support/scratch_folder.hpp"

namespace {
using namespace slo;

struct Machine {
    test::ScratchFolder sys;
    void device(const std::string& path, const std::string& vendor, const std::string& class_code) const
    {
        sys.write("devices/pci0000:c0/" + path + "/vendor", vendor);
        sys.write("devices/pci0000:c0/" + path + "/class", class_code);
    }
    void link(const std::string& path, const std::string& speed, const std::string& width) const
    {
        sys.write("devices/pci0000:c0/" + path + "/current_link_speed", speed);
        sys.write("devices/pci0000:c0/" + path + "/current_link_width", width);
    }
};

BOOST_AUTO_TEST_CASE(cards_are_told_from_their_sound_functions)
{
    const Machine machine;
    machine.device("0000:c0:01.0", "0x8086\n", "0x060400\n");
    machine.device("0000:c0:01.0/0000:c1:00.0", "0x10de\n", "0x030200\n");
    machine.device("0000:c0:01.0/0000:c1:00.1", "0x10de\n", "0x040300\n");
    machine.device("0000:c0:02.0", "0x1002\n", "0x120000\n");
    std::string gpus;
    for (const auto& device : sys::PciTree(machine.sys.path()).devices()) {
        if (device.is_gpu())
            gpus += device.at + " ";
    }
    BOOST_TEST(gpus == "0000:c0:02.0 0000:c1:00.0 ");
}

BOOST_AUTO_TEST_CASE(the_way_to_the_root_has_every_bridge)
{
    const Machine machine;
    const std::string port = "0000:c0:01.0", middle = port + "/0000:c1:00.0", card = middle + "/0000:c2:00.0";
    machine.link(port, "16.0 GT/s PCIe\n", "8\n");
    machine.link(card, "32.0 GT/s PCIe\n", "16\n");
    machine.sys.write("devices/pci0000:c0/" + middle + "/aer_dev_fatal", "DLP 1\nTOTAL_ERR_FATAL 1\n");
    machine.sys.write("devices/pci0000:c0/" + card + "/local_cpulist", "0-3\n");
    const sys::PciTree tree(machine.sys.path());
    const auto path = tree.path_to_root("0000:c2:00.0");
    BOOST_REQUIRE(path.size() == 3u);
    BOOST_TEST(path[0].at == "0000:c2:00.0");
    BOOST_TEST(path[0].link.gen.value() == 5);
    BOOST_TEST(!path[1].link.gen);
    BOOST_TEST(path[1].aer.fatal.value() == 1u);
    BOOST_TEST(path[2].at == "0000:c0:01.0");
    BOOST_TEST(path[2].link.width.value() == 8);
    BOOST_TEST(tree.line("0000:c2:00.0", "local_cpulist").value() == "0-3");
    BOOST_TEST(tree.path_to_root("0000:ff:00.0").empty());
}

BOOST_AUTO_TEST_CASE(links_of_the_bus_are_followed_and_may_be_all_there_is)
{
    const Machine machine;
    machine.device("0000:c0:01.0/0000:c1:00.0", "0x10de\n", "0x030000\n");
    std::filesystem::create_directories(machine.sys.path() + "/bus/pci/devices");
    std::filesystem::create_directory_symlink("../../../devices/pci0000:c0/0000:c0:01.0/0000:c1:00.0",
                                              machine.sys.path() + "/bus/pci/devices/0000:c1:00.0");
    machine.sys.write("bus/pci/devices/0001:01:00.0/vendor", "0x10de\n"); // no link, no class
    const sys::PciTree tree(machine.sys.path());
    BOOST_TEST(tree.path_to_root("0000:c1:00.0").size() == 2u);
    BOOST_TEST(tree.path_to_root("0001:01:00.0").size() == 1u);
    BOOST_TEST(sys::PciTree("/no/such").devices().empty());
}

} // namespace
