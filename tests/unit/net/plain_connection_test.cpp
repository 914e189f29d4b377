// SPDX-License-Identifier: MIT
#include <slo/net/plain_connection.hpp>

#define BOOST_TEST_MODULE net_plain_connection
#include <boost/test/unit_test.hpp>

#include <slo/net/plain_endpoint.hpp>

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string>

using slo::net::EventLoop;
using slo::net::PlainConnection;
using slo::net::PlainConnectionOwner;
using slo::net::PlainEndpoint;

namespace {

struct Listener {
    int fd = ::socket(AF_INET, SOCK_STREAM, 0);
    std::string port;

    Listener()
    {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t length = sizeof address;
        auto* const any = reinterpret_cast<sockaddr*>(&address);
        BOOST_REQUIRE_EQUAL(::bind(fd, any, length), 0);
        BOOST_REQUIRE_EQUAL(::listen(fd, 4), 0);
        BOOST_REQUIRE_EQUAL(::getsockname(fd, any, &length), 0);
        port = std::to_string(ntohs(address.sin_port));
    }
    ~Listener() { stop(); }
    void stop()
    {
        if (fd >= 0)
            ::close(fd);
        fd = -1;
    }
};

struct Owner : PlainConnectionOwner {
    std::uint32_t events = 0;
    void connection_ready(PlainConnection&, std::uint32_t what) override { events = what; }
};

} // namespace

BOOST_AUTO_TEST_CASE(it_connects_sends_in_pieces_and_is_used_again)
{
    EventLoop loop;
    Owner owner;
    Listener listener;
    PlainEndpoint server("127.0.0.1", listener.port);
    PlainConnection connection(loop, owner);
    for (int round = 0; round < 2; ++round) {
        BOOST_REQUIRE_EQUAL(connection.open(server, 1'000'000'000, false), 0);
        BOOST_TEST((connection.state == PlainConnection::State::connecting));
        BOOST_TEST(connection.deadline_ns() > slo::monotonic_ns());
        loop.run_once();
        BOOST_TEST((owner.events & EPOLLOUT) != 0U);
        const int accepted = ::accept(listener.fd, nullptr, nullptr);
        BOOST_REQUIRE(accepted >= 0);
        connection.established();
        std::size_t done = 3; // so much is out already
        BOOST_TEST(connection.send("head|", "body", done) == 0);
        BOOST_TEST(done == 9U);
        std::array<char, 16> got{};
        BOOST_TEST(::read(accepted, got.data(), got.size()) == 6);
        BOOST_TEST(std::string(got.data()) == "d|body");
        ::close(accepted);
        connection.close();
        BOOST_TEST((connection.state == PlainConnection::State::closed));
        BOOST_TEST(!connection.fd());
    }
}

BOOST_AUTO_TEST_CASE(when_no_address_is_left_the_last_error_says_why)
{
    EventLoop loop;
    Owner owner;
    Listener listener;
    PlainEndpoint server("127.0.0.1", listener.port);
    listener.stop();
    PlainConnection connection(loop, owner);
    const int error = connection.open(server, 1'000'000'000, false);
    if (error == 0) // refused in the background
        BOOST_TEST(connection.open_next(ECONNREFUSED) == ECONNREFUSED);
    else
        BOOST_TEST(error == ECONNREFUSED);
}
