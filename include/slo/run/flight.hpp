// SPDX-License-Identifier: MIT
// One request on its way: what the transport reports of it becomes its record.

#ifndef SLO_RUN_FLIGHT_HPP
#define SLO_RUN_FLIGHT_HPP

#include <slo/base/clock.hpp>
#include <slo/net/http.hpp>
#include <slo/plan/request_body.hpp>
#include <slo/record/request.hpp>
#include <slo/run/outcome.hpp>
#include <slo/wire/answer_reader.hpp>

#include <cstdint>
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
    /// The request is handed to a socket for the first time.
    virtual void flight_sent(Flight& flight, std::int64_t at_ns) = 0;
    /// The record is complete; the flight may be destroyed here.
    virtual void flight_ended(Flight& flight, net::Ending ending) = 0;
};

/// What all requests of a run have in common.
struct FlightPlan {
    std::string url;
    std::vector<std::string> headers; ///< "Name: value"
    std::int64_t start_ns = 0;        ///< the run's start on the monotonic clock
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

/// A request from the moment it is due until its record is complete.
class Flight final : public net::HttpEvents {
public:
    /// `body` and `plan` must outlive the flight; `record` brings id, conv_id, round and due_s.
    Flight(FlightOwner& owner, const FlightPlan& plan, std::string_view body, record::Request record)
        : owner_(owner), plan_(plan), body_(body), record_(std::move(record)),
          id_header_("X-Request-Id: " + record_.id)
    {
        if (!record_.conv_id.empty())
            conversation_header_ = "X-Flow-Conversation-Id: " + plan::conversation_header(record_.conv_id);
    }

    /// Hands the request to the transport. The flight may be over when this returns.
    void depart(net::HttpTransport& transport)
    {
        net::HttpRequest request;
        request.url = plan_.url;
        request.body = body_;
        request.headers.assign(plan_.headers.begin(), plan_.headers.end());
        request.headers.push_back(id_header_);
        if (!conversation_header_.empty())
            request.headers.push_back(conversation_header_);
        transport.submit(request, *this);
    }

    /// Gives up what is on the wire; its record is complete then.
    void abandon(net::HttpTransport& transport, std::string_view reason)
    {
        transport.cancel(*this);
        conclude(net::Ending::cancelled, reason, monotonic_ns());
    }

    /// Gives up before anything was sent.
    void never_depart(std::string_view reason)
    {
        record_.status = record::RequestStatus::not_sent;
        record_.error_kind = record::ErrorKind::client;
        record_.error = std::string(reason);
    }

    const record::Request& record() const noexcept { return record_; }
    record::Request take_record() noexcept { return std::move(record_); }

    void on_sent(std::int64_t at_ns) override
    {
        if (record_.sent_s)
            return; // a replaced connection: it was sent when it was first handed over
        record_.sent_s = since_start(at_ns);
        owner_.flight_sent(*this, at_ns);
    }

    void on_head(const net::HttpHead& head) override { reader_.begin(head.status, head.content_type); }

    void on_data(std::int64_t at_ns, std::string_view bytes) override
    {
        reader_.feed(bytes, since_start(at_ns));
    }

    void on_done(const net::HttpResult& result) override
    {
        record_.reconnects = result.reconnects;
        conclude(result.ending, result.message, result.end_ns);
        owner_.flight_ended(*this, result.ending);
    }

private:
    double since_start(std::int64_t at_ns) const noexcept { return to_seconds(at_ns - plan_.start_ns); }

    void conclude(net::Ending ending, std::string_view message, std::int64_t end_ns)
    {
        const double end_s = since_start(end_ns);
        reader_.end(end_s);
        record_outcome(record_, reader_, kind_of(ending), message, end_s);
        if (ending == net::Ending::local && !record_.sent_s)
            record_.status = record::RequestStatus::not_sent;
    }

    FlightOwner& owner_;
    const FlightPlan& plan_;
    std::string_view body_;
    record::Request record_;
    std::string id_header_;
    std::string conversation_header_;
    wire::AnswerReader reader_;
};

} // namespace slo::run

#endif
