// SPDX-License-Identifier: MIT
#include <slo/cli/progress.hpp>

#define BOOST_TEST_MODULE cli_progress
#include <boost/test/unit_test.hpp>

using slo::cli::Progress;

BOOST_AUTO_TEST_CASE(chooses_its_form)
{
    BOOST_TEST((Progress("t", "plain", false).mode() == Progress::Mode::plain));
    BOOST_TEST((Progress("t", "bar", false).mode() == Progress::Mode::bar));
    BOOST_TEST((Progress("t", "plain", true).mode() == Progress::Mode::none));
    BOOST_CHECK_THROW(Progress("t", "loud", false), slo::UsageError);
}

BOOST_AUTO_TEST_CASE(says_durations_as_people_do)
{
    BOOST_TEST(Progress::duration_text(41.6) == "42 s");
    BOOST_TEST(Progress::duration_text(185) == "3 min 05 s");
    BOOST_TEST(Progress::duration_text(7800) == "2 h 10 min");
    BOOST_TEST(Progress::duration_text(-3) == "0 s");
}
