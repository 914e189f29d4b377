// SPDX-License-Identifier: MIT
#include <slo/run/client_monitor.hpp>

#define BOOST_TEST_MODULE run_client_monitor
#include <boost/test/unit_test.hpp>

using slo::run::ClientMonitor;

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
    const auto first = monitor.take(15 * second_ns, 3'500'000'000, 1'000'000);
    BOOST_TEST(first.lateness_p50_s.value() == 0.002);
    BOOST_TEST(first.lateness_max_s.value() == 0.003);
    BOOST_TEST(first.busy_pct.value() == 25.0);
    BOOST_TEST(first.in_flight_max == 7);
    BOOST_TEST(!first.saturated);
    const auto second = monitor.take(25 * second_ns, 3'500'000'000, 0);
    BOOST_TEST(!second.lateness_p50_s.has_value());
    BOOST_TEST(second.busy_pct.value() == 0.0);
    BOOST_TEST(second.in_flight_max == 3);
    BOOST_TEST(!second.saturated);
}

BOOST_AUTO_TEST_CASE(lateness_is_judged_against_five_milliseconds_or_the_slo)
{
    const auto saturated = [](ClientMonitor monitor, double lateness_s) {
        monitor.due();
        monitor.dispatched(lateness_s);
        return monitor.take(second_ns, 0, 0).saturated;
    };
    BOOST_TEST(!saturated(ClientMonitor(), 0.0049));
    BOOST_TEST(saturated(ClientMonitor(), 0.0051));
    BOOST_TEST(saturated(ClientMonitor(0.1), 0.0051));
    BOOST_TEST(!saturated(ClientMonitor(2.0), 0.0199));
    BOOST_TEST(saturated(ClientMonitor(2.0), 0.0201));
}

BOOST_AUTO_TEST_CASE(a_stall_or_missed_requests_saturate)
{
    const auto saturated = [](std::int64_t longest_turn_ns, int missed) {
        ClientMonitor monitor;
        for (int i = 0; i < 100; ++i)
            monitor.due();
        for (int i = 0; i < missed; ++i)
            monitor.missed();
        return monitor.take(second_ns, 0, longest_turn_ns).saturated;
    };
    BOOST_TEST(saturated(50'000'001, 0));
    BOOST_TEST(!saturated(50'000'000, 0));
    BOOST_TEST(!saturated(0, 1));
    BOOST_TEST(saturated(0, 3));
}

BOOST_AUTO_TEST_CASE(case_R05_growing_dispatch_lag_marks_the_client)
{
    ClientMonitor monitor(1.0);
    for (const double lag_s : {0.0, 0.5, 1.0, 1.5, 2.0, 2.5}) {
        monitor.due();
        monitor.dispatched(lag_s);
    }
    BOOST_TEST(monitor.take(6 * second_ns, 0, 0).saturated);
}
