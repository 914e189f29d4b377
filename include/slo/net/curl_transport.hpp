// SPDX-License-Identifier: MIT
// HttpTransport by libcurl's multi interface in an EventLoop.

#ifndef SLO_NET_CURL_TRANSPORT_HPP
#define SLO_NET_CURL_TRANSPORT_HPP

#include <slo/base/clock.hpp>
#include <slo/net/curl_exchange.hpp>
#include <slo/net/curl_multi.hpp>
#include <slo/net/event_loop.hpp>
#include <slo/net/http.hpp>

#include <curl/curl.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace slo::net {

/// HTTP/1.1 with kept connections, as many as there are exchanges in flight, or HTTP/2 with up to
/// max_streams exchanges a connection. Proxies are taken from the environment.
///
/// libcurl walks over all connections of a multi handle for each request that begins or ends, so they are
/// spread over several.
class CurlTransport final : public HttpTransport {
public:
    static constexpr std::size_t max_streams = 100;

    /// Throws Error.
    CurlTransport(EventLoop& loop, const TransportOptions& options)
        : loop_(loop), options_(options), timer_(loop, [this] { on_timer(); })
    {
        add_multi();
    }
    CurlTransport(const CurlTransport&) = delete;
    CurlTransport& operator=(const CurlTransport&) = delete;
    ~CurlTransport() override
    {
        for (auto& [events, running] : exchanges_)
            running.multi->end(std::move(running.exchange));
    }

    std::string_view name() const noexcept override { return "curl"; }

    void submit(const HttpRequest& request, HttpEvents& events) override
    {
        auto& multi = choose();
        if (auto exchange = multi.begin(request, events))
            exchanges_.emplace(&events, Running{&multi, std::move(exchange)});
        else
            broken_.push_back({&events, "no memory for a request"});
        // curl only asks to be called at once; acting now saves a turn of the loop before the bytes go out.
        act(multi, CURL_SOCKET_TIMEOUT, 0);
    }

    void cancel(HttpEvents& events) noexcept override
    {
        std::erase_if(broken_, [&](const Broken& each) { return each.events == &events; });
        const auto found = exchanges_.find(&events);
        if (found == exchanges_.end())
            return;
        found->second.multi->end(std::move(found->second.exchange));
        exchanges_.erase(found);
    }

    std::size_t in_flight() const noexcept override { return exchanges_.size(); }

private:
    static constexpr std::size_t max_multis = 64;
    static constexpr std::size_t connections_per_multi = 16;

    struct Running {
        CurlMulti* multi;
        std::unique_ptr<CurlExchange> exchange;
    };

    // An exchange that this machine could not carry, and why.
    struct Broken {
        HttpEvents* events;
        std::string reason;
    };

    CurlMulti& add_multi()
    {
        const auto ready = [this](CurlMulti& multi, curl_socket_t socket, int what) {
            act(multi, socket, what);
        };
        const auto unwatchable = [this](HttpEvents& events, const std::string& reason) {
            broken_.push_back({&events, reason});
        };
        multis_.push_back(
            std::make_unique<CurlMulti>(loop_, options_, owners_, failure_, ready, unwatchable));
        return *multis_.back();
    }

    CurlMulti& choose() { return options_.http2 ? with_free_stream() : with_free_connection(); }

    // As many exchanges a handle as curl puts on one connection: beyond that it would have to choose one.
    CurlMulti& with_free_stream()
    {
        for (auto& multi : multis_)
            if (multi->in_flight() < max_streams)
                return *multi;
        return add_multi();
    }

    CurlMulti& with_free_connection()
    {
        CurlMulti* kept = nullptr;
        CurlMulti* smallest = multis_.front().get();
        for (auto& multi : multis_) {
            if (multi->connections() > multi->in_flight() &&
                (!kept || multi->in_flight() < kept->in_flight()))
                kept = multi.get();
            if (multi->in_flight() < smallest->in_flight())
                smallest = multi.get();
        }
        if (kept)
            return *kept;
        const bool grow = smallest->in_flight() >= connections_per_multi && multis_.size() < max_multis;
        return grow ? add_multi() : *smallest;
    }

