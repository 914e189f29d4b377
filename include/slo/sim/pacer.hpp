// SPDX-License-Identifier: MIT
// The engine's virtual time tied to the clock.

#ifndef SLO_SIM_PACER_HPP
#define SLO_SIM_PACER_HPP

#include <slo/base/clock.hpp>
#include <slo/engine/metrics.hpp>
#include <slo/engine/profile.hpp>
#include <slo/engine/scheduler.hpp>

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include <chrono>
#include <utility>

namespace slo::sim {

/// Who hears of the tokens.
class TokenListener {
public:
    virtual ~TokenListener() = default;
    /// A token came out; true asks to end the sequence here (a stop string).
    virtual bool on_token(const engine::TokenEvent& event) = 0;
    /// All tokens of a step have been told.
    virtual void on_step_end() = 0;
};

/// Runs a scheduler in real time. Each step begins where the last one ended in virtual time and comes out
/// when the clock reaches its end, so that late timers and busy moments never add up: what is late is caught
/// up.
class Pacer {
public:
    /// Throws UsageError when the profile's limits contradict each other. `bounds` must outlive the pacer.
    Pacer(boost::asio::io_context& context, const engine::Profile& profile, TokenListener& listener,
          const engine::HistogramBounds& bounds = engine::vllm_bounds)
        : scheduler_(profile.step, profile.limits), bounds_(bounds), metrics_(bounds), listener_(listener),
          timer_(context), origin_(std::chrono::steady_clock::now())
    {
    }

    /// Seconds since the engine's start, by the clock.
    double now_s() const
    {
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - origin_).count();
    }

    /// Adds a sequence that arrives now; run() must follow once all that arrive together are added.
    engine::SequenceId add(engine::SequenceSpec spec, double arrival_s)
    {
        return scheduler_.add(std::move(spec), arrival_s);
    }

    /// Drops a sequence that its client gave up.
    void abort(engine::SequenceId id)
    {
        if (scheduler_.abort(id))
            metrics_.record_abort();
    }

    /// Goes on as long as there is work; does nothing when already going.
    void run()
    {
        if (step_)
            return;
        const auto start_s = scheduler_.next_start_s(free_from_s_);
        if (!start_s)
            return;
        step_ = &scheduler_.step(*start_s);
        timer_.expires_at(origin_ + std::chrono::nanoseconds(to_ns(step_->end_s)));
        timer_.async_wait([this](const boost::system::error_code& error) {
            if (!error)
                finish_step();
        });
    }

    /// Counts a request of a client that has ended.
    void count_request(const engine::RequestEnd& request) { metrics_.record_request(request); }

    /// Begins all counting anew; sequences go on.
    void restart_metrics() { metrics_ = engine::Metrics(bounds_); }

    const engine::Scheduler& scheduler() const noexcept { return scheduler_; }
    const engine::Metrics& metrics() const noexcept { return metrics_; }

private:
    void finish_step()
    {
        const auto& step = *std::exchange(step_, nullptr);
        free_from_s_ = step.end_s;
        metrics_.record_step(step);
        for (const auto& event : step.events) {
            const bool stopped = listener_.on_token(event);
            metrics_.record_token(event, step.end_s);
            if (!event.finished && stopped)
                scheduler_.abort(event.id);
            if (event.finished || stopped)
                metrics_.record_finish(event, step.end_s,
                                       stopped ? engine::FinishReason::stop : event.reason);
        }
        listener_.on_step_end();
        run();
    }

    engine::Scheduler scheduler_;
    const engine::HistogramBounds& bounds_;
    engine::Metrics metrics_;
    TokenListener& listener_;
    boost::asio::steady_timer timer_;
    std::chrono::steady_clock::time_point origin_;
    const engine::Step* step_ = nullptr;
    double free_from_s_ = 0;
};

} // namespace slo::sim

#endif
