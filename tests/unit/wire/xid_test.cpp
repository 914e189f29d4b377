// SPDX-License-Identifier: MIT
#include <slo/wire/xid.hpp>

#define BOOST_TEST_MODULE wire_xid
#include <boost/test/unit_test.hpp>

namespace {
using namespace slo;

BOOST_AUTO_TEST_CASE(kmsg_dmesg_and_journal_lines)
{
    for (const std::string before : {"4,2101,7201,-;", "[ 7201.5] ", "Nov 30 10:00:00 host kernel: "}) {
        const auto xid = wire::parse_xid(
            before + "NVRM: Xid (PCI:0000:81:00): 79, pid=1234, name=worker, GPU has fallen off the bus.");
        BOOST_REQUIRE(xid);
        BOOST_TEST(xid->at == "0000:81:00.0");
        BOOST_TEST(xid->number == 79);
        BOOST_TEST(xid->text == "pid=1234, name=worker, GPU has fallen off the bus.");
    }
}

BOOST_AUTO_TEST_CASE(other_lines_are_none)
{
    for (const auto* line :
         {"", "NVRM: Xid", "NVRM: Xid (", "NVRM: Xid (PCI:0000:81:00)", "NVRM: Xid (x): 79, y",
          "NVRM: Xid (PCI:0000:81:00): x, y", "NVRM: Xid (PCI:0000:81:00): -1, y"})
        BOOST_TEST(!wire::parse_xid(line), line);
}

BOOST_AUTO_TEST_CASE(text_is_cut_and_printable)
{
    const auto xid = wire::parse_xid("NVRM: Xid (PCI:0000:81:00): 13, \x1b[31m" + std::string(1000, 'x'));
    BOOST_REQUIRE(xid);
    BOOST_TEST(xid->text.starts_with("?[31mxxx"));
    BOOST_TEST(xid->text.size() < 200);
}

BOOST_AUTO_TEST_CASE(programs_cause_some_of_them)
{
    BOOST_TEST(wire::is_application_xid(31));
    BOOST_TEST(!wire::is_application_xid(79));
}

} // namespace
