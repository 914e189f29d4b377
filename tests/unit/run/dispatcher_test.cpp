// SPDX-License-Identifier: MIT
#include <slo/run/dispatcher.hpp>

#define BOOST_TEST_MODULE run_dispatcher
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <functional>
#include <string>
#include <utility>
#include <vector>

using namespace slo::run;
using slo::net::Ending;
using slo::record::ErrorKind;
using slo::record::RequestStatus;

namespace {

constexpr const char* whole_answer = "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"x\"},"
                                     "\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n";

// Holds what is submitted until the test answers it.
struct HeldTransport : slo::net::HttpTransport {
    std::vector<slo::net::HttpEvents*> held;
    int submitted = 0;

    void submit(const slo::net::HttpRequest&, slo::net::HttpEvents& events) override
    {
        ++submitted;
        held.push_back(&events);
        events.on_sent(slo::monotonic_ns());
    }
    void cancel(slo::net::HttpEvents& events) noexcept override { std::erase(held, &events); }
    std::size_t in_flight() const noexcept override { return held.size(); }
    std::string_view name() const noexcept override { return "held"; }

    void answer(std::size_t index, int status, std::string_view body, std::string_view retry_after = {})
    {
        auto& events = *held.at(index);
        held.erase(held.begin() + static_cast<std::ptrdiff_t>(index));
        events.on_head({status, status == 200 ? "text/event-stream" : "text/plain", retry_after, {}});
        events.on_data(slo::monotonic_ns(), body);
        slo::net::HttpResult result;
        result.status = status;
        result.end_ns = slo::monotonic_ns();
        events.on_done(result);
    }
};

struct Fixture : DispatchListener {
    slo::net::EventLoop loop;
    HeldTransport transport;
    ClientMonitor monitor;
    FlightPlan plan{"http://h/v1/completions", {}, slo::monotonic_ns()};
    DispatchRules rules;
    std::optional<Dispatcher> dispatcher;
    std::vector<slo::record::Request> ended;
    int sent = 0;
    int made_room = 0;

    void request_sent(std::int64_t) override { ++sent; }
    void request_ended(slo::record::Request&& request) override { ended.push_back(std::move(request)); }
    void request_made_room(bool, std::int64_t) override { ++made_room; }

    void start() { dispatcher.emplace(plan, rules, loop, transport, monitor, *this); }

    void launch(const std::string& id, const std::string& conv_id = "")
    {
        slo::record::Request request;
        request.id = id;
        request.conv_id = conv_id;
        request.due_s = slo::to_seconds(slo::monotonic_ns() - plan.start_ns);
        dispatcher->launch("{}", std::move(request), slo::monotonic_ns());
    }

