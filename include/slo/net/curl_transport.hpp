// SPDX-License-Identifier: MIT
// HttpTransport by libcurl's multi interface in an EventLoop.

#ifndef SLO_NET_CURL_TRANSPORT_HPP
#define SLO_NET_CURL_TRANSPORT_HPP

#include <slo/base/clock.hpp>
#include <slo/base/error.hpp>
#include <slo/base/version.hpp>
#include <slo/net/curl_errors.hpp>
#include <slo/net/curl_sockets.hpp>
#include <slo/net/event_loop.hpp>
#include <slo/net/http.hpp>

#include <curl/curl.h>
#include <sys/socket.h>

#include <cerrno>
#include <exception>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace slo::net {

/// HTTP/1.1 with kept connections, as many as there are exchanges in flight.
class CurlTransport final : public HttpTransport {
public:
    /// Throws Error.
    CurlTransport(EventLoop& loop, const HttpLimits& limits)
        : limits_(limits), timer_(loop, [this] { act(CURL_SOCKET_TIMEOUT, 0); }),
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
            curl_multi_remove_handle(multi_.get(), exchange->easy.get());
        exchanges_.clear();
        idle_.clear();
        multi_.reset();
    }

    void submit(const HttpRequest& request, HttpEvents& events) override
    {
        auto exchange = take_idle();
        exchange->events = &events;
        exchange->sends = 0;
        exchange->socket_error = 0;
        exchange->answer_bytes = 0;
        exchange->head_seen = false;
        link_headers(*exchange, request);
        CURL* easy = exchange->easy.get();
        curl_easy_setopt(easy, CURLOPT_URL, request.url.data());
        curl_easy_setopt(easy, CURLOPT_HTTPHEADER, exchange->headers.data());
        if (request.post) {
            curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request.body.size()));
            curl_easy_setopt(easy, CURLOPT_POSTFIELDS, request.body.empty() ? "" : request.body.data());
        } else {
            curl_easy_setopt(easy, CURLOPT_HTTPGET, 1L);
        }
        if (curl_multi_add_handle(multi_.get(), easy) != CURLM_OK)
            throw Error("libcurl", "cannot start a request");
        exchanges_.emplace(&events, std::move(exchange));
        // curl only sets its timer to zero; acting now saves a turn of the loop before the bytes go out.
        act(CURL_SOCKET_TIMEOUT, 0);
    }

    void cancel(HttpEvents& events) noexcept override
    {
        const auto found = exchanges_.find(&events);
        if (found == exchanges_.end())
            return;
        curl_multi_remove_handle(multi_.get(), found->second->easy.get());
        idle_.push_back(std::move(found->second));
        exchanges_.erase(found);
    }

    std::size_t in_flight() const noexcept override { return exchanges_.size(); }

