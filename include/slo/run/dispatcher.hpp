// SPDX-License-Identifier: MIT
// The requests of a run that are due and have not ended: on the wire, or waiting for their conversation.

#ifndef SLO_RUN_DISPATCHER_HPP
#define SLO_RUN_DISPATCHER_HPP

#include <slo/base/clock.hpp>
#include <slo/net/http.hpp>
#include <slo/plan/sequencer.hpp>
#include <slo/record/request.hpp>
#include <slo/run/client_monitor.hpp>
#include <slo/run/flight.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace slo::run {

/// Who hears of the requests that a Dispatcher sends.
class DispatchListener {
public:
    virtual ~DispatchListener() = default;
    /// A request is handed to a socket for the first time (monotonic ns).
    virtual void request_sent(std::int64_t at_ns) = 0;
    /// A request came to its end, whichever.
    virtual void request_ended(record::Request&& request) = 0;
    /// The last request that was under way has ended by itself. May launch.
    virtual void nothing_under_way() = 0;
};

/// Sends requests at once, or in the order of their conversations, and gives every one an end.
class Dispatcher final : private FlightOwner {
public:
    static constexpr std::int64_t no_deadline = std::numeric_limits<std::int64_t>::max();

    /// All that is given must outlive it. `serialize`: a request waits for the one before in its
    /// conversation.
    Dispatcher(const FlightPlan& plan, bool serialize, net::HttpTransport& transport, ClientMonitor& monitor,
               DispatchListener& listener)
        : plan_(plan), serialize_(serialize), transport_(transport), monitor_(monitor), listener_(listener)
    {
    }

    /// A request is due at `due_ns` (monotonic): sends it, or lets it wait. `body` must outlive the request;
    /// `record` brings id, conv_id, round and due_s.
    void launch(std::string_view body, record::Request record, std::int64_t due_ns)
    {
        FlightOwner& owner = *this;
        auto flight = std::make_unique<Flight>(owner, plan_, body, std::move(record));
        auto* const key = flight.get();
        flights_.emplace(key, std::move(flight));
        if (!serialize_ || sequencer_.may_send(key->record().conv_id, key))
            dispatch(*key, due_ns);
    }

    /// What is handed over after this moment (monotonic) has missed its window.
    void set_deadline(std::int64_t at_ns) noexcept { deadline_ns_ = at_ns; }

    /// Ends all that is under way: unfinished what was sent, not sent what waits.
    void give_up(std::string_view reason)
    {
        for (auto* flight : sequencer_.give_up())
            flight->never_depart("its turn in the conversation did not come: " + std::string(reason));
        sequencer_ = {};
        auto flights = std::exchange(flights_, {});
        for (auto& [key, flight] : flights) {
            if (flight->record().error_kind == record::ErrorKind::none)
                flight->abandon(transport_, reason);
            listener_.request_ended(flight->take_record());
        }
    }

    /// Requests that have not ended.
    std::size_t under_way() const noexcept { return flights_.size(); }

private:
    void dispatch(Flight& flight, std::int64_t ready_ns)
    {
        handed_over_ns_ = 0;
        flight.depart(transport_); // may end the flight
        // On a kept connection the bytes are out already; the time a new connection takes is not ours.
        const auto handed_over_ns = handed_over_ns_ != 0 ? handed_over_ns_ : monotonic_ns();
        monitor_.dispatched(to_seconds(std::max<std::int64_t>(0, handed_over_ns - ready_ns)));
        if (handed_over_ns > deadline_ns_)
            monitor_.missed();
        monitor_.in_flight(static_cast<std::int64_t>(transport_.in_flight()));
    }

    void flight_sent(Flight&, std::int64_t at_ns) override
    {
        handed_over_ns_ = at_ns;
        listener_.request_sent(at_ns);
    }

    void flight_ended(Flight& flight, net::Ending ending) override
    {
        if (ending == net::Ending::local)
            monitor_.missed();
        auto request = flight.take_record();
        flights_.erase(&flight);
        const auto next = serialize_ ? sequencer_.finished(request.conv_id) : std::nullopt;
        listener_.request_ended(std::move(request));
        if (next)
            dispatch(**next, monotonic_ns());
        else if (flights_.empty())
            listener_.nothing_under_way();
    }

    const FlightPlan& plan_;
    bool serialize_;
    net::HttpTransport& transport_;
    ClientMonitor& monitor_;
    DispatchListener& listener_;
    plan::Sequencer<Flight*> sequencer_;
    std::unordered_map<Flight*, std::unique_ptr<Flight>> flights_;
    std::int64_t deadline_ns_ = no_deadline;
    std::int64_t handed_over_ns_ = 0;
};

} // namespace slo::run

#endif
