// SPDX-License-Identifier: MIT
#include <slo/run/window_keeper.hpp>

#define BOOST_TEST_MODULE run_window_keeper
#include <boost/test/unit_test.hpp>

#include "../../support/gathered_run.hpp"

#include <chrono>
#include <thread>

using namespace slo::run;

BOOST_AUTO_TEST_CASE(the_last_window_is_kept_until_its_answers_are_there)
{
    ReplayPlan plan;
    plan.round_duration_s = 0.05;
    slo::net::EventLoop loop;
    slo::test::GatheredRun gathered;
    WindowKeeper windows(plan, loop, gathered);
    BOOST_TEST(!windows.has_begun());
    const auto start_ns = slo::monotonic_ns();
    Segment segment(slo::stats::Schedule::constant(40, 0.05, 2), start_ns, 1);
    windows.begin(segment, start_ns);
    BOOST_TEST(windows.has_begun());
    windows.close(segment, 0.05, false, false);
    segment.close_window();
    BOOST_TEST(gathered.windows.size() == 1U);
    windows.close(segment, 0.05, true, true);
    segment.close_window();
    BOOST_TEST(gathered.windows.size() == 1U);
    std::this_thread::sleep_for(std::chrono::milliseconds(120)); // the client stands still in the drain
    windows.hand_on_last();
    BOOST_REQUIRE_EQUAL(gathered.windows.size(), 2U);
    BOOST_TEST(gathered.windows[1].window.number == 2);
    BOOST_TEST((gathered.windows[1].window.flags == std::vector<std::string>{"route_exhausted"}));
    BOOST_TEST(gathered.windows[1].client.health({}).saturated);
    windows.hand_on_last();
    BOOST_TEST(gathered.windows.size() == 2U);
    windows.end();
}
