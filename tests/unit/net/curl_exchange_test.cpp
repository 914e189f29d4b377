// SPDX-License-Identifier: MIT
#include <slo/net/curl_exchange.hpp>

#define BOOST_TEST_MODULE net_curl_exchange
#include <boost/test/unit_test.hpp>

#include "../../support/recorded_exchange.hpp"

#include <exception>
#include <string>

using namespace slo::net;
using slo::test::RecordedExchange;

namespace {

// An exchange is carried by its easy handle alone: curl_easy_perform() waits for its end.
struct Fixture {
    slo::test::CannedServer server;
    EventLoop loop;
    TransportOptions options;
    CurlSockets::Owners owners;
    CurlSockets sockets{loop, owners, [](curl_socket_t, int) {}};
    std::exception_ptr failure;

    HttpResult run(CurlExchange& exchange, RecordedExchange& events, const std::string& behaviour)
    {
        events.url = server.url(behaviour);
        exchange.prepare({events.url, {events.header}, events.body, true}, events, false);
        const auto code = curl_easy_perform(exchange.easy());
        return exchange.conclude(code, 7);
    }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(curl_exchange, Fixture)

BOOST_AUTO_TEST_CASE(one_handle_serves_one_exchange_after_the_other)
{
    CurlExchange exchange(options, sockets, failure);
    BOOST_REQUIRE(exchange.ok());
    BOOST_TEST((CurlExchange::of(exchange.easy()) == &exchange));
    for (int i = 0; i < 3; ++i) {
        RecordedExchange events;
        const auto result = run(exchange, events, i == 1 ? "404" : "ok");
        BOOST_TEST((result.ending == Ending::complete), result.message);
        BOOST_TEST(result.status == (i == 1 ? 404 : 200));
        BOOST_TEST(result.end_ns == 7);
        BOOST_TEST(result.http_version == 11);
        BOOST_TEST(events.sends == 1);
        BOOST_TEST(events.heads == 1);
    }
    BOOST_TEST(server.accepted() == 1);
    BOOST_TEST(server.received().at(2).head.find("X-Test: yes") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(what_a_handler_throws_is_kept)
{
    CurlExchange exchange(options, sockets, failure);
    RecordedExchange events;
    events.when_data = [] { throw slo::Error("thrown in on_data"); };
    run(exchange, events, "ok");
    BOOST_TEST(exchange.thrown());
    BOOST_REQUIRE(failure);
    BOOST_CHECK_THROW(std::rethrow_exception(failure), slo::Error);
    RecordedExchange after;
    BOOST_TEST((run(exchange, after, "ok").ending == Ending::complete));
    BOOST_TEST(!exchange.thrown());
}

BOOST_AUTO_TEST_SUITE_END()
