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

BOOST_AUTO_TEST_CASE(what_cannot_be_appended_to_is_known_before)
{
    for (const char* fine : {"", "-", "Makefile", "/dev/null", "there-is-none"})
        BOOST_CHECK_NO_THROW(slo::io::check_appendable(fine));
    BOOST_TEST(!std::filesystem::exists("there-is-none"));
    BOOST_CHECK_EXCEPTION(slo::io::check_appendable("no-folder/a"), slo::IoError,
                          [](const auto& error) { return error.error_number() == ENOENT; });
    BOOST_CHECK_THROW(slo::io::check_appendable("Makefile/a"), slo::IoError);
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
