// SPDX-License-Identifier: MIT
#include <slo/net/curl_sockets.hpp>

#define BOOST_TEST_MODULE net_curl_sockets
#include <boost/test/unit_test.hpp>

#include <sys/socket.h>

#include <utility>
#include <vector>

using namespace slo::net;

namespace {

struct Fixture {
    int ends[2] = {-1, -1};
    EventLoop loop;
    std::vector<std::pair<curl_socket_t, int>> ready;
    CurlSockets sockets{loop, [this](curl_socket_t socket, int what) { ready.emplace_back(socket, what); }};

    Fixture() { BOOST_REQUIRE_EQUAL(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0); }
    ~Fixture() { ::close(ends[1]); }

    void turn()
    {
        Timer timer(loop, [] {});
        timer.set(1);
        loop.run_once();
    }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(curl_sockets, Fixture)

BOOST_AUTO_TEST_CASE(what_is_wanted_is_reported)
{
    sockets.update(ends[0], CURL_POLL_OUT);
    turn();
    BOOST_REQUIRE_EQUAL(ready.size(), 1U);
    BOOST_TEST(ready[0].first == ends[0]);
    BOOST_TEST(ready[0].second == CURL_CSELECT_OUT);
    sockets.update(ends[0], CURL_POLL_IN);
    turn();
    BOOST_TEST(ready.size() == 1U);
    BOOST_REQUIRE_EQUAL(::write(ends[1], "x", 1), 1);
    turn();
    BOOST_REQUIRE_EQUAL(ready.size(), 2U);
    BOOST_TEST(ready[1].second == CURL_CSELECT_IN);
    CurlSockets::on_close(&sockets, ends[0]);
}

BOOST_AUTO_TEST_CASE(an_idle_socket_is_silent_and_may_come_back)
{
    sockets.update(ends[0], CURL_POLL_IN);
    sockets.update(ends[0], CURL_POLL_REMOVE);
    BOOST_REQUIRE_EQUAL(::write(ends[1], "x", 1), 1);
    turn();
    turn();
    BOOST_TEST(ready.empty());
    sockets.update(ends[0], CURL_POLL_IN);
    turn();
    BOOST_TEST(ready.size() == 1U);
    CurlSockets::on_close(&sockets, ends[0]);
}

BOOST_AUTO_TEST_CASE(a_number_that_comes_again_after_a_close_is_a_new_socket)
{
    sockets.update(ends[0], CURL_POLL_IN);
    const int number = ends[0];
    CurlSockets::on_close(&sockets, number);
    ::close(ends[1]);
    BOOST_REQUIRE_EQUAL(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    BOOST_REQUIRE_EQUAL(ends[0], number);
    sockets.update(ends[0], CURL_POLL_IN);
    BOOST_REQUIRE_EQUAL(::write(ends[1], "x", 1), 1);
    turn();
    BOOST_TEST(ready.size() == 1U);
    CurlSockets::on_close(&sockets, ends[0]);
}

BOOST_AUTO_TEST_SUITE_END()
