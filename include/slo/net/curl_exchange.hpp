// SPDX-License-Identifier: MIT
// One exchange on a libcurl easy handle: its options, and what curl reports of it.

#ifndef SLO_NET_CURL_EXCHANGE_HPP
#define SLO_NET_CURL_EXCHANGE_HPP

#include <slo/base/clock.hpp>
#include <slo/net/curl_errors.hpp>
#include <slo/net/curl_guess.hpp>
#include <slo/net/curl_sends.hpp>
#include <slo/net/curl_setup.hpp>
#include <slo/net/curl_sockets.hpp>
#include <slo/net/http.hpp>

#include <curl/curl.h>

#include <cerrno>
#include <cstddef>
#include <exception>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace slo::net {

/// An easy handle that is used for one exchange after the other. The bytes of an answer go straight to its
/// HttpEvents; what these throw is kept, because C code may not be crossed by it.
class CurlExchange {
public:
    /// `options`, `sockets` and `failure` must outlive it. Not ok() when curl has no memory for a handle.
    CurlExchange(const TransportOptions& options, CurlSockets& sockets, std::exception_ptr& failure)
        : options_(options), sockets_(sockets), failure_(failure), easy_(curl_easy_init()),
          guess_(easy_.get())
    {
        if (easy_)
            set_up();
    }
    CurlExchange(const CurlExchange&) = delete;
    CurlExchange& operator=(const CurlExchange&) = delete;

    bool ok() const noexcept { return easy_ != nullptr; }
    CURL* easy() const noexcept { return easy_.get(); }
    HttpEvents& events() const noexcept { return *events_; }

    /// The exchange of an easy handle; null for one of curl's own.
    static CurlExchange* of(CURL* easy) noexcept
    {
        CurlExchange* exchange = nullptr;
        curl_easy_getinfo(easy, CURLINFO_PRIVATE, &exchange);
        return exchange;
    }

    /// Makes the handle ready for a request. `joins`: there is a connection that may carry it, too.
    void prepare(const HttpRequest& request, HttpEvents& events, bool joins)
    {
        events_ = &events;
        sends_.begin();
        thrown_ = false;
        socket_error_ = 0;
        answer_bytes_ = 0;
        header_bytes_ = 0;
        head_seen_ = false;
        error_text_[0] = '\0';
        link_headers(request);
        curl_easy_setopt(easy(), CURLOPT_FRESH_CONNECT, 0L);
        if (url_ != request.url) {
            url_ = request.url;
            curl_easy_setopt(easy(), CURLOPT_URL, url_.c_str());
            guess_.set_url(options_, url_);
        }
        guess_.begin(joins);
        curl_easy_setopt(easy(), CURLOPT_HTTPHEADER, headers_.data());
        if (request.post) {
            curl_easy_setopt(easy(), CURLOPT_POSTFIELDSIZE_LARGE,
                             static_cast<curl_off_t>(request.body.size()));
            curl_easy_setopt(easy(), CURLOPT_POSTFIELDS, request.body.empty() ? "" : request.body.data());
        } else {
            curl_easy_setopt(easy(), CURLOPT_HTTPGET, 1L);
        }
    }

    CurlGuess& guess() noexcept { return guess_; }

    /// True when a handler threw: it is to hear no more.
    bool thrown() const noexcept { return thrown_; }

    /// What became of a transfer that curl ended with `code` at `end_ns`. Says the head if nothing has.
    HttpResult conclude(CURLcode code, std::int64_t end_ns)
    {
        const auto ask = [this](CURLINFO what) {
            long value = 0;
            curl_easy_getinfo(easy(), what, &value);
            return static_cast<int>(value);
        };
        HttpResult result;
        result.end_ns = end_ns;
        result.status = ask(CURLINFO_RESPONSE_CODE);
        result.reconnects = reconnects();
        const auto version = ask(CURLINFO_HTTP_VERSION);
        result.http_version = version == CURL_HTTP_VERSION_2_0   ? 20
                              : version == CURL_HTTP_VERSION_1_1 ? 11
                              : version == CURL_HTTP_VERSION_1_0 ? 10
                                                                 : 0;
        if (code != CURLE_OK || result.status == proxy_wants_password)
            explain({code, socket_error_ != 0 ? socket_error_ : ask(CURLINFO_OS_ERRNO), sends_.any(),
                     result.status, ask(CURLINFO_HTTP_CONNECTCODE), error_text_, url_},
                    result);
        if (result.status != 0)
            announce_head();
        return result;
    }

    /// Stale kept connections replaced.
    int reconnects() const noexcept { return sends_.reconnects(); }

private:
    static constexpr std::size_t max_header_bytes = 1 << 20; // with trailers

    struct Cleanup {
        void operator()(CURL* easy) const noexcept { curl_easy_cleanup(easy); }
    };

    void set_up()
    {
        const auto set = [this](CURLoption option, auto value) { curl_easy_setopt(easy(), option, value); };
        set_transport_options(easy(), options_);
        set(CURLOPT_PRIVATE, this);
        set(CURLOPT_ERRORBUFFER, static_cast<char*>(error_text_));
        set(CURLOPT_WRITEFUNCTION, &CurlExchange::on_write);
        set(CURLOPT_WRITEDATA, this);
        set(CURLOPT_HEADERFUNCTION, &CurlExchange::on_header);
        set(CURLOPT_HEADERDATA, this);
        set(CURLOPT_PREREQFUNCTION, &CurlExchange::on_connected);
        set(CURLOPT_PREREQDATA, this);
        set(CURLOPT_OPENSOCKETFUNCTION, &CurlExchange::on_open);
        set(CURLOPT_OPENSOCKETDATA, this);
        set(CURLOPT_CLOSESOCKETFUNCTION, &CurlSockets::on_close);
        set(CURLOPT_CLOSESOCKETDATA, &sockets_);
    }

