// SPDX-License-Identifier: MIT
// Sorts the requests of a run into its reporting windows and hands each window on when it is complete.

#ifndef SLO_RUN_COLLECTOR_HPP
#define SLO_RUN_COLLECTOR_HPP

#include <slo/record/request.hpp>
#include <slo/record/round_summary.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace slo::run {

/// A window and every request that was due in it, in the order in which they ended.
struct FinishedWindow {
    record::RoundWindow window;
    std::vector<record::Request> requests;
};

/// Windows of equal length from one start. A window is handed on when it has been closed, each request due in
/// it has ended, and all earlier ones have been handed on.
class Collector {
public:
    using Sink = std::function<void(FinishedWindow&&)>;

    /// `first_number` is the number of the first window, `windows` how many there can be; seconds since the
    /// run's start.
    Collector(double start_s, double window_s, int first_number, int windows, Sink sink)
        : start_s_(start_s), window_s_(window_s), first_number_(first_number), windows_(windows),
          sink_(std::move(sink))
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
        auto& state = state_of(request.round);
        --state.outstanding;
        state.requests.push_back(std::move(request));
        hand_on();
    }

    /// No further request will fall due in the window that `window.number` names. Windows are closed in
    /// order.
    void close(record::RoundWindow window)
    {
        state_of(window.number).window = std::move(window);
        hand_on();
    }

    /// Adds a flag to every window that has not been handed on.
    void flag(const std::string& flag) { flags_.push_back(flag); }

private:
    struct State {
        std::optional<record::RoundWindow> window; // once closed
        std::vector<record::Request> requests;
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
        const bool over = state.window && at_s >= state.window->start_s + state.window->duration_s;
        return over ? nullptr : &state;
    }

    void hand_on()
    {
        while (!states_.empty() && states_.front().window && states_.front().outstanding == 0) {
            auto state = std::move(states_.front());
            states_.pop_front();
            ++handed_on_;
            state.window->wire_dispatched = state.dispatched;
            state.window->completed = state.completed;
            state.window->flags.insert(state.window->flags.end(), flags_.begin(), flags_.end());
            sink_({std::move(*state.window), std::move(state.requests)});
        }
    }

    double start_s_;
    double window_s_;
    int first_number_;
    int windows_;
    Sink sink_;
    std::deque<State> states_;
    std::vector<std::string> flags_;
    int handed_on_ = 0;
};

} // namespace slo::run

#endif
