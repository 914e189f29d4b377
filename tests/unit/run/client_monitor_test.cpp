// SPDX-License-Identifier: MIT
#include <slo/run/client_monitor.hpp>

#define BOOST_TEST_MODULE run_client_monitor
#include <boost/test/unit_test.hpp>

using slo::run::ClientMonitor;
using slo::run::ClientWindow;

namespace {

constexpr std::int64_t second_ns = 1'000'000'000;

} // namespace

BOOST_AUTO_TEST_CASE(figures_of_a_window_are_its_own)
{
    ClientMonitor monitor;
    monitor.begin(5 * second_ns, second_ns);
    monitor.in_flight(7);
    monitor.in_flight(3);
    for (const double lateness_s : {0.001, 0.003, 0.002}) {
        monitor.due();
        monitor.dispatched(lateness_s);
    }
    const auto first = monitor.take(15 * second_ns, 3'500'000'000, 1'000'000).health({});
    BOOST_TEST(first.lateness_p50_s.value() == 0.002);
    BOOST_TEST(first.lateness_max_s.value() == 0.003);
    BOOST_TEST(first.busy_pct.value() == 25.0);
    BOOST_TEST(first.in_flight_max == 7);
    BOOST_TEST(!first.saturated);
    const auto second = monitor.take(25 * second_ns, 3'500'000'000, 0).health({});
    BOOST_TEST(!second.lateness_p50_s.has_value());
    BOOST_TEST(second.busy_pct.value() == 0.0);
    BOOST_TEST(second.in_flight_max == 3);
    BOOST_TEST(!second.saturated);
}

BOOST_AUTO_TEST_CASE(lateness_is_judged_against_five_milliseconds_or_the_slo)
{
    const auto saturated = [](std::optional<double> slo_s, double lateness_s) {
        ClientMonitor monitor;
        monitor.due();
        monitor.dispatched(lateness_s);
        return monitor.take(second_ns, 0, 0).health(slo_s).saturated;
    };
    BOOST_TEST(!saturated({}, 0.0049));
    BOOST_TEST(saturated({}, 0.0051));
    BOOST_TEST(saturated(0.1, 0.0051));
    BOOST_TEST(!saturated(2.0, 0.0199));
    BOOST_TEST(saturated(2.0, 0.0201));
}

BOOST_AUTO_TEST_CASE(a_stall_or_missed_requests_saturate)
{
    const auto saturated = [](std::int64_t longest_turn_ns, int missed) {
        ClientMonitor monitor;
        for (int i = 0; i < 100; ++i)
            monitor.due();
        for (int i = 0; i < missed; ++i)
            monitor.missed();
        return monitor.take(second_ns, 0, longest_turn_ns).health({}).saturated;
    };
    BOOST_TEST(saturated(50'000'001, 0));
    BOOST_TEST(!saturated(50'000'000, 0));
    BOOST_TEST(!saturated(0, 1));
    BOOST_TEST(saturated(0, 3));
}

BOOST_AUTO_TEST_CASE(case_R05_growing_dispatch_lag_marks_the_client)
{
    ClientMonitor monitor;
    for (const double lag_s : {0.0, 0.5, 1.0, 1.5, 2.0, 2.5}) {
        monitor.due();
        monitor.dispatched(lag_s);
    }
    const auto health = monitor.take(6 * second_ns, 0, 0).health(1.0);
    BOOST_TEST(health.saturated);
    BOOST_TEST((health.saturated_by == std::vector<std::string>{"lateness"}));
}

BOOST_AUTO_TEST_CASE(one_hiccup_does_not_void_a_small_window)
{
    const auto late = [](int requests, int hiccups) {
        ClientWindow window;
        for (int i = 0; i < requests; ++i)
            window.lateness_s.add(i < hiccups ? 0.5 : 0.0001);
        return window.health({});
    };
    BOOST_TEST(late(1, 1).saturated); // nothing else is known of it
    BOOST_TEST(!late(2, 1).saturated);
    BOOST_TEST(!late(50, 1).saturated);
    BOOST_TEST(late(50, 1).lateness_max_s.value() == 0.5);
    BOOST_TEST(late(50, 1).lateness_p99_s.value() == 0.0001);
    BOOST_TEST(late(50, 2).saturated);
    BOOST_TEST(late(199, 2).saturated);
    BOOST_TEST(!late(200, 2).saturated);
    BOOST_TEST(late(200, 3).saturated);
    BOOST_TEST(!late(100000, 1000).saturated);
    BOOST_TEST(late(100000, 1001).saturated);
}

BOOST_AUTO_TEST_CASE(every_rule_that_hit_is_named)
{
    ClientWindow window;
    window.lateness_s.add(1);
    window.due = 10;
    window.missed = 1;
    window.longest_turn_ns = 60'000'000;
    const auto health = window.health({});
    BOOST_TEST((health.saturated_by == std::vector<std::string>{"lateness", "missed", "stall"}));
    BOOST_TEST(health.loop_stall_max_s.value() == 0.06);
    BOOST_TEST(health.missed.value() == 1);
    BOOST_TEST(ClientWindow().health({}).saturated_by.empty());
}

BOOST_AUTO_TEST_CASE(the_loops_of_a_process_are_judged_together)
{
    ClientWindow a;
    ClientWindow b;
    for (int i = 0; i < 99; ++i)
        a.lateness_s.add(0.001);
    b.lateness_s.add(0.9);
    a.due = 99;
    b.due = b.missed = 1;
    a.in_flight_max = 5;
    b.in_flight_max = 7;
    b.longest_turn_ns = 30'000'000;
    a.cpu_ns = b.cpu_ns = second_ns; // the process's, as each of them reads it
    a.wall_ns = b.wall_ns = 2 * second_ns;
    BOOST_TEST(b.health({}).saturated);
    a.merge(b);
    const auto health = a.health({});
    BOOST_TEST(!health.saturated);
    BOOST_TEST(health.lateness_max_s.value() == 0.9);
    BOOST_TEST(health.in_flight_max == 12);
    BOOST_TEST(health.loop_stall_max_s.value() == 0.03);
    BOOST_TEST(health.busy_pct.value() == 50);
    BOOST_TEST(health.missed.value() == 1);
}
