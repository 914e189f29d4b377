// SPDX-License-Identifier: MIT
#include <slo/run/recorder.hpp>

#define BOOST_TEST_MODULE run_recorder
#include <boost/test/unit_test.hpp>

#include <poll.h>

#include <vector>

using namespace slo::run;

namespace {

FinishedWindow window(int number)
{
    FinishedWindow finished;
    finished.window.number = number;
    return finished;
}

} // namespace

BOOST_AUTO_TEST_CASE(all_windows_are_handed_on_in_order_before_finish_returns)
{
    std::vector<int> numbers;
    Recorder recorder([&](FinishedWindow&& finished) { numbers.push_back(finished.window.number); });
    for (int i = 1; i <= 100; ++i)
        recorder.push(window(i));
    recorder.finish();
    BOOST_REQUIRE_EQUAL(numbers.size(), 100U);
    for (int i = 0; i < 100; ++i)
        BOOST_TEST(numbers[static_cast<std::size_t>(i)] == i + 1);
}

BOOST_AUTO_TEST_CASE(a_failing_sink_is_told_thrown_once_and_still_called)
{
    int calls = 0;
    Recorder recorder([&](FinishedWindow&&) {
        ++calls;
        throw slo::ClosedPipe();
    });
    recorder.push(window(1));
    pollfd told{recorder.failure_fd(), POLLIN, 0};
    BOOST_TEST(::poll(&told, 1, 10'000) == 1);
    recorder.push(window(2));
    BOOST_CHECK_THROW(recorder.finish(), slo::ClosedPipe);
    BOOST_CHECK_NO_THROW(recorder.finish());
    BOOST_TEST(calls == 2);
}

BOOST_AUTO_TEST_CASE(the_end_is_told_and_a_sink_that_waits_can_be_let_go)
{
    int give_up_fd = -1;
    Recorder recorder([&](FinishedWindow&&) {
        pollfd waited{give_up_fd, POLLIN, 0};
        ::poll(&waited, 1, -1);
    });
    give_up_fd = recorder.give_up_fd();
    recorder.push(window(1));
    recorder.close();
    pollfd told{recorder.finished_fd(), POLLIN, 0};
    BOOST_TEST(::poll(&told, 1, 50) == 0);
    recorder.give_up();
    BOOST_TEST(::poll(&told, 1, 10'000) == 1);
    BOOST_CHECK_NO_THROW(recorder.finish());
}

BOOST_AUTO_TEST_CASE(a_recorder_without_windows_ends)
{
    Recorder recorder([](FinishedWindow&&) {});
    BOOST_CHECK_NO_THROW(recorder.finish());
}
