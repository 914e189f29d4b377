// SPDX-License-Identifier: MIT
// Unit test of run/cache_reset.hpp: what is posted or run, and what is said when it fails.

#include <slo/run/cache_reset.hpp>

#define BOOST_TEST_MODULE run_cache_reset
#include <boost/test/unit_test.hpp>

#include "../../support/scripted_server.hpp"

#include <string>

using namespace slo;
using namespace slo::run;

BOOST_AUTO_TEST_CASE(a_url_is_posted_to)
{
    std::string request;
    std::string status = "200 OK";
    test::ScriptedServer server([&](test::ScriptedPeer& peer) {
        peer.take_request();
        request = peer.request();
        peer.send("HTTP/1.1 " + status + "\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
    });
    io::StopSignal stop;
    const CacheReset reset(server.url("/flush_cache"), {});
    BOOST_TEST(reset(stop) == "");
    BOOST_TEST(request.starts_with("POST /flush_cache HTTP/1.1\r\n"));
    status = "503 Service Unavailable";
    BOOST_TEST(reset(stop).find("503") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_server_that_is_not_there_is_said)
{
    io::StopSignal stop;
    BOOST_TEST(CacheReset("http://127.0.0.1:1/x", {})(stop) != "");
}

BOOST_AUTO_TEST_CASE(anything_else_is_a_line_of_the_shell)
{
    io::StopSignal stop;
    BOOST_TEST(CacheReset("true", {})(stop) == "");
    BOOST_TEST(CacheReset("exit 3", {})(stop) == "ended with status 3");
}

BOOST_AUTO_TEST_CASE(a_url_that_is_none_is_refused)
{
    BOOST_CHECK_THROW(CacheReset("http://", {}), UsageError);
}
