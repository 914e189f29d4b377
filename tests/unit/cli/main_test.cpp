// SPDX-License-Identifier: MIT
#include <slo/cli/main.hpp>

#define BOOST_TEST_MODULE cli_main
#include <boost/test/unit_test.hpp>

#include <stdexcept>

BOOST_AUTO_TEST_CASE(turns_what_is_thrown_into_a_status)
{
    using slo::cli::guarded;
    BOOST_TEST(guarded("t", [] { return slo::Exit::negative; }) == 1);
    BOOST_TEST(guarded("t", []() -> slo::Exit { throw slo::ClosedPipe(); }) == 2);
    BOOST_TEST(guarded("t", []() -> slo::Exit { throw slo::UsageError("x"); }) == 3);
    BOOST_TEST(guarded("t", []() -> slo::Exit { throw std::runtime_error("x"); }) == 3);
    BOOST_TEST(guarded("t", []() -> slo::Exit { throw std::bad_alloc(); }) == 3);
}

BOOST_AUTO_TEST_CASE(versions_tell_what_a_bug_report_needs)
{
    const auto text = slo::cli::version_text({"replay", "", "", "libcurl/7.88.1"});
    BOOST_TEST(text.find("replay (sloutils) ") == 0U);
    BOOST_TEST(text.find("Boost: 1.") != std::string::npos);
    BOOST_TEST(text.find("libcurl/7.88.1") != std::string::npos);
}
