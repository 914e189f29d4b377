// SPDX-License-Identifier: MIT
#include <slo/run/amd_cards.hpp>

#define BOOST_TEST_MODULE run_amd_cards
#include <boost/test/unit_test.hpp>

#include "../../support/scratch_folder.hpp"

namespace {
using namespace slo;

BOOST_AUTO_TEST_CASE(what_is_not_told_is_unknown)
{
    const test::ScratchFolder sysfs;
    const std::string folder = "bus/pci/devices/0000:03:00.0/";
    sysfs.write(folder + "vendor", "0x1002\n");
    sysfs.write(folder + "class", "0x120000\n");
    const auto cards = [&] {
        const sys::PciTree tree(sysfs.path());
        return run::amd_cards(tree, tree.devices());
    };
    BOOST_REQUIRE(cards().size() == 1u);
    BOOST_TEST(cards()[0].name == "AMD GPU");
    BOOST_TEST(!cards()[0].memory_total_mib);
    sysfs.write(folder + "product_name", "Sample\n");
    sysfs.write(folder + "mem_info_vram_total", "2097152\n");
    sysfs.write(folder + "mem_info_vram_used", "1048576\n");
    sysfs.write(folder + "gpu_busy_percent", "7\n");
    sysfs.write(folder + "numa_node", "-1\n");
    BOOST_TEST(cards()[0].name == "Sample");
    BOOST_TEST(cards()[0].memory_free_mib.value() == 1);
    BOOST_TEST(cards()[0].utilization_pct.value() == 7);
    BOOST_TEST(!cards()[0].numa_node);
}

} // namespace
