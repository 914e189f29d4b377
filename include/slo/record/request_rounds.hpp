// SPDX-License-Identifier: MIT
// From the request log of a run to the rounds that a verdict needs.

#ifndef SLO_RECORD_REQUEST_ROUNDS_HPP
#define SLO_RECORD_REQUEST_ROUNDS_HPP

#include <slo/base/error.hpp>
#include <slo/base/json.hpp>
#include <slo/base/text.hpp>
#include <slo/record/due_latency.hpp>
#include <slo/record/objective_count.hpp>
#include <slo/record/request.hpp>
#include <slo/record/request_read.hpp>
#include <slo/record/round.hpp>
#include <slo/record/round_window.hpp>
#include <slo/record/run_read.hpp>
#include <slo/record/window_totals.hpp>
#include <slo/stats/objective.hpp>
#include <slo/stats/sketch.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace slo::record {

/// Takes the records of a request log one by one, in whatever order the requests ended. Keeps 24 bytes a
/// request, 36 as its list grows, and for each of the first `most_sketched_rounds` rounds three sketches.
class RequestRounds {
public:
    /// Rounds after these have no sketches, so that no file can make them fill the memory.
    static constexpr int most_sketched_rounds = 4096;
    /// A run may have so many more rounds than requests: rounds in which nothing was due.
    static constexpr std::size_t most_empty_rounds = 10'000;

    /// The objectives whose requests are counted in each round.
    explicit RequestRounds(std::span<const stats::Objective> objectives)
        : objectives_(objectives.begin(), objectives.end())
    {
        for (const auto& objective : objectives_)
            uncounted_.push_back({stats::to_text(objective), 0, 0});
    }

    /// True for a record that a request log can begin with.
    static bool knows(const json::object& record)
    {
        const auto schema = string_at(record, "schema").value_or("");
        return schema.starts_with("sloutils.run/") || schema.starts_with("sloutils.request/");
    }

    /// Takes the next record of the log. Throws InputError for one that replay does not write, or not there.
    void add(const json::object& record)
    {
        const auto schema = string_at(record, "schema").value_or("");
        if (schema.starts_with("sloutils.request/"))
            add_request(record);
        else if (schema.starts_with("sloutils.run/"))
            add_run(record);
        else
            throw InputError("schema", "'" + printable(schema, 40) + "' does not belong to a request log");
    }

    /// Requests taken so far.
    std::size_t requests() const noexcept { return latencies_.size(); }

    /// The moment from which latencies count.
    LatencyBasis basis() const noexcept { return load_ ? load_->basis : LatencyBasis::due; }

    /// All latencies in order of due time; valid until any other call.
    std::span<const DueLatency> latencies()
    {
        std::sort(latencies_.begin(), latencies_.end(), is_due_before);
        return latencies_;
    }

    /// The rounds so far, from the first on, with those in which nothing was due; a p50 is exact. What a log
    /// does not tell is absent: whether the client was saturated, and how long a round was that was cut short
    /// at a moment that is not known. Throws InputError where the rounds are too many for the requests.
    std::vector<Round> rounds()
    {
        const int last = tallies_.empty() ? 0 : tallies_.rbegin()->first;
        if (static_cast<std::size_t>(last) > requests() + most_empty_rounds)
            throw InputError("round", "goes up to " + std::to_string(last) + " with " +
                                          std::to_string(requests()) + " requests");
        std::sort(latencies_.begin(), latencies_.end(), is_in_earlier_round);
        Tally none;
        none.objectives = uncounted_;
        std::vector<Round> rounds;
        bool cut_short = false;
        auto begin = latencies_.begin();
        for (int number = 1; number <= last; ++number) {
            const auto found = tallies_.find(number);
            const auto& tally = found == tallies_.end() ? none : found->second;
            rounds.push_back(round_of(number, tally));
            auto& round = rounds.back();
            const auto end = begin + tally.due;
            round.p50_latency_s = median_s(std::span(begin, end));
            begin = end;
            cut_short |= tally.has_unfinished && stop_ && stop_->by != "route_exhausted" && !load_->drains;
            if (stop_ && (cut_short || number == last))
                round.flags.push_back(stop_->by);
            set_rates(round, number, tally, stop_ && number == last);
        }
        return rounds;
    }

private:
    static constexpr std::size_t max_causes = WindowTotals::max_causes;

    // The requests of a round.
    struct Tally {
        std::vector<ObjectiveCount> objectives;
        std::int64_t due = 0, ok = 0, sent = 0, refused = 0;
        double output_tokens = 0, counted = 0; // of the successes whose tokens are known
        bool has_unfinished = false;
        std::map<std::string, std::int64_t> exceptions;
        stats::QuantileSketch latency, ttft, tpot_ms;
    };

    void add_run(const json::object& record)
    {
        if (auto stop = read_run_stop(record)) {
            stop_ = std::move(stop);
            return;
        }
        if (load_)
            throw InputError("schema", "a second run begins here: its log must be a file of its own");
        if (const auto tool = string_at(record, "tool").value_or(""); tool != "replay")
            throw InputError("tool", "'" + printable(tool, 40) + "' writes no request log that is known");
        load_ = read_run_load(record);
    }

