// SPDX-License-Identifier: MIT
#include <slo/run/client_monitor.hpp>

#define BOOST_TEST_MODULE run_client_monitor
#include <boost/test/unit_test.hpp>

using slo::run::ClientMonitor;

BOOST_AUTO_TEST_CASE(figures_of_a_window_are_its_own)
{
    ClientMonitor monitor;
    monitor.in_flight(3);
    monitor.in_flight(7);
    for (const double lateness_s : {0.001, 0.003, 0.002})
        monitor.dispatched(lateness_s);
    const auto first = monitor.take(10'000'000'000, 2'500'000'000, 1'000'000, 3, 5);
    BOOST_TEST(first.lateness_p50_s.value() == 0.002);
    BOOST_TEST(first.lateness_max_s.value() == 0.003);
    BOOST_TEST(first.busy_pct.value() == 25.0);
    BOOST_TEST(first.in_flight_max == 7);
    BOOST_TEST(!first.saturated);
    const auto second = monitor.take(10'000'000'000, 0, 0, 0, 0);
    BOOST_TEST(!second.lateness_p50_s.has_value());
    BOOST_TEST(second.in_flight_max == 5);
    BOOST_TEST(!second.saturated);
}

BOOST_AUTO_TEST_CASE(lateness_is_judged_against_five_milliseconds_or_the_slo)
{
    const auto saturated = [](ClientMonitor monitor, double lateness_s) {
        monitor.dispatched(lateness_s);
        return monitor.take(10'000'000'000, 0, 0, 1, 0).saturated;
    };
    BOOST_TEST(!saturated(ClientMonitor(), 0.0049));
    BOOST_TEST(saturated(ClientMonitor(), 0.0051));
    BOOST_TEST(saturated(ClientMonitor(0.1), 0.0051));
    BOOST_TEST(!saturated(ClientMonitor(2.0), 0.0199));
    BOOST_TEST(saturated(ClientMonitor(2.0), 0.0201));
}

BOOST_AUTO_TEST_CASE(a_stall_or_missed_requests_saturate)
{
    ClientMonitor monitor;
    BOOST_TEST(monitor.take(10'000'000'000, 0, 50'000'001, 100, 0).saturated);
    BOOST_TEST(!monitor.take(10'000'000'000, 0, 50'000'000, 100, 0).saturated);
    monitor.missed();
    monitor.missed();
    BOOST_TEST(!monitor.take(10'000'000'000, 0, 0, 100, 0).saturated);
    monitor.missed();
    monitor.missed();
    monitor.missed();
    BOOST_TEST(monitor.take(10'000'000'000, 0, 0, 100, 0).saturated);
}

BOOST_AUTO_TEST_CASE(case_R05_growing_dispatch_lag_marks_the_client)
{
    ClientMonitor monitor(1.0);
    for (const double lag_s : {0.0, 0.5, 1.0, 1.5, 2.0, 2.5})
        monitor.dispatched(lag_s);
    BOOST_TEST(monitor.take(6'000'000'000, 0, 0, 6, 0).saturated);
}
