// SPDX-License-Identifier: MIT
// What the curl transport does beyond what every HttpTransport promises (http_test.cpp).
#include <slo/net/curl_transport.hpp>

#define BOOST_TEST_MODULE net_curl_transport
#include <boost/test/unit_test.hpp>

#include "../../support/recorded_exchange.hpp"

using namespace slo::net;

BOOST_FIXTURE_TEST_SUITE(transport, slo::test::CannedExchanges)

BOOST_AUTO_TEST_CASE(it_says_which_it_is)
{
    CurlTransport transport(loop, {});
    BOOST_TEST(transport.name() == "curl");
    BOOST_TEST(transport.in_flight() == 0U);
}

BOOST_AUTO_TEST_CASE(a_connection_given_up_while_it_is_made_does_not_spoil_the_next)
{
    HttpLimits limits;
    limits.request_timeout_s = 5;
    CurlTransport transport(loop, {limits});
    for (int i = 0; i < 3; ++i) {
        auto& given_up = submit(transport, server.url("ok"));
        transport.cancel(given_up);
        const auto& exchange = submit(transport, server.url("stale"));
        while (!exchange.done)
            loop.run_once();
        BOOST_TEST((exchange.result.ending == Ending::complete));
    }
}

BOOST_AUTO_TEST_SUITE_END()
