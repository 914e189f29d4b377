// SPDX-License-Identifier: MIT
#include <slo/run/segment.hpp>

#define BOOST_TEST_MODULE run_segment
#include <boost/test/unit_test.hpp>

using slo::run::Segment;
using slo::stats::Schedule;

BOOST_AUTO_TEST_CASE(requests_and_windows_advance_by_themselves)
{
    constexpr std::int64_t start_ns = 1'000'000'000'000;
    Segment segment(Schedule::constant(2, 1, 2), start_ns, 4);
    BOOST_TEST(segment.start_ns() == start_ns);
    BOOST_TEST(segment.number() == 4);
    BOOST_TEST(segment.next_due_ns() == start_ns);
    segment.advance();
    BOOST_TEST(segment.next_due_ns() == start_ns + 500'000'000);
    segment.advance();
    BOOST_TEST(segment.next_due_ns() == start_ns + 1'000'000'000);
    BOOST_TEST(segment.has_request_at_window_end());
    BOOST_TEST(segment.window_end_ns() == start_ns + 1'000'000'000);
    BOOST_TEST(!segment.is_last_window());
    segment.close_window();
    BOOST_TEST(segment.number() == 5);
    BOOST_TEST(segment.window_start_ns() == start_ns + 1'000'000'000);
    BOOST_TEST(segment.is_last_window());
    BOOST_TEST(segment.target_qps().value() == 2);
    segment.advance();
    segment.advance();
    BOOST_TEST(!segment.has_request_left());
    BOOST_TEST(segment.next_due_ns() == Segment::never_ns);
    BOOST_TEST(!segment.has_request_at_window_end());
    segment.close_window();
    BOOST_TEST(segment.is_over());
    BOOST_TEST(segment.closed() == 2);
}

BOOST_AUTO_TEST_CASE(a_closed_loop_has_windows_only)
{
    const Segment segment(Schedule::windows_only(5, 3), 0, 1);
    BOOST_TEST(segment.next_due_ns() == Segment::never_ns);
    BOOST_TEST(segment.windows() == 3);
    BOOST_TEST(segment.window_s() == 5);
    BOOST_TEST(!segment.target_qps().has_value());
}
