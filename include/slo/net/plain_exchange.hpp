// SPDX-License-Identifier: MIT
// What the plain transport keeps of its exchanges.

#ifndef SLO_NET_PLAIN_EXCHANGE_HPP
#define SLO_NET_PLAIN_EXCHANGE_HPP

#include <slo/net/http.hpp>
#include <slo/net/http_errors.hpp>
#include <slo/net/plain_connection.hpp>
#include <slo/net/plain_endpoint.hpp>
#include <slo/wire/http_fields.hpp>
#include <slo/wire/http_response.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <list>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace slo::net {

/// One exchange; used for one after the other, so that its texts keep their memory.
struct PlainExchange {
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
    bool ended = false;
    HttpResult result;

    bool is_sent() const noexcept { return sent_bytes == head.size() + body.size(); }

    // Of PlainExchanges: where it stands in its list, and its place in the index while it has none.
    std::list<PlainExchange>::iterator self;
    std::unordered_map<HttpEvents*, PlainExchange*>::node_type index_node;
};

/// All exchanges of a transport: under way in the order in which they began, or ended and still to be told.
class PlainExchanges {
public:
    /// A new one, under way.
    PlainExchange& begin(HttpEvents& events)
    {
        if (free_.empty()) {
            free_.emplace_front();
            free_.front().self = free_.begin();
        }
        auto& exchange = free_.front();
        exchange.events = &events;
        exchange.endpoint = nullptr;
        exchange.connection = nullptr;
        exchange.sent_bytes = exchange.answer_bytes = 0;
        exchange.sends = 0;
        exchange.last_ns = 0;
        exchange.ended = false;
        exchange.result = {};
        if (exchange.index_node) {
            exchange.index_node.key() = &events;
            index_.insert(std::move(exchange.index_node));
        } else {
            index_.emplace(&events, &exchange);
        }
        active_.splice(active_.end(), free_, exchange.self);
        return exchange;
    }

    /// Its result is known, but for the moment and the reconnects, which are set here.
    void end(PlainExchange& exchange, std::int64_t at_ns) noexcept
    {
        exchange.result.reconnects = std::max(0, exchange.sends - 1);
        exchange.result.end_ns = at_ns;
        exchange.ended = true;
        ended_.splice(ended_.end(), active_, exchange.self);
    }

    /// It is over, and told or silent.
    void forget(PlainExchange& exchange) noexcept
    {
        exchange.index_node = index_.extract(exchange.events);
        free_.splice(free_.begin(), exchange.ended ? ended_ : active_, exchange.self);
    }

    /// That of `events`; null when there is none.
    PlainExchange* find(HttpEvents& events) const noexcept
    {
        const auto found = index_.find(&events);
        return found == index_.end() ? nullptr : found->second;
    }

    /// The one that began first and has not ended; null when there is none.
    PlainExchange* oldest() noexcept { return active_.empty() ? nullptr : &active_.front(); }

    /// Tells the ends, in their order. A handler may begin and forget exchanges, and end them by that: the
    /// call further up goes on then. What a handler throws goes through and leaves the others untold.
    void tell()
    {
        if (std::exchange(telling_, true))
            return;
        struct Reset {
            bool& flag;
            ~Reset() { flag = false; }
        } const reset{telling_};
        while (!ended_.empty()) {
            auto& exchange = ended_.front();
            auto& events = *exchange.events;
            const HttpResult result = std::move(exchange.result);
            forget(exchange);
            events.on_done(result);
        }
    }

    /// Under way or untold.
    std::size_t size() const noexcept { return index_.size(); }

private:
    std::list<PlainExchange> free_, active_, ended_; // elements change lists, and stay where they are
    std::unordered_map<HttpEvents*, PlainExchange*> index_;
    bool telling_ = false;
};

/// Hands what the parser finds to the receiver of an exchange.
struct PlainSink {
    PlainExchange& exchange;
    std::size_t max_answer_bytes;

    void head(const wire::HttpFields& fields) const
    {
        HttpHead head;
        head.status = exchange.result.status = fields.status();
        exchange.result.http_version = fields.version();
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

/// One line on why what came is no answer.
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
