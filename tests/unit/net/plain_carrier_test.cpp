// SPDX-License-Identifier: MIT
#include <slo/net/plain_carrier.hpp>

#define BOOST_TEST_MODULE net_plain_carrier
#include <boost/test/unit_test.hpp>

#include <slo/net/plain_servers.hpp>

#include "../../support/recorded_exchange.hpp"
#include "../../support/scripted_server.hpp"

#include <string>

using namespace slo::net;
using slo::test::RecordedExchange;
using slo::test::ScriptedPeer;
using slo::test::ScriptedServer;

namespace {

struct Fixture : PlainConnectionOwner {
    EventLoop loop;
    HttpLimits limits;
    int rings = 0;
    Timer timer{loop, [this] { ++rings; }};
    PlainServers servers;
    PlainExchanges exchanges;
    PlainCarrier carrier{loop, *this, limits, true, timer, exchanges};
    const ScriptedServer server{[](ScriptedPeer& peer) {
        while (peer.take_request())
            peer.send("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nhello!");
    }};

    void connection_ready(PlainConnection& connection, std::uint32_t events) override
    {
        carrier.ready(connection, events);
    }

    PlainExchange& begin(RecordedExchange& events)
    {
        events.url = server.url();
        auto& exchange = exchanges.begin(events);
        const auto& target = servers.find(events.url);
        target.head.write({events.url, {}, {}, false}, exchange.head);
        exchange.endpoint = &target.endpoint;
        carrier.begin(exchange);
        return exchange;
    }

    void run_until_ended(const PlainExchange& exchange)
    {
        while (!exchange.ended)
            loop.run_once();
    }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(plain_carrier, Fixture)

BOOST_AUTO_TEST_CASE(an_end_is_left_for_others_to_tell)
{
    RecordedExchange events;
    run_until_ended(begin(events));
    BOOST_TEST(events.data == "hello!");
    BOOST_TEST(!events.done);
    exchanges.tell();
    BOOST_TEST(events.done);
    BOOST_TEST((events.result.ending == Ending::complete));
}

BOOST_AUTO_TEST_CASE(a_connection_is_kept_unless_its_exchange_is_given_up)
{
    RecordedExchange first, second, third;
    run_until_ended(begin(first));
    run_until_ended(begin(second));
    BOOST_TEST(server.accepted() == 1);
    exchanges.tell();
    carrier.give_up(begin(third));
    BOOST_TEST(exchanges.size() == 0U);
    run_until_ended(begin(first));
    BOOST_TEST(server.accepted() == 2);
    BOOST_TEST(third.sends == 1);
    BOOST_TEST(!third.done);
}

BOOST_AUTO_TEST_CASE(a_failed_exchange_has_its_reason)
{
    RecordedExchange events;
    carrier.fail(begin(events), Ending::timeout, "too late");
    exchanges.tell();
    BOOST_TEST((events.result.ending == Ending::timeout));
    BOOST_TEST(events.result.message == "too late");
}

BOOST_AUTO_TEST_CASE(an_address_that_takes_too_long_ends_the_exchange)
{
    RecordedExchange events;
    auto& exchange = begin(events);
    BOOST_TEST(!exchange.ended);
    carrier.on_time(slo::monotonic_ns());
    BOOST_TEST(!exchange.ended);
    carrier.on_time(slo::monotonic_ns() + slo::to_ns(2 * limits.connect_timeout_s));
    BOOST_TEST(exchange.ended);
    exchanges.tell();
    BOOST_TEST((events.result.ending == Ending::timeout));
    BOOST_TEST(events.result.message == "no connection within 30.0 s");
}

BOOST_AUTO_TEST_CASE(what_a_handler_throws_gives_its_exchange_up)
{
    RecordedExchange events;
    events.when_data = [] { throw slo::Error("thrown in on_data"); };
    begin(events);
    BOOST_CHECK_THROW(while (exchanges.size() > 0) loop.run_once(), slo::Error);
    BOOST_TEST(exchanges.size() == 0U);
    BOOST_TEST(!events.done);
}

BOOST_AUTO_TEST_SUITE_END()
