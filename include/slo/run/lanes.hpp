// SPDX-License-Identifier: MIT
// The threads of a run: one event loop each, and what they have to agree on.

#ifndef SLO_RUN_LANES_HPP
#define SLO_RUN_LANES_HPP

#include <slo/base/clock.hpp>
#include <slo/base/error.hpp>
#include <slo/io/priority.hpp>
#include <slo/net/event_loop.hpp>
#include <slo/net/http.hpp>
#include <slo/net/mailbox.hpp>
#include <slo/record/route_load.hpp>
#include <slo/run/replay_plan.hpp>
#include <slo/run/replay_progress.hpp>
#include <slo/run/replayer.hpp>
#include <slo/run/run_sink.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace slo::run {

/// How the lanes of a run are made.
struct LanesSetup {
    const ReplayPlan& plan;
    const std::vector<record::LoadedRow>& rows;
    FlightPlan flights;
    std::uint64_t seed = 0;
    bool realtime = false; ///< ask for real-time scheduling of the further threads, too
    std::function<std::unique_ptr<net::HttpTransport>(net::EventLoop&)> make_transport;
    RunSink& sink; ///< called by all lanes
};

/// A run on one thread or several, each with its own event loop and its own conversations. The first lane
/// uses the loop of the caller.
class Lanes {
public:
    /// Throws Error; UsageError where the users of a lane would have nothing to send. Nothing is sent before
    /// run().
    Lanes(LanesSetup setup, net::EventLoop& main_loop)
        : realtime_(setup.realtime), lasts_to_last_row_(!setup.plan.max_rounds), mailbox_(main_loop)
    {
        const auto count = static_cast<std::uint32_t>(setup.plan.threads);
        if (setup.plan.users > 0)
            check_every_lane_has_rows(setup, count);
        for (std::uint32_t i = 0; i < count; ++i)
            lanes_.push_back(std::make_unique<Lane>(setup, *this, i, i == 0 ? &main_loop : nullptr));
        main_loop_ = &main_loop;
    }
    Lanes(const Lanes&) = delete;
    Lanes& operator=(const Lanes&) = delete;

    /// Runs all to their ends; handlers of the caller's loop are called meanwhile. What was measured is
    /// handed on before anything is thrown.
    void run(std::int64_t start_ns)
    {
        std::exception_ptr failure;
        const auto guarded = [&](auto&& body) {
            try {
                body();
            } catch (...) {
                failure = failure ? failure : std::current_exception();
                after_failure([this] { interrupt("interrupted"); });
            }
        };
        guarded([&] {
            start_threads(start_ns);
            lanes_[0]->replayer.run(start_ns);
        });
        while (threads_running_ > 0)
            guarded([&] { main_loop_->run_once(); });
        for (auto& lane : lanes_) {
            if (lane->thread.joinable())
                lane->thread.join();
            failure = failure ? failure : lane->failure;
        }
        if (failure)
            std::rethrow_exception(failure);
    }

    /// Ends the run; see Replayer::interrupt(). On the caller's thread.
    void interrupt(const std::string& flag)
    {
        // The caller's own lane comes last: whatever it throws, the others have been told.
        for (auto lane = lanes_.rbegin(); lane != lanes_.rend(); ++lane)
            tell(**lane, lanes_[0].get(), [flag](Replayer& replayer) { replayer.interrupt(flag); });
    }

    /// "curl" or "plain".
    std::string_view transport_name() const noexcept { return lanes_[0]->transport->name(); }

    std::size_t size() const noexcept { return lanes_.size(); }

    /// From any thread.
    const LaneCounts& counts(std::size_t lane) const noexcept { return lanes_[lane]->replayer.counts(); }

    /// After run().
    bool exhausted() const noexcept { return lanes_[0]->replayer.exhausted(); }

    /// After run(): of the first lane that has one.
    std::string first_error() const
    {
        for (const auto& lane : lanes_) {
            if (!lane->replayer.first_error().empty())
                return lane->replayer.first_error();
        }
        return {};
    }

private:
    // Rounds begin on all threads at one moment, which must lie ahead of each of them.
    static constexpr std::int64_t head_start_ns = 2'000'000;

    struct Lane final : LanePeers {
        Lane(const LanesSetup& setup, Lanes& all, std::uint32_t index, net::EventLoop* shared_loop)
            : all_lanes(all), own_loop(shared_loop ? nullptr : std::make_unique<net::EventLoop>()),
              loop(shared_loop ? *shared_loop : *own_loop), mailbox(loop),
              transport(setup.make_transport(loop)),
              replayer(setup.plan, setup.rows, setup.flights, setup.seed,
                       {loop, *transport, *this, index, static_cast<std::uint32_t>(setup.plan.threads)},
                       setup.sink)
        {
        }
        void round_drained() override { all_lanes.round_drained(*this); }
        void route_ended() override { all_lanes.route_ended(*this); }

