// SPDX-License-Identifier: MIT
#include <slo/io/output_files.hpp>

#define BOOST_TEST_MODULE io_output_files
#include <boost/test/unit_test.hpp>

using slo::io::is_kept_file;
using slo::io::is_same_file;

BOOST_AUTO_TEST_CASE(streams_and_devices_are_no_kept_files)
{
    BOOST_TEST(is_kept_file("Makefile"));
    BOOST_TEST(is_kept_file("there-is-none"));
    BOOST_TEST(!is_kept_file("/dev/null"));
    BOOST_TEST(!is_kept_file("tests"));
    BOOST_TEST(!is_kept_file("-"));
    BOOST_TEST(!is_kept_file(""));
}

BOOST_AUTO_TEST_CASE(names_of_one_file_are_seen_through)
{
    BOOST_TEST(is_same_file("Makefile", "tests/../Makefile"));
    BOOST_TEST(is_same_file("there-is-none", "./there-is-none"));
    BOOST_TEST(is_same_file("-", "-"));
    BOOST_TEST(!is_same_file("", ""));
    BOOST_TEST(!is_same_file("Makefile", "README.md"));
    BOOST_TEST(!is_same_file("/dev/null", "/dev/null"));
}
