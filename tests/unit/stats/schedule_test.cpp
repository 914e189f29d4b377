// SPDX-License-Identifier: MIT
#include <slo/stats/schedule.hpp>

#define BOOST_TEST_MODULE stats_schedule
#include <boost/test/unit_test.hpp>

#include <cmath>
#include <cstdint>
#include <limits>
#include <map>

using slo::stats::Schedule;

namespace {

std::map<int, int> counts_of(const Schedule& schedule)
{
    std::map<int, int> counts;
    for (std::size_t i = 0; i < schedule.size(); ++i)
        ++counts[schedule.window_of(i)];
    return counts;
}

} // namespace

BOOST_AUTO_TEST_CASE(every_window_of_a_constant_rate_holds_rate_times_length)
{
    const struct {
        double qps;
        double window_s;
        int windows;
        int each;
    } plans[] = {{20, 2, 3, 40},     {8.2, 30, 12, 246}, {0.1, 30, 8, 3},    {200, 60, 1, 12000},
                 {9.4, 30, 12, 282}, {0.3, 10, 50, 3},   {1.1, 10, 100, 11}, {1600, 7, 3, 11200}};
    for (const auto& plan : plans) {
        const auto schedule = Schedule::constant(plan.qps, plan.window_s, plan.windows);
        BOOST_TEST(schedule.size() ==
                   static_cast<std::size_t>(plan.each) * static_cast<std::size_t>(plan.windows));
        for (const auto& [window, count] : counts_of(schedule))
            BOOST_TEST(count == plan.each, plan.qps << " qps, window " << window << ": " << count);
    }
}

BOOST_AUTO_TEST_CASE(due_times_lie_in_their_windows_and_ascend)
{
    for (const double qps : {0.1, 0.3, 1.0 / 3, 7.7, 8.2, 33.3}) {
        const auto schedule = Schedule::constant(qps, 30, 40);
        double before = -1;
        for (std::size_t i = 0; i < schedule.size(); ++i) {
            const double due_s = schedule.due_s(i);
            const int window = schedule.window_of(i);
            BOOST_REQUIRE(due_s > before);
            BOOST_REQUIRE(due_s >= schedule.start_s(window));
            BOOST_REQUIRE(due_s < schedule.start_s(window + 1));
            BOOST_REQUIRE_SMALL(due_s - static_cast<double>(i) / qps, 1e-9);
            before = due_s;
        }
    }
}

BOOST_AUTO_TEST_CASE(no_error_adds_up_over_a_long_run)
{
    const auto schedule = Schedule::constant(200, 60, 24 * 60);
    BOOST_TEST(schedule.size() == 200U * 86400U);
    BOOST_TEST(schedule.due_s(200U * 86400U - 200U) == 86399.0);
}

BOOST_AUTO_TEST_CASE(a_rate_that_does_not_divide_keeps_its_mean)
{
    const auto schedule = Schedule::constant(2.5, 1, 4);
    const auto counts = counts_of(schedule);
    BOOST_TEST(schedule.size() == 10U);
    BOOST_TEST(counts.at(0) == 3);
    BOOST_TEST(counts.at(1) == 2);
    BOOST_TEST(counts.at(2) == 3);
    BOOST_TEST(counts.at(3) == 2);
}

BOOST_AUTO_TEST_CASE(a_drained_round_holds_the_whole_requests)
{
    BOOST_TEST(Schedule::round(20, 2).size() == 40U);
    BOOST_TEST(Schedule::round(8.2, 30).size() == 246U);
    BOOST_TEST(Schedule::round(2.5, 1).size() == 2U);
    BOOST_TEST(Schedule::round(0.01, 30).size() == 0U);
}

BOOST_AUTO_TEST_CASE(case_D02_tells_how_many_rows_a_run_needs)
{
    const auto schedule = Schedule::constant(0.5, 30, 12);
    BOOST_TEST(schedule.size() == 180U);
    BOOST_TEST(schedule.due_s(5) == 10.0); // the moment at which the sixth of five rows is missing
}

