// SPDX-License-Identifier: MIT
// Many small requests to one server, as many in flight as it is worth, over connections that are kept.

#ifndef SLO_TOKENS_REQUEST_POOL_HPP
#define SLO_TOKENS_REQUEST_POOL_HPP

#include <slo/base/clock.hpp>
#include <slo/base/error.hpp>
#include <slo/base/shown_url.hpp>
#include <slo/net/event_loop.hpp>
#include <slo/net/http.hpp>
#include <slo/net/transport.hpp>
#include <slo/wire/api_error.hpp>
#include <slo/wire/retry_after.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace slo::tokens {

/// Bounds of a pool.
struct PoolOptions {
    int connections = 64; ///< requests in flight
    double connect_timeout_s = 10;
    double request_timeout_s = 120;
    std::size_t max_answer_bytes = std::size_t{16} << 20;
    int max_attempts = 6;       ///< of a request that a busy server (429, 503) turns away
    double first_wait_s = 0.25; ///< before the second attempt, where the server names no time; then doubled
    double longest_wait_s = 30; ///< a server that asks for more is given up
    net::TlsOptions tls{};
};

/// Sends requests and hands out the answers. What a busy server turns away, and what a broken connection
/// takes along, is sent again; whatever else goes wrong is an error.
class RequestPool {
public:
    /// `base`: the URL that paths are added to. `key` goes out as a bearer token. Throws UsageError for a bad
    /// URL, Error.
    RequestPool(std::string base, const std::string& key, const PoolOptions& options)
        : base_(std::move(base)), options_(options), authorization_("Authorization: Bearer " + key),
          timer_(loop_, [this] { send_waiting(); })
    {
        try {
            net::parse_url(base_);
        } catch (const Error& error) {
            throw UsageError(shown_url(base_), error.what());
        }
        if (base_.find_first_of("?#") != std::string::npos)
            throw UsageError(shown_url(base_), "paths are added to this URL: it can have no query");
        net::TransportOptions how;
        how.limits.connect_timeout_s = options.connect_timeout_s;
        how.limits.request_timeout_s = options.request_timeout_s;
        how.limits.max_answer_bytes = options.max_answer_bytes;
        how.tls = options.tls;
        transport_ = net::make_transport(net::TransportKind::automatic, base_, how, loop_);
    }
    RequestPool(const RequestPool&) = delete;
    RequestPool& operator=(const RequestPool&) = delete;

    /// One answer, whatever its status.
    struct Answer {
        int status = 0;
        std::string body;
    };

    /// Sends one request: POST, or GET without a body. Throws Error when no answer comes.
    Answer ask(const std::string& path, const std::string& body)
    {
        Answer answer;
        run(
            path, !body.empty(), 1, [&](std::size_t) { return body; },
            [&](std::size_t, int status, std::string_view text) {
                answer = {status, std::string(text)};
            });
        return answer;
    }

    /// POSTs `count` bodies, made when their turn comes, and hands over each answer as it comes, in any
    /// order. Throws Error, naming the URL, for an answer that is no success, and for what `on_answer` calls
    /// wrong with an InputError.
    void post_all(const std::string& path, std::size_t count,
                  const std::function<std::string(std::size_t)>& make_body,
                  const std::function<void(std::size_t, std::string_view)>& on_answer)
    {
        run(path, true, count, make_body, [&](std::size_t index, int status, std::string_view body) {
            if (status < 200 || status > 299)
                throw Error(shown(path), wire::http_error_text(status, body));
            try {
                on_answer(index, body);
            } catch (const InputError& error) {
                throw Error(shown(path), error.what());
            }
        });
    }

    /// A URL of this server, for messages.
    std::string shown(const std::string& path) const { return shown_url(base_ + path); }

    /// Requests sent so far, those sent again included.
    std::uint64_t sent() const noexcept { return sent_; }

private:
    using MakeBody = std::function<std::string(std::size_t)>;
    using OnAnswer = std::function<void(std::size_t, int, std::string_view)>;

