// SPDX-License-Identifier: MIT
#include <slo/wire/pcie.hpp>

#define BOOST_TEST_MODULE wire_pcie
#include <boost/test/unit_test.hpp>

#include <slo/io/fd.hpp>

#include <string>

namespace {
using namespace slo;

std::string address(std::string_view text)
{
    return wire::pci_address(text).value_or("none");
}

std::optional<std::uint64_t> count_in(const std::string& gpu, const std::string& kind)
{
    try {
        return wire::aer_count(
            io::read_all("tests/data/cases/G07-aer-counters/" + gpu + "/aer_dev_" + kind, 65536));
    } catch (const IoError&) {
        return std::nullopt;
    }
}

BOOST_AUTO_TEST_CASE(g05_domains_are_hexadecimal_numbers)
{
    BOOST_TEST(address("00000000:C1:00.0") == "0000:c1:00.0");
    BOOST_TEST(address("00000001:00:00.0") == "0001:00:00.0");
    BOOST_TEST(address("0000:17:00.0") == "0000:17:00.0");
    BOOST_TEST(address("00010000:01:00.0") == "10000:01:00.0");
    BOOST_TEST(address("0000000A:3B:00.1") == "000a:3b:00.1");
}

BOOST_AUTO_TEST_CASE(messages_have_forms_of_their_own)
{
    BOOST_TEST(address("PCI:0000:01:00") == "0000:01:00.0");
    BOOST_TEST(address("GPU0000:81:00.0") == "0000:81:00.0");
    BOOST_TEST(address("c1:1f.7") == "0000:c1:1f.7");
}

BOOST_AUTO_TEST_CASE(what_is_no_address_is_none)
{
    for (const auto* text :
         {"", ":", "0000:01", "0000:01:00.8", "0000:01:20.0", "0000:100:00.0", "x000:01:00.0",
          "000000000:01:00.0", "0000:01:00.", "0000:01:.0", "0000:+1:00.0", "pci0000:00", "1:2:3:4.0"})
        BOOST_TEST(address(text) == "none", text);
}

BOOST_AUTO_TEST_CASE(speeds_and_lanes)
{
    BOOST_TEST(wire::pcie_generation("2.5 GT/s PCIe").value() == 1);
    BOOST_TEST(wire::pcie_generation("8 GT/s").value() == 3);
    BOOST_TEST(wire::pcie_generation("64.0 GT/s PCIe").value() == 6);
    BOOST_TEST(!wire::pcie_generation("Unknown"));
    BOOST_TEST(!wire::pcie_generation("9.0 GT/s PCIe"));
    BOOST_TEST(wire::pcie_width("16").value() == 16);
    BOOST_TEST(!wire::pcie_width("0"));
    BOOST_TEST(!wire::pcie_width("255"));
}

BOOST_AUTO_TEST_CASE(g07_total_lines_count_once_and_absent_is_unknown)
{
    BOOST_TEST(count_in("gpu0", "correctable").value() == 6u);
    BOOST_TEST(count_in("gpu0", "nonfatal").value() == 1u);
    BOOST_TEST(count_in("gpu0", "fatal").value() == 0u);
    BOOST_TEST(count_in("gpu1", "correctable").value() == 9u);
    BOOST_TEST(!count_in("gpu1", "fatal"));
    BOOST_TEST(!count_in("gpu1", "nonfatal"));
    BOOST_TEST(!count_in("gpu2", "correctable"));
}

BOOST_AUTO_TEST_CASE(counters_add_up_without_running_over)
{
    wire::AerCounters sum;
    sum.add({UINT64_MAX, std::nullopt, 1});
    sum.add({5, std::nullopt, 2});
    BOOST_TEST(sum.correctable.value() == UINT64_MAX);
    BOOST_TEST(!sum.nonfatal);
    BOOST_TEST(sum.fatal.value() == 3u);
    BOOST_TEST(wire::aer_count("A 18446744073709551615\nB 1\n").value() == UINT64_MAX);
    BOOST_TEST(!wire::aer_count("A 18446744073709551616\nnonsense\nB -1\n"));
}

} // namespace
