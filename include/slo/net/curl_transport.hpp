// SPDX-License-Identifier: MIT
// HttpTransport by libcurl's multi interface in an EventLoop.

#ifndef SLO_NET_CURL_TRANSPORT_HPP
#define SLO_NET_CURL_TRANSPORT_HPP

#include <slo/base/clock.hpp>
#include <slo/base/error.hpp>
#include <slo/net/curl_exchange.hpp>
#include <slo/net/curl_sockets.hpp>
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

/// HTTP/1.1 with kept connections, as many as there are exchanges in flight.
class CurlTransport final : public HttpTransport {
public:
    /// Throws Error.
    CurlTransport(EventLoop& loop, const TransportOptions& options)
        : options_(options), timer_(loop, [this] { act(CURL_SOCKET_TIMEOUT, 0); }),
          sockets_(loop, [this](curl_socket_t socket, int what) { act(socket, what); })
    {
        // Once a process, and never undone: another user of the library may still need it.
        static const bool ready = curl_global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK;
        multi_.reset(ready ? curl_multi_init() : nullptr);
        if (!multi_)
            throw Error("libcurl", "cannot be started");
        curl_multi_setopt(multi_.get(), CURLMOPT_SOCKETFUNCTION, &CurlTransport::on_socket);
        curl_multi_setopt(multi_.get(), CURLMOPT_SOCKETDATA, this);
        curl_multi_setopt(multi_.get(), CURLMOPT_TIMERFUNCTION, &CurlTransport::on_timer);
        curl_multi_setopt(multi_.get(), CURLMOPT_TIMERDATA, this);
        curl_multi_setopt(multi_.get(), CURLMOPT_MAXCONNECTS, 1L << 20);
        curl_multi_setopt(multi_.get(), CURLMOPT_PIPELINING, long{CURLPIPE_NOTHING});
    }
    CurlTransport(const CurlTransport&) = delete;
    CurlTransport& operator=(const CurlTransport&) = delete;
    ~CurlTransport() override
    {
        for (auto& [events, exchange] : exchanges_)
            curl_multi_remove_handle(multi_.get(), exchange->easy());
        exchanges_.clear();
        idle_.clear();
        multi_.reset();
    }

    void submit(const HttpRequest& request, HttpEvents& events) override
    {
        auto exchange = take_idle();
        const bool begun = exchange->ok();
        if (begun)
            exchange->prepare(request, events);
        if (!begun || curl_multi_add_handle(multi_.get(), exchange->easy()) != CURLM_OK)
            broken_.push_back({&events, "no memory for a request"});
        else
            exchanges_.emplace(&events, std::move(exchange));
        // curl only sets its timer to zero; acting now saves a turn of the loop before the bytes go out.
        act(CURL_SOCKET_TIMEOUT, 0);
    }

    void cancel(HttpEvents& events) noexcept override
    {
        std::erase_if(broken_, [&](const Broken& each) { return each.events == &events; });
        const auto found = exchanges_.find(&events);
        if (found == exchanges_.end())
            return;
        curl_multi_remove_handle(multi_.get(), found->second->easy());
        idle_.push_back(std::move(found->second));
        exchanges_.erase(found);
    }

    std::size_t in_flight() const noexcept override { return exchanges_.size(); }

    std::string_view name() const noexcept override { return "curl"; }

private:
    struct MultiCleanup {
        void operator()(CURLM* multi) const noexcept { curl_multi_cleanup(multi); }
    };

    // An exchange that this machine could not carry, and why.
    struct Broken {
        HttpEvents* events;
        std::string reason;
    };

    std::unique_ptr<CurlExchange> take_idle()
    {
        if (idle_.empty())
            return std::make_unique<CurlExchange>(options_, sockets_, failure_);
        auto exchange = std::move(idle_.back());
        idle_.pop_back();
        return exchange;
    }

    // Everything that may complete exchanges goes through here; handlers run outside of curl.
    void act(curl_socket_t socket, int what)
    {
        if (std::exchange(acting_, true)) {
            timer_.set(1);
            return;
        }
        int running = 0;
        curl_multi_socket_action(multi_.get(), socket, what, &running);
        acting_ = false;
        if (failure_)
            std::rethrow_exception(std::exchange(failure_, nullptr));
        if (std::exchange(finishing_, true))
            return; // a handler submitted from on_done(): the loop further up goes on
        const Reset done{finishing_};
        while (finish_one()) {
        }
    }

    struct Reset {
        bool& flag;
        ~Reset() { flag = false; }
    };

    // False when no exchange is at its end.
    bool finish_one()
    {
        HttpResult result;
        HttpEvents* events = nullptr;
        int queued = 0;
        if (const CURLMsg* message = curl_multi_info_read(multi_.get(), &queued)) {
            auto& exchange = *CurlExchange::of(message->easy_handle);
            result = exchange.conclude(message->data.result, monotonic_ns());
            events = &exchange.events();
        } else if (!broken_.empty()) {
            events = broken_.back().events;
            result.ending = Ending::local;
            result.message = broken_.back().reason;
            result.end_ns = monotonic_ns();
            const auto found = exchanges_.find(events);
            if (found != exchanges_.end())
                result.reconnects = found->second->reconnects();
        } else {
            return false;
        }
        cancel(*events); // returns the handle to the pool
        events->on_done(result);
        return true;
    }

    static int on_socket(CURL* easy, curl_socket_t socket, int what, void* user, void*)
    {
        auto& self = *static_cast<CurlTransport*>(user);
        try {
            self.sockets_.update(socket, what);
        } catch (const std::exception& error) {
            if (const auto* exchange = CurlExchange::of(easy))
                self.broken_.push_back({&exchange->events(), error.what()});
        }
        return 0;
    }

    static int on_timer(CURLM*, long timeout_ms, void* user)
    {
        auto& self = *static_cast<CurlTransport*>(user);
        if (timeout_ms < 0)
            self.timer_.clear();
        else
            self.timer_.set(timeout_ms == 0 ? 1 : monotonic_ns() + std::int64_t{timeout_ms} * 1'000'000);
        return 0;
    }

    TransportOptions options_;
    Timer timer_;
    CurlSockets sockets_;
    std::exception_ptr failure_; // what a handler threw inside of curl
    std::vector<Broken> broken_;
    std::vector<std::unique_ptr<CurlExchange>> idle_;
    std::unordered_map<HttpEvents*, std::unique_ptr<CurlExchange>> exchanges_;
    std::unique_ptr<CURLM, MultiCleanup> multi_;
    bool acting_ = false;
    bool finishing_ = false;
};

} // namespace slo::net

#endif