    struct Run {
        std::string url;
        bool post;
        std::size_t count;
        const MakeBody& make_body;
        const OnAnswer& on_answer;
        std::size_t next = 0;
        std::size_t done = 0;
    };

    class Flight final : public net::HttpEvents {
    public:
        explicit Flight(RequestPool& pool) : pool_(pool) {}

        void on_sent(std::int64_t) override {}
        void on_head(const net::HttpHead& head) override
        {
            retry_after_s = wire::retry_after_s(head.retry_after, head.date);
        }
        void on_data(std::int64_t, std::string_view bytes) override { answer.append(bytes); }
        void on_done(const net::HttpResult& result) override { pool_.on_done(*this, result); }

        std::size_t index = 0;
        int attempts = 0;
        std::int64_t due_ns = 0; // waits to be sent again; 0: does not wait
        std::string body;
        std::string answer;
        std::optional<double> retry_after_s;

    private:
        RequestPool& pool_;
    };

    void run(const std::string& path, bool post, std::size_t count, const MakeBody& make_body,
             const OnAnswer& on_answer)
    {
        Run run{base_ + path, post, count, make_body, on_answer};
        run_ = &run;
        const struct Ended {
            RequestPool& pool;
            ~Ended() { pool.give_up(); }
        } ended{*this};
        const auto width =
            std::min(count, static_cast<std::size_t>(std::clamp(options_.connections, 1, 4096)));
        while (flights_.size() < width) {
            flights_.push_back(std::make_unique<Flight>(*this));
            begin(*flights_.back());
        }
        while (run.done < count)
            loop_.run_once();
    }

    void give_up() noexcept
    {
        timer_.clear();
        for (const auto& flight : flights_)
            transport_->cancel(*flight);
        flights_.clear();
        run_ = nullptr;
    }

    void begin(Flight& flight)
    {
        if (run_->next == run_->count)
            return;
        flight.index = run_->next++;
        flight.attempts = 0;
        flight.body = run_->make_body(flight.index);
        send(flight);
    }

    void send(Flight& flight)
    {
        flight.answer.clear();
        flight.retry_after_s.reset();
        flight.due_ns = 0;
        ++flight.attempts;
        ++sent_;
        transport_->submit({run_->url, {authorization_, content_type_}, flight.body, run_->post}, flight);
    }

    void on_done(Flight& flight, const net::HttpResult& result)
    {
        const bool broke = result.ending == net::Ending::reset || result.ending == net::Ending::cut;
        if (broke && flight.attempts < 3)
            return send(flight);
        if (result.ending != net::Ending::complete)
            throw Error(shown_url(run_->url), result.message);
        if (result.status == 429 || result.status == 503) {
            const auto wait_s =
                flight.retry_after_s.value_or(std::ldexp(options_.first_wait_s, flight.attempts - 1));
            if (flight.attempts < options_.max_attempts && wait_s <= options_.longest_wait_s) {
                flight.due_ns = monotonic_ns() + to_ns(wait_s);
                return timer_.set_no_later(flight.due_ns);
            }
        }
        run_->on_answer(flight.index, result.status, flight.answer);
        ++run_->done;
        begin(flight);
    }

    void send_waiting()
    {
        const auto now_ns = monotonic_ns();
        for (const auto& flight : flights_) {
            if (flight->due_ns == 0)
                continue;
            if (flight->due_ns <= now_ns)
                send(*flight);
            else
                timer_.set_no_later(flight->due_ns);
        }
    }

    std::string base_;
    PoolOptions options_;
    std::string authorization_;
    std::string content_type_ = "Content-Type: application/json";
    net::EventLoop loop_;
    net::Timer timer_;
    std::unique_ptr<net::HttpTransport> transport_;
    std::vector<std::unique_ptr<Flight>> flights_;
    Run* run_ = nullptr;
    std::uint64_t sent_ = 0;
};

} // namespace slo::tokens

#endif
