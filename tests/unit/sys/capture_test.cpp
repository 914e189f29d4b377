// SPDX-License-Identifier: MIT
#include <slo/sys/capture.hpp>

#define BOOST_TEST_MODULE sys_capture
#include <boost/test/unit_test.hpp>

#include <string>

using namespace slo::sys;

BOOST_AUTO_TEST_CASE(both_streams_and_the_status_come_back)
{
    const auto captured = capture({"sh", "-c", "echo out; echo err >&2; exit 5"}, 60);
    BOOST_TEST(captured.output == "out\nerr\n");
    BOOST_TEST(captured.status == 5);
    BOOST_TEST(!captured.timed_out);
}

BOOST_AUTO_TEST_CASE(a_signal_is_told_apart_from_a_status)
{
    BOOST_TEST(capture({"sh", "-c", "kill -9 $$"}, 60).status == 137);
}

BOOST_AUTO_TEST_CASE(one_that_hangs_is_killed)
{
    const auto captured = capture({"sh", "-c", "echo begun; exec sleep 60"}, 0.3);
    BOOST_TEST(captured.timed_out);
    BOOST_TEST(captured.output == "begun\n");
    BOOST_TEST(captured.status == 137);
}

BOOST_AUTO_TEST_CASE(what_it_leaves_in_the_background_is_not_waited_for)
{
    const auto captured = capture({"sh", "-c", "sleep 3 & echo done"}, 60);
    BOOST_TEST(captured.output == "done\n");
    BOOST_TEST(!captured.timed_out);
}

BOOST_AUTO_TEST_CASE(the_output_is_bounded)
{
    const auto captured = capture({"sh", "-c", "head -c 3000000 /dev/zero"}, 60);
    BOOST_TEST(captured.output.size() == max_captured_bytes);
    BOOST_TEST(captured.status == 0);
}

BOOST_AUTO_TEST_CASE(errors_may_go_elsewhere)
{
    int ends[2];
    BOOST_REQUIRE(::pipe2(ends, O_CLOEXEC) == 0);
    const auto captured = capture({{"sh", "-c", "echo out; echo err >&2"}, {}}, 60, ends[1]);
    BOOST_TEST(captured.output == "out\n");
    char text[16] = {};
    BOOST_TEST(::read(ends[0], text, sizeof text) == 4);
    ::close(ends[0]);
    ::close(ends[1]);
}