private:
    struct EasyCleanup {
        void operator()(CURL* easy) const noexcept { curl_easy_cleanup(easy); }
    };
    struct MultiCleanup {
        void operator()(CURLM* multi) const noexcept { curl_multi_cleanup(multi); }
    };

    struct Exchange {
        std::unique_ptr<CURL, EasyCleanup> easy;
        CurlTransport* owner = nullptr;
        HttpEvents* events = nullptr;
        std::vector<curl_slist> headers; // nodes of our own: they point into the caller's strings
        std::size_t answer_bytes = 0;
        int sends = 0;
        int socket_error = 0; // errno of a socket that could not be made, which curl does not tell
        bool head_seen = false;
        char error_text[CURL_ERROR_SIZE] = {};
    };

    std::unique_ptr<Exchange> take_idle()
    {
        if (!idle_.empty()) {
            auto exchange = std::move(idle_.back());
            idle_.pop_back();
            exchange->error_text[0] = '\0';
            return exchange;
        }
        auto exchange = std::make_unique<Exchange>();
        exchange->easy.reset(curl_easy_init());
        if (!exchange->easy)
            throw Error("libcurl", "out of memory");
        exchange->owner = this;
        set_up(*exchange);
        return exchange;
    }

    void set_up(Exchange& exchange)
    {
        CURL* easy = exchange.easy.get();
        const auto milliseconds = [](double seconds) { return static_cast<long>(seconds * 1000 + 0.5); };
        curl_easy_setopt(easy, CURLOPT_PRIVATE, &exchange);
        curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
        curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
        curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, long{CURL_HTTP_VERSION_1_1});
        curl_easy_setopt(easy, CURLOPT_HTTP09_ALLOWED, 0L);
        curl_easy_setopt(easy, CURLOPT_TCP_NODELAY, 1L);
        curl_easy_setopt(easy, CURLOPT_DNS_CACHE_TIMEOUT, -1L);
        curl_easy_setopt(easy, CURLOPT_USERAGENT, (std::string("sloutils/") + version).c_str());
        curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, milliseconds(limits_.connect_timeout_s));
        curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, milliseconds(limits_.request_timeout_s));
        curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, exchange.error_text);
        curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, &CurlTransport::on_write);
        curl_easy_setopt(easy, CURLOPT_WRITEDATA, &exchange);
        curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, &CurlTransport::on_connected);
        curl_easy_setopt(easy, CURLOPT_PREREQDATA, &exchange);
        curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, &CurlTransport::on_open);
        curl_easy_setopt(easy, CURLOPT_OPENSOCKETDATA, &exchange);
        curl_easy_setopt(easy, CURLOPT_CLOSESOCKETFUNCTION, &CurlSockets::on_close);
        curl_easy_setopt(easy, CURLOPT_CLOSESOCKETDATA, &sockets_);
    }

    static void link_headers(Exchange& exchange, const HttpRequest& request)
    {
        static char no_expect[] = "Expect:";
        auto& nodes = exchange.headers;
        nodes.resize(request.headers.size() + 1);
        nodes[0] = {no_expect, nullptr};
        for (std::size_t i = 0; i < request.headers.size(); ++i) {
            nodes[i].next = &nodes[i + 1];
            nodes[i + 1] = {const_cast<char*>(request.headers[i].data()), nullptr}; // curl only reads it
        }
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
        int queued = 0;
        while (const CURLMsg* message = curl_multi_info_read(multi_.get(), &queued)) {
            if (message->msg == CURLMSG_DONE)
                finish(message->easy_handle, message->data.result);
        }
    }

    struct Reset {
        bool& flag;
        ~Reset() { flag = false; }
    };

    void finish(CURL* easy, CURLcode code)
    {
        HttpResult result;
        result.end_ns = monotonic_ns();
        Exchange* exchange = nullptr;
        curl_easy_getinfo(easy, CURLINFO_PRIVATE, &exchange);
        long status = 0;
        curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status);
        result.status = static_cast<int>(status);
        result.reconnects = exchange->sends > 1 ? exchange->sends - 1 : 0;
        if (code != CURLE_OK) {
            long os_error = 0;
            curl_easy_getinfo(easy, CURLINFO_OS_ERRNO, &os_error);
            if (exchange->socket_error != 0)
                os_error = exchange->socket_error;
            const bool too_large = exchange->answer_bytes > limits_.max_answer_bytes;
            const bool sent = exchange->sends > 0;
            result.ending = too_large ? Ending::too_large : ending_of(code, static_cast<int>(os_error), sent);
            result.message =
                too_large
                    ? "answer larger than " + std::to_string(limits_.max_answer_bytes) + " bytes"
                    : curl_message(code, static_cast<int>(os_error), sent, limits_, exchange->error_text);
        }
        if (result.status != 0)
            announce_head(*exchange);
        auto& events = *exchange->events;
        cancel(events); // returns the handle to the pool
        events.on_done(result);
    }

    static void announce_head(Exchange& exchange)
    {
        if (std::exchange(exchange.head_seen, true))
            return;
        long status = 0;
        const char* type = nullptr;
        curl_easy_getinfo(exchange.easy.get(), CURLINFO_RESPONSE_CODE, &status);
        curl_easy_getinfo(exchange.easy.get(), CURLINFO_CONTENT_TYPE, &type);
        exchange.events->on_head(static_cast<int>(status), type ? type : "");
    }

    // The callbacks below are called by C code, which no exception may cross.
    template <class Body>
    bool guarded(Body&& body) noexcept
    {
        try {
            body();
            return true;
        } catch (...) {
            if (!failure_)
                failure_ = std::current_exception();
            return false;
        }
    }

    static std::size_t on_write(char* data, std::size_t, std::size_t size, void* user)
    {
        auto& exchange = *static_cast<Exchange*>(user);
        const auto now_ns = monotonic_ns();
        exchange.answer_bytes += size;
        if (exchange.answer_bytes > exchange.owner->limits_.max_answer_bytes)
            return CURL_WRITEFUNC_ERROR;
        const bool taken = exchange.owner->guarded([&] {
            announce_head(exchange);
            exchange.events->on_data(now_ns, {data, size});
        });
        return taken ? size : CURL_WRITEFUNC_ERROR;
    }

    static int on_connected(void* user, char*, char*, int, int)
    {
        auto& exchange = *static_cast<Exchange*>(user);
        ++exchange.sends;
        const bool told = exchange.owner->guarded([&] { exchange.events->on_sent(monotonic_ns()); });
        return told ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT;
    }

    static int on_socket(CURL*, curl_socket_t socket, int what, void* user, void*)
    {
        auto& self = *static_cast<CurlTransport*>(user);
        self.guarded([&] { self.sockets_.update(socket, what); });
        return 0;
    }

    static curl_socket_t on_open(void* user, curlsocktype, curl_sockaddr* address)
    {
        const int fd = ::socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
        if (fd < 0)
            static_cast<Exchange*>(user)->socket_error = errno;
        return fd < 0 ? CURL_SOCKET_BAD : fd;
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

    HttpLimits limits_;
    Timer timer_;
    CurlSockets sockets_;
    std::vector<std::unique_ptr<Exchange>> idle_;
    std::unordered_map<HttpEvents*, std::unique_ptr<Exchange>> exchanges_;
    std::unique_ptr<CURLM, MultiCleanup> multi_;
    std::exception_ptr failure_;
    bool acting_ = false;
    bool finishing_ = false;
};

} // namespace slo::net

#endif
