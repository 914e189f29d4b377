// SPDX-License-Identifier: MIT
// Metrics pages of one or more servers, fetched at the same time.

#ifndef SLO_NET_SCRAPE_HPP
#define SLO_NET_SCRAPE_HPP

#include <slo/base/clock.hpp>
#include <slo/base/error.hpp>
#include <slo/base/text.hpp>
#include <slo/base/version.hpp>
#include <slo/net/curl_errors.hpp>
#include <slo/net/curl_setup.hpp>
#include <slo/net/http.hpp>

#include <curl/curl.h>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace slo::net {

/// How a Scraper connects and what it accepts.
struct ScrapeOptions {
    double timeout_s = 20;                          ///< from the first packet to the end of the answer
    std::size_t max_bytes = std::size_t{256} << 20; ///< of one answer, unpacked
    std::string bearer_key;                         ///< sent to every URL without a user name; empty: none
    TlsOptions tls{};
};

/// One page, or why there is none.
struct Scrape {
    std::string error;      ///< one line; empty when the whole page came with a status of 2xx
    bool may_pass = false;  ///< the error is one that a busy or starting server gives
    bool cancelled = false; ///< given up because of the stop descriptor
    std::string body;
    std::string content_type;
    double time_s = 0;     ///< wall clock of the first byte: the counters are of about then
    double duration_s = 0; ///< from the start to the last byte
};

/// Fetches pages over connections that are kept from one scrape to the next.
class Scraper {
public:
    /// Throws Error.
    explicit Scraper(ScrapeOptions options) : options_(std::move(options))
    {
        start_curl();
        multi_.reset(curl_multi_init());
        if (!multi_)
            throw Error("libcurl", "out of memory");
        limits_.connect_timeout_s = limits_.request_timeout_s = options_.timeout_s;
        limits_.max_answer_bytes = options_.max_bytes;
        headers_.reset(curl_slist_append(nullptr, "Accept: text/plain;version=0.0.4, */*;q=0.5"));
    }

    /// The pages of all `urls` (http or https, visible ASCII), in that order. Returns early, its open
    /// exchanges cancelled, once `stop_fd` is readable (-1: never).
    std::vector<Scrape> scrape(const std::vector<std::string>& urls, int stop_fd)
    {
        std::vector<Exchange> exchanges(urls.size());
        for (std::size_t i = 0; i < urls.size(); ++i)
            begin(exchanges[i], urls[i]);
        int running = 1;
        bool stopped = false;
        while (running > 0 && !stopped) {
            curl_multi_perform(multi_.get(), &running);
            int queued = 0;
            while (const CURLMsg* message = curl_multi_info_read(multi_.get(), &queued)) {
                if (message->msg == CURLMSG_DONE)
                    finish(message->easy_handle, message->data.result);
            }
            if (running == 0)
                break;
            curl_waitfd stop{stop_fd, CURL_WAIT_POLLIN, 0};
            curl_multi_poll(multi_.get(), &stop, stop_fd < 0 ? 0 : 1, 1000, nullptr);
            stopped = stop.revents != 0;
        }
        std::vector<Scrape> results;
        for (auto& exchange : exchanges) {
            curl_multi_remove_handle(multi_.get(), exchange.easy.get());
            if (exchange.failure)
                std::rethrow_exception(exchange.failure);
            if (!exchange.done) {
                exchange.result.cancelled = true;
                exchange.result.error = "interrupted";
            }
            results.push_back(std::move(exchange.result));
        }
        return results;
    }

private:
    // CURL and CURLM are the same type to the compiler, hence one deleter each.
    struct EasyCleanup {
        void operator()(CURL* easy) const noexcept { curl_easy_cleanup(easy); }
    };
    struct MultiCleanup {
        void operator()(CURLM* multi) const noexcept { curl_multi_cleanup(multi); }
    };
    struct ListCleanup {
        void operator()(curl_slist* list) const noexcept { curl_slist_free_all(list); }
    };

    struct Exchange {
        std::unique_ptr<CURL, EasyCleanup> easy;
        Scrape result;
        std::size_t max_bytes = 0;
        std::int64_t begin_ns = 0;
        bool too_large = false;
        bool done = false;
        std::exception_ptr failure; // thrown in a callback, which C code may not pass on
        char error_text[CURL_ERROR_SIZE] = {};
    };

