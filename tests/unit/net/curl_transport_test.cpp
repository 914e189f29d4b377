// SPDX-License-Identifier: MIT
#include <slo/net/curl_exchange.hpp>
#include <slo/net/curl_transport.hpp>

#define BOOST_TEST_MODULE net_curl_transport
#include <boost/test/unit_test.hpp>

#include "../../support/canned_server.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <deque>
#include <functional>
#include <string>

using namespace slo::net;
using slo::test::CannedServer;

namespace {

// Keeps all that was reported of one exchange.
struct Exchange : HttpEvents {
    std::string url;
    std::string header = "X-Test: yes";
    std::string body = R"({"stream":true})";
    std::int64_t sent_ns = 0;
    int sends = 0;
    int status = 0;
    int heads = 0;
    std::string type;
    std::string data;
    std::int64_t first_data_ns = 0;
    std::int64_t last_data_ns = 0;
    HttpResult result;
    bool done = false;
    std::function<void()> when_done;

    void on_sent(std::int64_t at_ns) override
    {
        sent_ns = at_ns;
        ++sends;
    }
    void on_head(const slo::net::HttpHead& head) override
    {
        ++heads;
        status = head.status;
        type = head.content_type;
    }
    void on_data(std::int64_t at_ns, std::string_view bytes) override
    {
        if (first_data_ns == 0)
            first_data_ns = at_ns;
        last_data_ns = at_ns;
        data += bytes;
    }
    void on_done(const HttpResult& end) override
    {
        result = end;
        done = true;
        when_done();
    }
};

struct Fixture {
    CannedServer server;
    EventLoop loop;
    std::deque<Exchange> exchanges;

    Exchange& submit(HttpTransport& transport, const std::string& url)
    {
        auto& exchange = exchanges.emplace_back();
        exchange.url = url;
        exchange.when_done = [this] { loop.stop(); };
        transport.submit({exchange.url, {exchange.header}, exchange.body, true}, exchange);
        return exchange;
    }

    void open_connections(HttpTransport& transport, const std::string& url, std::size_t count)
    {
        for (std::size_t i = 0; i < count; ++i)
            submit(transport, url);
        while (transport.in_flight() > 0)
            loop.run_once();
        BOOST_REQUIRE_EQUAL(server.accepted(), static_cast<int>(count));
    }