BOOST_AUTO_TEST_CASE(a_trace_keeps_its_own_times)
{
    const auto schedule =
        Schedule::trace({0, 0, 500'000'000, 9'999'999'999, 10'000'000'000, 35'000'000'000}, 10, std::nullopt);
    BOOST_TEST(schedule.size() == 6U);
    BOOST_TEST(schedule.windows() == 4);
    BOOST_TEST(schedule.due_s(1) == 0.0);
    BOOST_TEST(schedule.due_s(5) == 35.0);
    BOOST_TEST(schedule.window_of(3) == 0);
    BOOST_TEST(schedule.window_of(4) == 1);
    BOOST_TEST(schedule.window_of(5) == 3);
    BOOST_TEST(schedule.first_of(2) == 5U);
}

BOOST_AUTO_TEST_CASE(a_trace_ends_at_the_last_window_asked_for)
{
    const auto schedule = Schedule::trace({0, 5'000'000'000, 15'000'000'000, 25'000'000'000}, 10, 2);
    BOOST_TEST(schedule.windows() == 2);
    BOOST_TEST(schedule.size() == 3U);
    BOOST_TEST(Schedule::trace({}, 10, std::nullopt).size() == 0U);
}

// Under asan: their difference does not fit into int64.
BOOST_AUTO_TEST_CASE(moments_that_lie_too_far_apart_are_refused)
{
    constexpr auto least = std::numeric_limits<std::int64_t>::min();
    constexpr auto greatest = std::numeric_limits<std::int64_t>::max();
    BOOST_CHECK_THROW(Schedule::trace({least, greatest}, 60, 1), slo::UsageError);
    BOOST_CHECK_THROW(Schedule::trace({0, greatest}, 60, 1), slo::UsageError);
    const auto schedule = Schedule::trace({greatest - 5, greatest}, 60, 1);
    BOOST_TEST(schedule.due_s(1) == 5e-9);
}

BOOST_AUTO_TEST_CASE(schedules_beyond_all_bounds_are_refused)
{
    BOOST_CHECK_THROW(Schedule::constant(1e6, 1e6, 1), slo::UsageError);
    BOOST_CHECK_THROW(Schedule::constant(1e-6, 1e7, 1'000'000), slo::UsageError);
    BOOST_CHECK_THROW(Schedule::trace({0, 4'000'000'000'000'000'000}, 1, std::nullopt), slo::UsageError);
}

BOOST_AUTO_TEST_CASE(a_ramp_follows_its_line)
{
    const struct {
        double qps;
        double end_qps;
    } lines[] = {{2, 20}, {20, 2}, {0, 10}, {10, 0}, {7.3, 7.3}, {1e-3, 50}};
    for (const auto& line : lines) {
        const auto schedule = Schedule::ramp(line.qps, line.end_qps, 1, 100);
        const double mean_qps = (line.qps + line.end_qps) / 2;
        BOOST_TEST(schedule.size() == static_cast<std::size_t>(std::ceil(mean_qps * 100 - 1e-6)));
        double before = -1;
        double expected = 0;
        for (int second = 0; second < 100; ++second) {
            // The integral of the line so far.
            const double rate = line.qps + (line.end_qps - line.qps) * (second + 0.5) / 100;
            BOOST_TEST(std::abs(schedule.target_qps(second).value() - rate) < 1e-9);
            BOOST_TEST(std::abs(static_cast<double>(schedule.first_of(second)) - expected) < 1.001);
            expected += rate;
            for (auto i = schedule.first_of(second); i < schedule.first_of(second + 1); ++i) {
                const double due_s = schedule.due_s(i);
                BOOST_REQUIRE(schedule.window_of(i) == second);
                BOOST_REQUIRE(due_s > before);
                BOOST_REQUIRE(due_s >= second);
                BOOST_REQUIRE(due_s < second + 1);
                const double integral = due_s * (line.qps + (line.end_qps - line.qps) * due_s / 200);
                BOOST_REQUIRE_SMALL(integral - static_cast<double>(i), 1e-6);
                before = due_s;
            }
        }
    }
}

BOOST_AUTO_TEST_CASE(a_level_ramp_is_a_constant_rate)
{
    for (const double qps : {0.1, 0.3, 1.0 / 3, 8.2, 33.3, 1600.0}) {
        const auto constant = Schedule::constant(qps, 30, 4);
        const auto ramp = Schedule::ramp(qps, qps, 30, 4);
        BOOST_TEST(constant.target_qps(3).value() == qps);
        BOOST_REQUIRE(constant.size() == ramp.size());
        for (std::size_t i = 0; i < constant.size(); ++i)
            BOOST_REQUIRE(constant.due_s(i) == ramp.due_s(i));
    }
}

BOOST_AUTO_TEST_CASE(a_random_schedule_is_the_stream_up_to_its_end)
{
    slo::stats::Arrival arrival;
    arrival.process = slo::stats::Process::poisson;
    arrival.qps = 20;
    arrival.seed = 3;
    const auto schedule = Schedule::make(arrival, 30, 10);
    slo::stats::ArrivalStream stream(arrival);
    for (std::size_t i = 0; i < schedule.size(); ++i) {
        BOOST_REQUIRE(schedule.due_s(i) == static_cast<double>(stream.next_ns()) * 1e-9);
        BOOST_REQUIRE(schedule.window_of(i) == static_cast<int>(schedule.due_s(i) / 30));
    }
    BOOST_TEST(stream.next_ns() >= 300'000'000'000);
    // Neither the number nor the last moment is made to fit: 6,000 ± 77 would be due.
    BOOST_TEST(schedule.size() != 6000U);
    BOOST_TEST(std::abs(static_cast<double>(schedule.size()) - 6000) < 4 * 77);
    BOOST_TEST(schedule.target_qps(9).value() == 20.0);
    // A longer run begins with the same requests.
    const auto longer = Schedule::make(arrival, 30, 20);
    BOOST_TEST(longer.first_of(10) == schedule.size());
    BOOST_TEST(longer.due_s(4321) == schedule.due_s(4321));
}

BOOST_AUTO_TEST_CASE(make_follows_the_process)
{
    slo::stats::Arrival arrival;
    arrival.qps = 8;
    arrival.end_qps = 4;
    BOOST_TEST(Schedule::make(arrival, 30, 2).size() == 480U);
    arrival.process = slo::stats::Process::ramp;
    BOOST_TEST(Schedule::make(arrival, 30, 2).size() == 360U);
    arrival.process = slo::stats::Process::trace;
    BOOST_CHECK_THROW(Schedule::make(arrival, 30, 2), slo::UsageError);
    arrival.process = slo::stats::Process::gamma;
    arrival.burstiness = 0;
    BOOST_CHECK_THROW(Schedule::make(arrival, 30, 2), slo::UsageError);
    arrival.burstiness = 1;
    arrival.qps = 1e6;
    BOOST_CHECK_THROW(Schedule::make(arrival, 1000, 2), slo::UsageError);
}

BOOST_AUTO_TEST_CASE(a_trace_can_run_faster_or_slower)
{
    const auto twice =
        Schedule::trace({5, 5'000'000'005, 15'000'000'005, 30'000'000'006}, 10, std::nullopt, 2);
    BOOST_TEST(twice.windows() == 2);
    BOOST_TEST(twice.due_s(1) == 2.5);
    BOOST_CHECK_CLOSE(twice.due_s(2), 7.5, 1e-12);
    BOOST_TEST(twice.window_of(3) == 1);
    BOOST_TEST(!twice.target_qps(0));
    const auto half = Schedule::trace({5, 5'000'000'005}, 10, std::nullopt, 0.5);
    BOOST_TEST(half.windows() == 2);
    BOOST_TEST(half.due_s(1) == 10.0);
    BOOST_CHECK_THROW(Schedule::trace({0, 900'000'000'000'000'000}, 60, 1, 0.5), slo::UsageError);
}

BOOST_AUTO_TEST_CASE(one_window_of_given_times)
{
    const auto schedule = Schedule::window({0, 10, 999'999'999}, 3, 1);
    BOOST_TEST(schedule.size() == 3U);
    BOOST_TEST(schedule.windows() == 1);
    BOOST_TEST(schedule.due_s(1) == 1e-8);
    BOOST_TEST(schedule.window_of(2) == 0);
    BOOST_TEST(schedule.target_qps(0).value() == 3.0);
    BOOST_TEST(Schedule::window({}, 3, 1).size() == 0U);
}
