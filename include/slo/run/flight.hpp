// SPDX-License-Identifier: MIT
// One request on its way: what the transport reports of it becomes its record.

#ifndef SLO_RUN_FLIGHT_HPP
#define SLO_RUN_FLIGHT_HPP

#include <slo/base/clock.hpp>
#include <slo/net/http.hpp>
#include <slo/plan/request_body.hpp>
#include <slo/plan/trace_context.hpp>
#include <slo/record/request.hpp>
#include <slo/run/outcome.hpp>
#include <slo/wire/answer_reader.hpp>
#include <slo/wire/retry_after.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace slo::run {

class Flight;

/// Who sent a flight and hears of it.
class FlightOwner {
public:
    virtual ~FlightOwner() = default;
    /// The request is handed to a socket, once an attempt; retries of its record says which.
    virtual void flight_sent(Flight& flight, std::int64_t at_ns) = 0;
    /// The record is complete; the flight may be destroyed here.
    virtual void flight_ended(Flight& flight, net::Ending ending) = 0;
};

/// What all requests of a run have in common.
struct FlightPlan {
    std::string url;
    std::vector<std::string> headers; ///< "Name: value"
    std::int64_t start_ns = 0;        ///< the run's start on the monotonic clock
    bool trace_context = false;       ///< send a traceparent header
};

/// The kind of error that an ending of the transport is; none for a complete answer.
constexpr record::ErrorKind kind_of(net::Ending ending) noexcept
{
    switch (ending) {
    case net::Ending::complete:
        return record::ErrorKind::none;
    case net::Ending::connect:
        return record::ErrorKind::connect;
    case net::Ending::tls:
        return record::ErrorKind::tls;
    case net::Ending::reset:
        return record::ErrorKind::reset;
    case net::Ending::cut:
        return record::ErrorKind::truncated;
    case net::Ending::timeout:
        return record::ErrorKind::timeout;
    case net::Ending::local:
        return record::ErrorKind::client;
    case net::Ending::cancelled:
        return record::ErrorKind::cancelled;
    case net::Ending::protocol:
    case net::Ending::too_large:
        break;
    }
    return record::ErrorKind::protocol;
}

/// A request from the moment it is due until its record is complete. Used for one request after the other.
class Flight final : public net::HttpEvents {
public:
    /// Both must outlive it.
    Flight(FlightOwner& owner, const FlightPlan& plan) : owner_(owner), plan_(plan) {}
    Flight(const Flight&) = delete;
    Flight& operator=(const Flight&) = delete;

    /// Becomes the flight of another request. `body` must outlive it; `record` brings id, conv_id, round and
    /// due_s.
    void begin(std::string_view body, record::Request record)
    {
        body_ = body;
        record_ = std::move(record);
        begin_attempt();
        id_header_.assign("X-Request-Id: ").append(record_.id);
        trace_header_.clear();
        if (plan_.trace_context)
            trace_header_.append("traceparent: ").append(plan::traceparent(record_.id));
        conversation_header_.clear();
        if (!record_.conv_id.empty())
            conversation_header_.append("X-Flow-Conversation-Id: ")
                .append(plan::conversation_header(record_.conv_id));
    }

    /// Makes it ready for another attempt, after one that ended: what became of that stands among the
    /// attempts of the record.
    void begin_again()
    {
        ++voyage_;
        record::Request again;
        again.id = std::move(record_.id);
        again.conv_id = std::move(record_.conv_id);
        again.round = record_.round;
        again.due_s = record_.due_s;
        again.sent_s = record_.sent_s;
        again.retries = record_.retries + 1;
        again.reconnects = record_.reconnects;
        again.attempts = std::move(record_.attempts);
        again.attempts.push_back({attempt_sent_s_, record_.end_s, record_.http, retry_after_s_});
        record_ = std::move(again);
        begin_attempt();
    }

    /// What the server asked for when it refused the last attempt, in seconds.
    std::optional<double> retry_after_s() const noexcept { return retry_after_s_; }

    /// Hands the request to the transport. The flight may be over when this returns.
    void depart(net::HttpTransport& transport)
    {
        request_.url = plan_.url;
        request_.body = body_;
        request_.headers.assign(plan_.headers.begin(), plan_.headers.end());
        request_.headers.push_back(id_header_);
        if (!trace_header_.empty())
            request_.headers.push_back(trace_header_);
        if (!conversation_header_.empty())
            request_.headers.push_back(conversation_header_);
        transport.submit(request_, *this);
    }

    /// Gives up what is on the wire; its record is complete then.
    void abandon(net::HttpTransport& transport, net::Ending ending, std::string_view reason)
    {
        transport.cancel(*this);
        conclude(ending, reason, monotonic_ns());
    }

    /// Gives up before anything was sent.
    void never_depart(std::string_view reason)
    {
        record_.status = record::RequestStatus::not_sent;
        record_.error_kind = record::ErrorKind::client;
        record_.error = std::string(reason);
    }

    const record::Request& record() const noexcept { return record_; }
    record::Request take_record() noexcept
    {
        ++voyage_;
        return std::move(record_);
    }

    /// Which of the attempts that it makes one after the other, of one request or of several, it is on.
    std::uint64_t voyage() const noexcept { return voyage_; }

    /// True once an event of the answer carried text.
    bool has_token() const noexcept { return reader_.answer().first_token_s().has_value(); }

    void on_sent(std::int64_t at_ns) override
    {
        if (attempt_sent_s_)
            return; // a replaced connection: it was sent when it was first handed over
        attempt_sent_s_ = since_start(at_ns);
        if (!record_.sent_s)
            record_.sent_s = attempt_sent_s_;
        owner_.flight_sent(*this, at_ns);
    }

    void on_head(const net::HttpHead& head) override
    {
        reader_.begin(head.status, head.content_type);
        if (!head.retry_after.empty())
            retry_after_s_ = wire::retry_after_s(head.retry_after, head.date, wall_clock_s());
    }

    void on_data(std::int64_t at_ns, std::string_view bytes) override
    {
        reader_.feed(bytes, since_start(at_ns));
    }

    void on_done(const net::HttpResult& result) override
    {
        record_.reconnects += result.reconnects;
        conclude(result.ending, result.message, result.end_ns);
        owner_.flight_ended(*this, result.ending);
    }

    std::size_t place = 0; ///< for FlightPool

private:
    void begin_attempt()
    {
        reader_ = wire::AnswerReader();
        attempt_sent_s_.reset();
        retry_after_s_.reset();
    }

    double since_start(std::int64_t at_ns) const noexcept { return to_seconds(at_ns - plan_.start_ns); }

    void conclude(net::Ending ending, std::string_view message, std::int64_t end_ns)
    {
        const double end_s = since_start(end_ns);
        reader_.end(ending == net::Ending::complete);
        record_outcome(record_, reader_, kind_of(ending), message, end_s);
        if (ending == net::Ending::local && !record_.sent_s)
            record_.status = record::RequestStatus::not_sent;
    }

    FlightOwner& owner_;
    const FlightPlan& plan_;
    std::uint64_t voyage_ = 0;
    std::string_view body_;
    record::Request record_;
    net::HttpRequest request_;
    std::optional<double> attempt_sent_s_;
    std::optional<double> retry_after_s_;
    std::string id_header_;
    std::string trace_header_;
    std::string conversation_header_;
    wire::AnswerReader reader_;
};

} // namespace slo::run

#endif
