// SPDX-License-Identifier: MIT
#include <slo/run/flight.hpp>

#define BOOST_TEST_MODULE run_flight
#include <boost/test/unit_test.hpp>

#include <optional>
#include <string>
#include <vector>

using namespace slo::run;
using slo::net::Ending;
using slo::record::ErrorKind;
using slo::record::RequestStatus;

namespace {

struct FakeTransport : slo::net::HttpTransport {
    std::vector<std::string> headers;
    std::string body;
    bool cancelled = false;
    void submit(const slo::net::HttpRequest& request, slo::net::HttpEvents&) override
    {
        headers.assign(request.headers.begin(), request.headers.end());
        body = std::string(request.body);
    }
    void cancel(slo::net::HttpEvents&) noexcept override { cancelled = true; }
    std::size_t in_flight() const noexcept override { return 0; }
    std::string_view name() const noexcept override { return "fake"; }
};

struct Fixture : FlightOwner {
    static constexpr std::int64_t second_ns = 1'000'000'000;
    FakeTransport transport;
    FlightPlan plan{"http://h/v1/chat/completions", {"Authorization: Bearer k"}, 100 * second_ns};
    std::optional<Ending> ended;
    Flight flight{*this, plan};

    Fixture() { flight.begin("{}", request()); }

    static slo::record::Request request()
    {
        slo::record::Request result;
        result.id = "id-1";
        result.conv_id = "c\n1";
        result.due_s = 1;
        return result;
    }

    int times_sent = 0;
    void flight_sent(Flight&, std::int64_t) override { ++times_sent; }
    void flight_ended(Flight&, Ending ending) override { ended = ending; }

    void answer(const std::string& events)
    {
        flight.depart(transport);
        flight.on_sent(102 * second_ns);
        flight.on_head({200, "text/event-stream", {}, {}});
        flight.on_data(103 * second_ns, events);
    }

    void done(Ending ending, const std::string& message, int status = 200)
    {
        slo::net::HttpResult result;
        result.ending = ending;
        result.message = message;
        result.status = status;
        result.end_ns = 105 * second_ns;
        result.reconnects = 1;
        flight.on_done(result);
    }
};

const std::string token = "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"a\"}}]}\n\n";
const std::string finish =
    "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n";

} // namespace

BOOST_FIXTURE_TEST_SUITE(flight_tests, Fixture)

BOOST_AUTO_TEST_CASE(moments_count_from_the_start_of_the_run)
{
    answer(token + finish);
    done(Ending::complete, "");
    BOOST_TEST((ended == Ending::complete));
    const auto record = flight.take_record();
    BOOST_TEST((record.status == RequestStatus::ok));
    BOOST_TEST(record.sent_s.value() == 2.0);
    BOOST_TEST(record.first_token_s.value() == 3.0);
    BOOST_TEST(record.end_s.value() == 5.0);
    BOOST_TEST(record.reconnects == 1);
}

BOOST_AUTO_TEST_CASE(headers_are_those_of_the_run_and_its_own)
{
    flight.depart(transport);
    BOOST_TEST((transport.headers == std::vector<std::string>{"Authorization: Bearer k", "X-Request-Id: id-1",
                                                              "X-Flow-Conversation-Id: c?1"}));
    BOOST_TEST(transport.body == "{}");
}

BOOST_AUTO_TEST_CASE(a_replaced_connection_sends_the_same_request)
{
    flight.depart(transport);
    flight.on_sent(102 * second_ns);
    flight.on_sent(103 * second_ns);
    done(Ending::reset, "gone", 0);
    BOOST_TEST(times_sent == 1);
    BOOST_TEST(flight.record().sent_s.value() == 2.0);
}

BOOST_AUTO_TEST_CASE(a_broken_connection_is_its_cause)
{
    answer(token);
    done(Ending::reset, "gone");
    BOOST_TEST((flight.record().status == RequestStatus::failed));
    BOOST_TEST((flight.record().error_kind == ErrorKind::reset));
    BOOST_TEST(flight.record().error == "gone");
}

BOOST_AUTO_TEST_CASE(after_done_a_break_does_not_matter)
{
    answer(token + finish);
    done(Ending::reset, "gone");
    BOOST_TEST((flight.record().status == RequestStatus::ok));
}

BOOST_AUTO_TEST_CASE(what_is_abandoned_is_unfinished)
{
    answer(token);
    flight.abandon(transport, Ending::cancelled, "given up");
    BOOST_TEST(transport.cancelled);
    BOOST_TEST(!ended.has_value());
    BOOST_TEST((flight.record().status == RequestStatus::unfinished));
    BOOST_TEST((flight.record().error_kind == ErrorKind::cancelled));
    BOOST_TEST(flight.record().first_token_s.has_value());
}

BOOST_AUTO_TEST_CASE(what_never_departs_is_not_sent)
{
    flight.never_depart("no turn");
    BOOST_TEST((flight.record().status == RequestStatus::not_sent));
    BOOST_TEST((flight.record().error_kind == ErrorKind::client));
    BOOST_TEST(!flight.record().sent_s.has_value());
}

BOOST_AUTO_TEST_CASE(a_fault_of_this_machine_before_sending_is_not_sent)
{
    flight.depart(transport);
    done(Ending::local, "Too many open files", 0);
    BOOST_TEST((flight.record().status == RequestStatus::not_sent));
    BOOST_TEST((flight.record().error_kind == ErrorKind::client));
}

BOOST_AUTO_TEST_SUITE_END()
