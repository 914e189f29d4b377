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
    plan.target_qps = 0.5;
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
    const auto schedule = make_schedule(plan, rows);
    BOOST_TEST(schedule.due_s(0) == 0.0);
    BOOST_TEST(schedule.due_s(1) == 1.5);
    BOOST_TEST(schedule.windows() == 2);
}

BOOST_AUTO_TEST_CASE(a_window_carries_what_was_asked_for)
{
    ReplayPlan plan;
    plan.request.model = "m";
    plan.e2e_slo_s = 2;
    plan.ttft_slo_ms = 500;
    BOOST_TEST(!make_window(plan, 1, 0, 30).target_qps.has_value());
    plan.mode = ReplayMode::continuous;
    plan.target_qps = 8.2;
    const auto window = make_window(plan, 3, 60, 30);
    BOOST_TEST(window.number == 3);
    BOOST_TEST(window.target_qps.value() == 8.2);
    BOOST_TEST(window.continuous);
    BOOST_TEST(window.model == "m");
    BOOST_TEST(window.e2e_slo_s.value() == 2);
    plan.mode = ReplayMode::rounds;
    BOOST_TEST(!make_window(plan, 1, 0, 30).continuous);
}

BOOST_AUTO_TEST_CASE(the_smallest_slo_is_found)
{
    ReplayPlan plan;
    BOOST_TEST(!smallest_slo_s(plan).has_value());
    plan.ttft_slo_ms = 500;
    BOOST_TEST(smallest_slo_s(plan).value() == 0.5);
    plan.e2e_slo_s = 2;
    BOOST_TEST(smallest_slo_s(plan).value() == 0.5);
    plan.e2e_slo_s = 0.25;
    BOOST_TEST(smallest_slo_s(plan).value() == 0.25);
}
