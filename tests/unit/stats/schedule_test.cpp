// SPDX-License-Identifier: MIT
#include <slo/stats/schedule.hpp>

#define BOOST_TEST_MODULE stats_schedule
#include <boost/test/unit_test.hpp>

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
