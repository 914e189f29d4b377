// SPDX-License-Identifier: MIT
// The requests of a run that are due and have not ended: on the wire, or waiting for their turn.

#ifndef SLO_RUN_DISPATCHER_HPP
#define SLO_RUN_DISPATCHER_HPP

#include <slo/base/clock.hpp>
#include <slo/base/text.hpp>
#include <slo/net/event_loop.hpp>
#include <slo/net/http.hpp>
#include <slo/plan/retry_policy.hpp>
#include <slo/plan/sequencer.hpp>
#include <slo/record/request.hpp>
#include <slo/run/client_monitor.hpp>
#include <slo/run/flight.hpp>
#include <slo/run/flight_pool.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace slo::run {

/// Who hears of the requests that a Dispatcher sends.
class DispatchListener {
public:
    virtual ~DispatchListener() = default;
    /// A request is handed to a socket for the first time (monotonic ns).
    virtual void request_sent(std::int64_t at_ns) = 0;
    /// A request came to its end, whichever. Must not launch.
    virtual void request_ended(record::Request&& request) = 0;
    /// A request has ended by itself at `end_ns`, which may be a while ago. May launch.
    virtual void request_made_room(bool succeeded, std::int64_t end_ns) = 0;
};

/// When a request that is due may go out, and how long it may take.
struct DispatchRules {
    bool serialize = false;                   ///< it waits for the one before in its conversation
    std::size_t max_in_flight = 0;            ///< it waits while so many are on the wire; 0: it never does
    double first_token_timeout_s = 0;         ///< from its sending to its first token; 0: no limit
    std::optional<plan::RetryPolicy> retries; ///< it goes out again when it was refused for now
    double request_timeout_s = 600;           ///< no retry begins later than this after its due time
};

/// Sends requests at once, or when it is their turn, and gives every one an end.
class Dispatcher final : private FlightOwner {
public:
    static constexpr std::int64_t no_deadline = std::numeric_limits<std::int64_t>::max();

    /// All that is given by reference must outlive it.
    Dispatcher(const FlightPlan& plan, const DispatchRules& rules, net::EventLoop& loop,
               net::HttpTransport& transport, ClientMonitor& monitor, DispatchListener& listener)
        : plan_(plan), rules_(rules), transport_(transport), monitor_(monitor), listener_(listener),
          flights_(*this, plan), token_timer_(loop, [this] { end_without_token(); }),
          retry_timer_(loop, [this] { send_again(); })
    {
    }

    /// A request is due at `due_ns` (monotonic): sends it, or lets it wait. `body` must outlive the request;
    /// `record` brings id, conv_id, round and due_s.
    void launch(std::string_view body, record::Request record, std::int64_t due_ns)
    {
        auto& flight = flights_.take();
        flight.begin(body, std::move(record));
        if (!rules_.serialize || sequencer_.may_send(flight.record().conv_id, &flight))
            dispatch_or_queue(flight, due_ns);
    }

    /// What is handed over after this moment (monotonic) has missed its window.
    void set_deadline(std::int64_t at_ns) noexcept { deadline_ns_ = at_ns; }

    /// Ends all that is under way: unfinished what was sent, not sent what waits.
    void give_up(std::string_view reason)
    {
        for (auto* flight : sequencer_.give_up())
            flight->never_depart("its turn in the conversation did not come: " + std::string(reason));
        sequencer_ = {};
        for (auto* flight : std::exchange(queue_, {}))
            if (flight->record().retries == 0)
                flight->never_depart("too many were in flight: " + std::string(reason));
        awaited_.clear();
        refused_.clear();
        on_wire_ = 0;
        monitor_.in_flight(0);
        for (auto* flight : flights_.take_back_all()) {
            if (flight->record().error_kind == record::ErrorKind::none)
                flight->abandon(transport_, net::Ending::cancelled, reason);
            listener_.request_ended(flight->take_record());
        }
    }

    /// Requests that have not ended.
    std::size_t under_way() const noexcept { return flights_.in_use(); }

    /// Requests that are on the wire.
    std::size_t on_wire() const noexcept { return on_wire_; }

private:
    // A flight that must have a token by a certain moment; it may have ended since, and be another's.
    struct Awaited {
        std::int64_t deadline_ns;
        Flight* flight;
        std::uint64_t voyage;
    };

    void dispatch_or_queue(Flight& flight, std::int64_t ready_ns)
    {
        const bool no_room = on_wire_ >= rules_.max_in_flight || !queue_.empty();
        if (rules_.max_in_flight > 0 && no_room)
            queue_.push_back(&flight);
        else
            dispatch(flight, ready_ns);
    }

