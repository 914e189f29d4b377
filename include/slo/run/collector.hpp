// SPDX-License-Identifier: MIT
// Sorts the requests of an event loop into its reporting windows and hands both on as soon as they are over.

#ifndef SLO_RUN_COLLECTOR_HPP
#define SLO_RUN_COLLECTOR_HPP

#include <slo/record/request.hpp>
#include <slo/record/round_window.hpp>
#include <slo/run/run_sink.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace slo::run {

/// Windows of equal length from one start. A request is handed on soon after it has ended. A window is handed
/// on when it has been closed, each request due in it has been handed on, and so have all earlier windows.
class Collector {
public:
    /// Requests are handed on together, so that a hand-over costs each of them little: this many,
    static constexpr std::size_t most_in_batch = 128;
    /// or fewer when they have this many gaps between tokens,
    static constexpr std::size_t most_gaps_in_batch = 16384;
    /// or when the last batch went this long ago.
    static constexpr double most_wait_s = 0.1;

    /// `first_number` is the number of the first window, `windows` how many there can be; seconds since the
    /// run's start. `sink` must outlive it.
    Collector(double start_s, double window_s, int first_number, int windows, RunSink& sink)
        : start_s_(start_s), window_s_(window_s), first_number_(first_number), windows_(windows), sink_(sink)
    {
    }

    /// A request fell due in window `number`; end() must follow.
    void due(int number) { ++state_of(number).outstanding; }

    /// A request was written to the wire for the first time.
    void sent(double at_s)
    {
        if (auto* state = state_at(at_s))
            ++state->dispatched;
    }

    /// A request came to its end; `request.round` is the window in which it was due.
    void end(record::Request&& request)
    {
        const bool completed =
            request.status == record::RequestStatus::ok || request.status == record::RequestStatus::failed;
        if (auto* state = completed && request.end_s ? state_at(*request.end_s) : nullptr)
            ++state->completed;
        --state_of(request.round).outstanding;
        gaps_in_batch_ += request.itl_ms.size();
        const double now_s = request.end_s.value_or(flushed_s_);
        batch_.push_back(std::move(request));
        if (batch_.size() >= most_in_batch || gaps_in_batch_ >= most_gaps_in_batch ||
            now_s >= flushed_s_ + most_wait_s) {
            flushed_s_ = now_s;
            flush();
        }
        hand_on();
    }

    /// No further request will fall due in the window that `window.number` names. Windows are closed in
    /// order.
    void close(record::RoundWindow window, ClientWindow client = {})
    {
        state_of(window.number).closed = LaneWindow{std::move(window), std::move(client)};
        hand_on();
    }

    /// Hands on the requests that have ended so far.
    void flush()
    {
        if (batch_.empty())
            return;
        auto batch = std::exchange(batch_, {});
        gaps_in_batch_ = 0;
        batch_.reserve(most_in_batch);
        sink_.requests(std::move(batch));
    }

    /// Adds a flag to every window that has not been handed on.
    void flag(const std::string& flag) { flags_.push_back(flag); }

private:
    struct State {
        std::optional<LaneWindow> closed;
        std::size_t outstanding = 0;
        std::int64_t dispatched = 0;
        std::int64_t completed = 0;
    };

    State& state_of(int number)
    {
        const auto index = static_cast<std::size_t>(number - first_number_ - handed_on_);
        while (states_.size() <= index)
            states_.emplace_back();
        return states_[index];
    }

    // The window that covers a moment; none after the last or after one that was cut short, or for one that
    // is gone already.
    State* state_at(double at_s)
    {
        const double index = std::floor((at_s - start_s_) / window_s_);
        if (index < handed_on_ || index >= windows_)
            return nullptr;
        auto& state = state_of(first_number_ + static_cast<int>(index));
        const auto* window = state.closed ? &state.closed->window : nullptr;
        return window && at_s >= window->start_s + window->duration_s ? nullptr : &state;
    }

    void hand_on()
    {
        while (!states_.empty() && states_.front().closed && states_.front().outstanding == 0) {
            flush();
            auto state = std::move(states_.front());
            states_.pop_front();
            ++handed_on_;
            auto& window = state.closed->window;
            window.wire_dispatched = state.dispatched;
            window.completed = state.completed;
            window.flags.insert(window.flags.end(), flags_.begin(), flags_.end());
            sink_.window(std::move(*state.closed));
        }
    }

    double start_s_;
    double window_s_;
    int first_number_;
    int windows_;
    RunSink& sink_;
    std::deque<State> states_;
    std::vector<record::Request> batch_;
    std::size_t gaps_in_batch_ = 0;
    double flushed_s_ = 0;
    std::vector<std::string> flags_;
    int handed_on_ = 0;
};

} // namespace slo::run

#endif
