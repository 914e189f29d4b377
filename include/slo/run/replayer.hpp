// SPDX-License-Identifier: MIT
// Sends the rows of a route at their due times and accounts for every one of them.

#ifndef SLO_RUN_REPLAYER_HPP
#define SLO_RUN_REPLAYER_HPP

#include <slo/base/clock.hpp>
#include <slo/base/random.hpp>
#include <slo/net/event_loop.hpp>
#include <slo/net/http.hpp>
#include <slo/plan/sequencer.hpp>
#include <slo/record/route_load.hpp>
#include <slo/run/client_monitor.hpp>
#include <slo/run/collector.hpp>
#include <slo/run/flight.hpp>
#include <slo/run/replay_options.hpp>
#include <slo/run/replay_progress.hpp>
#include <slo/run/replay_schedule.hpp>
#include <slo/run/request_id.hpp>
#include <slo/stats/schedule.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace slo::run {

/// One run, on one thread. Requests are dispatched by absolute due times, so that a late one delays no other;
/// a finished window is handed on while the run goes on.
class Replayer final : private FlightOwner {
public:
    /// `flights` must hold URL and headers; rows stay where they are. Nothing is sent before run().
    Replayer(const ReplayPlan& plan, const std::vector<record::LoadedRow>& rows, FlightPlan flights,
             std::uint64_t seed, net::EventLoop& loop, net::HttpTransport& transport, Collector::Sink sink)
        : plan_(plan), rows_(rows), flight_plan_(std::move(flights)), ids_(seed), loop_(loop),
          transport_(transport), sink_(std::move(sink)), monitor_(smallest_slo_s(plan)),
          timer_(loop, [this] { on_time(); }), drain_timer_(loop, [this] { on_drain_timeout(); })
    {
    }

    /// Runs to the end. What a handler in the loop throws goes through.
    void run(std::int64_t start_ns)
    {
        flight_plan_.start_ns = start_ns;
        loop_.take_longest_turn_ns();
        begin_segment(start_ns);
        if (!ended_)
            loop_.run();
    }

    /// Ends the run now, from a handler in the loop: nothing more is sent, what is in flight is given up,
    /// what has been measured is handed on.
    void interrupt()
    {
        if (ended_)
            return;
        interrupted_ = true;
        collector_->flag("interrupted");
        give_up("the run was interrupted");
        if (std::exchange(sending_, false))
            close_window(to_seconds(monotonic_ns() - window_start_ns()));
        end();
    }

    bool interrupted() const noexcept { return interrupted_; }

    /// True when the route ended before the rounds that were asked for did.
    bool exhausted() const noexcept { return exhausted_; }

    /// What went wrong with the first request that failed; empty when none did.
    const std::string& first_error() const noexcept { return first_error_; }

    ReplayProgress progress() const
    {
        ReplayProgress now;
        now.elapsed_s = std::max(0.0, to_seconds(monotonic_ns() - flight_plan_.start_ns));
        now.rounds = plan_.max_rounds;
        if (!now.rounds && plan_.mode == ReplayMode::timestamp && schedule_)
            now.rounds = schedule_->windows();
        now.planned_s = plan_.round_duration_s * now.rounds.value_or(0);
        now.round = std::min(first_number_ + window_, now.rounds.value_or(std::numeric_limits<int>::max()));
        now.due = static_cast<std::int64_t>(next_row_);
        now.ended = ended_by_status_;
        now.in_flight = transport_.in_flight();
        return now;
    }

private:
    // A segment is what has one start: the whole run, or one round of those that drain.
    void begin_segment(std::int64_t start_ns)
    {
        segment_start_ns_ = start_ns;
        schedule_.emplace(make_schedule(plan_, rows_));
        next_ = 0;
        window_ = 0;
        collector_.emplace(to_seconds(start_ns - flight_plan_.start_ns), schedule_->window_s(), first_number_,
                           schedule_->windows(), sink_);
        sending_ = true;
        monitor_.begin(start_ns, process_cpu_ns());
        on_time();
    }

    std::int64_t at_ns(double segment_s) const noexcept { return segment_start_ns_ + to_ns(segment_s); }
    std::int64_t window_start_ns() const noexcept { return at_ns(schedule_->start_s(window_)); }
    std::int64_t window_end_ns() const noexcept { return at_ns(schedule_->start_s(window_ + 1)); }

    // Due times and window ends in the order in which they come, all that have passed.
    void on_time()
    {
        while (sending_) {
            const auto due_ns = next_ < schedule_->size() ? at_ns(schedule_->due_s(next_))
                                                          : std::numeric_limits<std::int64_t>::max();
            const auto end_ns = window_end_ns();
            const auto moment_ns = std::min(due_ns, end_ns);
            if (moment_ns > monotonic_ns()) {
                timer_.set(moment_ns);
                return;
            }
            if (end_ns <= due_ns)
                end_window();
            else
                fall_due(due_ns);
        }
    }

    void fall_due(std::int64_t due_ns)
    {
        if (next_row_ == rows_.size()) {
            exhausted_ = true;
            stop_sending(due_ns);
            return;
        }
        const auto& row = rows_[next_row_++];
        ++next_;
        monitor_.due();
        record::Request request;
        request.id = ids_.next();
        request.conv_id = row.conv_id;
        request.round = first_number_ + window_;
        request.due_s = to_seconds(due_ns - flight_plan_.start_ns);
        collector_->due(request.round);
        FlightOwner& owner = *this;
        auto flight = std::make_unique<Flight>(owner, flight_plan_, row.text, std::move(request));
        auto* const key = flight.get();
        flights_.emplace(key, std::move(flight));
        if (!plan_.serialize_conversations || sequencer_.may_send(row.conv_id, key))
            dispatch(*key, due_ns);
    }