    void add_request(const json::object& record)
    {
        if (!load_)
            throw InputError("schema", "a request before the run record that a log begins with");
        const auto request = read_request(record);
        const auto measured = measured_of(request, load_->basis);
        if (measured.ok && *measured.e2e_s < 0)
            throw InputError("end_s", "is before the latency begins");
        if (latencies_.size() == latencies_.capacity())
            latencies_.reserve(latencies_.size() + latencies_.size() / 2 + 64);
        latencies_.emplace_back(request.due_s, measured.ok ? measured.e2e_s : std::nullopt, request.round);
        auto& tally = tallies_.try_emplace(request.round).first->second;
        if (tally.objectives.empty())
            tally.objectives = uncounted_;
        ++tally.due;
        count_sent(request, tally);
        for (std::size_t i = 0; i < objectives_.size(); ++i) {
            const auto met = stats::meets(objectives_[i], measured);
            tally.objectives[i].requests += met.has_value();
            tally.objectives[i].met += met.value_or(false);
        }
        if (measured.ok)
            add_success(request, measured, tally);
        else
            add_failure(request, tally);
    }

    // By when it was sent, as far as it is known when a window began.
    void count_sent(const Request& request, Tally& tally)
    {
        tally.sent += request.sent_s.has_value();
        if (!load_->drains && request.sent_s && *request.sent_s >= 0 &&
            *request.sent_s < load_->round_duration_s * static_cast<double>(most_rounds))
            ++sent_[static_cast<int>(*request.sent_s / load_->round_duration_s) + 1];
    }

    static void add_success(const Request& request, const stats::Measured& measured, Tally& tally)
    {
        ++tally.ok;
        if (request.output_tokens) {
            tally.output_tokens += static_cast<double>(*request.output_tokens);
            ++tally.counted;
        }
        if (request.round > most_sketched_rounds)
            return;
        tally.latency.add(*measured.e2e_s);
        if (measured.ttft_s)
            tally.ttft.add(*measured.ttft_s);
        for (const double value : tpot_ms_of(request))
            tally.tpot_ms.add(value);
    }

    void add_failure(const Request& request, Tally& tally)
    {
        tally.has_unfinished |=
            request.status == RequestStatus::unfinished || request.status == RequestStatus::not_sent;
        const auto kind = request.status == RequestStatus::unfinished ? ErrorKind::cancelled
                          : request.status == RequestStatus::not_sent ? ErrorKind::client
                          : request.error_kind == ErrorKind::none     ? ErrorKind::protocol
                                                                      : request.error_kind;
        tally.refused += kind == ErrorKind::http_4xx;
        const std::string cause = request.error.empty() ? std::string(name_of(kind)) : request.error;
        if (causes_.size() < max_causes)
            causes_.insert(cause);
        ++tally.exceptions[causes_.contains(cause) ? cause : "(other)"];
    }

    Round round_of(int number, const Tally& tally) const
    {
        Round round;
        round.measurement_round = number;
        round.due = tally.due;
        round.ok = tally.ok;
        round.refused = tally.refused;
        if (tally.due > 0)
            round.success_rate = 100.0 * static_cast<double>(tally.ok) / static_cast<double>(tally.due);
        if (tally.counted > 0)
            round.output_tokens = static_cast<std::int64_t>(tally.output_tokens / tally.counted);
        round.exceptions = tally.exceptions;
        round.objectives = tally.objectives;
        round.target_qps = load_->target_qps(number);
        round.concurrency = load_->concurrency;
        round.from_send = load_->basis == LatencyBasis::send;
        round.shard = load_->shard;
        if (number <= most_sketched_rounds) {
            round.latency = tally.latency;
            round.ttft = tally.ttft;
            round.tpot_ms = tally.tpot_ms;
        }
        return round;
    }

    void set_rates(Round& round, int number, const Tally& tally, bool was_cut_short) const
    {
        round.duration_s = load_->round_duration_s;
        if (was_cut_short && (load_->drains || !stop_->at_s))
            round.duration_s.reset();
        else if (was_cut_short)
            round.duration_s =
                std::min(load_->round_duration_s, *stop_->at_s - (number - 1) * load_->round_duration_s);
        if (!round.duration_s || !(*round.duration_s > 0)) {
            round.duration_s.reset();
            return;
        }
        const auto sent = sent_.find(number);
        const auto in_window = load_->drains ? tally.sent : sent == sent_.end() ? 0 : sent->second;
        round.actual_qps = static_cast<double>(tally.due) / *round.duration_s;
        round.wire_dispatch_qps = static_cast<double>(in_window) / *round.duration_s;
    }

    std::vector<stats::Objective> objectives_;
    std::vector<ObjectiveCount> uncounted_;
    std::optional<RunLoad> load_;
    std::optional<RunStop> stop_;
    std::vector<DueLatency> latencies_;
    std::map<int, Tally> tallies_;
    std::map<int, std::int64_t> sent_; // by the window of their sending
    std::set<std::string> causes_;
};

} // namespace slo::record

#endif
