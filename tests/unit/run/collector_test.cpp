// SPDX-License-Identifier: MIT
#include <slo/run/collector.hpp>

#define BOOST_TEST_MODULE run_collector
#include <boost/test/unit_test.hpp>

#include "../../support/gathered_run.hpp"

#include <string>

using slo::record::Request;
using slo::record::RequestStatus;
using slo::record::RoundWindow;
using namespace slo::run;

namespace {

struct Fixture {
    slo::test::GatheredRun gathered;
    std::vector<slo::test::GatheredWindow>& handed_on = gathered.windows;
    Collector collector{0, 10, 1, 3, gathered};

    void end(int round, double end_s, RequestStatus status = RequestStatus::ok)
    {
        Request request;
        request.round = round;
        request.end_s = end_s;
        request.status = status;
        collector.end(std::move(request));
    }

    void close(int number, double duration_s = 10)
    {
        RoundWindow window;
        window.number = number;
        window.start_s = 10 * (number - 1);
        window.duration_s = duration_s;
        collector.close(window);
    }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(collector_tests, Fixture)

BOOST_AUTO_TEST_CASE(a_window_waits_for_its_requests_and_for_its_end)
{
    collector.due(1);
    collector.due(1);
    end(1, 2);
    end(1, 3);
    BOOST_TEST(handed_on.empty());
    collector.due(1);
    close(1);
    BOOST_TEST(handed_on.empty());
    end(1, 12);
    BOOST_REQUIRE_EQUAL(handed_on.size(), 1U);
    BOOST_TEST(handed_on[0].requests.size() == 3U);
}

BOOST_AUTO_TEST_CASE(windows_come_in_order_whatever_ends_first)
{
    collector.due(1);
    close(1);
    collector.due(2);
    close(2);
    collector.due(3);
    close(3);
    end(3, 25);
    end(2, 26);
    BOOST_TEST(handed_on.empty());
    end(1, 27);
    BOOST_REQUIRE_EQUAL(handed_on.size(), 3U);
    for (int i = 0; i < 3; ++i)
        BOOST_TEST(handed_on[static_cast<std::size_t>(i)].window.number == i + 1);
}

BOOST_AUTO_TEST_CASE(an_empty_window_is_a_window)
{
    close(1);
    BOOST_REQUIRE_EQUAL(handed_on.size(), 1U);
    BOOST_TEST(handed_on[0].requests.empty());
}

BOOST_AUTO_TEST_CASE(sends_and_completions_count_where_they_happen)
{
    collector.due(1);
    collector.due(1);
    collector.sent(9.999);
    collector.sent(10.0);
    close(1);
    end(1, 10.5);
    end(1, 31); // in the drain, after the last window
    close(2);
    close(3);
    BOOST_REQUIRE_EQUAL(handed_on.size(), 3U);
    BOOST_TEST(handed_on[0].window.wire_dispatched.value() == 1);
    BOOST_TEST(handed_on[0].window.completed.value() == 0);
    BOOST_TEST(handed_on[1].window.wire_dispatched.value() == 1);
    BOOST_TEST(handed_on[1].window.completed.value() == 1);
    BOOST_TEST(handed_on[2].window.completed.value() == 0);
}

BOOST_AUTO_TEST_CASE(what_was_given_up_is_no_completion_but_is_counted)
{
    collector.due(1);
    collector.due(1);
    collector.due(1);
    end(1, 3, RequestStatus::unfinished);
    end(1, 3, RequestStatus::not_sent);
    end(1, 3, RequestStatus::failed);
    close(1);
    BOOST_TEST(handed_on.at(0).window.completed.value() == 1);
    BOOST_TEST(handed_on.at(0).requests.size() == 3U);
}

BOOST_AUTO_TEST_CASE(a_window_that_was_cut_short_counts_nothing_after_its_end)
{
    for (int i = 0; i < 3; ++i)
        collector.due(1);
    end(1, 3);
    close(1, 4);
    end(1, 3.9);
    collector.sent(4.0);
    end(1, 4.0);
    BOOST_TEST(handed_on.at(0).window.completed.value() == 2);
    BOOST_TEST(handed_on.at(0).window.wire_dispatched.value() == 0);
}

BOOST_AUTO_TEST_CASE(a_flag_marks_what_is_still_here)
{
    close(1);
    collector.flag("interrupted");
    close(2);
    BOOST_TEST(handed_on.at(0).window.flags.empty());
    BOOST_REQUIRE_EQUAL(handed_on.at(1).window.flags.size(), 1U);
    BOOST_TEST(handed_on.at(1).window.flags[0] == "interrupted");
}

BOOST_AUTO_TEST_CASE(requests_go_in_batches_and_never_after_their_window)
{
    constexpr auto most = static_cast<int>(Collector::most_in_batch);
    for (int i = 0; i < 2 * most + 3; ++i)
        collector.due(1);
    for (int i = 0; i < 2 * most + 1; ++i)
        end(1, 0.05);
    BOOST_TEST(gathered.batches == 2);
    BOOST_TEST(gathered.waiting() == 2 * Collector::most_in_batch);
    collector.flush();
    collector.flush();
    BOOST_TEST(gathered.batches == 3);
    end(1, 0.05);
    close(1);
    BOOST_TEST(gathered.batches == 3);
    end(1, 0.05);
    BOOST_TEST(gathered.batches == 4);
    BOOST_TEST(handed_on.at(0).requests.size() == 2 * Collector::most_in_batch + 3);
}

BOOST_AUTO_TEST_CASE(what_comes_seldom_does_not_wait)
{
    for (int i = 0; i < 4; ++i)
        collector.due(1);
    end(1, 0.25);
    BOOST_TEST(gathered.batches == 1);
    end(1, 0.3);
    BOOST_TEST(gathered.batches == 1);
    end(1, 0.36);
    BOOST_TEST(gathered.batches == 2);
    BOOST_TEST(gathered.waiting() == 3U);
}

BOOST_AUTO_TEST_CASE(long_answers_make_small_batches)
{
    for (int i = 0; i < 2; ++i) {
        collector.due(1);
        Request request;
        request.round = 1;
        request.itl_ms.assign(Collector::most_gaps_in_batch / 2, 10);
        collector.end(std::move(request));
        BOOST_TEST(gathered.batches == i);
    }
}

BOOST_AUTO_TEST_CASE(what_the_client_says_goes_with_its_window)
{
    ClientWindow client;
    client.missed = 4;
    RoundWindow window;
    collector.close(window, client);
    BOOST_TEST(handed_on.at(0).client.missed == 4);
}

BOOST_AUTO_TEST_SUITE_END()
