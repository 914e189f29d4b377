// SPDX-License-Identifier: MIT
#include <slo/sys/small_file.hpp>

#define BOOST_TEST_MODULE sys_small_file
#include <boost/test/unit_test.hpp>

#include "../../support/scratch_folder.hpp"

namespace {
using namespace slo;

BOOST_AUTO_TEST_CASE(files_are_read_as_what_they_hold)
{
    const test::ScratchFolder folder;
    const auto file = folder.write("vendor", " 0x10de \nrest\n");
    BOOST_TEST(sys::small_file_line(file).value() == "0x10de");
    BOOST_TEST(sys::small_file_hex(file).value() == 0x10deu);
    BOOST_TEST(!sys::small_file_integer<int>(file));
    BOOST_TEST(sys::small_file_integer<int>(folder.write("node", "-1\n")).value() == -1);
    BOOST_TEST(!sys::small_file_line(folder.write("empty", "\n")));
    BOOST_TEST(!sys::small_file(folder.path() + "/absent"));
    BOOST_TEST(!sys::small_file(folder.path())); // a folder
    BOOST_TEST(sys::small_file(folder.write("long", std::string(200'000, 'x')))->size() <= 70'000u);
}

BOOST_AUTO_TEST_CASE(lists_of_numbers)
{
    const std::vector<int> expected{0, 1, 2, 8, 10};
    BOOST_TEST(sys::number_list("0-2,8,10-10\n") == expected, boost::test_tools::per_element());
    for (const auto* text :
         {"", "x", "3-1", "1-", "-1", "1,,x", "0-65536", "0-99999999999", "0-65535,0-65535,0-65535"})
        BOOST_TEST(sys::number_list(text).empty(), text);
    BOOST_TEST(sys::words("  a \t b\n").size() == 2u);
}

} // namespace
