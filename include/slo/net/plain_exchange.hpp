// SPDX-License-Identifier: MIT
// What the plain transport keeps of an exchange and of a connection.

#ifndef SLO_NET_PLAIN_EXCHANGE_HPP
#define SLO_NET_PLAIN_EXCHANGE_HPP

#include <slo/io/fd.hpp>
#include <slo/net/event_loop.hpp>
#include <slo/net/http.hpp>
#include <slo/net/http_errors.hpp>
#include <slo/net/plain_endpoint.hpp>
#include <slo/wire/http_response.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <list>
#include <string>
#include <string_view>
#include <unordered_map>

namespace slo::net {

class PlainConnection;

/// One exchange; used for one after the other, so that its texts keep their memory.
struct PlainExchange {
    using Index = std::unordered_map<HttpEvents*, PlainExchange*>;

    HttpEvents* events = nullptr;
    PlainEndpoint* endpoint = nullptr;
    PlainConnection* connection = nullptr;
    std::string head;           // of the request
    std::string_view body;      // of the request, the caller's
    std::size_t sent_bytes = 0; // of both, on this connection
    std::size_t answer_bytes = 0;
    int sends = 0;
    std::int64_t deadline_ns = 0;
    std::int64_t last_ns = 0; // the latest moment that was reported
    bool ended = false;       // waits in the list of those whose end is to be told
    HttpResult result;
    std::list<PlainExchange>::iterator self; // in whichever list it is
    Index::node_type index_node;             // while it is in no index

    void begin(HttpEvents& receiver, std::string_view request_body, std::int64_t end_ns)
    {
        events = &receiver;
        endpoint = nullptr;
        connection = nullptr;
        body = request_body;
        sent_bytes = answer_bytes = 0;
        sends = 0;
        deadline_ns = end_ns;
        last_ns = 0;
        ended = false;
        result = {};
    }

    bool is_sent() const noexcept { return sent_bytes == head.size() + body.size(); }
};

/// Hands what the parser finds to the receiver of an exchange.
struct PlainSink {
    PlainExchange& exchange;
    std::size_t max_answer_bytes;

    void head(const wire::HttpFields& fields) const
    {
        HttpHead head;
        head.status = exchange.result.status = fields.status();
        head.content_type = fields.content_type();
        if (head.status == 429 || head.status == 503) {
            head.retry_after = fields.retry_after();
            head.date = fields.date();
        }
        exchange.events->on_head(head);
    }

    bool body(std::string_view piece) const
    {
        exchange.answer_bytes += piece.size();
        if (exchange.answer_bytes > max_answer_bytes)
            return false;
        exchange.events->on_data(exchange.last_ns, piece);
        return true;
    }
};

/// One line on why an answer is none.
inline std::string fault_message(wire::HttpFault fault, const HttpLimits& limits)
{
    switch (fault) {
    case wire::HttpFault::refused:
        return too_large_message(limits);
    case wire::HttpFault::head_too_large:
        return "headers larger than " + std::to_string(wire::HttpResponseParser::max_head_bytes) + " bytes";
    case wire::HttpFault::bad_header:
        return "a malformed header in the answer";
    case wire::HttpFault::bad_length:
        return "a malformed or contradictory Content-Length in the answer";
    case wire::HttpFault::bad_encoding:
        return "a Transfer-Encoding in the answer that was not asked for";
    case wire::HttpFault::bad_chunk:
        return malformed_chunk;
    default:
        return does_not_speak_http;
    }
}

} // namespace slo::net

#endif
