// SPDX-License-Identifier: MIT
// Sends the rows of a route at their due times and accounts for every one of them.

#ifndef SLO_RUN_REPLAYER_HPP
#define SLO_RUN_REPLAYER_HPP

#include <slo/base/clock.hpp>
#include <slo/net/event_loop.hpp>
#include <slo/net/http.hpp>
#include <slo/record/route_load.hpp>
#include <slo/run/dispatcher.hpp>
#include <slo/run/flight.hpp>
#include <slo/run/lane.hpp>
#include <slo/run/lane_counts.hpp>
#include <slo/run/replay_plan.hpp>
#include <slo/run/replay_schedule.hpp>
#include <slo/run/row_source.hpp>
#include <slo/run/run_sink.hpp>
#include <slo/run/segment.hpp>
#include <slo/run/window_keeper.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <queue>
#include <string>
#include <utility>
#include <vector>

namespace slo::run {

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
          peers_(lane.peers), windows_(plan, lane.loop, sink),
          dispatcher_(flight_plan_, rules_of(plan, lane), lane.loop, lane.transport, windows_.monitor(),
                      *this),
          users_(lane.share_of(plan.users)), timer_(lane.loop, [this] { on_time(); }),
          drain_timer_(lane.loop, [this] { on_drain_timeout(); })
    {
    }

    /// Runs to the end. What a handler in the loop throws goes through.
    void run(std::int64_t start_ns)
    {
        flight_plan_.start_ns = start_ns;
        begin_round(start_ns);
        if (!ended_)
            loop_.run();
    }

    /// Begins the run, or the next of the rounds that drain: with that many users at work, or by a schedule.
    void begin_round(std::int64_t start_ns)
    {
        if (ended_)
            return; // interrupted, while another lane did not know of it yet
        segment_.emplace(schedules_.next(), start_ns, segment_ ? segment_->number() : 1);
        windows_.begin(*segment_, flight_plan_.start_ns);
        if (plan_.max_rounds || plan_.mode == ReplayMode::timestamp)
            counts_.set_rounds(plan_.max_rounds.value_or(segment_->windows()));
        sending_ = true;
        ready_users_ = {};
        for (std::size_t i = 0; i < users_; ++i)
            ready_users_.push(start_ns);
        dispatcher_.set_deadline(segment_->window_end_ns());
        on_time();
    }

    /// The route has ended: nothing more is sent, what is in flight goes on.
    void stop_sending()
    {
        if (sending_)
            end_exhausted(std::max(monotonic_ns(), segment_->window_start_ns()));
    }

    /// Ends the run now, from a handler in the loop: nothing more is sent, what is in flight is given up,
    /// what has been measured is handed on and flagged with the reason: "interrupted", "runaway",
    /// "decided".
    void interrupt(const std::string& flag)
    {
        if (ended_ || !windows_.has_begun())
            return;
        windows_.flag(flag);
        windows_.hand_on_last();
        dispatcher_.give_up(flag == "interrupted" ? "the run was interrupted"
                            : flag == "decided"   ? "the verdict stood"
                                                  : "the run was given up");
        if (std::exchange(sending_, false))
            close_window(to_seconds(monotonic_ns() - segment_->window_start_ns()), false);
        end();
    }

    /// True when the route ended before the rounds that were asked for did.
    bool exhausted() const noexcept { return exhausted_; }

    /// What went wrong with the first request that failed; empty when none did.
    const std::string& first_error() const noexcept { return first_error_; }

    /// From any thread.
    const LaneCounts& counts() const noexcept { return counts_; }

private:
    // So long due requests are sent without a look at answers and signals.
    static constexpr std::int64_t patience_ns = 1'000'000;

    // So long a user of a closed loop rests whose request failed: where all fail at once, nothing else would
    // be done.
    static constexpr std::int64_t rest_after_failure_ns = 10'000'000;

    static DispatchRules rules_of(const ReplayPlan& plan, const LaneContext& lane)
    {
        DispatchRules rules;
        rules.serialize = plan.serialize_conversations;
        rules.max_in_flight = lane.share_of(plan.max_in_flight);
        rules.first_token_timeout_s = plan.first_token_timeout_s;
        if (plan.retry_429)
            rules.retries.emplace();
        rules.request_timeout_s = plan.request_timeout_s;
        return rules;
    }