    void dispatch(Flight& flight, std::int64_t ready_ns)
    {
        handed_over_ns_ = 0;
        flight.depart(transport_); // may end the flight
        // On a kept connection the bytes are out already; the time a new connection takes is not ours.
        const auto handed_over_ns = handed_over_ns_ != 0 ? handed_over_ns_ : monotonic_ns();
        monitor_.dispatched(to_seconds(std::max<std::int64_t>(0, handed_over_ns - ready_ns)));
        if (sending_ && handed_over_ns > window_end_ns())
            monitor_.missed();
        monitor_.in_flight(static_cast<std::int64_t>(transport_.in_flight()));
    }

    void flight_sent(Flight&, std::int64_t at_ns) override
    {
        handed_over_ns_ = at_ns;
        collector_->sent(to_seconds(at_ns - flight_plan_.start_ns));
    }

    void flight_ended(Flight& flight, net::Ending ending) override
    {
        if (ending == net::Ending::local)
            monitor_.missed();
        const auto conv_id = flight.record().conv_id;
        collect(flight);
        flights_.erase(&flight);
        if (plan_.serialize_conversations) {
            if (const auto next = sequencer_.finished(conv_id))
                dispatch(**next, monotonic_ns());
        }
        end_segment_if_drained();
    }

    void collect(Flight& flight)
    {
        auto request = flight.take_record();
        ++ended_by_status_[static_cast<std::size_t>(request.status)];
        if (first_error_.empty() && request.error_kind != record::ErrorKind::cancelled)
            first_error_ = request.error;
        collector_->end(std::move(request));
    }

    void end_window()
    {
        close_window(schedule_->window_s());
        if (window_ == schedule_->windows())
            drain();
    }

    // Ends the current window early, at a moment that lies in it.
    void stop_sending(std::int64_t at_moment_ns)
    {
        const double duration_s = to_seconds(at_moment_ns - window_start_ns());
        if (monitor_.any_due())
            close_window(duration_s, {"route_exhausted"});
        drain();
    }

    void close_window(double duration_s, std::vector<std::string> flags = {})
    {
        if (duration_s <= 0)
            return;
        const double start_s = to_seconds(window_start_ns() - flight_plan_.start_ns);
        auto window = make_window(plan_, first_number_ + window_, start_s, duration_s);
        window.client = monitor_.take(monotonic_ns(), process_cpu_ns(), loop_.take_longest_turn_ns());
        window.flags = std::move(flags);
        ++window_;
        collector_->close(std::move(window));
    }

    void drain()
    {
        sending_ = false;
        drain_timer_.set(monotonic_ns() + to_ns(plan_.drain_timeout_s));
        end_segment_if_drained();
    }

    void on_drain_timeout()
    {
        give_up("not finished within the drain timeout");
        end_segment_if_drained();
    }

    void give_up(std::string_view reason)
    {
        for (auto* flight : sequencer_.give_up())
            flight->never_depart("its turn in the conversation did not come: " + std::string(reason));
        auto flights = std::exchange(flights_, {});
        for (auto& [key, flight] : flights) {
            if (flight->record().error_kind == record::ErrorKind::none)
                flight->abandon(transport_, reason);
            collect(*flight);
        }
        sequencer_ = {};
    }

    void end_segment_if_drained()
    {
        if (sending_ || ended_ || collector_->outstanding() > 0)
            return;
        drain_timer_.clear();
        first_number_ += window_;
        const bool more_wanted = first_number_ <= plan_.max_rounds.value_or(std::numeric_limits<int>::max());
        const bool more_rows = next_row_ < rows_.size();
        if (plan_.mode == ReplayMode::rounds && more_wanted && more_rows && !exhausted_) {
            begin_segment(monotonic_ns());
            return;
        }
        exhausted_ = plan_.max_rounds && (exhausted_ || more_wanted);
        end();
    }

    void end()
    {
        ended_ = true;
        timer_.clear();
        drain_timer_.clear();
        loop_.stop();
    }

    const ReplayPlan& plan_;
    const std::vector<record::LoadedRow>& rows_;
    FlightPlan flight_plan_;
    RequestIds ids_;
    net::EventLoop& loop_;
    net::HttpTransport& transport_;
    Collector::Sink sink_;
    ClientMonitor monitor_;
    plan::Sequencer<Flight*> sequencer_;
    std::optional<stats::Schedule> schedule_;
    std::optional<Collector> collector_;
    std::unordered_map<Flight*, std::unique_ptr<Flight>> flights_;
    net::Timer timer_;
    net::Timer drain_timer_;
    std::array<std::int64_t, record::request_status_names.size()> ended_by_status_{};
    std::string first_error_;
    std::int64_t segment_start_ns_ = 0;
    std::int64_t handed_over_ns_ = 0;
    std::size_t next_row_ = 0;
    std::size_t next_ = 0; // request of the segment
    int window_ = 0;       // of the segment
    int first_number_ = 1; // of the segment's first window
    bool sending_ = false;
    bool exhausted_ = false;
    bool interrupted_ = false;
    bool ended_ = false;
};

} // namespace slo::run

#endif
