// SPDX-License-Identifier: MIT
// One request, waited for.

#ifndef SLO_NET_FETCH_HPP
#define SLO_NET_FETCH_HPP

#include <slo/net/event_loop.hpp>
#include <slo/net/http.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace slo::net {

/// An answer, its body cut at max_reply_bytes.
struct HttpReply {
    HttpResult result;
    std::string body;
};

inline constexpr std::size_t max_reply_bytes = std::size_t{1} << 20;

/// Turns the loop until the answer is there, or until `stopped()` is true after a turn: then the ending is
/// cancelled. What handlers in the loop throw goes through.
inline HttpReply fetch(EventLoop& loop, HttpTransport& transport, const HttpRequest& request,
                       const std::function<bool()>& stopped)
{
    struct Waiting : HttpEvents {
        HttpReply reply;
        bool done = false;
        void on_sent(std::int64_t) override {}
        void on_head(const HttpHead&) override {}
        void on_data(std::int64_t, std::string_view bytes) override
        {
            reply.body += bytes.substr(0, max_reply_bytes - std::min(max_reply_bytes, reply.body.size()));
        }
        void on_done(const HttpResult& result) override
        {
            reply.result = result;
            done = true;
        }
    } waiting;
    struct Cancel {
        HttpTransport& transport;
        Waiting& waiting;
        ~Cancel() { transport.cancel(waiting); }
    };
    transport.submit(request, waiting);
    const Cancel cancel{transport, waiting};
    while (!waiting.done && !stopped())
        loop.run_once();
    if (!waiting.done)
        waiting.reply.result.ending = Ending::cancelled;
    return waiting.reply;
}

} // namespace slo::net

#endif
