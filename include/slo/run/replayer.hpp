// SPDX-License-Identifier: MIT
// Sends the rows of a route at their due times and accounts for every one of them.

#ifndef SLO_RUN_REPLAYER_HPP
#define SLO_RUN_REPLAYER_HPP

#include <slo/base/clock.hpp>
#include <slo/net/event_loop.hpp>
#include <slo/net/http.hpp>
#include <slo/record/route_load.hpp>
#include <slo/run/client_monitor.hpp>
#include <slo/run/collector.hpp>
#include <slo/run/dispatcher.hpp>
#include <slo/run/flight.hpp>
#include <slo/run/lane_counts.hpp>
#include <slo/run/replay_plan.hpp>
#include <slo/run/replay_schedule.hpp>
#include <slo/run/row_source.hpp>
#include <slo/run/run_sink.hpp>
#include <slo/stats/schedule.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace slo::run {

/// What the lanes of a run have to agree on. Each lane calls it on its own thread.
class LanePeers {
public:
    virtual ~LanePeers() = default;
    /// The lane has drained a round; begin_round() is due once all have.
    virtual void round_drained() = 0;
    /// The users of the lane want a row and there is none; comes once. Every lane is to stop_sending() once
    /// the run is to end for it.
    virtual void route_ended() = 0;
};

/// One lane of a run: a part of the conversations, on one thread.
struct LaneContext {
    net::EventLoop& loop;
    net::HttpTransport& transport;
    LanePeers& peers;
    std::uint32_t index = 0; ///< from 0
    std::uint32_t lanes = 1;
};

/// Sends the requests of a lane. They are dispatched by absolute due times, so that a late one delays no
/// other; in a closed loop each user's is due when the user's last one has ended. A finished window is handed
/// on while the run goes on.
class Replayer final : private DispatchListener {
public:
    /// `flights` must hold URL and headers; rows stay where they are. Nothing is sent before run().
    Replayer(const ReplayPlan& plan, const std::vector<record::LoadedRow>& rows, FlightPlan flights,
             std::uint64_t seed, const LaneContext& lane, RunSink& sink)
        : plan_(plan), schedules_(plan, rows), flight_plan_(std::move(flights)),
          source_(rows, plan.shard.part(lane.index, lane.lanes), seed, plan.loop_route), loop_(lane.loop),
          peers_(lane.peers), sink_(sink),
          dispatcher_(flight_plan_, rules_of(plan, lane), lane.loop, lane.transport, monitor_, *this),
          users_(share_of(plan.users, lane)), timer_(lane.loop, [this] { on_time(); }),
          drain_timer_(lane.loop, [this] { on_drain_timeout(); })
    {
    }

    /// Runs to the end. What a handler in the loop throws goes through.
    void run(std::int64_t start_ns)
    {
        flight_plan_.start_ns = start_ns;
        loop_.take_longest_turn_ns();
        begin_round(start_ns);
        if (!ended_)
            loop_.run();
    }

    /// Begins the run, or the next of the rounds that drain: with that many users at work, or by a schedule.
    void begin_round(std::int64_t start_ns)
    {
        if (ended_)
            return; // interrupted, while another lane did not know of it yet
        segment_start_ns_ = start_ns;
        schedule_.emplace(schedules_.next());
        next_ = 0;
        window_ = 0;
        collector_.emplace(to_seconds(start_ns - flight_plan_.start_ns), schedule_->window_s(), first_number_,
                           schedule_->windows(), sink_);
        if (plan_.max_rounds || plan_.mode == ReplayMode::timestamp)
            counts_.set_rounds(plan_.max_rounds.value_or(schedule_->windows()));
        sending_ = true;
        idle_users_ = users_;
        monitor_.begin(start_ns, process_cpu_ns());
        dispatcher_.set_deadline(window_end_ns());
        on_time();
    }

    /// The route has ended: nothing more is sent, what is in flight goes on.
    void stop_sending()
    {
        if (sending_)
            end_exhausted(std::max(monotonic_ns(), window_start_ns()));
    }

    /// Ends the run now, from a handler in the loop: nothing more is sent, what is in flight is given up,
    /// what has been measured is handed on and flagged with the reason: "interrupted", "runaway".
    void interrupt(const std::string& flag)
    {
        if (ended_ || !collector_)
            return;
        collector_->flag(flag);
        dispatcher_.give_up(flag == "interrupted" ? "the run was interrupted" : "the run was given up");
        if (std::exchange(sending_, false))
            close_window(to_seconds(monotonic_ns() - window_start_ns()));
        end();
    }

    /// True when the route ended before the rounds that were asked for did.
    bool exhausted() const noexcept { return exhausted_; }

    bool ended() const noexcept { return ended_; }

    /// What went wrong with the first request that failed; empty when none did.
    const std::string& first_error() const noexcept { return first_error_; }

    /// From any thread.
    const LaneCounts& counts() const noexcept { return counts_; }

private:
    static constexpr auto never_ns = std::numeric_limits<std::int64_t>::max();

    // Of something that all lanes together have, this lane's part.
    static std::size_t share_of(std::size_t whole, const LaneContext& lane) noexcept
    {
        return whole / lane.lanes + (lane.index < whole % lane.lanes ? 1 : 0);
    }