    void on_timer()
    {
        armed_ns_ = never_ns;
        const auto now_ns = monotonic_ns();
        // A handler may add to multis_.
        for (std::size_t i = 0; i < multis_.size(); ++i)
            if (multis_[i]->due_ns() <= now_ns)
                act(*multis_[i], CURL_SOCKET_TIMEOUT, 0);
        arm();
        finish();
    }

    // A timer that comes too early costs less than to set it anew for each request.
    void arm() noexcept
    {
        auto due_ns = never_ns;
        for (const auto& multi : multis_)
            due_ns = std::min(due_ns, multi->due_ns());
        if (due_ns >= armed_ns_)
            return;
        armed_ns_ = due_ns;
        timer_.set(due_ns);
    }

    // Everything that may complete exchanges goes through here; handlers run outside of curl.
    void act(CurlMulti& multi, curl_socket_t socket, int what)
    {
        if (std::exchange(acting_, true))
            return; // from a handler inside of curl: the call further up arms the timer
        multi.perform(socket, what);
        acting_ = false;
        arm();
        to_finish_.push_back(&multi);
        if (failure_) {
            forget_thrown();
            go_on_later();
            std::rethrow_exception(std::exchange(failure_, nullptr));
        }
        finish();
    }

    void forget_thrown() noexcept
    {
        for (auto each = exchanges_.begin(); each != exchanges_.end();) {
            auto& [multi, exchange] = (each++)->second;
            if (exchange->thrown())
                cancel(exchange->events());
        }
    }

    // For those that a handler that threw has left untold.
    void go_on_later() noexcept
    {
        armed_ns_ = 0;
        timer_.set(0);
    }

    // A handler that submits comes back to here, for a handle more: the call further up goes on.
    void finish()
    {
        if (std::exchange(finishing_, true))
            return;
        const Reset done{finishing_};
        try {
            tell_ends();
        } catch (...) {
            go_on_later();
            throw;
        }
    }

    void tell_ends()
    {
        for (;;) {
            tell_finished();
            arm();
            if (broken_.empty())
                return;
            auto& events = *broken_.back().events;
            HttpResult result;
            result.ending = Ending::local;
            result.message = broken_.back().reason;
            result.end_ns = monotonic_ns();
            const auto found = exchanges_.find(&events);
            if (found != exchanges_.end())
                result.reconnects = found->second.exchange->reconnects();
            report(events, result);
        }
    }

    void tell_finished()
    {
        CURLcode code = CURLE_OK;
        while (!to_finish_.empty()) {
            if (auto* exchange = to_finish_.back()->next_ended(code))
                conclude(*exchange, code);
            else
                to_finish_.pop_back();
        }
    }

    void conclude(CurlExchange& exchange, CURLcode code)
    {
        auto& events = exchange.events();
        HttpResult result;
        try {
            result = exchange.conclude(code, monotonic_ns());
        } catch (...) {
            cancel(events); // its on_head() threw
            throw;
        }
        report(events, result);
    }

    void report(HttpEvents& events, const HttpResult& result)
    {
        cancel(events);
        events.on_done(result);
    }

    struct Reset {
        bool& flag;
        ~Reset() { flag = false; }
    };

    EventLoop& loop_;
    TransportOptions options_;
    Timer timer_;
    std::int64_t armed_ns_ = never_ns;
    std::exception_ptr failure_; // what a handler threw inside of curl
    std::vector<Broken> broken_;
    CurlSockets::Owners owners_;
    std::vector<std::unique_ptr<CurlMulti>> multis_;
    std::vector<CurlMulti*> to_finish_;
    std::unordered_map<HttpEvents*, Running> exchanges_;
    bool acting_ = false;
    bool finishing_ = false;
};

} // namespace slo::net

#endif
