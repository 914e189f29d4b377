// SPDX-License-Identifier: MIT
// One libcurl multi handle: its connections, its easy handles, and when it wants to be called.

#ifndef SLO_NET_CURL_MULTI_HPP
#define SLO_NET_CURL_MULTI_HPP

#include <slo/base/clock.hpp>
#include <slo/base/error.hpp>
#include <slo/net/curl_exchange.hpp>
#include <slo/net/curl_setup.hpp>
#include <slo/net/curl_sockets.hpp>
#include <slo/net/event_loop.hpp>
#include <slo/net/http.hpp>

#include <curl/curl.h>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace slo::net {

/// A moment that does not come.
inline constexpr std::int64_t never_ns = std::numeric_limits<std::int64_t>::max();

/// A part of a transport's exchanges and connections. It decides nothing and calls no handler of an exchange
/// by itself, except out of perform().
class CurlMulti {
public:
    /// Is told of a socket that is ready, with the CURL_CSELECT bits.
    using Ready = std::function<void(CurlMulti& multi, curl_socket_t socket, int what)>;
    /// Is told, out of curl, of an exchange whose socket cannot be watched, and why.
    using Unwatchable = std::function<void(HttpEvents& events, const std::string& reason)>;

    /// `options`, `owners` and `failure` must outlive it. Throws Error.
    CurlMulti(EventLoop& loop, const TransportOptions& options, CurlSockets::Owners& owners,
              std::exception_ptr& failure, Ready ready, Unwatchable unwatchable)
        : options_(options), failure_(failure), unwatchable_(std::move(unwatchable)),
          sockets_(loop, owners, [this, ready = std::move(ready)](curl_socket_t socket, int what) {
              ready(*this, socket, what);
          })
    {
        start_curl();
        multi_.reset(curl_multi_init());
        if (!multi_)
            throw Error("libcurl", "out of memory");
        const auto set = [this](CURLMoption option, auto value) {
            curl_multi_setopt(multi_.get(), option, value);
        };
        set(CURLMOPT_SOCKETFUNCTION, &CurlMulti::on_socket);
        set(CURLMOPT_SOCKETDATA, this);
        set(CURLMOPT_TIMERFUNCTION, &CurlMulti::on_timer);
        set(CURLMOPT_TIMERDATA, this);
        set(CURLMOPT_MAXCONNECTS, 1L << 20);
        set(CURLMOPT_PIPELINING, options.http2 ? long{CURLPIPE_MULTIPLEX} : long{CURLPIPE_NOTHING});
    }
    CurlMulti(const CurlMulti&) = delete;
    CurlMulti& operator=(const CurlMulti&) = delete;
    ~CurlMulti()
    {
        idle_.clear();
        multi_.reset();
    }

    /// Begins an exchange, which goes out with the next perform(); null when there is no memory for it.
    std::unique_ptr<CurlExchange> begin(const HttpRequest& request, HttpEvents& events)
    {
        auto exchange = take_idle();
        if (!exchange->ok())
            return nullptr;
        const bool joins = in_flight_ > 0 || connections() > 0;
        exchange->prepare(request, events, joins);
        // Such a curl also puts requests on a second connection before that is one.
        if (exchange->guess().needed())
            curl_multi_setopt(multi_.get(), CURLMOPT_MAX_HOST_CONNECTIONS, 1L);
        if (curl_multi_add_handle(multi_.get(), exchange->easy()) != CURLM_OK)
            return nullptr;
        ++in_flight_;
        return exchange;
    }

    /// Takes back what begin() gave; what has not ended is given up.
    void end(std::unique_ptr<CurlExchange> exchange) noexcept
    {
        curl_multi_remove_handle(multi_.get(), exchange->easy());
        idle_.push_back(std::move(exchange));
        --in_flight_;
    }

    /// Lets curl act on a socket, or on its time (CURL_SOCKET_TIMEOUT).
    void perform(curl_socket_t socket, int what)
    {
        if (socket == CURL_SOCKET_TIMEOUT)
            due_ns_ = never_ns;
        int running = 0;
        curl_multi_socket_action(multi_.get(), socket, what, &running);
    }

    /// An exchange that is at its end, with curl's verdict; null when there is none. May set due_ns().
    CurlExchange* next_ended(CURLcode& code)
    {
        int queued = 0;
        while (const CURLMsg* const message = curl_multi_info_read(multi_.get(), &queued)) {
            code = message->data.result;
            auto* const exchange = CurlExchange::of(message->easy_handle);
            if (!exchange->guess().wrong())
                return exchange;
            curl_multi_remove_handle(multi_.get(), exchange->easy());
            exchange->guess().correct();
            code = CURLE_OUT_OF_MEMORY;
            if (curl_multi_add_handle(multi_.get(), exchange->easy()) != CURLM_OK)
                return exchange;
        }
        return nullptr;
    }

    /// When perform(CURL_SOCKET_TIMEOUT, 0) is due (monotonic ns).
    std::int64_t due_ns() const noexcept { return due_ns_; }
    /// Exchanges that have begun and not ended.
    std::size_t in_flight() const noexcept { return in_flight_; }
    /// Connections, in use or kept.
    std::size_t connections() const noexcept { return sockets_.count(); }

private:
    struct Cleanup {
        void operator()(CURLM* multi) const noexcept { curl_multi_cleanup(multi); }
    };

    std::unique_ptr<CurlExchange> take_idle()
    {
        if (idle_.empty())
            return std::make_unique<CurlExchange>(options_, sockets_, failure_);
        auto exchange = std::move(idle_.back());
        idle_.pop_back();
        return exchange;
    }

    static int on_socket(CURL* easy, curl_socket_t socket, int what, void* user, void*)
    {
        auto& self = *static_cast<CurlMulti*>(user);
        try {
            self.sockets_.update(socket, what);
        } catch (const std::exception& error) {
            if (const auto* exchange = CurlExchange::of(easy))
                self.unwatchable_(exchange->events(), error.what());
        }
        return 0;
    }

    static int on_timer(CURLM*, long timeout_ms, void* user)
    {
        auto& self = *static_cast<CurlMulti*>(user);
        if (timeout_ms < 0)
            self.due_ns_ = never_ns;
        else
            self.due_ns_ = timeout_ms == 0 ? 0 : monotonic_ns() + std::int64_t{timeout_ms} * 1'000'000;
        return 0;
    }

    const TransportOptions& options_;
    std::exception_ptr& failure_;
    Unwatchable unwatchable_;
    CurlSockets sockets_;
    std::vector<std::unique_ptr<CurlExchange>> idle_;
    std::unique_ptr<CURLM, Cleanup> multi_;
    std::int64_t due_ns_ = never_ns;
    std::size_t in_flight_ = 0;
};

} // namespace slo::net

#endif
