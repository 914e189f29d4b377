// SPDX-License-Identifier: MIT
#include <slo/run/replay_schedule.hpp>

#define BOOST_TEST_MODULE run_replay_schedule
#include <boost/test/unit_test.hpp>

using namespace slo::run;

BOOST_AUTO_TEST_CASE(rows_needed_is_known_where_the_run_has_an_end)
{
    ReplayPlan plan;
    BOOST_TEST(!rows_needed(plan).has_value());
    plan.mode = ReplayMode::rounds;
    plan.arrival.qps = 0.5;
    plan.round_duration_s = 30;
    BOOST_TEST(!rows_needed(plan).has_value());
    plan.max_rounds = 12;
    BOOST_TEST(rows_needed(plan).value() == 180U); // case D02
    plan.mode = ReplayMode::continuous;
    BOOST_TEST(rows_needed(plan).value() == 180U);
}

BOOST_AUTO_TEST_CASE(a_trace_counts_from_its_first_row)
{
    ReplayPlan plan;
    plan.round_duration_s = 1;
    std::vector<slo::record::LoadedRow> rows(2);
    rows[0].ts_ns = 1'755'000'000'000'000'000;
    rows[1].ts_ns = rows[0].ts_ns + 1'500'000'000;
    const auto schedule = ScheduleSource(plan, rows).next();
    BOOST_TEST(schedule.due_s(0) == 0.0);
    BOOST_TEST(schedule.due_s(1) == 1.5);
    BOOST_TEST(schedule.windows() == 2);
}

BOOST_AUTO_TEST_CASE(a_looped_trace_goes_on_with_its_mean_gap)
{
    ReplayPlan plan;
    plan.arrival.process = slo::stats::Process::trace;
    plan.round_duration_s = 1;
    plan.max_rounds = 3;
    plan.loop_route = true;
    std::vector<slo::record::LoadedRow> rows(3);
    rows[0].ts_ns = 5'000'000'000;
    rows[1].ts_ns = rows[0].ts_ns + 100'000'000;
    rows[2].ts_ns = rows[0].ts_ns + 800'000'000;
    const auto schedule = ScheduleSource(plan, rows).next();
    BOOST_TEST(schedule.windows() == 3);
    BOOST_REQUIRE_EQUAL(schedule.size(), 8U); // 0 0.1 0.8 | 1.2 1.3 2.0 | 2.4 2.5 (3.2)
    BOOST_CHECK_CLOSE(schedule.due_s(3), 1.2, 1e-6);
    BOOST_CHECK_CLOSE(schedule.due_s(7), 2.5, 1e-6);
    plan.arrival.speed = 2;
    BOOST_TEST(ScheduleSource(plan, rows).next().size() == 15U);
    rows.resize(1);
    BOOST_CHECK_THROW(ScheduleSource(plan, rows).next(), slo::UsageError);
}

BOOST_AUTO_TEST_CASE(a_closed_loop_has_windows_and_no_times)
{
    ReplayPlan plan;
    plan.mode = ReplayMode::closed;
    plan.round_duration_s = 10;
    const std::vector<slo::record::LoadedRow> rows(3);
    BOOST_TEST(ScheduleSource(plan, rows).next().windows() == 1'000'000);
    plan.max_rounds = 4;
    const auto schedule = ScheduleSource(plan, rows).next();
    BOOST_TEST(schedule.windows() == 4);
    BOOST_TEST(schedule.size() == 0U);
    BOOST_TEST(!schedule.target_qps(0).has_value());
    BOOST_TEST(!rows_needed(plan).has_value());
    plan.users = 6;
    BOOST_TEST(make_window(plan, 1, 0, 10, {}).concurrency.value() == 6);
}

BOOST_AUTO_TEST_CASE(rounds_that_drain_take_up_the_process_where_it_was)
{
    ReplayPlan plan;
    plan.mode = ReplayMode::rounds;
    plan.arrival.process = slo::stats::Process::poisson;
    plan.arrival.qps = 20;
    plan.arrival.seed = 3;
    plan.round_duration_s = 10;
    plan.max_rounds = 3;
    const std::vector<slo::record::LoadedRow> rows;
    ScheduleSource source(plan, rows);
    std::size_t sum = 0;
    for (int round = 0; round < 3; ++round)
        sum += source.next().size();
    BOOST_TEST(rows_needed(plan).value() == sum);
    plan.mode = ReplayMode::continuous;
    BOOST_TEST(rows_needed(plan).value() == sum);
}

BOOST_AUTO_TEST_CASE(a_window_carries_what_was_asked_for)
{
    ReplayPlan plan;
    plan.request.model = "m";
    plan.e2e_slo_s = 2;
    plan.ttft_slo_ms = 500;
    BOOST_TEST(!make_window(plan, 1, 0, 30, {}).target_qps.has_value());
    plan.mode = ReplayMode::continuous;
    const auto window = make_window(plan, 3, 60, 30, 8.2);
    BOOST_TEST(window.number == 3);
    BOOST_TEST(window.target_qps.value() == 8.2);
    BOOST_TEST(window.continuous);
    BOOST_TEST(window.model == "m");
    BOOST_TEST(window.e2e_slo_s.value() == 2);
    plan.mode = ReplayMode::rounds;
    BOOST_TEST(!make_window(plan, 1, 0, 30, 1.0).continuous);
}

BOOST_AUTO_TEST_CASE(the_smallest_slo_is_found)
{
    ReplayPlan plan;
    BOOST_TEST(!slo::record::smallest_slo_s(terms_of(plan)).has_value());
    plan.ttft_slo_ms = 500;
    BOOST_TEST(slo::record::smallest_slo_s(terms_of(plan)).value() == 0.5);
    plan.e2e_slo_s = 2;
    BOOST_TEST(slo::record::smallest_slo_s(terms_of(plan)).value() == 0.5);
    plan.e2e_slo_s = 0.25;
    BOOST_TEST(slo::record::smallest_slo_s(terms_of(plan)).value() == 0.25);
}