    void dispatch(Flight& flight, std::int64_t ready_ns)
    {
        handed_over_ns_ = 0;
        missed_ = false;
        const bool is_first = flight.record().retries == 0;
        ++on_wire_;
        monitor_.in_flight(static_cast<std::int64_t>(on_wire_));
        flight.depart(transport_); // may end the flight, and begin another
        // On a kept connection the bytes are out already; the time a new connection takes is not ours.
        const auto handed_over_ns = handed_over_ns_ != 0 ? handed_over_ns_ : monotonic_ns();
        monitor_.dispatched(to_seconds(std::max<std::int64_t>(0, handed_over_ns - ready_ns)));
        if (is_first && handed_over_ns > deadline_ns_ && !missed_)
            monitor_.missed();
    }

    void flight_sent(Flight& flight, std::int64_t at_ns) override
    {
        handed_over_ns_ = at_ns;
        if (flight.record().retries == 0)
            listener_.request_sent(at_ns);
        if (rules_.first_token_timeout_s > 0)
            await_token(flight, at_ns);
    }

    void flight_ended(Flight& flight, net::Ending ending) override
    {
        if (ending == net::Ending::local && flight.record().retries == 0) {
            monitor_.missed();
            missed_ = true;
        }
        monitor_.in_flight(static_cast<std::int64_t>(--on_wire_));
        const auto end_ns = plan_.start_ns + to_ns(flight.record().end_s.value_or(0));
        if (rules_.retries && wait_for_retry(flight)) {
            let_next_out(end_ns);
            return;
        }
        auto request = flight.take_record();
        flights_.give_back(flight);
        const bool succeeded = request.status == record::RequestStatus::ok;
        const auto next = rules_.serialize ? sequencer_.finished(request.conv_id) : std::nullopt;
        listener_.request_ended(std::move(request));
        if (next)
            dispatch_or_queue(**next, end_ns);
        let_next_out(end_ns);
        listener_.request_made_room(succeeded, end_ns);
    }

    // `room_ns`: when the room was made. Who waits for it is late from then on.
    void let_next_out(std::int64_t room_ns)
    {
        while (!queue_.empty() && on_wire_ < rules_.max_in_flight) {
            auto& waiting = *queue_.front();
            queue_.pop_front();
            dispatch(waiting, room_ns);
        }
    }

    // False when the answer that ended the flight stands.
    bool wait_for_retry(Flight& flight)
    {
        const auto& record = flight.record();
        const double lasted_s = record.end_s.value_or(0) - record.due_s;
        const auto wait_s = rules_.retries->wait_s(record.http, flight.retry_after_s(), record.retries + 1,
                                                   rules_.request_timeout_s - lasted_s);
        if (!wait_s)
            return false;
        flight.begin_again();
        refused_.emplace(monotonic_ns() + to_ns(*wait_s), &flight);
        retry_timer_.set(refused_.begin()->first);
        return true;
    }

    void send_again()
    {
        while (!refused_.empty()) {
            const auto [at_ns, flight] = *refused_.begin();
            if (at_ns > monotonic_ns()) {
                retry_timer_.set(at_ns);
                return;
            }
            refused_.erase(refused_.begin());
            dispatch_or_queue(*flight, at_ns);
        }
    }

    // Sent in order, so due in order: one queue, one timer.
    void await_token(Flight& flight, std::int64_t sent_ns)
    {
        awaited_.push_back({sent_ns + to_ns(rules_.first_token_timeout_s), &flight, flight.voyage()});
        if (awaited_.size() == 1)
            token_timer_.set(awaited_.front().deadline_ns);
    }

    void end_without_token()
    {
        const auto now_ns = monotonic_ns();
        while (!awaited_.empty()) {
            const auto awaited = awaited_.front();
            const bool settled = awaited.flight->voyage() != awaited.voyage || awaited.flight->has_token();
            if (!settled && awaited.deadline_ns > now_ns) {
                token_timer_.set(awaited.deadline_ns);
                return;
            }
            awaited_.pop_front();
            if (settled)
                continue;
            awaited.flight->abandon(transport_, net::Ending::timeout,
                                    "no token within " + format_double(rules_.first_token_timeout_s) + " s");
            flight_ended(*awaited.flight, net::Ending::timeout);
        }
    }

    const FlightPlan& plan_;
    DispatchRules rules_;
    net::HttpTransport& transport_;
    ClientMonitor& monitor_;
    DispatchListener& listener_;
    FlightPool flights_;
    plan::Sequencer<Flight*> sequencer_;
    std::deque<Flight*> queue_; // for room on the wire
    std::deque<Awaited> awaited_;
    std::multimap<std::int64_t, Flight*> refused_; // by the moment of their next attempt
    net::Timer token_timer_;
    net::Timer retry_timer_;
    std::int64_t deadline_ns_ = no_deadline;
    std::int64_t handed_over_ns_ = 0;
    std::size_t on_wire_ = 0;
    bool missed_ = false; // the request that is being dispatched
};

} // namespace slo::run

#endif
