// SPDX-License-Identifier: MIT
// Folds the requests of all event loops into the rounds of the run.

#ifndef SLO_RUN_ROUND_MERGER_HPP
#define SLO_RUN_ROUND_MERGER_HPP

#include <slo/record/request.hpp>
#include <slo/record/round_window.hpp>
#include <slo/record/window_totals.hpp>
#include <slo/run/client_monitor.hpp>
#include <slo/run/run_sink.hpp>

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <utility>

namespace slo::run {

/// Hands each round on when every event loop has handed on its window of that number, in order.
class RoundMerger {
public:
    using Sink =
        std::function<void(const record::RoundWindow&, const record::WindowTotals&, const ClientWindow&)>;

    /// `lanes`: how many event loops there are, at least 1.
    RoundMerger(const record::RoundTerms& terms, int lanes, Sink sink)
        : terms_(terms), lanes_(lanes), sink_(std::move(sink))
    {
    }

    void add(const record::Request& request)
    {
        // Most come from the same window as the one before.
        if (!last_ || last_->first != request.round)
            last_ = &open(request.round);
        last_->second.totals.add(request);
    }

    void close(LaneWindow&& lane)
    {
        auto& round = open(lane.window.number).second;
        round.client.merge(lane.client);
        if (round.window)
            merge(*round.window, lane.window);
        else
            round.window = std::move(lane.window);
        ++round.closed;
        while (!rounds_.empty() && rounds_.begin()->second.closed == lanes_)
            hand_on();
    }

    /// Hands on what only some of the loops had begun when the run was interrupted.
    void end()
    {
        while (!rounds_.empty())
            hand_on();
    }

private:
    struct Round {
        explicit Round(const record::RoundTerms& terms) : totals(terms) {}
        std::optional<record::RoundWindow> window;
        record::WindowTotals totals;
        ClientWindow client;
        int closed = 0;
    };
    using Entry = std::pair<const int, Round>;

    Entry& open(int number) { return *rounds_.try_emplace(number, terms_).first; }

    static void merge(record::RoundWindow& window, const record::RoundWindow& other)
    {
        window.duration_s = std::max(window.duration_s, other.duration_s);
        const auto add = [](auto& count, const auto& more) { count = count.value_or(0) + more.value_or(0); };
        add(window.wire_dispatched, other.wire_dispatched);
        add(window.completed, other.completed);
        for (const auto& flag : other.flags)
            if (std::find(window.flags.begin(), window.flags.end(), flag) == window.flags.end())
                window.flags.push_back(flag);
    }

    void hand_on()
    {
        const auto node = rounds_.extract(rounds_.begin());
        last_ = nullptr;
        const auto& round = node.mapped();
        if (!round.window)
            return; // cut short at its very start: no time, so no round
        auto window = *round.window;
        window.client = round.client.health(record::smallest_slo_s(terms_));
        sink_(window, round.totals, round.client);
    }

    record::RoundTerms terms_;
    int lanes_;
    Sink sink_;
    std::map<int, Round> rounds_;
    Entry* last_ = nullptr;
};

} // namespace slo::run

#endif
