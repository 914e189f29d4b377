// SPDX-License-Identifier: MIT
#include <slo/stats/round_schedules.hpp>

#define BOOST_TEST_MODULE stats_round_schedules
#include <boost/test/unit_test.hpp>

using namespace slo::stats;

namespace {

Arrival arrival_of(Process process, double qps)
{
    Arrival arrival;
    arrival.process = process;
    arrival.qps = qps;
    arrival.end_qps = 3 * qps;
    arrival.burstiness = 0.3;
    arrival.seed = 11;
    return arrival;
}

} // namespace

BOOST_AUTO_TEST_CASE(rounds_are_the_windows_of_the_whole_process)
{
    for (const auto process : {Process::poisson, Process::gamma, Process::ramp}) {
        for (const double window_s : {30.0, 0.7}) {
            const auto arrival = arrival_of(process, 8);
            const auto whole = Schedule::make(arrival, window_s, 12);
            RoundSchedules rounds(arrival, window_s, 12);
            std::size_t i = 0;
            for (int round = 0; round < 12; ++round) {
                const auto schedule = rounds.next();
                BOOST_TEST(schedule.windows() == 1);
                BOOST_TEST(schedule.window_s() == window_s);
                BOOST_TEST(*schedule.target_qps(0) == *whole.target_qps(round));
                BOOST_REQUIRE(schedule.size() == whole.first_of(round + 1) - whole.first_of(round));
                for (std::size_t k = 0; k < schedule.size(); ++k, ++i) {
                    BOOST_REQUIRE_SMALL(schedule.due_s(k) - (whole.due_s(i) - whole.start_s(round)), 3e-9);
                    BOOST_REQUIRE(schedule.due_s(k) >= 0);
                    BOOST_REQUIRE(schedule.due_s(k) < window_s);
                    BOOST_REQUIRE(schedule.window_of(k) == 0);
                }
                BOOST_TEST(rounds.count(round + 1) == i);
            }
            BOOST_TEST(whole.size() == i);
        }
    }
}

BOOST_AUTO_TEST_CASE(random_rounds_go_on_as_long_as_they_are_asked_for)
{
    RoundSchedules unknown(arrival_of(Process::poisson, 8), 30, std::nullopt);
    RoundSchedules known(arrival_of(Process::poisson, 8), 30, 3);
    std::size_t count = 0;
    for (int round = 0; round < 50; ++round) {
        const auto schedule = unknown.next();
        count += schedule.size();
        if (round < 3)
            BOOST_TEST(schedule.due_s(7) == known.next().due_s(7));
    }
    BOOST_TEST(unknown.count(50) == count);
}

BOOST_AUTO_TEST_CASE(rounds_of_a_constant_rate_are_all_alike)
{
    RoundSchedules rounds(arrival_of(Process::constant, 2.5), 1, std::nullopt);
    for (int round = 0; round < 4; ++round) {
        const auto schedule = rounds.next();
        BOOST_TEST(schedule.size() == 2U);
        BOOST_TEST(schedule.due_s(1) == 0.4);
    }
    BOOST_TEST(rounds.count(4) == 8U);
}

BOOST_AUTO_TEST_CASE(what_has_no_such_rounds_is_refused)
{
    BOOST_CHECK_THROW(RoundSchedules(arrival_of(Process::ramp, 8), 30, std::nullopt), slo::UsageError);
    BOOST_CHECK_THROW(RoundSchedules(arrival_of(Process::trace, 8), 30, 1), slo::UsageError);
    BOOST_CHECK_THROW(RoundSchedules(arrival_of(Process::poisson, 0), 30, 1), slo::UsageError);
    BOOST_CHECK_THROW(RoundSchedules(arrival_of(Process::poisson, 1e7), 30, 1), slo::UsageError);
    BOOST_CHECK_THROW(RoundSchedules(arrival_of(Process::poisson, 1e6), 30, 1).count(1'000'000),
                      slo::UsageError);
}
