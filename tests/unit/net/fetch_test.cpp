// SPDX-License-Identifier: MIT
#include <slo/net/fetch.hpp>

#define BOOST_TEST_MODULE net_fetch
#include <boost/test/unit_test.hpp>

#include "../../support/canned_server.hpp"

#include <slo/net/curl_transport.hpp>
#include <slo/net/http.hpp>

#include <string>

using namespace slo::net;

namespace {

struct Fixture {
    slo::test::CannedServer server;
    EventLoop loop;
    CurlTransport transport{loop, {}};
    bool stopped = false;

    HttpReply get(const std::string& url, bool post)
    {
        const std::string body = "{}";
        return fetch(loop, transport, {url, {}, body, post}, [this] { return stopped; });
    }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(fetching, Fixture)

BOOST_AUTO_TEST_CASE(the_answer_comes_whole)
{
    const auto reply = get(server.url("ok"), false);
    BOOST_TEST(reply.result.status == 200);
    BOOST_TEST(reply.body == R"({"data":[]})");
}

BOOST_AUTO_TEST_CASE(a_body_without_end_is_cut)
{
    HttpLimits limits;
    limits.max_answer_bytes = 4 << 20;
    CurlTransport bounded(loop, {limits});
    const auto url = server.url("flood");
    const auto reply = fetch(loop, bounded, {url, {}, {}, true}, [] { return false; });
    BOOST_TEST((reply.result.ending == Ending::too_large));
    BOOST_TEST(reply.body.size() == max_reply_bytes);
}

BOOST_AUTO_TEST_CASE(a_stop_cancels)
{
    Timer timer(loop, [this] { stopped = true; });
    timer.set(slo::monotonic_ns() + 20'000'000);
    const auto reply = get(server.url("hang"), true);
    BOOST_TEST((reply.result.ending == Ending::cancelled));
    BOOST_TEST(transport.in_flight() == 0U);
}

BOOST_AUTO_TEST_CASE(what_a_handler_throws_leaves_nothing_behind)
{
    Timer timer(loop, [] { throw slo::Error("thrown"); });
    timer.set(slo::monotonic_ns() + 20'000'000);
    BOOST_CHECK_THROW(get(server.url("hang"), true), slo::Error);
    BOOST_TEST(transport.in_flight() == 0U);
}

BOOST_AUTO_TEST_SUITE_END()