        Lanes& all_lanes;
        std::unique_ptr<net::EventLoop> own_loop;
        net::EventLoop& loop;
        net::Mailbox mailbox;
        std::unique_ptr<net::HttpTransport> transport;
        Replayer replayer;
        std::exception_ptr failure;
        std::thread thread;
    };

    // Users without a row are users who are not there.
    static void check_every_lane_has_rows(const LanesSetup& setup, std::uint32_t count)
    {
        for (std::uint32_t i = 0; i < count && count > 1; ++i) {
            const auto part = setup.plan.shard.part(i, count);
            if (std::none_of(setup.rows.begin(), setup.rows.end(),
                             [&](const auto& row) { return part.keeps(row.conv_id, row.line); }))
                throw UsageError("--threads", "the route has too few conversations to give each some");
        }
    }

    // Once something has failed, what fails after it adds nothing.
    template <class Call>
    static void after_failure(Call call) noexcept
    {
        try {
            call();
        } catch (...) {
        }
    }

    void start_threads(std::int64_t start_ns)
    {
        for (std::size_t i = 1; i < lanes_.size(); ++i) {
            try {
                lanes_[i]->thread = std::thread([this, i, start_ns] { work(*lanes_[i], start_ns); });
            } catch (const std::system_error& error) {
                throw IoError("thread", error.code().value());
            }
            ++threads_running_;
        }
    }

    // Calls at once what is for the caller's own lane.
    static void tell(Lane& lane, const Lane* own, std::function<void(Replayer&)> what)
    {
        if (&lane == own)
            what(lane.replayer);
        else
            lane.mailbox.post([&lane, what = std::move(what)] { what(lane.replayer); });
    }

    void round_drained(Lane& own)
    {
        {
            const std::lock_guard lock(mutex_);
            if (++drained_ < lanes_.size())
                return;
            drained_ = 0;
        }
        const auto start_ns = monotonic_ns() + (lanes_.size() > 1 ? head_start_ns : 0);
        for (auto& lane : lanes_)
            tell(*lane, &own, [start_ns](Replayer& replayer) { replayer.begin_round(start_ns); });
    }

    // Rounds that were asked for end where the first lane has no row left: from there on there are fewer
    // users than asked for. A route that is merely to be sent ends when no lane has one.
    void route_ended(Lane& own)
    {
        {
            const std::lock_guard lock(mutex_);
            if (++without_rows_ < (lasts_to_last_row_ ? lanes_.size() : 1))
                return;
        }
        for (auto& lane : lanes_)
            tell(*lane, &own, [](Replayer& replayer) { replayer.stop_sending(); });
    }

    void work(Lane& lane, std::int64_t start_ns)
    {
        if (realtime_)
            io::prefer_this_thread();
        try {
            lane.replayer.run(start_ns);
        } catch (...) {
            lane.failure = std::current_exception();
            after_failure([&] { lane.replayer.interrupt("interrupted"); });
            mailbox_.post([this] { interrupt("interrupted"); });
        }
        mailbox_.post([this] { --threads_running_; });
    }

    bool realtime_;
    bool lasts_to_last_row_;
    net::EventLoop* main_loop_ = nullptr;
    net::Mailbox mailbox_;
    std::mutex mutex_;
    std::size_t drained_ = 0;      // lanes that wait for the next round
    std::size_t without_rows_ = 0; // lanes whose users find no row
    std::size_t threads_running_ = 0;
    std::vector<std::unique_ptr<Lane>> lanes_;
};

/// What the lanes have come to, without times.
inline ReplayProgress lanes_progress(const Lanes& lanes, const ReplayPlan& plan)
{
    ReplayProgress now;
    const auto& first = lanes.counts(0);
    if (first.rounds() > 0)
        now.rounds = first.rounds();
    now.planned_s = plan.round_duration_s * now.rounds.value_or(0);
    now.round = now.rounds ? std::min(first.round(), *now.rounds) : first.round();
    for (std::size_t i = 0; i < lanes.size(); ++i) {
        const auto& counts = lanes.counts(i);
        now.due += counts.due();
        now.in_flight += counts.on_wire();
        for (std::size_t status = 0; status < now.ended.size(); ++status)
            now.ended[status] += counts.ended(status);
    }
    return now;
}

} // namespace slo::run

#endif
