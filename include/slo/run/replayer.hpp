// SPDX-License-Identifier: MIT
// Sends the rows of a route at their due times and accounts for every one of them.

#ifndef SLO_RUN_REPLAYER_HPP
#define SLO_RUN_REPLAYER_HPP

#include <slo/base/clock.hpp>
#include <slo/base/random.hpp>
#include <slo/net/event_loop.hpp>
#include <slo/net/http.hpp>
#include <slo/record/route_load.hpp>
#include <slo/run/client_monitor.hpp>
#include <slo/run/collector.hpp>
#include <slo/run/dispatcher.hpp>
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
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace slo::run {

/// One run, on one thread. Requests are dispatched by absolute due times, so that a late one delays no other;
/// a finished window is handed on while the run goes on.
class Replayer final : private DispatchListener {
public:
    /// `flights` must hold URL and headers; rows stay where they are. Nothing is sent before run().
    Replayer(const ReplayPlan& plan, const std::vector<record::LoadedRow>& rows, FlightPlan flights,
             std::uint64_t seed, net::EventLoop& loop, net::HttpTransport& transport, Collector::Sink sink)
        : plan_(plan), rows_(rows), flight_plan_(std::move(flights)), ids_(seed), loop_(loop),
          transport_(transport), sink_(std::move(sink)), monitor_(smallest_slo_s(plan)),
          dispatcher_(flight_plan_, plan.serialize_conversations, transport, monitor_, *this),
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
        if (ended_ || !collector_)
            return;
        interrupted_ = true;
        collector_->flag("interrupted");
        dispatcher_.give_up("the run was interrupted");
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
        now.due = due_;
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
        dispatcher_.set_deadline(window_end_ns());
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
            end_exhausted(due_ns);
            return;
        }
        const auto& row = rows_[next_row_++];
        ++next_;
        // An id for each row of the whole run: those of its shards have none in common.
        auto id = ids_.next();
        if (!plan_.shard.keeps(row.conv_id, row.line))
            return;
        ++due_;
        monitor_.due();
        record::Request request;
        request.id = std::move(id);
        request.conv_id = row.conv_id;
        request.round = first_number_ + window_;
        request.due_s = to_seconds(due_ns - flight_plan_.start_ns);
        collector_->due(request.round);
        dispatcher_.launch(row.text, std::move(request), due_ns);
    }

    void request_sent(std::int64_t at_ns) override
    {
        collector_->sent(to_seconds(at_ns - flight_plan_.start_ns));
    }

    void request_ended(record::Request&& request) override
    {
        ++ended_by_status_[static_cast<std::size_t>(request.status)];
        if (first_error_.empty() && request.error_kind != record::ErrorKind::cancelled)
            first_error_ = request.error;
        collector_->end(std::move(request));
    }

    void nothing_under_way() override { end_segment_if_drained(); }

    void end_window()
    {
        exhausted_ = route_ends_with_window();
        close_window(schedule_->window_s(), exhausted_);
        if (exhausted_ || window_ == schedule_->windows())
            drain();
    }

    // True when the run wants a row at the end of the current window, and there is none.
    bool route_ends_with_window() const
    {
        constexpr std::int64_t rounding_ns = 1000;
        if (next_row_ < rows_.size())
            return false;
        if (next_ < schedule_->size())
            return at_ns(schedule_->due_s(next_)) - window_end_ns() < rounding_ns;
        return plan_.max_rounds && window_ + 1 == schedule_->windows() &&
               first_number_ + window_ < *plan_.max_rounds;
    }

    // Ends the current window early, at a moment that lies in it: there is no row for it.
    void end_exhausted(std::int64_t at_moment_ns)
    {
        exhausted_ = true;
        close_window(to_seconds(at_moment_ns - window_start_ns()), true);
        drain();
    }

    void close_window(double duration_s, bool route_exhausted = false)
    {
        if (duration_s <= 0)
            return;
        const double start_s = to_seconds(window_start_ns() - flight_plan_.start_ns);
        auto window = make_window(plan_, first_number_ + window_, start_s, duration_s);
        window.client = monitor_.take(monotonic_ns(), process_cpu_ns(), loop_.take_longest_turn_ns());
        if (route_exhausted)
            window.flags.push_back("route_exhausted");
        ++window_;
        dispatcher_.set_deadline(window_end_ns());
        collector_->close(std::move(window));
    }

    void drain()
    {
        sending_ = false;
        dispatcher_.set_deadline(Dispatcher::no_deadline);
        drain_timer_.set(monotonic_ns() + to_ns(plan_.drain_timeout_s));
        end_segment_if_drained();
    }

    void on_drain_timeout()
    {
        dispatcher_.give_up("not finished within the drain timeout");
        end_segment_if_drained();
    }

    void end_segment_if_drained()
    {
        if (sending_ || ended_ || dispatcher_.under_way() > 0)
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
    Dispatcher dispatcher_;
    std::optional<stats::Schedule> schedule_;
    std::optional<Collector> collector_;
    net::Timer timer_;
    net::Timer drain_timer_;
    std::array<std::int64_t, record::request_status_names.size()> ended_by_status_{};
    std::string first_error_;
    std::int64_t segment_start_ns_ = 0;
    std::int64_t due_ = 0; // so far, of this shard
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
