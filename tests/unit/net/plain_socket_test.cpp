// SPDX-License-Identifier: MIT
#include <slo/net/plain_socket.hpp>

#define BOOST_TEST_MODULE net_plain_socket
#include <boost/test/unit_test.hpp>

#include <slo/net/plain_connections.hpp>

#include <poll.h>

#include <string>

using namespace slo::net;
using slo::io::Fd;

namespace {

struct Listener {
    Fd fd{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
    SocketAddress address;

    Listener()
    {
        auto& v4 = reinterpret_cast<sockaddr_in&>(address.storage);
        v4.sin_family = AF_INET;
        v4.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        address.length = sizeof v4;
        auto* const plain = reinterpret_cast<sockaddr*>(&address.storage);
        BOOST_REQUIRE_EQUAL(::bind(fd.get(), plain, address.length), 0);
        BOOST_REQUIRE_EQUAL(::listen(fd.get(), 8), 0);
        BOOST_REQUIRE_EQUAL(::getsockname(fd.get(), plain, &address.length), 0);
    }
    Fd accept() const { return Fd(::accept4(fd.get(), nullptr, nullptr, SOCK_CLOEXEC)); }
    std::string port() const
    {
        return std::to_string(ntohs(reinterpret_cast<const sockaddr_in&>(address.storage).sin_port));
    }
};

void wait_for(const Fd& fd, short events)
{
    pollfd watched{fd.get(), events, 0};
    BOOST_REQUIRE_EQUAL(::poll(&watched, 1, 10'000), 1);
}

struct Nobody : PlainConnectionOwner {
    void connection_ready(PlainConnection&, std::uint32_t) override {}
};

} // namespace

BOOST_FIXTURE_TEST_CASE(bytes_go_there_and_back, Listener)
{
    Fd client;
    BOOST_REQUIRE_EQUAL(begin_connect(address, true, client), 0);
    const auto server = accept();
    wait_for(client, POLLOUT);
    BOOST_TEST(connect_error(client) == 0);
    BOOST_TEST(is_quiet(client));
    char block[64];
    BOOST_TEST(receive_some(client, block, sizeof block).os_error == EAGAIN);

    std::size_t done = 2; // of the head, sent before
    BOOST_TEST(send_some(client, "head ", "body", done) == 0);
    BOOST_TEST(done == 9U);
    BOOST_TEST(std::string(block, static_cast<std::size_t>(::recv(server.get(), block, sizeof block, 0))) ==
               "ad body");
    done = 7;
    BOOST_TEST(send_some(client, "head ", "body", done) == 0);
    BOOST_TEST(std::string(block, static_cast<std::size_t>(::recv(server.get(), block, sizeof block, 0))) ==
               "dy");

    const auto before_ns = slo::monotonic_ns();
    BOOST_REQUIRE_EQUAL(::send(server.get(), "answer", 6, 0), 6);
    wait_for(client, POLLIN);
    BOOST_TEST(!is_quiet(client));
    const auto got = receive_some(client, block, sizeof block);
    BOOST_TEST(std::string(block, got.bytes) == "answer");
    BOOST_TEST(got.at_ns > before_ns - 1'000'000);
    BOOST_TEST(got.at_ns <= slo::monotonic_ns());
}

BOOST_FIXTURE_TEST_CASE(an_end_is_no_error_and_a_reset_is_one, Listener)
{
    Fd client;
    BOOST_REQUIRE_EQUAL(begin_connect(address, false, client), 0);
    char block[64];
    auto server = accept();
    ::shutdown(server.get(), SHUT_WR);
    wait_for(client, POLLIN);
    BOOST_TEST(!is_quiet(client));
    const auto end = receive_some(client, block, sizeof block);
    BOOST_TEST((end.bytes == 0U && end.os_error == 0));
    const linger at_once{1, 0};
    ::setsockopt(server.get(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    server = Fd();
    wait_for(client, POLLHUP);
    std::size_t done = 0;
    BOOST_TEST(send_some(client, "x", "", done) != 0);
    BOOST_TEST(done == 0U);
}

BOOST_FIXTURE_TEST_CASE(connections_are_taken_and_given_back, Listener)
{
    EventLoop loop;
    Nobody owner;
    PlainConnections connections(loop, owner);
    PlainEndpoint endpoint("127.0.0.1", port());
    PlainExchange exchange;
    BOOST_TEST(!connections.take_kept(endpoint));
    auto& connection = connections.take_closed(exchange);
    BOOST_TEST(exchange.connection == &connection);
    BOOST_TEST(connection.open(endpoint, 1'000'000'000, true) == 0);
    BOOST_TEST((connection.state == PlainConnection::State::connecting));
    BOOST_TEST(connection.deadline_ns() > slo::monotonic_ns());
    auto server = accept();
    PlainConnections::keep(connection);
    BOOST_TEST(!exchange.connection);
    BOOST_TEST(connection.reused);
    BOOST_TEST(connections.take_kept(endpoint) == &connection);
    PlainConnections::join(connection, exchange);
    PlainConnections::keep(connection);
    server = Fd(); // what was kept is dead now
    wait_for(connection.fd(), POLLIN);
    BOOST_TEST(!connections.take_kept(endpoint));
    BOOST_TEST((connection.state == PlainConnection::State::closed));
    BOOST_TEST(&connections.take_closed(exchange) == &connection);
    BOOST_TEST(connections.all().size() == 1U);
}

BOOST_FIXTURE_TEST_CASE(an_address_that_fails_is_followed_by_the_next, Listener)
{
    EventLoop loop;
    Nobody owner;
    PlainConnection connection(loop, owner);
    PlainEndpoint endpoint("127.0.0.1", port());
    BOOST_TEST(endpoint.addresses().size() == 1U);
    BOOST_TEST(connection.open(endpoint, 1'000'000'000, true) == 0);
    BOOST_TEST(connection.open_next(ECONNREFUSED) == ECONNREFUSED); // there is no other
    PlainEndpoint unknown("host.invalid", "80");
    BOOST_TEST(unknown.addresses().empty());
}
