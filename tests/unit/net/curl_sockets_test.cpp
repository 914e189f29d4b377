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
    CurlSockets::Owners owners;
    std::vector<std::pair<curl_socket_t, int>> ready;
    CurlSockets sockets{loop, owners,
                        [this](curl_socket_t socket, int what) { ready.emplace_back(socket, what); }};

    Fixture() { pair_up(); }
    ~Fixture() { ::close(ends[1]); }

    // Opens a socket, which gets the number `least` if that is free, a larger one if not.
    static int open_as(int least, CurlSockets& by)
    {
        curl_sockaddr address{};
        address.family = AF_INET;
        address.socktype = SOCK_STREAM;
        std::vector<int> below;
        int fd = -1;
        while ((fd = ::dup(0)) < least)
            below.push_back(fd);
        ::close(fd);
        fd = by.open(address);
        for (const int each : below)
            ::close(each);
        return fd;
    }

    // One end is opened as curl would; a pair takes its place.
    void pair_up(int least = 0)
    {
        int pair[2];
        ends[0] = open_as(least, sockets);
        BOOST_REQUIRE(ends[0] >= 0);
        BOOST_REQUIRE_EQUAL(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
        BOOST_REQUIRE_EQUAL(::dup2(pair[0], ends[0]), ends[0]);
        ::close(pair[0]);
        ends[1] = pair[1];
    }

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

BOOST_AUTO_TEST_CASE(a_number_that_comes_again_is_a_new_socket_however_the_old_one_was_closed)
{
    for (const bool in_silence : {false, true}) {
        sockets.update(ends[0], CURL_POLL_IN);
        sockets.update(ends[0], CURL_POLL_REMOVE);
        const int number = ends[0];
        if (in_silence)
            ::close(number);
        else
            CurlSockets::on_close(&sockets, number);
        ::close(ends[1]);
        BOOST_TEST(sockets.count() == (in_silence ? 1U : 0U));
        pair_up(number);
        BOOST_REQUIRE_EQUAL(ends[0], number);
        ready.clear();
        sockets.update(ends[0], CURL_POLL_IN);
        BOOST_REQUIRE_EQUAL(::write(ends[1], "x", 1), 1);
        turn();
        BOOST_TEST(ready.size() == 1U);
    }
    CurlSockets::on_close(&sockets, ends[0]);
}

BOOST_AUTO_TEST_CASE(a_number_may_go_from_one_to_another)
{
    CurlSockets other{loop, owners, [](curl_socket_t, int) {}};
    ::close(ends[0]);
    BOOST_TEST(sockets.count() == 1U);
    const int fd = open_as(ends[0], other);
    BOOST_TEST(fd == ends[0]);
    BOOST_TEST(other.count() == 1U);
    BOOST_TEST(sockets.count() == 0U);
    CurlSockets::on_close(&other, fd);
    BOOST_TEST(other.count() == 0U);
}

BOOST_AUTO_TEST_SUITE_END()
