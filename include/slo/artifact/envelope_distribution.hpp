// SPDX-License-Identifier: MIT
// Lengths, turns and company of the requests of a run: the block `distribution` of an artifact, measured.

#ifndef SLO_ARTIFACT_ENVELOPE_DISTRIBUTION_HPP
#define SLO_ARTIFACT_ENVELOPE_DISTRIBUTION_HPP

#include <slo/artifact/client_side.hpp>
#include <slo/base/error.hpp>
#include <slo/base/json.hpp>
#include <slo/record/request.hpp>
#include <slo/record/window_totals.hpp>
#include <slo/stats/sample.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <queue>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace slo::artifact {

namespace detail {

/// Counts of whole numbers in bins that grow: 0, 1, 2, 3, 4, 6, 8, 12, 16, 24, … — two for each power of two.
class LengthHistogram {
public:
    void add(std::int64_t value) { ++counts_[bin_of(value)]; }

    /// {"unit","edges","counts"}: counts[i] values are from edges[i] on and below edges[i + 1]; null when
    /// empty.
    json::value to_json_value() const
    {
        if (counts_.empty())
            return nullptr;
        json::array edges;
        json::array counts;
        for (auto bin = counts_.begin()->first; bin <= counts_.rbegin()->first; ++bin) {
            const auto found = counts_.find(bin);
            edges.push_back(edge(bin));
            counts.push_back(found == counts_.end() ? 0 : found->second);
        }
        edges.push_back(edge(counts_.rbegin()->first + 1));
        return json::object{{"unit", "tokens"}, {"edges", std::move(edges)}, {"counts", std::move(counts)}};
    }

private:
    static std::int64_t edge(int bin) noexcept
    {
        constexpr int plain = 3; // 0, 1, 2 are their own bins
        if (bin < plain)
            return bin;
        const auto step = bin - plain;
        return (step % 2 == 0 ? std::int64_t{3} : std::int64_t{4}) << (step / 2);
    }

    static int bin_of(std::int64_t value) noexcept
    {
        int bin = 0;
        while (bin < 120 && edge(bin + 1) <= value)
            ++bin;
        return bin;
    }

    std::map<int, std::int64_t> counts_;
};

inline json::value length_figures(const stats::Sample& sample)
{
    if (sample.empty())
        return nullptr;
    auto block = latency_block(sample, 1);
    block["min"] = *sample.moments().min();
    block["max"] = *sample.moments().max();
    block["count"] = sample.size();
    return block;
}

inline json::object ttft_figures(const stats::Sample& sample)
{
    const auto figures = sample.summary();
    return {{"count", sample.size()},
            {"p50_ms", figures ? json::value(figures->p50) : nullptr},
            {"p90_ms", figures ? json::value(figures->p90) : nullptr},
            {"p99_ms", figures ? json::value(figures->p99) : nullptr}};
}

} // namespace detail

/// Takes the requests of a run one by one, those of its warm-up too: they are turns and company of the
/// others. Keeps 64 bytes a request.
class RequestDistribution {
public:
    static constexpr std::size_t most_requests = 20'000'000;
    static constexpr std::size_t most_turns = 100; ///< later turns are counted together

    /// Throws InputError above most_requests.
    void add(const record::Request& request, record::LatencyBasis basis)
    {
        if (seen_.size() == most_requests)
            throw InputError("id", "more than 20000000 requests");
        Seen seen;
        const auto ttft = record::measured_of(request, basis).ttft_s;
        seen.due_s = request.due_s;
        seen.sent_s = request.sent_s.value_or(unknown);
        seen.end_s = request.end_s.value_or(unknown);
        seen.ttft_ms = ttft ? *ttft * 1000 : unknown;
        seen.conversation = request.conv_id.empty() ? 0 : std::hash<std::string>{}(request.conv_id) | 1;
        seen.round = request.round;
        seen.ok = request.status == record::RequestStatus::ok;
        if (request.cached_tokens && request.input_tokens)
            seen.cached = *request.cached_tokens * 2 >= *request.input_tokens ? 1 : 0;
        seen.input_tokens = request.input_tokens.value_or(-1);
        seen.output_tokens = request.output_tokens.value_or(-1);
        seen_.push_back(seen);
    }

    std::size_t requests() const noexcept { return seen_.size(); }

    /// Fills the distribution, the ratio of cold to warm first tokens, the greatest number in flight.
    void finish(const WarmUp& warm_up, ClientSide& client)
    {
        std::stable_sort(seen_.begin(), seen_.end(),
                         [](const Seen& a, const Seen& b) { return a.due_s < b.due_s; });
        for (std::size_t i = 0, left = static_cast<std::size_t>(warm_up.requests); i < seen_.size(); ++i) {
            const bool early = seen_[i].round < warm_up.first_round;
            const bool among_first = !early && left > 0;
            left -= among_first;
            seen_[i].measured = !early && !among_first && seen_[i].ok;
        }
        set_turns();
        set_company();
        add_lengths(client);
        add_turns(client);
        add_company(client);
        add_cold_and_warm(client);
    }

private:
    static constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

