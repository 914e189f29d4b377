// SPDX-License-Identifier: MIT
#include <slo/run/lanes.hpp>

#define BOOST_TEST_MODULE run_lanes
#include <boost/test/unit_test.hpp>

#include "../../support/canned_server.hpp"

#include <slo/base/error.hpp>
#include <slo/net/plain_transport.hpp>
#include <slo/run/recorder.hpp>
#include <slo/run/round_merger.hpp>

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

using namespace slo::run;
using slo::record::RequestStatus;

namespace {

// What comes out of a run: its rounds, merged as replay does, and every request.
struct Outcome final : RunSink {
    explicit Outcome(int lanes)
        : merger({}, lanes, [this](const auto& window, const auto& totals, const auto&) {
              windows.push_back(window);
              due.push_back(totals.due);
          })
    {
    }
    void requests(std::vector<slo::record::Request>&& batch) override
    {
        for (auto& request : batch) {
            merger.add(request);
            all.push_back(std::move(request));
        }
    }
    void window(LaneWindow&& window) override
    {
        lane_windows.push_back(window.window);
        merger.close(std::move(window));
    }
    void end() override { merger.end(); }

    RoundMerger merger;
    std::vector<slo::record::RoundWindow> windows;
    std::vector<std::int64_t> due;
    std::vector<slo::record::RoundWindow> lane_windows;
    std::vector<slo::record::Request> all;
};

// Sends on, and fails in its own way at the n-th request.
class FailingTransport final : public slo::net::HttpTransport {
public:
    FailingTransport(slo::net::EventLoop& loop, int fails_at) : transport_(loop, {}), left_(fails_at) {}
    void submit(const slo::net::HttpRequest& request, slo::net::HttpEvents& events) override
    {
        if (--left_ == 0)
            throw slo::IoError("epoll", ENOMEM);
        transport_.submit(request, events);
    }
    void cancel(slo::net::HttpEvents& events) noexcept override { transport_.cancel(events); }
    std::size_t in_flight() const noexcept override { return transport_.in_flight(); }
    std::string_view name() const noexcept override { return transport_.name(); }

private:
    slo::net::PlainTransport transport_;
    int left_;
};

struct Fixture {
    slo::test::CannedServer server;
    std::optional<std::string> url; // of another server
    ReplayPlan plan;
    std::vector<slo::record::LoadedRow> rows;
    std::unique_ptr<Outcome> outcome;
    bool exhausted = false;
    std::string first_error;

    Fixture()
    {
        plan.threads = 3;
        plan.mode = ReplayMode::continuous;
        plan.arrival.qps = 150;
        plan.round_duration_s = 0.2;
        plan.max_rounds = 2;
        plan.drain_timeout_s = 5;
        add_rows(60, 20);
    }

    void add_rows(int count, int conversations)
    {
        for (int i = 0; i < count; ++i)
            rows.push_back({i, rows.size() + 1, "c" + std::to_string(i % conversations),
                            R"({"row":)" + std::to_string(i) + "}"});
    }

    // `at_s`, `act`: what happens at that time on the caller's thread. `fails_at`: by lane, the request at
    // which its transport fails; 0: never.
    void run(const std::string& behaviour, double at_s = -1, const std::function<void(Lanes&)>& act = {},
             std::vector<int> fails_at = {})
    {
        slo::net::EventLoop loop;
        outcome = std::make_unique<Outcome>(plan.threads);
        Recorder recorder(*outcome);
        std::size_t made = 0;
        fails_at.resize(static_cast<std::size_t>(plan.threads));
        Lanes lanes(
            {plan,
             rows,
             {url.value_or(server.url(behaviour)) + "/chat/completions", {"Content-Type: application/json"}},
             1,
             false,
             [&](slo::net::EventLoop& own) {
                 return std::make_unique<FailingTransport>(own, fails_at[made++]);
             },
             recorder},
            loop);
        const auto start_ns = slo::monotonic_ns() + 5'000'000;
        slo::net::Timer timer(loop, [&] { act(lanes); });
        if (act)
            timer.set(start_ns + slo::to_ns(at_s));
        std::exception_ptr failure;
        try {
            lanes.run(start_ns);
        } catch (...) {
            failure = std::current_exception();
        }
        recorder.end();
        recorder.finish();
        exhausted = lanes.exhausted();
        first_error = lanes.first_error();
        check_accounts(lanes);
        if (failure)
            std::rethrow_exception(failure);
    }

    // What must hold whatever happened: every request that fell due is there once, in its window.
    void check_accounts(const Lanes& lanes) const
    {
        const auto now = lanes_progress(lanes, plan);
        BOOST_TEST(static_cast<std::size_t>(now.due) == outcome->all.size());
        std::set<std::string> ids;
        std::map<int, std::int64_t> by_round;
        for (const auto& request : outcome->all) {
            BOOST_TEST(ids.insert(request.id).second);
            ++by_round[request.round];
        }
        for (std::size_t i = 0; i < outcome->windows.size(); ++i) {
            const auto& window = outcome->windows[i];
            BOOST_TEST(window.number == static_cast<int>(i) + 1);
            BOOST_TEST(outcome->due[i] == by_round[window.number]);
        }
        for (const auto& lane : outcome->lane_windows)
            BOOST_TEST(lane.start_s ==
                       outcome->windows.at(static_cast<std::size_t>(lane.number) - 1).start_s);
    }

