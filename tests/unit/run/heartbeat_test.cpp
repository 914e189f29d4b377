// SPDX-License-Identifier: MIT
#include <slo/run/heartbeat.hpp>

#define BOOST_TEST_MODULE run_heartbeat
#include <boost/test/unit_test.hpp>

#include <chrono>
#include <thread>

using slo::net::EventLoop;
using slo::net::Timer;
using slo::run::Heartbeat;

namespace {

void sleep_ms(int milliseconds)
{
    std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
}

} // namespace

BOOST_AUTO_TEST_CASE(a_handler_that_lasts_is_seen_while_it_does_and_after)
{
    EventLoop loop;
    Heartbeat heartbeat(loop);
    heartbeat.begin(slo::monotonic_ns());
    std::int64_t meanwhile_ns = 0;
    Timer slow(loop, [&] {
        sleep_ms(80);
        meanwhile_ns = heartbeat.take_longest_ns();
    });
    Timer end(loop, [&] { loop.stop(); });
    slow.set(slo::monotonic_ns() + 1'000'000);
    end.set(slo::monotonic_ns() + 120'000'000);
    loop.run();
    BOOST_TEST(meanwhile_ns >= 59'000'000);
    BOOST_TEST(heartbeat.take_longest_ns() >= 59'000'000);
}

BOOST_AUTO_TEST_CASE(a_loop_that_does_not_run_is_seen)
{
    EventLoop loop;
    Heartbeat heartbeat(loop);
    heartbeat.begin(slo::monotonic_ns());
    sleep_ms(100);
    loop.run_once();
    BOOST_TEST(heartbeat.take_longest_ns() >= 79'000'000);
    heartbeat.begin(slo::monotonic_ns() + 3'600'000'000'000);
    BOOST_TEST(heartbeat.take_longest_ns() == 0);
}
