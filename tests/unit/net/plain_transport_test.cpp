// SPDX-License-Identifier: MIT
// What the plain transport does beyond what every HttpTransport promises (http_test.cpp).
#include <slo/net/plain_transport.hpp>

#define BOOST_TEST_MODULE net_plain_transport
#include <boost/test/unit_test.hpp>

#include "../../support/recorded_exchange.hpp"
#include "../../support/scripted_server.hpp"

#include <atomic>
#include <chrono>
#include <limits>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

using namespace slo::net;
using slo::test::ScriptedPeer;
using slo::test::ScriptedServer;

namespace {

using Exchange = slo::test::RecordedExchange;

const std::string head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
const std::string sized = "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nhello!";

struct Fixture : slo::test::RecordedExchanges {
    // The ending and the words for an answer after which the server closes.
    HttpResult result_of(const std::string& answer)
    {
        const ScriptedServer server([&](ScriptedPeer& peer) {
            peer.take_request();
            peer.send(answer);
        });
        PlainTransport transport(loop, {});
        const auto& exchange = get(transport, server.url());
        return exchange.result;
    }
};

// An exchange whose handler of the first data holds the loop up until well after the second has been sent.
struct Stalled : Fixture {
    std::atomic<bool> first_is_there{false};
    std::atomic<bool> second_is_out{false};
    std::int64_t second_sent_ns = 0;
    std::int64_t stall_end_ns = 0;