    Exchange& exchange_with(const std::string& behaviour, HttpLimits limits = {})
    {
        CurlTransport transport(loop, {limits});
        auto& exchange = submit(transport, server.url(behaviour));
        while (!exchange.done)
            loop.run_once();
        BOOST_TEST(transport.in_flight() == 0U);
        return exchange;
    }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(transport, Fixture)

BOOST_AUTO_TEST_CASE(a_whole_exchange_reports_its_moments_in_order)
{
    const auto before_ns = slo::monotonic_ns();
    const auto& exchange = exchange_with("ok");
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

BOOST_AUTO_TEST_CASE(headers_and_body_arrive_as_given_and_nothing_is_expected_first)
{
    const std::string large(300'000, 'x');
    CurlTransport transport(loop, {});
    auto& exchange = exchanges.emplace_back();
    exchange.url = server.url("ok");
    exchange.body = large;
    exchange.when_done = [] {};
    transport.submit({exchange.url, {exchange.header}, exchange.body, true}, exchange);
    while (!exchange.done)
        loop.run_once();
    const auto request = server.received().at(0);
    BOOST_TEST(request.method == "POST");
    BOOST_TEST((request.body == large));
    BOOST_TEST(request.head.find("\r\nX-Test: yes") != std::string::npos);
    BOOST_TEST(request.head.find("Expect") == std::string::npos);
    BOOST_TEST(request.head.find("\r\nUser-Agent: sloutils/") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_get_has_no_body)
{
    CurlTransport transport(loop, {});
    auto& exchange = exchanges.emplace_back();
    exchange.url = server.url("ok");
    exchange.when_done = [] {};
    transport.submit({exchange.url, {}, {}, false}, exchange);
    while (!exchange.done)
        loop.run_once();
    BOOST_TEST(server.received().at(0).method == "GET");
    BOOST_TEST(exchange.data == R"({"data":[]})");
}

BOOST_AUTO_TEST_CASE(http_errors_are_complete_answers)
{
    for (const int status : {400, 404, 429, 500, 503}) {
        const auto& exchange = exchange_with(std::to_string(status));
        BOOST_TEST((exchange.result.ending == Ending::complete));
        BOOST_TEST(exchange.result.status == status);
        BOOST_TEST(exchange.data == R"({"error":{"message":"as told"}})");
    }
}

BOOST_AUTO_TEST_CASE(each_way_to_break_has_its_ending)
{
    HttpLimits limits;
    limits.request_timeout_s = 0.2;
    limits.max_answer_bytes = 1 << 20;
    BOOST_TEST((exchange_with("cut").result.ending == Ending::cut));
    BOOST_TEST((exchange_with("reset").result.ending == Ending::reset));
    BOOST_TEST((exchange_with("drop").result.ending == Ending::reset));
    BOOST_TEST((exchange_with("garbage").result.ending == Ending::protocol));
    BOOST_TEST((exchange_with("hang", limits).result.ending == Ending::timeout));
    BOOST_TEST((exchange_with("drip", limits).result.ending == Ending::timeout));
    BOOST_TEST(exchanges[5].status == 200); // the head had come
    BOOST_TEST(exchanges[4].heads == 0);
    limits.request_timeout_s = 60;
    const auto& flood = exchange_with("flood", limits);
    BOOST_TEST((flood.result.ending == Ending::too_large));
    BOOST_TEST(flood.data.size() <= limits.max_answer_bytes);
    BOOST_TEST(exchanges[0].result.message == "the connection was closed before the end of the answer");
    BOOST_TEST(exchanges[2].result.message == "the connection was closed before any answer");
    BOOST_TEST(exchanges[4].result.message == "no whole answer within 0.2 s");
    BOOST_TEST(exchanges[6].result.message == "answer larger than 1048576 bytes");
}

BOOST_AUTO_TEST_CASE(a_refused_connection_was_never_sent)
{
    std::string url;
    {
        const CannedServer gone;
        url = gone.url("ok");
    }
    CurlTransport transport(loop, {});
    const auto& exchange = submit(transport, url);
    loop.run();
    BOOST_TEST((exchange.result.ending == Ending::connect));
    BOOST_TEST(exchange.sends == 0);
    BOOST_TEST(exchange.result.message.starts_with("Failed to connect to 127.0.0.1 port "));
    BOOST_TEST(exchange.result.message.ends_with(": Connection refused"));
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

BOOST_AUTO_TEST_CASE(a_bad_url_is_an_ending_not_an_exception)
{
    CurlTransport transport(loop, {});
    for (const char* url : {"http://", "gopher://127.0.0.1/", "http://host.invalid/"}) {
        const auto& exchange = submit(transport, url);
        while (!exchange.done)
            loop.run_once();
        BOOST_TEST((exchange.result.ending == Ending::connect || exchange.result.ending == Ending::protocol));
    }
}

BOOST_AUTO_TEST_CASE(connections_are_kept)
{
    CurlTransport transport(loop, {});
    for (int i = 0; i < 10; ++i) {
        const auto& exchange = submit(transport, server.url("ok"));
        while (!exchange.done)
            loop.run_once();
    }
    BOOST_TEST(server.accepted() == 1);
}

BOOST_AUTO_TEST_CASE(a_connection_closed_by_the_server_while_idle_is_noticed)
{
    CurlTransport transport(loop, {});
    for (int i = 0; i < 5; ++i) {
        const auto& exchange = submit(transport, server.url("stale"));
        while (!exchange.done)
            loop.run_once();
        BOOST_TEST((exchange.result.ending == Ending::complete));
        BOOST_TEST(exchange.result.reconnects == exchange.sends - 1);
    }
    BOOST_TEST(server.accepted() == 5);
}

BOOST_AUTO_TEST_CASE(however_many_kept_connections_are_dead_one_is_replaced)
{
    CurlTransport transport(loop, {});
    open_connections(transport, server.url("once"), 6);
    const auto& exchange = submit(transport, server.url("once"));
    while (!exchange.done)
        loop.run_once();
    BOOST_TEST((exchange.result.ending == Ending::complete));
    BOOST_TEST(exchange.sends == 2);
    BOOST_TEST(exchange.result.reconnects == 1);
    BOOST_TEST(server.received().size() == 8U);
    BOOST_TEST(server.accepted() == 7);
}

BOOST_AUTO_TEST_CASE(a_replacement_that_breaks_too_is_a_reset)
{
    CurlTransport transport(loop, {});
    open_connections(transport, server.url("ok"), 6);
    const auto& exchange = submit(transport, server.url("drop"));
    while (!exchange.done)
        loop.run_once();
    BOOST_TEST((exchange.result.ending == Ending::reset));
    BOOST_TEST(exchange.sends == 2);
    BOOST_TEST(exchange.result.reconnects == 1);
    BOOST_TEST(server.received().size() == 8U);
}

BOOST_AUTO_TEST_CASE(many_at_once_each_get_their_own_answer)
{
    CurlTransport transport(loop, {});
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

BOOST_AUTO_TEST_CASE(an_ended_exchange_may_start_the_next)
{
    CurlTransport transport(loop, {});
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

BOOST_AUTO_TEST_CASE(a_cancelled_exchange_is_silent)
{
    CurlTransport transport(loop, {});
    auto& hanging = submit(transport, server.url("hang"));
    auto& other = submit(transport, server.url("ok"));
    other.when_done = [&] { transport.cancel(hanging); };
    while (!other.done)
        loop.run_once();
    BOOST_TEST(transport.in_flight() == 0U);
    BOOST_TEST(!hanging.done);
    transport.cancel(hanging);
}

BOOST_AUTO_TEST_CASE(what_a_handler_throws_comes_out_of_the_loop)
{
    struct Thrower : Exchange {
        void on_data(std::int64_t, std::string_view) override { throw slo::Error("thrown in on_data"); }
    } thrower;
    CurlTransport transport(loop, {});
    thrower.url = server.url("ok");
    transport.submit({thrower.url, {}, thrower.body, true}, thrower);
    BOOST_CHECK_EXCEPTION(loop.run(), slo::Error,
                          [](const auto& e) { return std::string(e.what()) == "thrown in on_data"; });
}

BOOST_AUTO_TEST_CASE(running_out_of_descriptors_is_not_the_servers_fault)
{
    CurlTransport transport(loop, {});
    rlimit before{};
    BOOST_REQUIRE_EQUAL(::getrlimit(RLIMIT_NOFILE, &before), 0);
    const int next_fd = ::dup(0);
    ::close(next_fd);
    const rlimit none_left{static_cast<rlim_t>(next_fd), before.rlim_max};
    BOOST_REQUIRE_EQUAL(::setrlimit(RLIMIT_NOFILE, &none_left), 0);
    const auto& exchange = submit(transport, server.url("ok"));
    while (!exchange.done)
        loop.run_once();
    ::setrlimit(RLIMIT_NOFILE, &before);
    BOOST_TEST((exchange.result.ending == Ending::local));
    BOOST_TEST(exchange.result.message.ends_with(": Too many open files"));
}

BOOST_AUTO_TEST_CASE(a_socket_that_cannot_be_watched_ends_its_own_exchange_alone)
{
    const int epoll_fd = ::dup(0); // the number that the loop's epoll will have
    ::close(epoll_fd);
    EventLoop own_loop;
    CurlTransport transport(own_loop, {});
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

BOOST_AUTO_TEST_SUITE_END()
