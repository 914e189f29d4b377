// SPDX-License-Identifier: MIT
#include <slo/run/round_merger.hpp>

#define BOOST_TEST_MODULE run_round_merger
#include <boost/test/unit_test.hpp>

#include <string>
#include <vector>

using namespace slo::run;
using slo::record::Request;
using slo::record::RoundWindow;
using slo::record::WindowTotals;

namespace {

struct Fixture {
    struct Round {
        RoundWindow window;
        std::int64_t due;
    };
    std::vector<Round> rounds;

    RoundMerger merger(int lanes)
    {
        return RoundMerger(
            {}, lanes, [this](const RoundWindow& window, const WindowTotals& totals, const ClientWindow&) {
                rounds.push_back({window, totals.due});
            });
    }

    static Request request(int round)
    {
        Request request;
        request.round = round;
        return request;
    }

    static LaneWindow window(int number, double duration_s = 10)
    {
        LaneWindow lane;
        lane.window.number = number;
        lane.window.duration_s = duration_s;
        lane.window.wire_dispatched = 2;
        lane.window.completed = 1;
        lane.client.in_flight_max = 3;
        return lane;
    }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(round_merger, Fixture)

BOOST_AUTO_TEST_CASE(a_round_of_one_loop_is_its_window)
{
    auto merger = this->merger(1);
    merger.add(request(1));
    merger.add(request(2));
    merger.add(request(1));
    merger.close(window(1));
    merger.close(window(2));
    BOOST_REQUIRE_EQUAL(rounds.size(), 2U);
    BOOST_TEST(rounds[0].due == 2);
    BOOST_TEST(rounds[1].due == 1);
    BOOST_TEST(rounds[1].window.client.value().in_flight_max == 3);
}

BOOST_AUTO_TEST_CASE(a_round_waits_for_the_slowest_loop)
{
    auto merger = this->merger(2);
    merger.add(request(1));
    merger.close(window(1));
    merger.add(request(2));
    merger.close(window(2));
    BOOST_TEST(rounds.empty());
    merger.add(request(1));
    auto other = window(1, 9.5);
    other.window.flags = {"interrupted"};
    other.client.missed = 1;
    merger.close(std::move(other));
    BOOST_REQUIRE_EQUAL(rounds.size(), 1U);
    BOOST_TEST(rounds[0].due == 2);
    BOOST_TEST(rounds[0].window.duration_s == 10);
    BOOST_TEST(rounds[0].window.wire_dispatched.value() == 4);
    BOOST_TEST(rounds[0].window.completed.value() == 2);
    BOOST_TEST(rounds[0].window.client.value().in_flight_max == 6);
    BOOST_TEST(rounds[0].window.client.value().missed.value() == 1);
    merger.close(window(2));
    BOOST_TEST(rounds.size() == 2U);
    BOOST_TEST((rounds[0].window.flags == std::vector<std::string>{"interrupted"}));
}

BOOST_AUTO_TEST_CASE(a_flag_stands_once)
{
    auto merger = this->merger(2);
    for (int lane = 0; lane < 2; ++lane) {
        auto closed = window(1);
        closed.window.flags = {"interrupted"};
        merger.close(std::move(closed));
    }
    BOOST_TEST((rounds.at(0).window.flags == std::vector<std::string>{"interrupted"}));
}

BOOST_AUTO_TEST_CASE(the_end_hands_on_what_only_some_loops_had_begun)
{
    auto merger = this->merger(3);
    merger.close(window(1));
    merger.close(window(1));
    merger.add(request(2));
    merger.close(window(2));
    merger.add(request(3)); // cut short before any time had passed
    merger.end();
    BOOST_REQUIRE_EQUAL(rounds.size(), 2U);
    BOOST_TEST(rounds[0].window.number == 1);
    BOOST_TEST(rounds[1].window.number == 2);
    BOOST_TEST(rounds[1].due == 1);
    merger.end();
    BOOST_TEST(rounds.size() == 2U);
}

BOOST_AUTO_TEST_SUITE_END()