    // Due times, users and window ends in the order in which they come, all that have passed; but not so many
    // at a time that answers and signals would have to wait.
    void on_time()
    {
        const auto until_ns = monotonic_ns() + patience_ns;
        while (sending_) {
            const auto due_ns = segment_->next_due_ns();
            const auto user_ns = ready_users_.empty() ? Segment::never_ns : ready_users_.top();
            const auto end_ns = segment_->window_end_ns();
            const auto moment_ns = std::min({due_ns, user_ns, end_ns});
            const auto now_ns = monotonic_ns();
            if (moment_ns > now_ns || now_ns > until_ns) {
                timer_.set(moment_ns);
                return;
            }
            if (end_ns <= std::min(due_ns, user_ns))
                end_window();
            else if (user_ns <= due_ns)
                put_user_to_work(user_ns);
            else
                fall_due(due_ns);
        }
    }

    void fall_due(std::int64_t due_ns)
    {
        if (source_.at_end()) {
            end_exhausted(due_ns);
            return;
        }
        segment_->advance();
        if (auto next = source_.take(); next.row)
            launch(std::move(next), due_ns);
    }

    void put_user_to_work(std::int64_t ready_ns)
    {
        ready_users_.pop();
        while (!source_.at_end() && !source_.is_barren()) {
            if (auto next = source_.take(); next.row) {
                launch(std::move(next), std::max(ready_ns, segment_->window_start_ns()));
                return;
            }
        }
        ready_users_ = {};
        if (!std::exchange(without_rows_, true))
            peers_.route_ended();
    }

    void launch(RowSource::Row&& next, std::int64_t due_ns)
    {
        counts_.add_due();
        record::Request request;
        request.id = std::move(next.id);
        request.conv_id = std::move(next.conv_id);
        request.round = segment_->number();
        request.due_s = to_seconds(due_ns - flight_plan_.start_ns);
        windows_.due(request.round);
        dispatcher_.launch(next.row->text, std::move(request), due_ns);
        counts_.set_on_wire(dispatcher_.on_wire());
    }

    void request_sent(std::int64_t at_ns) override { windows_.sent(at_ns); }

    void request_ended(record::Request&& request) override
    {
        counts_.add_ended(request.status);
        counts_.set_on_wire(dispatcher_.on_wire());
        if (first_error_.empty() && request.error_kind != record::ErrorKind::cancelled)
            first_error_ = request.error;
        windows_.ended(std::move(request));
    }

    void request_made_room(bool succeeded, std::int64_t end_ns) override
    {
        if (sending_ && users_ > 0) {
            ready_users_.push(succeeded ? end_ns : end_ns + rest_after_failure_ns);
            timer_.set_no_later(ready_users_.top());
        }
        end_segment_if_drained();
    }

    void end_window()
    {
        exhausted_ = route_ends_with_window();
        const bool is_last = exhausted_ || segment_->is_last_window();
        close_window(segment_->window_s(), is_last, exhausted_);
        if (is_last)
            drain();
    }

    // True when the run wants a row at the end of the current window, and there is none.
    bool route_ends_with_window() const
    {
        if (!source_.at_end() || users_ > 0)
            return false;
        if (segment_->has_request_left())
            return segment_->has_request_at_window_end();
        return plan_.max_rounds && segment_->is_last_window() && segment_->number() < *plan_.max_rounds;
    }

    // Ends the current window early, at a moment that lies in it: there is no row for it.
    void end_exhausted(std::int64_t at_moment_ns)
    {
        exhausted_ = true;
        close_window(to_seconds(at_moment_ns - segment_->window_start_ns()), true,
                     users_ == 0 || plan_.max_rounds);
        drain();
    }

    void close_window(double duration_s, bool is_last, bool route_exhausted = false)
    {
        if (duration_s <= 0)
            return;
        windows_.close(*segment_, duration_s, is_last, route_exhausted);
        segment_->close_window();
        counts_.set_round(segment_->number());
        dispatcher_.set_deadline(segment_->window_end_ns());
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
        windows_.hand_on_last();
        const bool more_wanted =
            segment_->number() <= plan_.max_rounds.value_or(std::numeric_limits<int>::max());
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
        windows_.end();
        loop_.stop();
    }

    const ReplayPlan& plan_;
    ScheduleSource schedules_;
    FlightPlan flight_plan_;
    RowSource source_;
    net::EventLoop& loop_;
    LanePeers& peers_;
    WindowKeeper windows_;
    Dispatcher dispatcher_;
    std::optional<Segment> segment_;
    std::size_t users_; // of a closed loop; 0: an open one
    std::priority_queue<std::int64_t, std::vector<std::int64_t>, std::greater<>> ready_users_; // since when
    net::Timer timer_;
    net::Timer drain_timer_;
    LaneCounts counts_;
    std::string first_error_;
    bool sending_ = false;
    bool without_rows_ = false; // for the users of a closed loop
    bool exhausted_ = false;
    bool ended_ = false;
};

} // namespace slo::run

#endif
