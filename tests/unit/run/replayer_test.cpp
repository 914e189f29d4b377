// SPDX-License-Identifier: MIT
#include <slo/run/dispatcher.hpp>
#include <slo/run/replayer.hpp>

#define BOOST_TEST_MODULE run_replayer
#include <boost/test/unit_test.hpp>

#include "../../support/canned_server.hpp"
#include "../../support/gathered_run.hpp"

#include <slo/net/curl_transport.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <thread>
#include <vector>

using namespace slo::run;
using slo::record::ErrorKind;
using slo::record::RequestStatus;

namespace {

// A run of one lane.
struct OnePeer : LanePeers {
    Replayer* replayer = nullptr;
    void round_drained() override { replayer->begin_round(slo::monotonic_ns()); }
    void route_ended() override { replayer->stop_sending(); }
};

struct Fixture {
    slo::test::CannedServer server;
    ReplayPlan plan;
    std::vector<slo::record::LoadedRow> rows;
    slo::test::GatheredRun gathered;
    std::vector<slo::test::GatheredWindow>& windows = gathered.windows;
    bool exhausted = false;

    Fixture()
    {
        plan.mode = ReplayMode::continuous;
        plan.arrival.qps = 50;
        plan.round_duration_s = 0.2;
        plan.max_rounds = 2;
        plan.drain_timeout_s = 5;
        add_rows(100);
    }

    void add_rows(int count, const std::string& conv_id = "")
    {
        for (int i = 0; i < count; ++i)
            rows.push_back({i, static_cast<std::size_t>(i) + 1,
                            conv_id.empty() ? "c" + std::to_string(i) : conv_id, R"({"stream":true})"});
    }

    // Runs against a behaviour of the server; `at_s`, `act`: what happens to the replayer at that time.
    void run(const std::string& behaviour, double at_s = -1, const std::function<void(Replayer&)>& act = {})
    {
        run_url(server.url(behaviour) + "/chat/completions", at_s, act);
    }

    void run_url(const std::string& url, double at_s = -1, const std::function<void(Replayer&)>& act = {})
    {
        slo::net::EventLoop loop;
        slo::net::CurlTransport transport(loop, {});
        const auto start_ns = slo::monotonic_ns() + 5'000'000;
        OnePeer peer;
        Replayer replayer(plan, rows, {url, {"Content-Type: application/json"}, start_ns}, 1,
                          {loop, transport, peer}, gathered);
        peer.replayer = &replayer;
        slo::net::Timer timer(loop, [&] { act(replayer); });
        if (act)
            timer.set(start_ns + slo::to_ns(at_s));
        replayer.run(start_ns);
        exhausted = replayer.exhausted();
        check_accounts();
    }

    // What must hold whatever happened.
    void check_accounts() const
    {
        std::set<std::string> ids;
        int number = 0;
        for (const auto& [window, requests, client] : windows) {
            BOOST_TEST(window.number == ++number);
            for (const auto& request : requests) {
                BOOST_TEST(ids.insert(request.id).second);
                BOOST_TEST(request.round == window.number);
                BOOST_TEST(request.due_s >= window.start_s);
                BOOST_TEST(request.due_s < window.start_s + window.duration_s);
                BOOST_TEST((request.status == RequestStatus::ok) == (request.error_kind == ErrorKind::none));
                BOOST_TEST((request.status == RequestStatus::ok) == request.error.empty());
                if (request.sent_s)
                    BOOST_TEST(*request.sent_s >= request.due_s);
                if (request.end_s && request.sent_s)
                    BOOST_TEST(*request.end_s >= *request.sent_s);
            }
        }
    }

    std::map<RequestStatus, int> counts(std::size_t window) const
    {
        std::map<RequestStatus, int> result;
        for (const auto& request : windows.at(window).requests)
            ++result[request.status];
        return result;
    }

