// SPDX-License-Identifier: MIT
// Exchanges of a transport that keep all that was reported of them.

#ifndef SLO_TESTS_SUPPORT_RECORDED_EXCHANGE_HPP
#define SLO_TESTS_SUPPORT_RECORDED_EXCHANGE_HPP

#include <slo/net/event_loop.hpp>
#include <slo/net/http.hpp>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "canned_server.hpp"

namespace slo::test {

/// One exchange.
struct RecordedExchange : net::HttpEvents {
    std::string url;
    std::string header = "X-Test: yes";
    std::string body = R"({"stream":true})";
    std::int64_t sent_ns = 0;
    std::int64_t first_data_ns = 0;
    std::int64_t last_data_ns = 0;
    std::vector<std::int64_t> moments_ns; ///< all, in the order in which they were reported
    int sends = 0;
    int heads = 0;
    int status = 0;
    std::string type;
    std::string data;
    net::HttpResult result;
    bool done = false;
    std::function<void()> when_data = [] {};
    std::function<void()> when_done = [] {};

    void on_sent(std::int64_t at_ns) override
    {
        sent_ns = at_ns;
        ++sends;
        moments_ns.push_back(at_ns);
    }
    void on_head(const net::HttpHead& head) override
    {
        ++heads;
        status = head.status;
        type = head.content_type;
    }
    void on_data(std::int64_t at_ns, std::string_view bytes) override
    {
        first_data_ns = first_data_ns == 0 ? at_ns : first_data_ns;
        last_data_ns = at_ns;
        moments_ns.push_back(at_ns);
        data += bytes;
        when_data();
    }
    void on_done(const net::HttpResult& end) override
    {
        result = end;
        moments_ns.push_back(end.end_ns);
        done = true;
        when_done();
    }
};

/// A loop, and all that was asked in it.
struct RecordedExchanges {
    net::EventLoop loop;
    std::deque<RecordedExchange> exchanges;

    /// A GET without a body, which is all that scripted servers read.
    RecordedExchange& ask(net::HttpTransport& transport, const std::string& url)
    {
        auto& exchange = exchanges.emplace_back();
        exchange.url = url;
        transport.submit({exchange.url, {exchange.header}, {}, false}, exchange);
        return exchange;
    }

    RecordedExchange& finish(RecordedExchange& exchange)
    {
        while (!exchange.done)
            loop.run_once();
        return exchange;
    }

    RecordedExchange& get(net::HttpTransport& transport, const std::string& url)
    {
        return finish(ask(transport, url));
    }

    void finish_all(const net::HttpTransport& transport)
    {
        while (transport.in_flight() > 0)
            loop.run_once();
    }
};

/// The same, with a server that answers as told.
struct CannedExchanges : RecordedExchanges {
    CannedServer server;

    /// A POST; its end stops the loop.
    RecordedExchange& submit(net::HttpTransport& transport, const std::string& url)
    {
        auto& exchange = exchanges.emplace_back();
        exchange.url = url;
        exchange.when_done = [this] { loop.stop(); };
        transport.submit({exchange.url, {exchange.header}, exchange.body, true}, exchange);
        return exchange;
    }

    void open_connections(net::HttpTransport& transport, const std::string& url, std::size_t count)
    {
        for (std::size_t i = 0; i < count; ++i)
            submit(transport, url);
        finish_all(transport);
        if (server.accepted() != static_cast<int>(count))
            throw std::logic_error("fewer connections than exchanges");
    }

    template <class Transport>
    RecordedExchange& exchange_with(const std::string& behaviour, const net::HttpLimits& limits = {})
    {
        net::TransportOptions options;
        options.limits = limits;
        Transport transport(loop, options);
        auto& exchange = finish(submit(transport, server.url(behaviour)));
        if (transport.in_flight() > 0)
            throw std::logic_error("an exchange that has ended is in flight");
        return exchange;
    }
};

} // namespace slo::test

#endif
