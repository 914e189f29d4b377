// SPDX-License-Identifier: MIT
#include <slo/run/replay_progress.hpp>

#define BOOST_TEST_MODULE run_replay_progress
#include <boost/test/unit_test.hpp>

using slo::run::ReplayProgress;

BOOST_AUTO_TEST_CASE(lines_for_people)
{
    ReplayProgress progress;
    progress.round = 3;
    progress.rounds = 8;
    progress.due = 58;
    progress.ended = {52, 1, 2, 3};
    progress.in_flight = 5;
    BOOST_TEST(progress.text() == "round 3/8  58 due  52 ok  1 failed  5 in flight  0.0/s");
    progress.elapsed_s = 4;
    BOOST_TEST(progress.text().ends_with("  13.2/s"));
    progress.p50_s = 0.8123;
    BOOST_TEST(progress.text().ends_with("  p50 0.812 s"));
    BOOST_TEST(progress.summary() == "58 due: 52 ok, 1 failed, 2 unfinished, 3 not sent");
}

BOOST_AUTO_TEST_CASE(the_fraction_is_known_where_the_end_is)
{
    ReplayProgress progress;
    progress.elapsed_s = 30;
    BOOST_TEST(progress.fraction() < 0);
    progress.planned_s = 120;
    BOOST_TEST(progress.fraction() == 0.25);
    progress.elapsed_s = 130;
    BOOST_TEST(progress.fraction() == 1.0);
}