    std::int64_t count(RequestStatus status) const
    {
        return std::count_if(outcome->all.begin(), outcome->all.end(),
                             [&](const auto& request) { return request.status == status; });
    }

    // The rows that the server got, in order of their coming.
    std::vector<std::string> bodies() const
    {
        std::vector<std::string> bodies;
        for (const auto& request : server.received())
            bodies.push_back(request.body);
        return bodies;
    }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(lanes, Fixture)

BOOST_AUTO_TEST_CASE(each_row_is_sent_once_and_rounds_are_those_of_one_thread)
{
    std::set<std::string> ids[2];
    std::vector<double> due_s[2];
    for (const int threads : {1, 3}) {
        plan.threads = threads;
        run("ok");
        const auto which = threads > 1;
        BOOST_REQUIRE_EQUAL(outcome->windows.size(), 2U);
        BOOST_TEST((outcome->due == std::vector<std::int64_t>{30, 30}));
        BOOST_TEST(count(RequestStatus::ok) == 60);
        std::int64_t dispatched = 0;
        for (const auto& window : outcome->windows)
            dispatched += window.wire_dispatched.value();
        BOOST_TEST(dispatched == 60);
        for (const auto& request : outcome->all) {
            ids[which].insert(request.id);
            due_s[which].push_back(request.due_s);
        }
        std::sort(due_s[which].begin(), due_s[which].end());
    }
    BOOST_TEST(ids[0] == ids[1], boost::test_tools::per_element());
    BOOST_TEST(due_s[0] == due_s[1], boost::test_tools::per_element());
    auto sent = bodies();
    std::sort(sent.begin(), sent.end());
    BOOST_REQUIRE_EQUAL(sent.size(), 120U);
    for (std::size_t i = 0; i < sent.size(); i += 2)
        BOOST_TEST(sent[i] == sent[i + 1]);
    BOOST_TEST(std::set<std::string>(sent.begin(), sent.end()).size() == 60U);
}

BOOST_AUTO_TEST_CASE(conversations_keep_their_order)
{
    plan.serialize_conversations = true;
    run("ok");
    BOOST_TEST(count(RequestStatus::ok) == 60);
    std::map<std::string, std::vector<const slo::record::Request*>> conversations;
    for (const auto& request : outcome->all)
        conversations[request.conv_id].push_back(&request);
    BOOST_TEST(conversations.size() == 20U);
    for (auto& [id, requests] : conversations) {
        BOOST_REQUIRE_EQUAL(requests.size(), 3U);
        std::sort(requests.begin(), requests.end(),
                  [](const auto* a, const auto* b) { return a->due_s < b->due_s; });
        for (std::size_t i = 1; i < requests.size(); ++i)
            BOOST_TEST(requests[i]->sent_s.value() >= requests[i - 1]->end_s.value());
    }
}

BOOST_AUTO_TEST_CASE(rounds_that_drain_begin_together)
{
    plan.mode = ReplayMode::rounds;
    plan.drain_timeout_s = 0.1;
    run("hang4");
    BOOST_REQUIRE_EQUAL(outcome->windows.size(), 2U);
    BOOST_REQUIRE_EQUAL(outcome->lane_windows.size(), 6U);
    BOOST_TEST(outcome->windows[1].start_s >= 0.3);
    BOOST_TEST(count(RequestStatus::unfinished) > 0);
    for (const auto& request : outcome->all) // none begins before every lane has drained
        BOOST_TEST((request.round == 1) == (request.due_s < 0.2));
}

BOOST_AUTO_TEST_CASE(a_route_that_ends_early_ends_all_lanes_at_one_moment)
{
    rows.resize(45);
    run("ok");
    BOOST_REQUIRE_EQUAL(outcome->windows.size(), 2U);
    BOOST_TEST(exhausted);
    BOOST_CHECK_CLOSE(outcome->windows[1].duration_s, 0.1, 1e-6);
    BOOST_TEST((outcome->windows[1].flags == std::vector<std::string>{"route_exhausted"}));
    BOOST_TEST(outcome->due[1] == 15);
}

BOOST_AUTO_TEST_CASE(users_are_divided_and_send_each_row_once)
{
    plan.mode = ReplayMode::closed;
    plan.users = 7;
    plan.max_rounds.reset();
    add_rows(140, 140);
    run("ok");
    BOOST_TEST(count(RequestStatus::ok) == 200);
    BOOST_TEST(!exhausted);
    for (const auto& window : outcome->windows)
        BOOST_TEST(window.flags.empty());
}

BOOST_AUTO_TEST_CASE(users_never_have_more_than_one_request_each)
{
    plan.mode = ReplayMode::closed;
    plan.users = 7;
    plan.max_rounds = 1;
    plan.drain_timeout_s = 0.1;
    run("hang");
    BOOST_TEST(outcome->all.size() == 7U);
    BOOST_TEST(count(RequestStatus::unfinished) == 7);
    BOOST_TEST(!exhausted);
}

BOOST_AUTO_TEST_CASE(rounds_of_users_end_when_a_lane_has_no_row_left)
{
    plan.mode = ReplayMode::closed;
    plan.users = 3;
    plan.max_rounds = 1000;
    run("ok");
    BOOST_TEST(exhausted);
    BOOST_REQUIRE(!outcome->windows.empty());
    BOOST_TEST((outcome->windows.back().flags == std::vector<std::string>{"route_exhausted"}));
    BOOST_TEST(count(RequestStatus::ok) == static_cast<std::int64_t>(outcome->all.size()));
}

BOOST_AUTO_TEST_CASE(a_looped_route_gives_users_rows_to_the_end)
{
    plan.mode = ReplayMode::closed;
    plan.users = 3;
    plan.max_rounds = 2;
    plan.loop_route = true;
    rows.resize(20);
    run("ok");
    BOOST_TEST(!exhausted);
    BOOST_TEST(outcome->windows.size() == 2U);
    BOOST_TEST(count(RequestStatus::ok) > 20);
    for (const auto& window : outcome->windows)
        BOOST_TEST(window.duration_s == 0.2);
}

BOOST_AUTO_TEST_CASE(lanes_without_rows_for_their_users_are_refused)
{
    plan.mode = ReplayMode::closed;
    plan.users = 3;
    rows.clear();
    add_rows(60, 1);
    BOOST_CHECK_THROW(run("ok"), slo::UsageError);
    plan.threads = 1;
    run("ok");
    BOOST_TEST(count(RequestStatus::ok) > 0);
}

BOOST_AUTO_TEST_CASE(a_bound_in_flight_is_divided)
{
    plan.max_in_flight = 4;
    plan.drain_timeout_s = 0.1;
    run("hang");
    BOOST_TEST(count(RequestStatus::unfinished) == 4);
    BOOST_TEST(count(RequestStatus::not_sent) == 56);
}

BOOST_AUTO_TEST_CASE(an_interrupt_reaches_every_lane)
{
    plan.max_rounds = 50;
    add_rows(8000, 400);
    run("hang4", 0.3, [](Lanes& lanes) { lanes.interrupt("interrupted"); });
    BOOST_TEST(outcome->lane_windows.size() >= 3U);
    BOOST_TEST(outcome->windows.size() < 50U);
    for (const auto& window : outcome->windows)
        BOOST_TEST((window.flags == std::vector<std::string>{"interrupted"}));
    BOOST_TEST(count(RequestStatus::unfinished) > 0);
}

BOOST_AUTO_TEST_CASE(an_interrupt_between_rounds_that_drain)
{
    plan.mode = ReplayMode::rounds;
    plan.max_rounds = 100;
    plan.round_duration_s = 0.02;
    add_rows(2000, 400);
    for (const double at_s : {0.0, 0.0205, 0.0235, 0.043, 0.0455}) {
        run("ok", at_s, [](Lanes& lanes) { lanes.interrupt("interrupted"); });
        BOOST_TEST(outcome->windows.size() < 100U);
    }
}

BOOST_AUTO_TEST_CASE(a_server_that_is_not_there_fails_every_request)
{
    {
        const slo::test::CannedServer gone;
        url = gone.url("ok");
    }
    run("ok");
    BOOST_TEST(count(RequestStatus::failed) == 60);
    BOOST_TEST(!first_error.empty());
}

BOOST_AUTO_TEST_CASE(what_fails_in_any_lane_ends_all_and_is_thrown_once_all_was_handed_on)
{
    plan.max_rounds = 50;
    add_rows(8000, 400);
    for (std::size_t lane = 0; lane < 3; ++lane) {
        std::vector<int> fails_at(3);
        fails_at[lane] = 5;
        BOOST_CHECK_THROW(run("ok", -1, {}, fails_at), slo::IoError);
        BOOST_TEST(outcome->all.size() >= 5U);
        BOOST_TEST(outcome->all.size() < 1000U);
        BOOST_REQUIRE(!outcome->windows.empty());
        BOOST_TEST((outcome->windows.back().flags == std::vector<std::string>{"interrupted"}));
    }
}

BOOST_AUTO_TEST_CASE(what_a_handler_of_the_caller_throws_goes_through)
{
    plan.max_rounds = 50;
    add_rows(8000, 400);
    BOOST_CHECK_THROW(run("ok", 0.1, [](Lanes&) { throw slo::InputError("here", "bad"); }), slo::InputError);
    BOOST_TEST(outcome->all.size() < 1000U);
}

BOOST_AUTO_TEST_SUITE_END()
