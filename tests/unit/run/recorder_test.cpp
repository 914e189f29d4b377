// SPDX-License-Identifier: MIT
#include <slo/run/recorder.hpp>
#include <slo/run/run_sink.hpp>

#define BOOST_TEST_MODULE run_recorder
#include <boost/test/unit_test.hpp>

#include <poll.h>

#include <algorithm>
#include <functional>
#include <string>
#include <thread>
#include <vector>

using namespace slo::run;

namespace {

LaneWindow window(int number)
{
    LaneWindow lane;
    lane.window.number = number;
    return lane;
}

struct Target : RunSink {
    void requests(std::vector<slo::record::Request>&& batch) override
    {
        for (const auto& request : batch)
            seen.push_back(request.id);
    }
    void window(LaneWindow&& lane) override
    {
        seen.push_back("window " + std::to_string(lane.window.number));
        if (on_window)
            on_window();
    }
    void end() override { seen.push_back("end"); }

    std::vector<std::string> seen;
    std::function<void()> on_window;
};

std::vector<slo::record::Request> batch(const std::string& id)
{
    std::vector<slo::record::Request> requests(1);
    requests[0].id = id;
    return requests;
}

} // namespace

BOOST_AUTO_TEST_CASE(all_is_handed_on_in_order_before_finish_returns)
{
    Target target;
    Recorder recorder(target);
    for (int i = 1; i <= 100; ++i) {
        recorder.requests(batch("request " + std::to_string(i)));
        recorder.window(window(i));
    }
    recorder.finish();
    BOOST_REQUIRE_EQUAL(target.seen.size(), 201U);
    for (int i = 1; i <= 100; ++i) {
        BOOST_TEST(target.seen[static_cast<std::size_t>(2 * i - 2)] == "request " + std::to_string(i));
        BOOST_TEST(target.seen[static_cast<std::size_t>(2 * i - 1)] == "window " + std::to_string(i));
    }
    BOOST_TEST(target.seen.back() == "end");
}

BOOST_AUTO_TEST_CASE(several_loops_may_hand_on_at_once)
{
    Target target;
    {
        Recorder recorder(target);
        std::vector<std::thread> loops;
        for (int lane = 0; lane < 4; ++lane)
            loops.emplace_back([&recorder, lane] {
                for (int i = 0; i < 1000; ++i)
                    recorder.requests(batch(std::to_string(lane)));
            });
        for (auto& loop : loops)
            loop.join();
        recorder.finish();
    }
    BOOST_TEST(target.seen.size() == 4001U);
    for (const char* lane : {"0", "1", "2", "3"})
        BOOST_TEST(std::count(target.seen.begin(), target.seen.end(), lane) == 1000);
}

BOOST_AUTO_TEST_CASE(a_failing_target_is_told_thrown_once_and_still_called)
{
    Target target;
    target.on_window = [] { throw slo::ClosedPipe(); };
    Recorder recorder(target);
    recorder.window(window(1));
    pollfd told{recorder.failure_fd(), POLLIN, 0};
    BOOST_TEST(::poll(&told, 1, 10'000) == 1);
    recorder.window(window(2));
    BOOST_CHECK_THROW(recorder.finish(), slo::ClosedPipe);
    BOOST_CHECK_NO_THROW(recorder.finish());
    BOOST_TEST((target.seen == std::vector<std::string>{"window 1", "window 2", "end"}));
}

BOOST_AUTO_TEST_CASE(the_end_is_told_and_a_target_that_waits_can_be_let_go)
{
    Target target;
    int give_up_fd = -1;
    target.on_window = [&] {
        pollfd waited{give_up_fd, POLLIN, 0};
        ::poll(&waited, 1, -1);
    };
    Recorder recorder(target);
    give_up_fd = recorder.give_up_fd();
    recorder.window(window(1));
    recorder.end();
    pollfd told{recorder.finished_fd(), POLLIN, 0};
    BOOST_TEST(::poll(&told, 1, 50) == 0);
    recorder.give_up();
    BOOST_TEST(::poll(&told, 1, 10'000) == 1);
    BOOST_CHECK_NO_THROW(recorder.finish());
}

BOOST_AUTO_TEST_CASE(a_recorder_without_anything_ends)
{
    Target target;
    BOOST_CHECK_NO_THROW(Recorder(target).finish());
    BOOST_TEST((target.seen == std::vector<std::string>{"end"}));
}