    void run_until(const std::function<bool()>& done)
    {
        const auto give_up_ns = slo::monotonic_ns() + 5'000'000'000;
        slo::net::Timer tick(loop, [] {});
        while (!done() && slo::monotonic_ns() < give_up_ns) {
            tick.set(slo::monotonic_ns() + 1'000'000);
            loop.run_once();
        }
        BOOST_REQUIRE(done());
    }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(dispatcher_, Fixture)

BOOST_AUTO_TEST_CASE(what_goes_beyond_the_bound_waits_its_turn)
{
    rules.max_in_flight = 2;
    start();
    for (const auto* id : {"a", "b", "c", "d"})
        launch(id);
    BOOST_TEST(transport.submitted == 2);
    BOOST_TEST(dispatcher->on_wire() == 2U);
    BOOST_TEST(dispatcher->under_way() == 4U);
    transport.answer(1, 200, whole_answer);
    BOOST_TEST(transport.submitted == 3);
    transport.answer(0, 500, "no");
    BOOST_TEST(transport.submitted == 4);
    transport.answer(1, 200, whole_answer);
    transport.answer(0, 200, whole_answer);
    BOOST_REQUIRE_EQUAL(ended.size(), 4U);
    std::string order;
    for (const auto& request : ended)
        order += request.id;
    BOOST_TEST(order == "badc");
    BOOST_TEST(dispatcher->under_way() == 0U);
    BOOST_TEST(dispatcher->on_wire() == 0U);
    BOOST_TEST(sent == 4);
    BOOST_TEST(made_room == 4);
}

BOOST_AUTO_TEST_CASE(a_conversation_and_the_bound_hold_together)
{
    rules.max_in_flight = 1;
    rules.serialize = true;
    start();
    launch("a1", "a");
    launch("a2", "a"); // waits for its conversation
    launch("b1", "b"); // waits for room
    transport.answer(0, 200, whole_answer);
    BOOST_TEST(transport.submitted == 2); // b1: it has waited for room longer
    transport.answer(0, 200, whole_answer);
    BOOST_TEST(transport.submitted == 3);
    transport.answer(0, 200, whole_answer);
    BOOST_REQUIRE_EQUAL(ended.size(), 3U);
    BOOST_TEST(ended[1].id == "b1");
    BOOST_TEST(ended[2].id == "a2");
}

BOOST_AUTO_TEST_CASE(who_waits_for_room_at_the_end_was_not_sent)
{
    rules.max_in_flight = 1;
    start();
    launch("a");
    launch("b");
    dispatcher->give_up("over");
    BOOST_REQUIRE_EQUAL(ended.size(), 2U);
    std::sort(ended.begin(), ended.end(), [](const auto& a, const auto& b) { return a.id < b.id; });
    BOOST_TEST((ended[0].status == RequestStatus::unfinished));
    BOOST_TEST((ended[1].status == RequestStatus::not_sent));
    BOOST_TEST((ended[1].error_kind == ErrorKind::client));
    BOOST_TEST(ended[1].error == "too many were in flight: over");
    BOOST_TEST(transport.held.empty());
    BOOST_TEST(dispatcher->under_way() == 0U);
}

BOOST_AUTO_TEST_CASE(a_request_without_a_token_in_time_has_timed_out)
{
    rules.first_token_timeout_s = 0.02;
    start();
    launch("silent");
    launch("speaks");
    transport.held[1]->on_head({200, "text/event-stream", {}, {}});
    transport.held[1]->on_data(slo::monotonic_ns(), whole_answer);
    run_until([&] { return !ended.empty(); });
    BOOST_TEST(ended[0].id == "silent");
    BOOST_TEST((ended[0].error_kind == ErrorKind::timeout));
    BOOST_TEST((ended[0].status == RequestStatus::failed));
    BOOST_TEST(ended[0].error == "no token within 0.02 s");
    BOOST_TEST(*ended[0].end_s - *ended[0].sent_s >= 0.02);
    BOOST_TEST(made_room == 1);
    BOOST_TEST(transport.held.size() == 1U); // the other goes on
    BOOST_TEST(dispatcher->under_way() == 1U);
}

BOOST_AUTO_TEST_CASE(the_deadline_of_one_request_never_hits_the_next_of_its_flight)
{
    rules.first_token_timeout_s = 0.03;
    start();
    launch("first");
    transport.answer(0, 500, "no");
    launch("second"); // in the same flight, sent later
    const auto sent_ns = slo::monotonic_ns();
    run_until([&] { return ended.size() == 2; });
    BOOST_TEST(ended[1].id == "second");
    BOOST_TEST(slo::monotonic_ns() - sent_ns >= 29'000'000);
}

// Case R01: latency counts from the first due time, and the refusals are told of.
BOOST_AUTO_TEST_CASE(what_was_refused_for_now_goes_out_again_and_is_one_request)
{
    rules.retries.emplace();
    start();
    launch("a");
    transport.answer(0, 429, "busy", "0");
    BOOST_TEST(ended.empty());
    BOOST_TEST(dispatcher->under_way() == 1U);
    BOOST_TEST(dispatcher->on_wire() == 0U);
    run_until([&] { return transport.submitted == 2; });
    transport.answer(0, 503, "busy", "0");
    run_until([&] { return transport.submitted == 3; });
    transport.answer(0, 200, whole_answer);
    BOOST_REQUIRE_EQUAL(ended.size(), 1U);
    const auto& request = ended[0];
    BOOST_TEST((request.status == RequestStatus::ok));
    BOOST_TEST(request.error.empty());
    BOOST_TEST(request.http == 200);
    BOOST_TEST(request.retries == 2);
    BOOST_REQUIRE_EQUAL(request.attempts.size(), 2U);
    BOOST_TEST(request.attempts[0].http == 429);
    BOOST_TEST(request.attempts[1].http == 503);
    BOOST_TEST(request.attempts[0].retry_after_s.value() == 0);
    BOOST_TEST(*request.sent_s == *request.attempts[0].sent_s);
    BOOST_TEST(*request.attempts[1].sent_s >= *request.attempts[0].end_s);
    BOOST_TEST(sent == 1);
    BOOST_TEST(made_room == 1);
}

BOOST_AUTO_TEST_CASE(the_deadline_of_one_attempt_never_hits_the_wait_for_the_next_nor_that)
{
    rules.retries.emplace();
    rules.first_token_timeout_s = 0.2;
    start();
    launch("a");
    transport.answer(0, 429, "busy", "1");
    launch("b"); // its deadline comes after that of the refused attempt
    run_until([&] { return ended.size() == 1; });
    BOOST_TEST(ended[0].id == "b");
    BOOST_TEST(dispatcher->under_way() == 1U);
    BOOST_TEST(dispatcher->on_wire() == 0U);
    run_until([&] { return transport.submitted == 3; });
    BOOST_TEST(dispatcher->on_wire() == 1U);
    transport.answer(0, 200, whole_answer);
    BOOST_REQUIRE_EQUAL(ended.size(), 2U);
    BOOST_TEST(ended[1].id == "a");
    BOOST_TEST((ended[1].status == RequestStatus::ok));
}

BOOST_AUTO_TEST_CASE(a_refusal_stands_without_retries_and_when_no_time_is_left)
{
    start();
    launch("a");
    transport.answer(0, 429, "busy", "0");
    BOOST_REQUIRE_EQUAL(ended.size(), 1U);
    BOOST_TEST((ended[0].error_kind == ErrorKind::http_429));
    BOOST_TEST(ended[0].retries == 0);
    dispatcher.reset();
    rules.retries.emplace();
    rules.request_timeout_s = 1;
    start();
    launch("b");
    transport.answer(0, 429, "busy", "30");
    BOOST_REQUIRE_EQUAL(ended.size(), 2U);
    BOOST_TEST((ended[1].error_kind == ErrorKind::http_429));
}

BOOST_AUTO_TEST_CASE(who_waits_to_be_sent_again_at_the_end_is_unfinished)
{
    rules.retries.emplace();
    start();
    launch("a");
    transport.answer(0, 429, "busy", "60");
    dispatcher->give_up("over");
    BOOST_REQUIRE_EQUAL(ended.size(), 1U);
    BOOST_TEST((ended[0].status == RequestStatus::unfinished));
    BOOST_TEST((ended[0].error_kind == ErrorKind::cancelled));
    BOOST_TEST(ended[0].retries == 1);
}

BOOST_AUTO_TEST_CASE(a_wait_of_the_client_s_after_a_predecessor_is_lateness)
{
    rules.serialize = true;
    start();
    launch("a1", "a");
    launch("a2", "a");
    auto& events = *transport.held.at(0);
    transport.held.clear();
    events.on_head({200, "text/event-stream", {}, {}});
    events.on_data(slo::monotonic_ns(), whole_answer);
    slo::net::HttpResult result;
    result.status = 200;
    result.end_ns = slo::monotonic_ns() - 30'000'000; // it ended a while ago; we come to it only now
    events.on_done(result);
    const auto window = monitor.take(slo::monotonic_ns(), 0, 0);
    BOOST_TEST(window.lateness_s.summary().value().max >= 0.03);
}

BOOST_AUTO_TEST_CASE(what_is_in_flight_goes_down_too)
{
    start();
    for (int i = 0; i < 5; ++i)
        launch(std::to_string(i));
    for (int i = 0; i < 5; ++i)
        transport.answer(0, 200, whole_answer);
    BOOST_TEST(monitor.take(1, 0, 0).in_flight_max == 5);
    launch("one");
    BOOST_TEST(monitor.take(2, 0, 0).in_flight_max == 1);
}

BOOST_AUTO_TEST_CASE(a_request_is_missed_once_whatever_goes_wrong_with_it)
{
    struct Broken : HeldTransport {
        void submit(const slo::net::HttpRequest&, slo::net::HttpEvents& events) override
        {
            slo::net::HttpResult result;
            result.ending = Ending::local;
            result.message = "no descriptor left";
            result.end_ns = slo::monotonic_ns();
            events.on_done(result);
        }
    } broken;
    Dispatcher hopeless(plan, rules, loop, broken, monitor, *this);
    hopeless.set_deadline(slo::monotonic_ns() - 1);
    slo::record::Request request;
    hopeless.launch("{}", std::move(request), slo::monotonic_ns());
    BOOST_TEST(monitor.take(1, 0, 0).missed == 1);
    BOOST_REQUIRE_EQUAL(ended.size(), 1U);
    BOOST_TEST((ended[0].status == RequestStatus::not_sent));
}

BOOST_AUTO_TEST_CASE(who_was_refused_and_waits_for_room_at_the_end_was_sent)
{
    rules.retries.emplace();
    rules.max_in_flight = 1;
    start();
    launch("a");
    launch("b");
    transport.answer(0, 429, "busy", "0"); // b has the room now, a waits for it
    run_until([&] { return dispatcher->on_wire() == 1U; });
    const auto later_ns = slo::monotonic_ns() + 20'000'000;
    run_until([&] { return slo::monotonic_ns() > later_ns; });
    dispatcher->give_up("over");
    BOOST_REQUIRE_EQUAL(ended.size(), 2U);
    for (const auto& request : ended)
        BOOST_TEST((request.status == RequestStatus::unfinished));
}

BOOST_AUTO_TEST_SUITE_END()
