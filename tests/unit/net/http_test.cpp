// SPDX-License-Identifier: MIT
// What any HttpTransport promises, asked of each of them.
#include <slo/net/http.hpp>

#define BOOST_TEST_MODULE net_http
#include <boost/test/unit_test.hpp>

#include <slo/net/curl_transport.hpp>
#include <slo/net/plain_transport.hpp>

#include <boost/mpl/list.hpp>

#include "../../support/recorded_exchange.hpp"
#include "../../support/scripted_server.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

using namespace slo::net;
using slo::test::CannedServer;
using slo::test::ScriptedPeer;
using slo::test::ScriptedServer;

namespace {

using Exchange = slo::test::RecordedExchange;
using Fixture = slo::test::CannedExchanges;

// Whoever breaks a kept connection does so before we know how late it is.
constexpr HttpLimits any_break_is_stale{.stale_within_s = 1e6};
constexpr HttpLimits no_break_is_stale{.stale_within_s = -1};

// Answers every request with the same bytes.
auto answering(std::string bytes, bool close = false)
{
    return [bytes = std::move(bytes), close](ScriptedPeer& peer) {
        while (peer.take_request() && peer.send(bytes) && !close) {
        }
    };
}

const std::string ok_head = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n";
const std::string chunked_hello =
    ok_head + "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n1;x=y\r\n!\r\n0\r\nT: t\r\n\r\n";
const std::string sized_hello = ok_head + "Content-Length: 6\r\n\r\nhello!";

struct Scripted : Fixture {
    int exceptions_until_all_is_done(const HttpTransport& transport)
    {
        int thrown = 0;
        Timer give_up(loop, [] { throw std::logic_error("some ends are never told"); });
        give_up.set(slo::monotonic_ns() + 20'000'000'000);
        while (transport.in_flight() > 0) {
            try {
                loop.run_once();
            } catch (const slo::Error&) {
                ++thrown;
            }
        }
        return thrown;
    }

    template <class Transport>
    Exchange& get_from(const std::function<void(ScriptedPeer&)>& script, const HttpLimits& limits = {})
    {
        const ScriptedServer scripted(script);
        TransportOptions options;
        options.limits = limits;
        Transport transport(loop, options);
        return get(transport, scripted.url());
    }
};

using Transports = boost::mpl::list<CurlTransport, PlainTransport>;

} // namespace

BOOST_FIXTURE_TEST_CASE_TEMPLATE(a_whole_exchange_reports_its_moments_in_order, Transport, Transports,
                                 Fixture)
{
    const auto before_ns = slo::monotonic_ns();
    const auto& exchange = exchange_with<Transport>("ok");
    BOOST_TEST((exchange.result.ending == Ending::complete));
    BOOST_TEST(exchange.result.message == "");
    BOOST_TEST(exchange.result.status == 200);
    BOOST_TEST(exchange.heads == 1);
    BOOST_TEST(exchange.type == "text/event-stream");
    BOOST_TEST(exchange.data.ends_with("data: [DONE]\n\n"));
    BOOST_TEST(exchange.sends == 1);
    BOOST_TEST(before_ns <= exchange.sent_ns);
    BOOST_TEST(exchange.sent_ns <= exchange.first_data_ns);
    BOOST_TEST(exchange.last_data_ns <= exchange.result.end_ns);
}

BOOST_FIXTURE_TEST_CASE_TEMPLATE(headers_and_body_arrive_as_given_and_nothing_is_expected_first, Transport,
                                 Transports, Fixture)
{
    const std::string large(300'000, 'x');
    Transport transport(loop, {});
    auto& exchange = exchanges.emplace_back();
    exchange.url = server.url("ok");
    exchange.body = large;
    transport.submit({exchange.url, {exchange.header}, exchange.body, true}, exchange);
    finish(exchange);
    const auto request = server.received().at(0);
    BOOST_TEST(request.method == "POST");
    BOOST_TEST((request.body == large));
    BOOST_TEST(request.head.find("\r\nX-Test: yes") != std::string::npos);
    BOOST_TEST(request.head.find("Expect") == std::string::npos);
    BOOST_TEST(request.head.find("\r\nUser-Agent: sloutils/") != std::string::npos);
}

BOOST_FIXTURE_TEST_CASE_TEMPLATE(a_get_has_no_body, Transport, Transports, Fixture)
{
    Transport transport(loop, {});
    auto& exchange = exchanges.emplace_back();
    exchange.url = server.url("ok");
    transport.submit({exchange.url, {}, {}, false}, exchange);
    finish(exchange);
    BOOST_TEST(server.received().at(0).method == "GET");
    BOOST_TEST(exchange.data == R"({"data":[]})");
}

BOOST_FIXTURE_TEST_CASE_TEMPLATE(http_errors_are_complete_answers, Transport, Transports, Fixture)
{
    for (const int status : {400, 404, 429, 500, 503}) {
        const auto& exchange = exchange_with<Transport>(std::to_string(status));
        BOOST_TEST((exchange.result.ending == Ending::complete));
        BOOST_TEST(exchange.result.status == status);
        BOOST_TEST(exchange.data == R"({"error":{"message":"as told"}})");
    }
}

BOOST_FIXTURE_TEST_CASE_TEMPLATE(each_way_to_break_has_its_ending, Transport, Transports, Fixture)
{
    HttpLimits limits;
    limits.request_timeout_s = 0.2;
    limits.max_answer_bytes = 1 << 20;
    BOOST_TEST((exchange_with<Transport>("cut").result.ending == Ending::cut));
    BOOST_TEST((exchange_with<Transport>("reset").result.ending == Ending::reset));
    BOOST_TEST((exchange_with<Transport>("drop").result.ending == Ending::reset));
    BOOST_TEST((exchange_with<Transport>("garbage").result.ending == Ending::protocol));
    BOOST_TEST((exchange_with<Transport>("hang", limits).result.ending == Ending::timeout));
    BOOST_TEST((exchange_with<Transport>("drip", limits).result.ending == Ending::timeout));
    BOOST_TEST(exchanges[5].status == 200); // the head had come
    BOOST_TEST(exchanges[4].heads == 0);
    limits.request_timeout_s = 60;
    const auto& flood = exchange_with<Transport>("flood", limits);
    BOOST_TEST((flood.result.ending == Ending::too_large));
    BOOST_TEST(flood.data.size() <= limits.max_answer_bytes);
    BOOST_TEST(exchanges[0].result.message == "the connection was closed before the end of the answer");
    BOOST_TEST(exchanges[2].result.message == "the connection was closed before any answer");
    BOOST_TEST(exchanges[4].result.message == "no whole answer within 0.2 s");
    BOOST_TEST(exchanges[6].result.message == "answer larger than 1048576 bytes");
}

BOOST_FIXTURE_TEST_CASE_TEMPLATE(a_refused_connection_was_never_sent, Transport, Transports, Fixture)
{
    std::string url;
    {
        const CannedServer gone;
        url = gone.url("ok");
    }
    Transport transport(loop, {});
    const auto& exchange = submit(transport, url);
    loop.run();
    BOOST_TEST((exchange.result.ending == Ending::connect));
    BOOST_TEST(exchange.sends == 0);
    BOOST_TEST(exchange.result.message.starts_with("Failed to connect to 127.0.0.1 port "));
    BOOST_TEST(exchange.result.message.ends_with(": Connection refused"));
}

BOOST_FIXTURE_TEST_CASE_TEMPLATE(a_bad_url_is_an_ending_not_an_exception, Transport, Transports, Fixture)
{
    Transport transport(loop, {});
    for (const char* url : {"http://", "gopher://127.0.0.1/", "http://host.invalid/"}) {
        const auto& exchange = finish(submit(transport, url));
        BOOST_TEST((exchange.result.ending == Ending::connect || exchange.result.ending == Ending::protocol));
    }
}

BOOST_FIXTURE_TEST_CASE_TEMPLATE(connections_are_kept, Transport, Transports, Fixture)
{
    Transport transport(loop, {});
    for (int i = 0; i < 10; ++i)
        finish(submit(transport, server.url("ok")));
    BOOST_TEST(server.accepted() == 1);
}

BOOST_FIXTURE_TEST_CASE_TEMPLATE(a_connection_closed_by_the_server_while_idle_is_noticed, Transport,
                                 Transports, Fixture)
{
    Transport transport(loop, {any_break_is_stale, {}, false});
    for (int i = 0; i < 5; ++i) {
        const auto& exchange = finish(submit(transport, server.url("stale")));
        BOOST_TEST((exchange.result.ending == Ending::complete));
        BOOST_TEST(exchange.result.reconnects == exchange.sends - 1);
    }
    BOOST_TEST(server.accepted() == 5);
}

BOOST_FIXTURE_TEST_CASE_TEMPLATE(however_many_kept_connections_are_dead_one_is_replaced, Transport,
                                 Transports, Fixture)
{
    Transport transport(loop, {any_break_is_stale, {}, false});
    open_connections(transport, server.url("once"), 6);
    const auto& exchange = finish(submit(transport, server.url("once")));
    BOOST_TEST((exchange.result.ending == Ending::complete));
    BOOST_TEST(exchange.sends == 2);
    BOOST_TEST(exchange.result.reconnects == 1);
    BOOST_TEST(server.received().size() == 8U);
    BOOST_TEST(server.accepted() == 7);
}

BOOST_FIXTURE_TEST_CASE_TEMPLATE(a_replacement_that_breaks_too_is_a_reset, Transport, Transports, Fixture)
{
    Transport transport(loop, {any_break_is_stale, {}, false});
    open_connections(transport, server.url("ok"), 6);
    const auto& exchange = finish(submit(transport, server.url("drop")));
    BOOST_TEST((exchange.result.ending == Ending::reset));
    BOOST_TEST(exchange.sends == 2);
    BOOST_TEST(exchange.result.reconnects == 1);
    BOOST_TEST(server.received().size() == 8U);
}

BOOST_FIXTURE_TEST_CASE_TEMPLATE(many_at_once_each_get_their_own_answer, Transport, Transports, Fixture)
{
    Transport transport(loop, {});
    int done = 0;
    for (int i = 0; i < 200; ++i) {
        auto& exchange = submit(transport, server.url("ok"));
        exchange.when_done = [&] { ++done; };
    }
    BOOST_TEST(transport.in_flight() == 200U);
    while (done < 200)
        loop.run_once();
    for (const auto& exchange : exchanges)
        BOOST_TEST(exchange.data.ends_with("data: [DONE]\n\n"));
}

BOOST_FIXTURE_TEST_CASE_TEMPLATE(an_ended_exchange_may_start_the_next, Transport, Transports, Fixture)
{
    Transport transport(loop, {});
    int left = 300;
    std::function<void()> next = [&] {
        if (left-- == 0) {
            loop.stop();
            return;
        }
        auto& exchange = submit(transport, server.url("ok"));
        exchange.when_done = next;
    };
    next();
    loop.run();
    BOOST_TEST(exchanges.size() == 300U);
}

BOOST_FIXTURE_TEST_CASE_TEMPLATE(a_cancelled_exchange_is_silent, Transport, Transports, Fixture)
{
    Transport transport(loop, {});
    auto& hanging = submit(transport, server.url("hang"));
    auto& other = submit(transport, server.url("ok"));
    other.when_done = [&] { transport.cancel(hanging); };
    while (!other.done)
        loop.run_once();
    BOOST_TEST(transport.in_flight() == 0U);
    BOOST_TEST(!hanging.done);
    transport.cancel(hanging);
}

BOOST_FIXTURE_TEST_CASE_TEMPLATE(what_a_handler_throws_comes_out_of_the_loop, Transport, Transports, Fixture)
{
    struct Thrower : Exchange {
        void on_data(std::int64_t, std::string_view) override { throw slo::Error("thrown in on_data"); }
    } thrower;
    Transport transport(loop, {});
    thrower.url = server.url("ok");
    transport.submit({thrower.url, {}, thrower.body, true}, thrower);
    BOOST_CHECK_EXCEPTION(loop.run(), slo::Error,
                          [](const auto& e) { return std::string(e.what()) == "thrown in on_data"; });
}

BOOST_FIXTURE_TEST_CASE_TEMPLATE(running_out_of_descriptors_is_not_the_servers_fault, Transport, Transports,
                                 Fixture)
{
    Transport transport(loop, {});
    rlimit before{};
    BOOST_REQUIRE_EQUAL(::getrlimit(RLIMIT_NOFILE, &before), 0);
    const int next_fd = ::dup(0);
    ::close(next_fd);
    const rlimit none_left{static_cast<rlim_t>(next_fd), before.rlim_max};
    BOOST_REQUIRE_EQUAL(::setrlimit(RLIMIT_NOFILE, &none_left), 0);
    const auto& exchange = finish(submit(transport, server.url("ok")));
    ::setrlimit(RLIMIT_NOFILE, &before);
    BOOST_TEST((exchange.result.ending == Ending::local));
    BOOST_TEST(exchange.result.message.ends_with(": Too many open files"));
}

BOOST_FIXTURE_TEST_CASE_TEMPLATE(a_socket_that_cannot_be_watched_ends_its_own_exchange_alone, Transport,
                                 Transports, Fixture)
{
    const int epoll_fd = ::dup(0); // the number that the loop's epoll will have
    ::close(epoll_fd);
    EventLoop own_loop;
    Transport transport(own_loop, {});
    const int epoll_copy = ::dup(epoll_fd);
    auto& kept = submit(transport, server.url("ok"));
    while (!kept.done)
        own_loop.run_once();
    auto& waiting = submit(transport, server.url("hang"));
    const int null = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
    BOOST_REQUIRE_EQUAL(::dup2(null, epoll_fd), epoll_fd);
    const auto& exchange = submit(transport, server.url("ok"));
    BOOST_TEST(exchange.done);
    BOOST_TEST((exchange.result.ending == Ending::local));
    BOOST_TEST(exchange.result.message == "epoll: Invalid argument");
    BOOST_REQUIRE_EQUAL(::dup2(epoll_copy, epoll_fd), epoll_fd);
    BOOST_TEST(!waiting.done);
    const auto& after = submit(transport, server.url("ok"));
    while (!after.done)
        own_loop.run_once();
    BOOST_TEST((after.result.ending == Ending::complete));
    transport.cancel(waiting);
    ::close(null);
    ::close(epoll_copy);
}

BOOST_FIXTURE_TEST_CASE_TEMPLATE(an_answer_may_come_byte_by_byte, Transport, Transports, Scripted)
{
    const auto& exchange = get_from<Transport>([](ScriptedPeer& peer) {
        peer.take_request();
        peer.send_in_pieces(
            "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: a\r\n\r\n" + chunked_hello, 1);
    });
    BOOST_TEST((exchange.result.ending == Ending::complete), exchange.result.message);
    BOOST_TEST(exchange.heads == 1);
    BOOST_TEST(exchange.status == 200);
    BOOST_TEST(exchange.type == "text/plain");
    BOOST_TEST(exchange.data == "hello!");
}

BOOST_FIXTURE_TEST_CASE_TEMPLATE(an_answer_may_be_cut_in_two_anywhere, Transport, Transports, Scripted)
{
    const ScriptedServer scripted([at = std::size_t{0}](ScriptedPeer& peer) mutable {
        while (peer.take_request()) {
            peer.send_in_pieces(std::string_view(chunked_hello).substr(0, at), chunked_hello.size());
            peer.send(std::string_view(chunked_hello).substr(at++));
        }
    });
    Transport transport(loop, {});
    for (std::size_t i = 0; i <= chunked_hello.size(); ++i)
        BOOST_TEST(get(transport, scripted.url()).data == "hello!");
    BOOST_TEST(scripted.accepted() == 1);
}

BOOST_FIXTURE_TEST_CASE_TEMPLATE(the_connection_serves_again_only_where_it_may, Transport, Transports,
                                 Scripted)
{
    const auto connections = [&](const std::string& answer, bool close = false) {
        const ScriptedServer scripted(answering(answer, close));
        Transport transport(loop, {});
        for (int i = 0; i < 3; ++i) {
            const auto& exchange = get(transport, scripted.url());
            BOOST_TEST((exchange.result.ending == Ending::complete), exchange.result.message);
            BOOST_TEST((exchange.status == 204 || exchange.data == "hello!"));
            BOOST_TEST(exchange.sends == 1);
        }
        return scripted.accepted();
    };
    const std::string old = "HTTP/1.0 200 OK\r\n";
    BOOST_TEST(connections(sized_hello) == 1);
    BOOST_TEST(connections(chunked_hello) == 1);
    BOOST_TEST(connections("HTTP/1.1 204 No Content\r\n\r\n") == 1);
    BOOST_TEST(connections(old + "Connection: keep-alive\r\nContent-Length: 6\r\n\r\nhello!") == 1);
    BOOST_TEST(connections(old + "Content-Length: 6\r\n\r\nhello!") == 3);
    BOOST_TEST(connections(ok_head + "Connection: close\r\nContent-Length: 6\r\n\r\nhello!") == 3);
    BOOST_TEST(connections(ok_head + "\r\nhello!", true) == 3);
    BOOST_TEST(connections(old + "\r\nhello!", true) == 3);
    BOOST_TEST(connections(sized_hello + "HTTP/1.1 500 Nobody asked\r\n\r\n") == 3);
}

BOOST_FIXTURE_TEST_CASE_TEMPLATE(broken_answers_have_their_endings, Transport, Transports, Scripted)
{
    const auto ending = [&](const std::string& answer) {
        const auto& exchange = get_from<Transport>(answering(answer, true));
        BOOST_TEST(!exchange.result.message.empty(), answer);
        BOOST_TEST(exchange.result.reconnects == 0);
        return exchange.result.ending;
    };
    BOOST_TEST((ending("") == Ending::reset));
    BOOST_TEST((ending(ok_head + "Content-Length: 7\r\n\r\nhello!") == Ending::cut));
    BOOST_TEST((ending(ok_head + "Transfer-Encoding: chunked\r\n\r\n5\r\nhel") == Ending::cut));
    BOOST_TEST((ending(ok_head + "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n") == Ending::cut));
    BOOST_TEST((ending("SSH-2.0-OpenSSH_9.2\r\n\r\n") == Ending::protocol));
    BOOST_TEST((ending("HTTP/7.1 200 OK\r\n\r\n") == Ending::protocol));
    BOOST_TEST((ending(ok_head + "Transfer-Encoding: chunked\r\n\r\nzz\r\n") == Ending::protocol));
    BOOST_TEST(exchanges.back().result.message == "a malformed chunk in the answer");
    BOOST_TEST((ending(ok_head + "X: " + std::string(std::size_t{2} << 20, 'x')) == Ending::protocol));
}

BOOST_FIXTURE_TEST_CASE_TEMPLATE(a_reset_in_the_middle_is_a_reset, Transport, Transports, Scripted)
{
    const auto& exchange = get_from<Transport>([](ScriptedPeer& peer) {
        peer.take_request();
        peer.send(chunked_hello.substr(0, chunked_hello.find("hello") + 5));
        peer.reset();
    });
    BOOST_TEST((exchange.result.ending == Ending::reset));
    BOOST_TEST(exchange.result.message == "Recv failure: Connection reset by peer");
}

BOOST_FIXTURE_TEST_CASE_TEMPLATE(a_redirect_is_an_answer_like_any, Transport, Transports, Scripted)
{
    const auto& exchange = get_from<Transport>(
        answering("HTTP/1.1 302 Found\r\nLocation: /elsewhere\r\nContent-Length: 0\r\n\r\n"));
    BOOST_TEST((exchange.result.ending == Ending::complete));
    BOOST_TEST(exchange.result.status == 302);
    BOOST_TEST(exchange.heads == 1);
}

BOOST_FIXTURE_TEST_CASE_TEMPLATE(two_stale_connections_cost_one_reconnect, Transport, Transports, Scripted)
{
    // Whoever asks twice on a connection finds it dead.
    const ScriptedServer scripted([](ScriptedPeer& peer) {
        if (peer.take_request())
            peer.send(sized_hello);
        peer.take_request();
    });
    Transport transport(loop, {any_break_is_stale, {}, false});
    ask(transport, scripted.url());
    ask(transport, scripted.url());
    finish_all(transport);
    BOOST_TEST(scripted.accepted() == 2);
    const auto& exchange = get(transport, scripted.url());
    BOOST_TEST((exchange.result.ending == Ending::complete));
    BOOST_TEST(exchange.sends == 2);
    BOOST_TEST(exchange.result.reconnects == 1);
    BOOST_TEST(scripted.accepted() == 3);
}

BOOST_FIXTURE_TEST_CASE_TEMPLATE(a_stale_connection_that_cannot_be_replaced_is_a_reset, Transport, Transports,
                                 Scripted)
{
    std::optional<ScriptedServer> scripted;
    std::atomic<bool> deaf{false};
    scripted.emplace([&](ScriptedPeer& peer) {
        if (peer.take_request())
            peer.send(sized_hello);
        peer.take_request();
        while (!deaf)
            std::this_thread::yield();
    });
    Transport transport(loop, {any_break_is_stale, {}, false});
    const auto url = scripted->url();
    get(transport, url);
    auto& exchange = ask(transport, url);
    scripted->close_listener();
    deaf = true;
    finish(exchange);
    BOOST_TEST((exchange.result.ending == Ending::reset));
    BOOST_TEST(exchange.sends == 1);
    BOOST_TEST(exchange.result.message.ends_with(": Connection refused"));
}

// How many requests come of one that is sent on a kept connection, which breaks in the way of the script
// before any byte of an answer.
template <class Transport>
int requests_after_a_break(const HttpLimits& limits, const std::function<void(ScriptedPeer&)>& breaks,
                           Ending ending, const std::string& message)
{
    std::atomic<int> requests{0};
    const ScriptedServer scripted([&](ScriptedPeer& peer) {
        while (peer.take_request()) {
            if (++requests == 2) {
                breaks(peer);
                return;
            }
            peer.send(sized_hello);
        }
    });
    slo::test::RecordedExchanges all;
    Transport transport(all.loop, {limits, {}, false});
    all.get(transport, scripted.url());
    const auto& exchange = all.get(transport, scripted.url());
    BOOST_TEST((exchange.result.ending == ending), exchange.result.message);
    BOOST_TEST(exchange.result.message == message);
    BOOST_TEST(exchange.result.reconnects == scripted.accepted() - 1);
    BOOST_TEST(exchange.result.reconnects == exchange.sends - 1);
    return requests - 1;
}

BOOST_AUTO_TEST_CASE_TEMPLATE(a_request_that_the_server_dropped_is_not_sent_again, Transport, Transports)
{
    const auto close = [](ScriptedPeer&) {};
    const auto reset = [](ScriptedPeer& peer) { peer.reset(); };
    const auto later = [](ScriptedPeer&) { std::this_thread::sleep_for(std::chrono::milliseconds(300)); };
    BOOST_TEST(requests_after_a_break<Transport>(any_break_is_stale, close, Ending::complete, "") == 2);
    BOOST_TEST(requests_after_a_break<Transport>(any_break_is_stale, reset, Ending::complete, "") == 2);
    BOOST_TEST(requests_after_a_break<Transport>(no_break_is_stale, close, Ending::reset,
                                                 "the connection was closed before any answer") == 1);
    BOOST_TEST(requests_after_a_break<Transport>(no_break_is_stale, reset, Ending::reset,
                                                 "Recv failure: Connection reset by peer") == 1);
    BOOST_TEST(requests_after_a_break<Transport>({}, later, Ending::reset,
                                                 "the connection was closed before any answer") == 1);
}

BOOST_FIXTURE_TEST_CASE_TEMPLATE(an_answer_may_come_before_the_request_is_out, Transport, Transports,
                                 Scripted)
{
    const ScriptedServer scripted([](ScriptedPeer& peer) {
        peer.take_request();
        peer.send("HTTP/1.1 413 Too Large\r\nContent-Length: 3\r\nConnection: close\r\n\r\nno!");
        peer.wait_for_hangup();
    });
    Transport transport(loop, {});
    auto& exchange = exchanges.emplace_back();
    exchange.url = scripted.url();
    exchange.body = std::string(std::size_t{32} << 20, 'x');
    transport.submit({exchange.url, {}, exchange.body, true}, exchange);
    finish(exchange);
    BOOST_TEST((exchange.result.ending == Ending::complete), exchange.result.message);
    BOOST_TEST(exchange.result.status == 413);
    BOOST_TEST(exchange.data == "no!");
    get(transport, scripted.url());
    BOOST_TEST(scripted.accepted() == 2);
}

BOOST_FIXTURE_TEST_CASE_TEMPLATE(a_large_request_goes_out_in_parts, Transport, Transports, Scripted)
{
    Transport transport(loop, {});
    auto& exchange = exchanges.emplace_back();
    exchange.url = server.url("ok");
    for (std::size_t i = 0; exchange.body.size() < (std::size_t{8} << 20); ++i)
        exchange.body += std::to_string(i);
    transport.submit({exchange.url, {}, exchange.body, true}, exchange);
    BOOST_TEST(!exchange.done);
    finish(exchange);
    BOOST_TEST((exchange.result.ending == Ending::complete));
    BOOST_TEST((server.received().at(0).body == exchange.body));
}

BOOST_FIXTURE_TEST_CASE_TEMPLATE(the_url_is_asked_for_as_it_stands, Transport, Transports, Scripted)
{
    std::string request;
    const ScriptedServer scripted([&](ScriptedPeer& peer) {
        peer.take_request();
        request = peer.request();
        peer.send(sized_hello);
    });
    const auto host = "127.0.0.1:" + std::to_string(scripted.port());
    Transport transport(loop, {});
    get(transport, "http://" + host + "?a=b&c=%20d#part");
    BOOST_TEST(request == "GET /?a=b&c=%20d HTTP/1.1\r\nHost: " + host + "\r\nUser-Agent: sloutils/" +
                              slo::version + "\r\nAccept: */*\r\nX-Test: yes\r\n\r\n");
}

BOOST_AUTO_TEST_CASE(all_transports_send_the_same_bytes)
{
    const auto request_of = [](auto&& make, const std::vector<std::string>& headers) {
        Fixture fixture;
        const auto transport = make(fixture.loop);
        auto& exchange = fixture.exchanges.emplace_back();
        exchange.url = fixture.server.url("ok");
        HttpRequest request{exchange.url, {}, exchange.body, true};
        request.headers.assign(headers.begin(), headers.end());
        transport->submit(request, exchange);
        while (!exchange.done)
            fixture.loop.run_once();
        auto head = fixture.server.received().at(0).head;
        const auto port = std::to_string(fixture.server.port());
        for (auto at = head.find(port); at != std::string::npos; at = head.find(port))
            head.replace(at, port.size(), "PORT");
        return head;
    };
    const auto curl = [](EventLoop& loop) {
        return std::make_unique<CurlTransport>(loop, TransportOptions{});
    };
    const auto plain = [](EventLoop& loop) {
        return std::make_unique<PlainTransport>(loop, TransportOptions{});
    };
    const std::vector<std::vector<std::string>> cases{
        {},
        {"Content-Type: application/json", "Authorization: Bearer x", "X-Request-Id: 7"},
        {"content-type: application/json", "HOST: example.org", "user-agent: other/1",
         "accept: text/event-stream"},
        {"Accept:", "User-Agent:", "X-Empty:"},
        {"Accept-Language: de", "Cookie: a=b", "Hostess: no", "User-Agents: no"}};
    for (const auto& headers : cases)
        BOOST_TEST(request_of(plain, headers) == request_of(curl, headers));
}

BOOST_FIXTURE_TEST_CASE_TEMPLATE(an_ipv6_address_is_as_good, Transport, Transports, Scripted)
{
    std::optional<ScriptedServer> scripted;
    std::string request;
    try {
        scripted.emplace(
            [&](ScriptedPeer& peer) {
                peer.take_request();
                request = peer.request();
                peer.send(sized_hello);
            },
            AF_INET6);
    } catch (const slo::IoError&) {
        BOOST_TEST_MESSAGE("no IPv6 here");
        return;
    }
    Transport transport(loop, {});
    BOOST_TEST(get(transport, scripted->url()).data == "hello!");
    BOOST_TEST(request.find("\r\nHost: [::1]:" + std::to_string(scripted->port()) + "\r\n") !=
               std::string::npos);
}

BOOST_FIXTURE_TEST_CASE_TEMPLATE(a_name_may_have_addresses_that_refuse, Transport, Transports, Scripted)
{
    const ScriptedServer scripted(answering(sized_hello)); // on 127.0.0.1 alone, where localhost is ::1 too
    Transport transport(loop, {});
    const auto& exchange = get(transport, "http://localhost:" + std::to_string(scripted.port()) + "/");
    BOOST_TEST(exchange.data == "hello!", exchange.result.message);
}

BOOST_FIXTURE_TEST_CASE_TEMPLATE(who_never_answers_runs_into_the_limit, Transport, Transports, Scripted)
{
    HttpLimits limits;
    limits.request_timeout_s = 0.15;
    const ScriptedServer scripted([](ScriptedPeer& peer) { peer.wait_for_close(); });
    Transport transport(loop, {limits, {}, false});
    std::vector<const Exchange*> order;
    for (int i = 0; i < 20; ++i) {
        auto& exchange = ask(transport, scripted.url());
        exchange.when_done = [&] { order.push_back(&exchange); };
    }
    finish_all(transport);
    BOOST_TEST(order.size() == 20U);
    for (const auto* exchange : order) {
        BOOST_TEST((exchange->result.ending == Ending::timeout));
        BOOST_TEST(exchange->result.message == "no whole answer within 0.15 s");
        BOOST_TEST(exchange->result.end_ns - exchange->sent_ns >= 100'000'000);
        BOOST_TEST(exchange->status == 0);
    }
}

BOOST_FIXTURE_TEST_CASE_TEMPLATE(who_lets_nobody_in_runs_into_the_limit, Transport, Transports, Scripted)
{
    const slo::io::Fd listener(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof address;
    auto* const plain = reinterpret_cast<sockaddr*>(&address);
    BOOST_REQUIRE_EQUAL(::bind(listener.get(), plain, length), 0);
    BOOST_REQUIRE_EQUAL(::listen(listener.get(), 0), 0);
    BOOST_REQUIRE_EQUAL(::getsockname(listener.get(), plain, &length), 0);
    std::vector<slo::io::Fd> crowd; // fills the queue of those that nobody accepts
    for (int i = 0; i < 4; ++i) {
        crowd.emplace_back(::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
        ::connect(crowd.back().get(), plain, length);
    }
    HttpLimits limits;
    limits.connect_timeout_s = 0.2;
    Transport transport(loop, {limits, {}, false});
    const auto& exchange =
        get(transport, "http://127.0.0.1:" + std::to_string(ntohs(address.sin_port)) + "/");
    BOOST_TEST((exchange.result.ending == Ending::timeout));
    BOOST_TEST(exchange.result.message == "no connection within 0.2 s");
    BOOST_TEST(exchange.sends == 0);
}

BOOST_FIXTURE_TEST_CASE_TEMPLATE(cancelling_is_possible_at_any_time, Transport, Transports, Scripted)
{
    const ScriptedServer scripted([](ScriptedPeer& peer) {
        peer.take_request();
        peer.send(chunked_hello.substr(0, chunked_hello.find("hello") + 5));
        peer.wait_for_close();
    });
    Transport transport(loop, {});
    auto& unconnected = ask(transport, scripted.url());
    transport.cancel(unconnected);
    BOOST_TEST(transport.in_flight() == 0U);

    auto& sent = ask(transport, scripted.url());
    while (sent.sends == 0)
        loop.run_once();
    transport.cancel(sent);

    auto& half = ask(transport, scripted.url());
    while (half.data != "hello")
        loop.run_once();
    transport.cancel(half);
    transport.cancel(half);
    BOOST_TEST(transport.in_flight() == 0U);
    for (int i = 0; i < 3; ++i)
        finish(ask(transport, server.url("ok")));
    BOOST_TEST((!unconnected.done && !sent.done && !half.done));
    BOOST_TEST(unconnected.sends == 0);
}

BOOST_FIXTURE_TEST_CASE_TEMPLATE(an_end_may_cancel_what_ends_with_it, Transport, Transports, Scripted)
{
    HttpLimits limits;
    limits.request_timeout_s = 0.1;
    const ScriptedServer scripted([](ScriptedPeer& peer) { peer.wait_for_close(); });
    Transport transport(loop, {limits, {}, false});
    int told = 0;
    std::vector<Exchange*> all;
    for (int i = 0; i < 8; ++i)
        all.push_back(&ask(transport, scripted.url()));
    for (auto* each : all)
        each->when_done = [&] {
            ++told;
            for (auto* other : all)
                transport.cancel(*other);
        };
    finish_all(transport);
    BOOST_TEST(told == 1);
}

BOOST_FIXTURE_TEST_CASE_TEMPLATE(a_refused_exchange_may_be_followed_by_another_for_ever, Transport,
                                 Transports, Scripted)
{
    Transport transport(loop, {});
    int left = 20'000; // deep recursion would overflow the stack
    std::function<void()> next = [&] {
        if (left-- > 0)
            ask(transport, "gopher://127.0.0.1/").when_done = next;
    };
    ask(transport, "gopher://127.0.0.1/");
    exchanges.back().when_done = next;
    next();
    finish_all(transport);
    BOOST_TEST(exchanges.back().done);
}

BOOST_FIXTURE_TEST_CASE_TEMPLATE(what_on_sent_throws_comes_out_too, Transport, Transports, Scripted)
{
    struct Thrower : Exchange {
        void on_sent(std::int64_t) override { throw slo::Error("thrown in on_sent"); }
    } thrower;
    Transport transport(loop, {});
    thrower.url = server.url("ok");
    transport.submit({thrower.url, {}, thrower.body, true}, thrower);
    BOOST_CHECK_THROW(loop.run(), slo::Error);
    transport.cancel(thrower);
    const auto& after = finish(submit(transport, server.url("ok")));
    BOOST_TEST((after.result.ending == Ending::complete));
}

BOOST_FIXTURE_TEST_CASE_TEMPLATE(what_on_done_throws_leaves_the_others_their_end, Transport, Transports,
                                 Scripted)
{
    HttpLimits limits;
    limits.request_timeout_s = 0.05;
    const ScriptedServer scripted([](ScriptedPeer& peer) { peer.wait_for_close(); });
    Transport transport(loop, {limits, {}, false});
    for (int i = 0; i < 5; ++i)
        ask(transport, scripted.url()).when_done = [] { throw slo::Error("thrown in on_done"); };
    BOOST_TEST(exceptions_until_all_is_done(transport) == 5);
    for (const auto& exchange : exchanges)
        BOOST_TEST(exchange.done);
}

BOOST_FIXTURE_TEST_CASE_TEMPLATE(what_on_done_throws_is_not_in_the_way_of_those_that_ended_with_it, Transport,
                                 Transports, Scripted)
{
    std::atomic<int> asked{0};
    const ScriptedServer scripted([&](ScriptedPeer& peer) {
        peer.take_request();
        ++asked;
        while (asked < 20)
            std::this_thread::yield();
        peer.send(sized_hello);
        peer.wait_for_close();
    });
    Transport transport(loop, {});
    for (int i = 0; i < 20; ++i)
        ask(transport, scripted.url()).when_done = [i] {
            if (i % 2 == 0)
                throw slo::Error("thrown in on_done");
        };
    BOOST_TEST(exceptions_until_all_is_done(transport) == 10);
    for (const auto& exchange : exchanges)
        BOOST_TEST(exchange.data == "hello!");
}

BOOST_FIXTURE_TEST_CASE_TEMPLATE(what_on_data_throws_ends_the_exchange_alone, Transport, Transports, Scripted)
{
    const ScriptedServer scripted(answering(sized_hello));
    Transport transport(loop, {});
    auto& bad = ask(transport, scripted.url());
    bad.when_data = [] { throw slo::Error("thrown in on_data"); };
    const auto& good = ask(transport, scripted.url());
    BOOST_TEST(exceptions_until_all_is_done(transport) == 1);
    BOOST_TEST(!bad.done);
    BOOST_TEST(good.data == "hello!");
    BOOST_TEST(scripted.accepted() == 2);
    get(transport, scripted.url());
    BOOST_TEST(scripted.accepted() == 2); // the good one's
}

BOOST_FIXTURE_TEST_CASE_TEMPLATE(what_on_head_throws_ends_the_exchange_alone, Transport, Transports, Scripted)
{
    struct Thrower : Exchange {
        void on_head(const HttpHead&) override { throw slo::Error("thrown in on_head"); }
    };
    for (const std::string& answer : {sized_hello, std::string("HTTP/1.1 204 No Content\r\n\r\n")}) {
        const ScriptedServer scripted(answering(answer));
        Transport transport(loop, {});
        Thrower thrower;
        thrower.url = scripted.url();
        transport.submit({thrower.url, {}, {}, false}, thrower);
        BOOST_TEST(exceptions_until_all_is_done(transport) == 1);
        BOOST_TEST(!thrower.done);
    }
}

BOOST_FIXTURE_TEST_CASE_TEMPLATE(when_to_come_again_is_handed_on, Transport, Transports, Scripted)
{
    struct Polite : Exchange {
        std::string retry_after;
        std::string date;
        void on_head(const HttpHead& head) override
        {
            Exchange::on_head(head);
            retry_after = head.retry_after;
            date = head.date;
        }
    } polite;
    const ScriptedServer scripted(
        answering("HTTP/1.1 429 Too Many Requests\r\nDate: Mon, 30 Nov 2026 12:00:00 GMT\r\n"
                  "retry-after:  7 \r\nContent-Length: 0\r\n\r\n"));
    Transport transport(loop, {});
    polite.url = scripted.url();
    transport.submit({polite.url, {}, {}, false}, polite);
    while (!polite.done)
        loop.run_once();
    BOOST_TEST(polite.retry_after == "7");
    BOOST_TEST(polite.date == "Mon, 30 Nov 2026 12:00:00 GMT");
}

BOOST_FIXTURE_TEST_CASE_TEMPLATE(thousands_of_connections_at_once, Transport, Transports, Scripted)
{
    rlimit limit{};
    BOOST_REQUIRE_EQUAL(::getrlimit(RLIMIT_NOFILE, &limit), 0);
    const auto wanted = std::min<rlim_t>(limit.rlim_max, 8192);
    if (limit.rlim_cur < wanted) {
        limit.rlim_cur = wanted;
        ::setrlimit(RLIMIT_NOFILE, &limit);
    }
    const auto count = static_cast<std::size_t>(std::min<rlim_t>(limit.rlim_cur / 2 - 100, 2500));
    const slo::io::Fd listener(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof address;
    auto* const plain = reinterpret_cast<sockaddr*>(&address);
    BOOST_REQUIRE_EQUAL(::bind(listener.get(), plain, length), 0);
    BOOST_REQUIRE_EQUAL(::listen(listener.get(), 4096), 0);
    BOOST_REQUIRE_EQUAL(::getsockname(listener.get(), plain, &length), 0);
    std::atomic<int> submitted{0}; // rounds of which all is on its way: each connection gets one request
    std::thread all_at_once([&] {
        std::vector<slo::io::Fd> peers;
        while (peers.size() < count)
            peers.emplace_back(::accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC));
        char block[4096];
        for (int round = 0; round < 2; ++round) {
            while (submitted <= round)
                std::this_thread::yield();
            for (const auto& peer : peers) {
                if (::recv(peer.get(), block, sizeof block, 0) <= 0 ||
                    ::send(peer.get(), sized_hello.data(), sized_hello.size(), MSG_NOSIGNAL) <= 0)
                    return;
            }
        }
    });
    Transport transport(loop, {});
    const auto url = "http://127.0.0.1:" + std::to_string(ntohs(address.sin_port)) + "/";
    for (int round = 0; round < 2; ++round) {
        for (std::size_t i = 0; i < count; ++i)
            ask(transport, url);
        BOOST_TEST(transport.in_flight() == count);
        ++submitted;
        finish_all(transport);
    }
    all_at_once.join();
    const auto whole = std::count_if(exchanges.begin(), exchanges.end(), [](const auto& exchange) {
        return exchange.result.ending == Ending::complete && exchange.data == "hello!" && exchange.sends == 1;
    });
    BOOST_TEST(static_cast<std::size_t>(whole) == 2 * count);
}