    // Nodes of our own: they point into the caller's strings, which curl only reads.
    void link_headers(const HttpRequest& request)
    {
        static char no_expect[] = "Expect:";
        headers_.resize(request.headers.size() + 1);
        headers_[0] = {no_expect, nullptr};
        for (std::size_t i = 0; i < request.headers.size(); ++i) {
            headers_[i].next = &headers_[i + 1];
            headers_[i + 1] = {const_cast<char*>(request.headers[i].data()), nullptr};
        }
    }

    void explain(const CurlFailure& failure, HttpResult& result) const
    {
        if (answer_bytes_ > options_.limits.max_answer_bytes) {
            result.ending = Ending::too_large;
            result.message = too_large_message(options_.limits);
        } else if (header_bytes_ > max_header_bytes) {
            result.ending = Ending::protocol;
            result.message =
                "headers and trailers larger than " + std::to_string(max_header_bytes) + " bytes";
        } else if (const auto refusal = sends_.refusal(); !refusal.empty()) {
            result.ending = Ending::reset;
            result.message = refusal;
        } else {
            result.ending = ending_of(failure);
            result.message = message_of(failure, options_.limits);
        }
    }

    void announce_head()
    {
        if (std::exchange(head_seen_, true))
            return;
        long status = 0;
        curl_easy_getinfo(easy(), CURLINFO_RESPONSE_CODE, &status);
        HttpHead head;
        head.status = static_cast<int>(status);
        head.content_type = header("Content-Type");
        if (status == 429 || status == 503) {
            head.retry_after = header("Retry-After");
            head.date = header("Date");
        }
        events_->on_head(head);
    }

    std::string_view header(const char* name) const noexcept
    {
        curl_header* found = nullptr;
        const auto code = curl_easy_header(easy(), name, 0, CURLH_HEADER, -1, &found);
        return code == CURLHE_OK ? std::string_view(found->value) : std::string_view();
    }

    template <class Body>
    bool guarded(Body&& body) noexcept
    {
        try {
            body();
            return true;
        } catch (...) {
            thrown_ = true;
            if (!failure_)
                failure_ = std::current_exception();
            return false;
        }
    }

    // curl bounds the head itself, but keeps trailers without end.
    static std::size_t on_header(const char*, std::size_t, std::size_t size, void* user)
    {
        auto& self = *static_cast<CurlExchange*>(user);
        self.header_bytes_ += size;
        return self.header_bytes_ > max_header_bytes ? 0 : size;
    }

    static std::size_t on_write(char* data, std::size_t, std::size_t size, void* user)
    {
        auto& self = *static_cast<CurlExchange*>(user);
        const auto now_ns = monotonic_ns();
        self.answer_bytes_ += size;
        if (self.answer_bytes_ > self.options_.limits.max_answer_bytes)
            return CURL_WRITEFUNC_ERROR;
        const bool taken = self.guarded([&] {
            self.announce_head();
            self.events_->on_data(now_ns, {data, size});
        });
        return taken ? size : CURL_WRITEFUNC_ERROR;
    }

    static int on_connected(void* user, char*, char*, int, int)
    {
        auto& self = *static_cast<CurlExchange*>(user);
        const auto now_ns = monotonic_ns();
        if (self.guess_.check() || !self.sends_.may_send(now_ns))
            return CURL_PREREQFUNC_ABORT;
        // curl sends again when a kept connection was dead, and takes the next kept one for it: all of them
        // may be. After a new one it gives up.
        curl_easy_setopt(self.easy(), CURLOPT_FRESH_CONNECT, 1L);
        const bool told = self.guarded([&] { self.events_->on_sent(now_ns); });
        return told ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT;
    }

    static curl_socket_t on_open(void* user, curlsocktype, curl_sockaddr* address)
    {
        auto& self = *static_cast<CurlExchange*>(user);
        if (!self.sends_.may_open(monotonic_ns(), self.options_.limits, self.error_text_))
            return CURL_SOCKET_BAD;
        const auto socket = self.sockets_.open(*address);
        if (socket == CURL_SOCKET_BAD)
            self.socket_error_ = errno;
        return socket;
    }

    const TransportOptions& options_;
    CurlSockets& sockets_;
    std::exception_ptr& failure_;
    std::unique_ptr<CURL, Cleanup> easy_;
    CurlGuess guess_;
    CurlSends sends_;
    HttpEvents* events_ = nullptr;
    std::string url_; // as the handle knows it
    std::vector<curl_slist> headers_;
    std::size_t answer_bytes_ = 0;
    std::size_t header_bytes_ = 0;
    int socket_error_ = 0; // errno of a socket that could not be made, which curl does not tell
    bool head_seen_ = false;
    bool thrown_ = false;
    char error_text_[CURL_ERROR_SIZE] = {};
};

} // namespace slo::net

#endif