    const Exchange& run(HttpTransport& transport)
    {
        first_is_there = second_is_out = false;
        const ScriptedServer server([this](ScriptedPeer& peer) {
            peer.take_request();
            peer.send(head + "1\r\na\r\n");
            while (!first_is_there)
                std::this_thread::yield();
            second_sent_ns = slo::monotonic_ns();
            peer.send("1\r\nb\r\n0\r\n\r\n");
            second_is_out = true;
        });
        auto& exchange = exchanges.emplace_back();
        exchange.url = server.url();
        exchange.when_data = [this] {
            if (first_is_there.exchange(true))
                return;
            while (!second_is_out)
                std::this_thread::yield();
            std::this_thread::sleep_for(std::chrono::milliseconds(30));
            stall_end_ns = slo::monotonic_ns();
        };
        transport.submit({exchange.url, {}, {}, false}, exchange);
        finish(exchange);
        BOOST_TEST(exchange.data == "ab");
        BOOST_TEST(std::is_sorted(exchange.moments_ns.begin(), exchange.moments_ns.end()));
        BOOST_TEST(exchange.moments_ns.size() == 4U);
        return exchange;
    }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(plain, Fixture)

BOOST_FIXTURE_TEST_CASE(a_held_up_loop_does_not_make_bytes_late, Stalled)
{
    PlainTransport transport(loop, {});
    bool stamped = false;
    // The kernel begins to stamp some time after the first socket asks for it.
    for (int i = 0; i < 30 && !stamped; ++i) {
        const auto& exchange = run(transport);
        stamped = exchange.moments_ns[2] < stall_end_ns;
        BOOST_TEST(exchange.moments_ns[2] > second_sent_ns - 1'000'000);
    }
    BOOST_TEST(stamped);
}

BOOST_FIXTURE_TEST_CASE(without_stamps_the_moment_is_that_of_reading, Stalled)
{
    PlainTransport transport(loop, {}, false);
    const auto& exchange = run(transport);
    BOOST_TEST(exchange.moments_ns[2] >= stall_end_ns);
}

BOOST_AUTO_TEST_CASE(it_says_which_it_is)
{
    PlainTransport transport(loop, {});
    BOOST_TEST(transport.name() == "plain");
    BOOST_TEST(transport.in_flight() == 0U);
}

BOOST_AUTO_TEST_CASE(what_is_wrong_with_an_answer_is_said)
{
    const std::string ok = "HTTP/1.1 200 OK\r\n";
    const auto message = [&](const std::string& answer) {
        const auto result = result_of(answer);
        BOOST_TEST((result.ending == Ending::protocol), answer.substr(0, 80));
        return result.message;
    };
    BOOST_TEST(message(ok + "no colon\r\n\r\n") == "a malformed header in the answer");
    BOOST_TEST(message(ok + "A: b\r\n folded\r\n\r\n") == "a malformed header in the answer");
    BOOST_TEST(message(ok + "Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello!") ==
               "a malformed or contradictory Content-Length in the answer");
    BOOST_TEST(message(ok + "Transfer-Encoding: gzip\r\n\r\n") ==
               "a Transfer-Encoding in the answer that was not asked for");
    BOOST_TEST(message(head + "ffffffffffffffff\r\n") == "a malformed chunk in the answer");
    BOOST_TEST(message("HTTP/1.1 101 Switching Protocols\r\n\r\n") == "what answers does not speak HTTP");
    BOOST_TEST(message(ok + "A: " + std::string(300'000, 'x')) == "headers larger than 262144 bytes");
}

BOOST_AUTO_TEST_CASE(an_answer_cut_in_its_head_is_cut)
{
    for (const std::string answer : {"H", "HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n",
                                     "HTTP/1.1 100 Continue\r\n\r\n"}) {
        const auto result = result_of(answer);
        BOOST_TEST((result.ending == Ending::cut), answer);
        BOOST_TEST(result.message == "the connection was closed before the end of the answer");
        BOOST_TEST(result.status == 0);
    }
}

BOOST_AUTO_TEST_CASE(a_connection_that_said_too_much_is_not_used_again)
{
    const ScriptedServer server([](ScriptedPeer& peer) {
        while (peer.take_request())
            peer.send(head + "1\r\na\r\n0\r\n\r\n" + "garbage");
    });
    PlainTransport transport(loop, {});
    for (int i = 0; i < 3; ++i)
        get(transport, server.url());
    BOOST_TEST(server.accepted() == 3);
    BOOST_TEST(exchanges.back().result.reconnects == 0);
}

BOOST_AUTO_TEST_CASE(a_kept_connection_that_speaks_up_is_given_up)
{
    std::atomic<bool> spoke{false};
    const ScriptedServer server([&](ScriptedPeer& peer) {
        peer.take_request();
        peer.send(sized);
        if (peer.number() == 1) {
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
            peer.send("HTTP/1.1 408 Request Timeout\r\nContent-Length: 0\r\n\r\n");
            spoke = true;
        }
        peer.wait_for_close();
    });
    PlainTransport transport(loop, {});
    get(transport, server.url());
    while (!spoke)
        std::this_thread::yield();
    const auto& exchange = get(transport, server.url());
    BOOST_TEST(exchange.data == "hello!");
    BOOST_TEST(exchange.sends == 1); // noticed before anything was sent on it
    BOOST_TEST(server.accepted() == 2);
}

BOOST_AUTO_TEST_CASE(the_connection_used_last_is_used_next)
{
    std::atomic<int> last{0};
    const ScriptedServer server([&](ScriptedPeer& peer) {
        while (peer.take_request()) {
            last = peer.number();
            peer.send(sized);
        }
    });
    PlainTransport transport(loop, {});
    for (int i = 0; i < 5; ++i)
        ask(transport, server.url());
    finish_all(transport);
    get(transport, server.url());
    const int number = last;
    for (int i = 0; i < 5; ++i) {
        get(transport, server.url());
        BOOST_TEST(last == number);
    }
    BOOST_TEST(server.accepted() == 5);
}

BOOST_AUTO_TEST_CASE(urls_of_one_server_share_its_connections)
{
    const ScriptedServer server([](ScriptedPeer& peer) {
        while (peer.take_request())
            peer.send(sized);
    });
    PlainTransport transport(loop, {});
    for (const auto* path : {"/a", "/b?c", "/a"})
        get(transport, server.url(path));
    BOOST_TEST(server.accepted() == 1);
}

BOOST_AUTO_TEST_CASE(a_name_that_is_not_known_is_no_connection)
{
    PlainTransport transport(loop, {});
    transport.prepare("http://host.invalid/");
    transport.prepare("no url at all ://");
    const auto& exchange = get(transport, "http://host.invalid/");
    BOOST_TEST((exchange.result.ending == Ending::connect));
    BOOST_TEST(exchange.result.message == "Could not resolve host: host.invalid");
}

BOOST_AUTO_TEST_CASE(what_it_cannot_do_ends_the_exchange)
{
    PlainTransport transport(loop, {});
    for (const auto* url :
         {"https://127.0.0.1/", "http://me:secret@127.0.0.1/", "http://127.0.0.1:99999/", ""}) {
        const auto& exchange = ask(transport, url);
        BOOST_TEST(exchange.done);
        BOOST_TEST((exchange.result.ending == Ending::protocol));
        BOOST_TEST(exchange.result.message != "");
        BOOST_TEST(exchange.result.message.find("secret") == std::string::npos);
    }
}

BOOST_AUTO_TEST_CASE(an_answer_without_end_is_left_unread)
{
    TransportOptions options;
    options.limits.max_answer_bytes = 1 << 20;
    std::atomic<std::size_t> put{0};
    const ScriptedServer server([&](ScriptedPeer& peer) {
        peer.take_request();
        const std::string block = "10000\r\n" + std::string(65536, 'x') + "\r\n";
        for (peer.send(head); peer.send(block); put += block.size()) {
        }
    });
    PlainTransport transport(loop, options);
    const auto& exchange = get(transport, server.url());
    BOOST_TEST((exchange.result.ending == Ending::too_large));
    BOOST_TEST(exchange.data.size() <= options.limits.max_answer_bytes);
    BOOST_TEST(exchange.result.message == "answer larger than 1048576 bytes");
}

BOOST_AUTO_TEST_CASE(gzip_that_nobody_asked_for_is_handed_on_as_it_is)
{
    const ScriptedServer server([](ScriptedPeer& peer) {
        peer.take_request();
        peer.send("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 3\r\n\r\n\x1f\x8b\x08");
    });
    PlainTransport transport(loop, {});
    const auto& exchange = get(transport, server.url());
    BOOST_TEST((exchange.result.ending == Ending::complete));
    BOOST_TEST(exchange.data == "\x1f\x8b\x08");
}

BOOST_AUTO_TEST_SUITE_END()