    std::map<ErrorKind, int> kinds() const
    {
        std::map<ErrorKind, int> result;
        for (const auto& window : windows) {
            for (const auto& request : window.requests)
                ++result[request.error_kind];
        }
        return result;
    }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(replayer, Fixture)

BOOST_AUTO_TEST_CASE(each_window_holds_rate_times_length)
{
    run("ok");
    BOOST_REQUIRE_EQUAL(windows.size(), 2U);
    BOOST_TEST(counts(0)[RequestStatus::ok] == 10);
    BOOST_TEST(counts(1)[RequestStatus::ok] == 10);
    BOOST_TEST(!exhausted);
    const auto& request = windows[0].requests[0];
    BOOST_TEST(request.output_tokens.value() == 3);
    BOOST_TEST(request.input_tokens.value() == 7);
    BOOST_TEST(request.http == 200);
    BOOST_TEST(request.choices.at(0).finish_reason == "stop");
    BOOST_TEST(request.first_token_s.value() >= request.sent_s.value());
    BOOST_TEST(windows[0].client.lateness_s.size() == windows[0].requests.size());
}

BOOST_AUTO_TEST_CASE(errors_of_every_kind_are_counted)
{
    const struct {
        const char* behaviour;
        ErrorKind kind;
    } cases[] = {{"400", ErrorKind::http_4xx},
                 {"429", ErrorKind::http_429},
                 {"503", ErrorKind::http_5xx},
                 {"302", ErrorKind::protocol},
                 {"cut", ErrorKind::truncated},
                 {"reset", ErrorKind::reset},
                 {"garbage", ErrorKind::protocol},
                 {"empty", ErrorKind::empty},
                 {"error200", ErrorKind::stream_error},
                 {"nofinish", ErrorKind::truncated},
                 {"drop", ErrorKind::reset},
                 {"json", ErrorKind::none},
                 {"nousage", ErrorKind::none}};
    plan.max_rounds = 1;
    plan.round_duration_s = 0.04;
    for (const auto& each : cases) {
        windows.clear();
        run(each.behaviour);
        BOOST_TEST(kinds()[each.kind] == 2, each.behaviour);
    }
}

BOOST_AUTO_TEST_CASE(a_server_that_is_not_there_fails_every_request)
{
    std::string url;
    {
        const slo::test::CannedServer gone;
        url = gone.url("ok");
    }
    run_url(url);
    BOOST_TEST(counts(0)[RequestStatus::failed] == 10);
    BOOST_TEST(counts(1)[RequestStatus::failed] == 10);
    BOOST_TEST(kinds()[ErrorKind::connect] == 20);
}

BOOST_AUTO_TEST_CASE(what_hangs_is_unfinished_after_the_drain_timeout)
{
    plan.drain_timeout_s = 0.1;
    run("hang4");
    BOOST_REQUIRE_EQUAL(windows.size(), 2U);
    BOOST_TEST(counts(0)[RequestStatus::ok] + counts(1)[RequestStatus::ok] == 15);
    BOOST_TEST(counts(0)[RequestStatus::unfinished] + counts(1)[RequestStatus::unfinished] == 5);
    BOOST_TEST(kinds()[ErrorKind::cancelled] == 5);
    BOOST_TEST(!exhausted);
}

BOOST_AUTO_TEST_CASE(a_conversation_goes_one_by_one_and_what_never_left_is_counted)
{
    rows.clear();
    add_rows(20, "one");
    plan.serialize_conversations = true;
    plan.drain_timeout_s = 0.1;
    run("hang");
    BOOST_TEST(kinds()[ErrorKind::cancelled] == 1);
    BOOST_TEST(kinds()[ErrorKind::client] == 19);
    BOOST_TEST(counts(1)[RequestStatus::not_sent] == 10);
    BOOST_TEST(server.received().size() == 1U);
}

BOOST_AUTO_TEST_CASE(a_conversation_keeps_its_order_and_goes_on_after_a_failure)
{
    rows.clear();
    add_rows(20, "one");
    plan.serialize_conversations = true;
    run("500");
    BOOST_TEST(kinds()[ErrorKind::http_5xx] == 20);
    double end_s = 0;
    for (const auto& window : windows) {
        for (const auto& request : window.requests) {
            BOOST_TEST(request.sent_s.value() >= end_s);
            end_s = request.end_s.value();
        }
    }
}

BOOST_AUTO_TEST_CASE(rounds_drain_one_after_the_other)
{
    plan.mode = ReplayMode::rounds;
    plan.drain_timeout_s = 0.1;
    run("hang4");
    BOOST_REQUIRE_EQUAL(windows.size(), 2U);
    for (std::size_t i = 0; i < 2; ++i) {
        BOOST_TEST(counts(i)[RequestStatus::ok] + counts(i)[RequestStatus::unfinished] == 10);
        BOOST_TEST(counts(i)[RequestStatus::unfinished] >= 2);
    }
    BOOST_TEST(windows[1].window.start_s >= 0.3);
    BOOST_TEST(!windows[1].window.continuous);
}

BOOST_AUTO_TEST_CASE(a_route_that_ends_early_stops_the_clock)
{
    rows.resize(15);
    run("ok");
    BOOST_REQUIRE_EQUAL(windows.size(), 2U);
    BOOST_TEST(exhausted);
    BOOST_TEST(windows[0].window.flags.empty());
    BOOST_TEST(windows[1].requests.size() == 5U);
    BOOST_CHECK_CLOSE(windows[1].window.duration_s, 0.1, 1e-6);
    BOOST_REQUIRE_EQUAL(windows[1].window.flags.size(), 1U);
    BOOST_TEST(windows[1].window.flags[0] == "route_exhausted");
}

BOOST_AUTO_TEST_CASE(a_route_that_ends_with_a_round_ends_the_run_there)
{
    rows.resize(10);
    run("ok");
    const std::vector<std::string> flagged{"route_exhausted"};
    BOOST_REQUIRE_EQUAL(windows.size(), 1U);
    BOOST_TEST((windows[0].window.flags == flagged));
    BOOST_TEST(exhausted);
    windows.clear();
    plan.mode = ReplayMode::rounds;
    run("ok");
    BOOST_REQUIRE_EQUAL(windows.size(), 1U);
    BOOST_TEST((windows[0].window.flags == flagged));
    BOOST_TEST(exhausted);
    windows.clear();
    plan.max_rounds.reset();
    run("ok");
    BOOST_REQUIRE_EQUAL(windows.size(), 1U);
    BOOST_TEST(windows[0].window.flags.empty());
    BOOST_TEST(!exhausted);
}

BOOST_AUTO_TEST_CASE(a_route_that_ends_in_a_window_without_requests_is_flagged_there)
{
    plan.arrival.qps = 3; // due at 0, 0.333…: the second window is [0.2, 0.4)
    plan.max_rounds = 4;
    rows.resize(1);
    run("ok");
    BOOST_REQUIRE_EQUAL(windows.size(), 2U);
    BOOST_TEST(windows[0].window.flags.empty());
    BOOST_TEST(windows[1].requests.empty());
    BOOST_TEST((windows[1].window.flags == std::vector<std::string>{"route_exhausted"}));
    BOOST_TEST(exhausted);
}

BOOST_AUTO_TEST_CASE(a_trace_that_ends_before_the_rounds_is_flagged)
{
    plan.mode = ReplayMode::timestamp;
    plan.max_rounds = 3;
    rows.resize(2);
    run("ok");
    BOOST_REQUIRE_EQUAL(windows.size(), 1U);
    BOOST_TEST((windows[0].window.flags == std::vector<std::string>{"route_exhausted"}));
    BOOST_TEST(exhausted);
}

BOOST_AUTO_TEST_CASE(a_replaced_connection_is_one_dispatch)
{
    run("stale");
    std::int64_t dispatched = 0;
    int reconnects = 0;
    for (const auto& window : windows) {
        dispatched += window.window.wire_dispatched.value();
        for (const auto& request : window.requests)
            reconnects += request.reconnects;
    }
    BOOST_TEST(dispatched == 20);
    windows.clear();
    run("once"); // every kept connection is dead for its second request
    dispatched = 0;
    for (const auto& window : windows) {
        dispatched += window.window.wire_dispatched.value();
        for (const auto& request : window.requests)
            reconnects += request.reconnects;
    }
    BOOST_TEST(dispatched == 20);
    BOOST_TEST(reconnects >= 5);
}

BOOST_AUTO_TEST_CASE(a_trace_goes_out_at_its_own_times)
{
    plan.mode = ReplayMode::timestamp;
    plan.max_rounds.reset();
    rows.resize(3);
    rows[0].ts_ns = 1'755'000'000'000'000'000;
    rows[1].ts_ns = rows[0].ts_ns + 50'000'000;
    rows[2].ts_ns = rows[0].ts_ns + 450'000'000;
    run("ok");
    BOOST_REQUIRE_EQUAL(windows.size(), 3U);
    BOOST_TEST(windows[0].requests.size() == 2U);
    BOOST_TEST(windows[1].requests.empty());
    BOOST_REQUIRE_EQUAL(windows[2].requests.size(), 1U);
    BOOST_CHECK_CLOSE(windows[2].requests[0].due_s, 0.45, 1e-6);
    BOOST_TEST(!windows[0].window.target_qps.has_value());
}

BOOST_AUTO_TEST_CASE(an_interrupt_writes_and_marks_what_was_measured)
{
    run("hang4", 0.31, [](Replayer& replayer) { replayer.interrupt("interrupted"); });
    BOOST_REQUIRE_EQUAL(windows.size(), 2U);
    BOOST_TEST(windows[0].requests.size() == 10U);
    BOOST_TEST(windows[1].requests.size() >= 6U);
    BOOST_TEST(windows[1].window.duration_s < 0.2);
    for (const auto& window : windows)
        BOOST_TEST((window.window.flags == std::vector<std::string>{"interrupted"}));
    BOOST_TEST(kinds()[ErrorKind::cancelled] >= 4);
}

BOOST_AUTO_TEST_CASE(users_of_a_closed_loop_send_when_their_last_request_has_ended)
{
    plan.mode = ReplayMode::closed;
    plan.users = 3;
    plan.loop_route = true;
    rows.resize(5);
    run("ok");
    BOOST_REQUIRE_EQUAL(windows.size(), 2U);
    BOOST_TEST(!exhausted);
    std::size_t requests = 0;
    for (const auto& window : windows) {
        BOOST_TEST(window.window.continuous);
        BOOST_TEST(!window.window.target_qps.has_value());
        BOOST_TEST(window.client.in_flight_max == 3);
        requests += window.requests.size();
        for (const auto& request : window.requests)
            BOOST_TEST((request.status == RequestStatus::ok));
    }
    BOOST_TEST(requests > 10U); // went round the route
}

BOOST_AUTO_TEST_CASE(a_closed_loop_ends_with_its_route)
{
    plan.mode = ReplayMode::closed;
    plan.users = 4;
    plan.max_rounds = 1'000;
    rows.resize(30);
    run("ok");
    BOOST_TEST(exhausted);
    std::size_t requests = 0;
    for (const auto& window : windows)
        requests += window.requests.size();
    BOOST_TEST(requests == 30U);
    BOOST_TEST((windows.back().window.flags == std::vector<std::string>{"route_exhausted"}));
    windows.clear();
    plan.max_rounds.reset();
    run("ok");
    BOOST_TEST(!exhausted);
    BOOST_TEST(windows.back().window.flags.empty());
}

BOOST_AUTO_TEST_CASE(a_closed_loop_whose_requests_all_fail_still_ends)
{
    plan.mode = ReplayMode::closed;
    plan.users = 2;
    plan.max_rounds = 1;
    plan.loop_route = true;
    std::string url;
    {
        const slo::test::CannedServer gone;
        url = gone.url("ok");
    }
    run_url(url);
    BOOST_REQUIRE_EQUAL(windows.size(), 1U);
    BOOST_TEST(counts(0)[RequestStatus::failed] >= 2);
    BOOST_TEST(counts(0)[RequestStatus::ok] == 0);
}

BOOST_AUTO_TEST_CASE(a_looped_route_fills_every_round)
{
    plan.loop_route = true;
    rows.resize(3);
    run("ok");
    BOOST_REQUIRE_EQUAL(windows.size(), 2U);
    BOOST_TEST(!exhausted);
    std::set<std::string> conversations;
    for (const auto& window : windows) {
        BOOST_TEST(window.requests.size() == 10U);
        for (const auto& request : window.requests)
            conversations.insert(request.conv_id);
    }
    BOOST_TEST(conversations.size() == 20U);
    BOOST_TEST(conversations.count("c0#2") == 1U);
}

BOOST_AUTO_TEST_CASE(random_arrivals_are_sent_at_the_times_of_their_schedule)
{
    plan.arrival.process = slo::stats::Process::poisson;
    plan.arrival.seed = 11;
    run("ok");
    const auto schedule = ScheduleSource(plan, rows).next();
    std::vector<double> due_s;
    for (const auto& window : windows)
        for (const auto& request : window.requests)
            due_s.push_back(request.due_s);
    std::sort(due_s.begin(), due_s.end());
    BOOST_REQUIRE_EQUAL(due_s.size(), schedule.size());
    for (std::size_t i = 0; i < due_s.size(); ++i)
        BOOST_TEST(due_s[i] == schedule.due_s(i), boost::test_tools::tolerance(1e-8));
}

BOOST_AUTO_TEST_CASE(a_load_beyond_the_client_leaves_it_time_for_signals)
{
    plan.arrival.qps = 5'000'000;
    plan.round_duration_s = 1;
    plan.max_rounds = 1;
    plan.loop_route = true;
    run("ok", 0.2, [](Replayer& replayer) { replayer.interrupt("interrupted"); });
    BOOST_REQUIRE_EQUAL(windows.size(), 1U);
    BOOST_TEST((windows[0].window.flags == std::vector<std::string>{"interrupted"}));
    BOOST_TEST(windows[0].requests.size() < 1'000'000U);
}

BOOST_AUTO_TEST_CASE(a_user_s_next_request_is_due_when_its_last_has_ended)
{
    plan.mode = ReplayMode::closed;
    plan.users = 1;
    plan.max_rounds = 1;
    plan.loop_route = true;
    run("ok", 0.05, [](Replayer&) { std::this_thread::sleep_for(std::chrono::milliseconds(60)); });
    BOOST_REQUIRE_EQUAL(windows.size(), 1U);
    const auto& requests = windows[0].requests;
    BOOST_REQUIRE(requests.size() >= 2U);
    for (std::size_t i = 1; i < requests.size(); ++i)
        BOOST_TEST(std::abs(requests[i].due_s - *requests[i - 1].end_s) < 1e-6);
    // The client stood still for a while: that is its lateness, or a stall, and never the service's.
    const auto health = windows[0].client.health({});
    BOOST_TEST(health.saturated);
}

BOOST_AUTO_TEST_CASE(ids_follow_the_seed)
{
    run("ok");
    std::set<std::string> first;
    for (const auto& request : windows[0].requests)
        first.insert(request.id);
    windows.clear();
    run("ok");
    for (const auto& request : windows[0].requests)
        BOOST_TEST(first.count(request.id) == 1U);
}

BOOST_AUTO_TEST_SUITE_END()
