// SPDX-License-Identifier: MIT
#include <slo/net/curl_sends.hpp>

#define BOOST_TEST_MODULE net_curl_sends
#include <boost/test/unit_test.hpp>

using namespace slo::net;

namespace {

constexpr std::int64_t ms = 1'000'000;

struct Fixture {
    HttpLimits limits; // 50 ms
    CurlSends sends;
    Fixture() { sends.begin(); }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(curl_sends, Fixture)

BOOST_AUTO_TEST_CASE(a_socket_for_the_first_time_is_free)
{
    BOOST_TEST(sends.may_open(0, limits, ""));
    BOOST_TEST(sends.may_open(9'000 * ms, limits, ""));
    BOOST_TEST(!sends.any());
    BOOST_TEST(sends.may_send(9'000 * ms));
    BOOST_TEST(sends.any());
    BOOST_TEST(sends.reconnects() == 0);
    BOOST_TEST(sends.refusal() == "");
}

BOOST_AUTO_TEST_CASE(a_connection_that_breaks_at_once_is_replaced)
{
    BOOST_TEST(sends.may_send(1'000 * ms));
    BOOST_TEST(sends.may_open(1'050 * ms, limits, "Recv failure: Connection reset by peer"));
    BOOST_TEST(sends.may_open(1'500 * ms, limits, "")); // the next address
    BOOST_TEST(sends.may_send(1'501 * ms));
    BOOST_TEST(sends.reconnects() == 1);
    BOOST_TEST(sends.refusal() == "");
}

BOOST_AUTO_TEST_CASE(one_that_breaks_later_is_not)
{
    BOOST_TEST(sends.may_send(1'000 * ms));
    BOOST_TEST(!sends.may_open(1'051 * ms, limits, "Recv failure: Connection reset by peer"));
    BOOST_TEST(!sends.may_open(1'052 * ms, limits, "Failed to connect"));
    BOOST_TEST(sends.refusal() == "Recv failure: Connection reset by peer");
    BOOST_TEST(sends.reconnects() == 0);

    sends.begin();
    BOOST_TEST(sends.refusal() == "");
    BOOST_TEST(sends.may_send(2'000 * ms));
    BOOST_TEST(!sends.may_open(3'000 * ms, limits, ""));
    BOOST_TEST(sends.refusal() == closed_before_answer);
}

BOOST_AUTO_TEST_CASE(nothing_is_sent_three_times)
{
    BOOST_TEST(sends.may_send(0));
    BOOST_TEST(sends.may_send(1));
    BOOST_TEST(!sends.may_send(2));
    BOOST_TEST(sends.reconnects() == 1);
    BOOST_TEST(sends.refusal() == "the server refused the request again on a new connection");
}

BOOST_AUTO_TEST_SUITE_END()
