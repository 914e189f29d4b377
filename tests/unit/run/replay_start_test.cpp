// SPDX-License-Identifier: MIT
#include <slo/run/replay_start.hpp>

#define BOOST_TEST_MODULE run_replay_start
#include <boost/test/unit_test.hpp>

#include <cmath>

using slo::run::start_moment;

BOOST_AUTO_TEST_CASE(both_clocks_name_the_same_moment)
{
    for (const double ahead_s : {0.5, 20.0}) {
        const auto start = start_moment(slo::wall_clock_s() + ahead_s);
        const double wall_ahead_s = start.epoch_s - slo::wall_clock_s();
        const double monotonic_ahead_s = slo::to_seconds(start.monotonic_ns - slo::monotonic_ns());
        BOOST_TEST(std::abs(wall_ahead_s - monotonic_ahead_s) < 0.2);
    }
    BOOST_TEST(start_moment({}).epoch_s > slo::wall_clock_s() - 1);
}

BOOST_AUTO_TEST_CASE(a_moment_that_has_passed_is_refused)
{
    BOOST_CHECK_THROW(start_moment(slo::wall_clock_s() - 3), slo::UsageError);
}