    static DispatchRules rules_of(const ReplayPlan& plan, const LaneContext& lane)
    {
        DispatchRules rules;
        rules.serialize = plan.serialize_conversations;
        rules.max_in_flight = share_of(plan.max_in_flight, lane);
        rules.first_token_timeout_s = plan.first_token_timeout_s;
        if (plan.retry_429)
            rules.retries.emplace();
        rules.request_timeout_s = plan.request_timeout_s;
        return rules;
    }

    std::int64_t at_ns(double segment_s) const noexcept { return segment_start_ns_ + to_ns(segment_s); }
    std::int64_t window_start_ns() const noexcept { return at_ns(schedule_->start_s(window_)); }
    std::int64_t window_end_ns() const noexcept { return at_ns(schedule_->start_s(window_ + 1)); }

    // Due times and window ends in the order in which they come, all that have passed.
    void on_time()
    {
        while (sending_) {
            const auto due_ns = next_ < schedule_->size() ? at_ns(schedule_->due_s(next_)) : never_ns;
            const auto end_ns = window_end_ns();
            const auto moment_ns = std::min(due_ns, end_ns);
            const auto now_ns = monotonic_ns();
            if (moment_ns <= now_ns) {
                if (end_ns <= due_ns)
                    end_window();
                else
                    fall_due(due_ns);
            } else if (idle_users_ > 0 && now_ns >= segment_start_ns_) {
                put_user_to_work(now_ns);
            } else {
                timer_.set(idle_users_ > 0 ? segment_start_ns_ : moment_ns);
                return;
            }
        }
    }

    void fall_due(std::int64_t due_ns)
    {
        if (source_.at_end()) {
            end_exhausted(due_ns);
            return;
        }
        ++next_;
        if (auto next = source_.take(); next.row)
            launch(std::move(next), due_ns);
    }

    void put_user_to_work(std::int64_t now_ns)
    {
        while (!source_.at_end() && !source_.is_barren()) {
            if (auto next = source_.take(); next.row) {
                --idle_users_;
                launch(std::move(next), now_ns);
                return;
            }
        }
        idle_users_ = 0;
        if (!std::exchange(without_rows_, true))
            peers_.route_ended();
    }

    void launch(RowSource::Row&& next, std::int64_t due_ns)
    {
        counts_.add_due();
        monitor_.due();
        record::Request request;
        request.id = std::move(next.id);
        request.conv_id = std::move(next.conv_id);
        request.round = first_number_ + window_;
        request.due_s = to_seconds(due_ns - flight_plan_.start_ns);
        collector_->due(request.round);
        dispatcher_.launch(next.row->text, std::move(request), due_ns);
        counts_.set_on_wire(dispatcher_.on_wire());
    }

    void request_sent(std::int64_t at_ns) override
    {
        collector_->sent(to_seconds(at_ns - flight_plan_.start_ns));
    }

    void request_ended(record::Request&& request) override
    {
        counts_.add_ended(request.status);
        counts_.set_on_wire(dispatcher_.on_wire());
        if (first_error_.empty() && request.error_kind != record::ErrorKind::cancelled)
            first_error_ = request.error;
        collector_->end(std::move(request));
    }

    void request_made_room(bool succeeded, std::size_t) override
    {
        if (sending_ && users_ > 0) {
            ++idle_users_;
            // Where every request fails at once, the loop must get its turn between them.
            if (succeeded)
                on_time();
            else
                timer_.set(1);
        }
        end_segment_if_drained();
    }

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
        if (!source_.at_end() || users_ > 0)
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
        close_window(to_seconds(at_moment_ns - window_start_ns()), users_ == 0 || plan_.max_rounds);
        drain();
    }

    void close_window(double duration_s, bool route_exhausted = false)
    {
        if (duration_s <= 0)
            return;
        const double start_s = to_seconds(window_start_ns() - flight_plan_.start_ns);
        auto window =
            make_window(plan_, first_number_ + window_, start_s, duration_s, schedule_->target_qps(window_));
        auto client = monitor_.take(monotonic_ns(), process_cpu_ns(), loop_.take_longest_turn_ns());
        if (route_exhausted)
            window.flags.push_back("route_exhausted");
        ++window_;
        counts_.set_round(first_number_ + window_);
        dispatcher_.set_deadline(window_end_ns());
        collector_->close(std::move(window), std::move(client));
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
        if (plan_.mode == ReplayMode::rounds && more_wanted && !source_.at_end() && !exhausted_) {
            peers_.round_drained();
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
    ScheduleSource schedules_;
    FlightPlan flight_plan_;
    RowSource source_;
    net::EventLoop& loop_;
    LanePeers& peers_;
    RunSink& sink_;
    ClientMonitor monitor_;
    Dispatcher dispatcher_;
    std::optional<stats::Schedule> schedule_;
    std::optional<Collector> collector_;
    std::size_t users_; // of a closed loop; 0: an open one
    net::Timer timer_;
    net::Timer drain_timer_;
    LaneCounts counts_;
    std::string first_error_;
    std::int64_t segment_start_ns_ = 0;
    std::size_t next_ = 0; // request of the segment
    std::size_t idle_users_ = 0;
    int window_ = 0;       // of the segment
    int first_number_ = 1; // of the segment's first window
    bool sending_ = false;
    bool without_rows_ = false; // for the users of a closed loop
    bool exhausted_ = false;
    bool ended_ = false;
};

} // namespace slo::run

#endif
