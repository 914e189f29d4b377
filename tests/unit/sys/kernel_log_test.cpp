// SPDX-License-Identifier: MIT
#include <slo/sys/kernel_log.hpp>

#define BOOST_TEST_MODULE sys_kernel_log
#include <boost/test/unit_test.hpp>

#include "../../support/scratch_folder.hpp"

namespace {
using namespace slo;

BOOST_AUTO_TEST_CASE(xids_are_picked_out)
{
    const test::ScratchFolder folder;
    const auto log = sys::read_kernel_log(
        folder.write("log", "boot\nNVRM: Xid (PCI:0000:01:00): 63, row remapped\n" +
                                std::string(300'000, 'x') + "\nNVRM: Xid (PCI:0000:01:00): 79, off the bus"));
    BOOST_TEST(!log.unreadable);
    BOOST_REQUIRE(log.xids.size() == 2u);
    BOOST_TEST(log.xids[1].number == 79);
}

BOOST_AUTO_TEST_CASE(only_the_last_thousand_are_kept)
{
    const test::ScratchFolder folder;
    std::string text;
    for (int i = 0; i < 1500; ++i)
        text += "NVRM: Xid (PCI:0000:01:00): " + std::to_string(i) + ", x\n";
    const auto log = sys::read_kernel_log(folder.write("log", text));
    BOOST_TEST(log.xids.size() == 1000u);
    BOOST_TEST(log.xids.back().number == 1499);
}

BOOST_AUTO_TEST_CASE(a_log_that_cannot_be_read_is_said_so)
{
    const test::ScratchFolder folder;
    BOOST_TEST(sys::read_kernel_log(folder.path() + "/absent")
                   .unreadable.value()
                   .ends_with("No such file or directory"));
    BOOST_TEST(sys::read_kernel_log(folder.path()).unreadable.has_value());
}

} // namespace