    struct Seen {
        double due_s = 0, sent_s = 0, end_s = 0, ttft_ms = 0;
        std::uint64_t conversation = 0; // 0: none
        std::int64_t input_tokens = -1, output_tokens = -1;
        std::uint32_t turn = 0;      // from 1
        std::uint32_t in_flight = 0; // when it was sent, itself among them
        int round = 1;
        signed char cached = -1; // 1: at least half of the prompt; 0: less; -1: not known
        bool ok = false;
        bool measured = false;
    };

    void set_turns()
    {
        std::unordered_map<std::uint64_t, std::uint32_t> turns;
        for (auto& seen : seen_)
            if (seen.conversation != 0)
                seen.turn = ++turns[seen.conversation];
    }

    void set_company()
    {
        std::vector<Seen*> sent;
        for (auto& seen : seen_)
            if (!std::isnan(seen.sent_s))
                sent.push_back(&seen);
        std::sort(sent.begin(), sent.end(),
                  [](const Seen* a, const Seen* b) { return a->sent_s < b->sent_s; });
        std::priority_queue<double, std::vector<double>, std::greater<>> ends;
        for (auto* seen : sent) {
            while (!ends.empty() && ends.top() <= seen->sent_s)
                ends.pop();
            ends.push(std::isnan(seen->end_s) ? std::numeric_limits<double>::infinity() : seen->end_s);
            seen->in_flight = static_cast<std::uint32_t>(ends.size());
        }
    }

    void add_lengths(ClientSide& client) const
    {
        const auto add = [&](const char* name, const char* histogram, std::int64_t Seen::*tokens) {
            stats::Sample sample;
            detail::LengthHistogram bins;
            for (const auto& seen : seen_) {
                if (!seen.measured || seen.*tokens < 0)
                    continue;
                sample.add(static_cast<double>(seen.*tokens));
                bins.add(seen.*tokens);
            }
            client.distribution[name] = detail::length_figures(sample);
            client.distribution[histogram] = bins.to_json_value();
        };
        add("input_tokens", "input_tokens_histogram", &Seen::input_tokens);
        add("output_tokens", "output_tokens_histogram", &Seen::output_tokens);
    }

    void add_turns(ClientSide& client) const
    {
        std::map<std::size_t, stats::Sample> turns;
        for (const auto& seen : seen_)
            if (seen.measured && seen.turn > 0 && !std::isnan(seen.ttft_ms))
                turns[std::min<std::size_t>(seen.turn, most_turns)].add(seen.ttft_ms);
        json::array rows;
        for (const auto& [turn, sample] : turns) {
            auto row = detail::ttft_figures(sample);
            row["turn"] = turn;
            rows.push_back(std::move(row));
        }
        const bool several = turns.size() > 1; // single requests have no turns
        client.distribution["per_turn_ttft_distribution"] =
            several ? json::value(std::move(rows)) : json::value(nullptr);
    }

    void add_company(ClientSide& client) const
    {
        std::map<std::uint32_t, stats::Sample> company; // by the power of two below
        std::uint32_t most = 0;
        for (const auto& seen : seen_) {
            most = std::max(most, seen.in_flight);
            if (!seen.measured || std::isnan(seen.ttft_ms) || seen.in_flight == 0)
                continue;
            std::uint32_t from = 1;
            while (from <= seen.in_flight / 2)
                from *= 2;
            company[from].add(seen.ttft_ms);
        }
        json::array rows;
        for (const auto& [from, sample] : company) {
            auto row = detail::ttft_figures(sample);
            row["concurrency_from"] = from;
            row["concurrency_to"] = from * 2 - 1;
            rows.push_back(std::move(row));
        }
        client.distribution["ttft_histogram_by_concurrency"] =
            rows.empty() ? json::value(nullptr) : json::value(std::move(rows));
        if (most > 0 && !client.counts.in_flight_max)
            client.counts.in_flight_max = most;
    }

    // By the tokens that the server says it had cached; where it says nothing, first turns against later
    // ones.
    void add_cold_and_warm(ClientSide& client) const
    {
        const bool told = std::any_of(seen_.begin(), seen_.end(), [](const Seen& s) { return s.cached > 0; });
        stats::Sample cold, warm;
        for (const auto& seen : seen_) {
            if (!seen.measured || std::isnan(seen.ttft_ms))
                continue;
            if (told ? seen.cached > 0 : seen.turn > 1)
                warm.add(seen.ttft_ms);
            else if (told ? seen.cached == 0 : seen.turn == 1)
                cold.add(seen.ttft_ms);
        }
        const auto cold_ms = cold.summary();
        const auto warm_ms = warm.summary();
        if (!cold_ms || !warm_ms || !(warm_ms->p50 > 0))
            return;
        client.cold_vs_warm_ttft_ratio = cold_ms->p50 / warm_ms->p50;
        client.distribution["ttft_cold"] = detail::ttft_figures(cold);
        client.distribution["ttft_warm"] = detail::ttft_figures(warm);
        client.distribution["ttft_cold_warm_by"] = told ? "cached_tokens" : "turn";
    }

    std::vector<Seen> seen_;
};

} // namespace slo::artifact

#endif
