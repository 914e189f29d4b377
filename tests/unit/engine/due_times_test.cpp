// SPDX-License-Identifier: MIT
#include <slo/engine/due_times.hpp>
#define BOOST_TEST_MODULE engine_due_times
#include <boost/test/unit_test.hpp>

#include <slo/stats/schedule.hpp>

using namespace slo;
using namespace slo::engine;

BOOST_AUTO_TEST_CASE(constant_due_times_lie_at_multiples_without_accumulated_error)
{
    stats::Arrival arrival;
    arrival.qps = 9.4;
    DueTimes times(arrival);
    BOOST_TEST(times.next_s() == 0.0);
    double last_s = 0;
    for (int i = 1; i <= 94000; ++i)
        last_s = times.next_s();
    BOOST_TEST(last_s == 10000.0);
}

BOOST_AUTO_TEST_CASE(random_due_times_are_those_of_the_schedule_of_a_replay)
{
    for (const auto process : {stats::Process::poisson, stats::Process::gamma}) {
        stats::Arrival arrival{process, 10, 1, 0.4, 7, 1};
        const auto schedule = stats::Schedule::make(arrival, 30, 4);
        DueTimes times(arrival);
        for (std::size_t i = 0; i < schedule.size(); ++i)
            BOOST_REQUIRE_EQUAL(times.next_s(), schedule.due_s(i));
        BOOST_TEST(times.next_s() >= 120.0);
    }
}

BOOST_AUTO_TEST_CASE(due_times_without_end_are_no_ramp)
{
    for (const auto process : {stats::Process::ramp, stats::Process::trace})
        BOOST_CHECK_THROW(DueTimes(stats::Arrival{process, 10, 1, 1, 7, 1}), UsageError);
    BOOST_CHECK_THROW(DueTimes(stats::Arrival{stats::Process::gamma, 10, 1, 0, 7, 1}), UsageError);
}
