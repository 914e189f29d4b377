// SPDX-License-Identifier: MIT
#include <slo/net/curl_multi.hpp>

#define BOOST_TEST_MODULE net_curl_multi
#include <boost/test/unit_test.hpp>

#include "../../support/canned_server.hpp"

#include <exception>
#include <memory>
#include <string>
#include <utility>

using namespace slo::net;

namespace {

struct Silent : HttpEvents {
    void on_sent(std::int64_t) override {}
    void on_head(const HttpHead&) override {}
    void on_data(std::int64_t, std::string_view) override {}
    void on_done(const HttpResult&) override {}
};

struct Fixture {
    slo::test::CannedServer server;
    EventLoop loop;
    TransportOptions options;
    std::exception_ptr failure;
    CurlSockets::Owners owners;
    CurlMulti multi{loop,
                    options,
                    owners,
                    failure,
                    [](CurlMulti& self, curl_socket_t socket, int what) { self.perform(socket, what); },
                    [](HttpEvents&, const std::string&) {}};
    Silent events;
    const std::string url = server.url("ok");
    const std::string body = "{}";

    std::unique_ptr<CurlExchange> begin() { return multi.begin({url, {}, body, true}, events); }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(curl_multi, Fixture)

BOOST_AUTO_TEST_CASE(what_has_begun_wants_to_be_called_at_once)
{
    BOOST_TEST(multi.due_ns() == never_ns);
    auto exchange = begin();
    BOOST_REQUIRE(exchange);
    BOOST_TEST(multi.in_flight() == 1U);
    BOOST_TEST(multi.due_ns() == 0);
    multi.perform(CURL_SOCKET_TIMEOUT, 0);
    BOOST_TEST(multi.due_ns() > slo::monotonic_ns());
    multi.end(std::move(exchange));
}

BOOST_AUTO_TEST_CASE(connections_and_handles_are_kept)
{
    for (int i = 0; i < 3; ++i) {
        auto exchange = begin();
        multi.perform(CURL_SOCKET_TIMEOUT, 0);
        CURLcode code = CURLE_AGAIN;
        CurlExchange* ended = nullptr;
        while (!(ended = multi.next_ended(code)))
            loop.run_once();
        BOOST_TEST(ended == exchange.get());
        BOOST_TEST(code == CURLE_OK);
        multi.end(std::move(exchange));
        BOOST_TEST(multi.in_flight() == 0U);
        BOOST_TEST(multi.connections() == 1U);
    }
    BOOST_TEST(server.accepted() == 1);
}

BOOST_AUTO_TEST_CASE(what_is_given_up_takes_its_connection_with_it)
{
    auto exchange = begin();
    multi.perform(CURL_SOCKET_TIMEOUT, 0);
    loop.run_once();
    BOOST_TEST(multi.connections() == 1U);
    multi.end(std::move(exchange));
    BOOST_TEST(multi.connections() == 0U);
    CURLcode code = CURLE_OK;
    BOOST_TEST(multi.next_ended(code) == nullptr);
}

BOOST_AUTO_TEST_SUITE_END()