    void begin(Exchange& exchange, const std::string& url)
    {
        exchange.easy.reset(curl_easy_init());
        exchange.max_bytes = options_.max_bytes;
        exchange.begin_ns = monotonic_ns();
        CURL* easy = exchange.easy.get();
        if (!easy)
            throw Error("libcurl", "out of memory");
        const auto timeout_ms = static_cast<long>(options_.timeout_s * 1000 + 0.5);
        curl_easy_setopt(easy, CURLOPT_URL, url.c_str());
        curl_easy_setopt(easy, CURLOPT_PRIVATE, &exchange);
        curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
        curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
        curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, long{CURL_HTTP_VERSION_1_1});
        curl_easy_setopt(easy, CURLOPT_HTTP09_ALLOWED, 0L);
        curl_easy_setopt(easy, CURLOPT_ACCEPT_ENCODING, "");
        curl_easy_setopt(easy, CURLOPT_USERAGENT, (std::string("sloutils/") + version).c_str());
        curl_easy_setopt(easy, CURLOPT_HTTPHEADER, headers_.get());
        curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, timeout_ms);
        curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, timeout_ms);
        curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, exchange.error_text);
        curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, &Scraper::on_write);
        curl_easy_setopt(easy, CURLOPT_WRITEDATA, &exchange);
        set_tls(easy, options_.tls);
        if (!options_.bearer_key.empty() && !has_user_name(url)) {
            curl_easy_setopt(easy, CURLOPT_HTTPAUTH, CURLAUTH_BEARER);
            curl_easy_setopt(easy, CURLOPT_XOAUTH2_BEARER, options_.bearer_key.c_str());
        }
        if (curl_multi_add_handle(multi_.get(), easy) != CURLM_OK)
            throw Error("libcurl", "cannot start a request");
    }

    static bool has_user_name(std::string_view url) noexcept
    {
        const auto host = url.find("://") + 3;
        return url.substr(host, url.find_first_of("/?#", host) - host).find('@') != std::string::npos;
    }

    static std::size_t on_write(char* data, std::size_t, std::size_t size, void* user)
    {
        auto& exchange = *static_cast<Exchange*>(user);
        auto& result = exchange.result;
        if (result.body.empty())
            result.time_s = wall_clock_s();
        exchange.too_large = size > exchange.max_bytes - result.body.size();
        if (exchange.too_large)
            return CURL_WRITEFUNC_ERROR;
        try {
            result.body.append(data, size);
        } catch (...) {
            exchange.failure = std::current_exception();
            return CURL_WRITEFUNC_ERROR;
        }
        return size;
    }

    void finish(CURL* easy, CURLcode code) const
    {
        Exchange* exchange = nullptr;
        curl_easy_getinfo(easy, CURLINFO_PRIVATE, &exchange);
        auto& result = exchange->result;
        exchange->done = true;
        result.duration_s = to_seconds(monotonic_ns() - exchange->begin_ns);
        if (result.body.empty())
            result.time_s = wall_clock_s();
        long status = 0;
        long os_error = 0;
        long connect_status = 0;
        const char* url = nullptr;
        curl_off_t sent = 0;
        const char* type = nullptr;
        curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status);
        curl_easy_getinfo(easy, CURLINFO_OS_ERRNO, &os_error);
        curl_easy_getinfo(easy, CURLINFO_HTTP_CONNECTCODE, &connect_status);
        curl_easy_getinfo(easy, CURLINFO_EFFECTIVE_URL, &url);
        curl_easy_getinfo(easy, CURLINFO_CONTENT_TYPE, &type);
        curl_easy_getinfo(easy, CURLINFO_PRETRANSFER_TIME_T, &sent);
        result.content_type = type ? type : "";
        if (exchange->too_large) {
            result.error = "answer larger than " + std::to_string(options_.max_bytes) + " bytes";
        } else if (code != CURLE_OK) {
            const CurlFailure failure{code,
                                      static_cast<int>(os_error),
                                      sent > 0,
                                      static_cast<int>(status),
                                      static_cast<int>(connect_status),
                                      exchange->error_text,
                                      url};
            const auto ending = ending_of(failure);
            result.error = message_of(failure, limits_);
            result.may_pass = ending == Ending::connect || ending == Ending::reset || ending == Ending::cut ||
                              ending == Ending::timeout;
        } else if (status < 200 || status > 299) {
            result.error = "HTTP status " + std::to_string(status);
            const auto text = trim(std::string_view(result.body).substr(0, 200));
            if (!text.empty() && text[0] != '<')
                result.error += ": " + printable(text, 160);
            result.may_pass = status >= 500 || status == 429 || status == 408;
        }
    }

    ScrapeOptions options_;
    HttpLimits limits_;
    std::unique_ptr<curl_slist, ListCleanup> headers_;
    std::unique_ptr<CURLM, MultiCleanup> multi_;
};

} // namespace slo::net

#endif
