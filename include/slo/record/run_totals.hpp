// SPDX-License-Identifier: MIT
// What the rounds of a run add up to.

#ifndef SLO_RECORD_RUN_TOTALS_HPP
#define SLO_RECORD_RUN_TOTALS_HPP

#include <slo/record/request.hpp>
#include <slo/record/round_window.hpp>
#include <slo/record/window_totals.hpp>
#include <slo/stats/moments.hpp>
#include <slo/stats/sample.hpp>
#include <slo/stats/sketch.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace slo::record {

/// A sample of the whole run in bounded memory: quantiles within the error of QuantileSketch, the rest exact.
class Distribution {
public:
    /// Takes in all that a sample of a round holds.
    void add(const stats::Sample& sample)
    {
        sketch_.merge(sample.sketch());
        moments_.merge(sample.moments());
    }

    std::int64_t count() const noexcept { return moments_.count(); }
    std::optional<double> quantile(double q) const { return sketch_.quantile(q); }
    const stats::Moments& moments() const noexcept { return moments_; }

private:
    stats::QuantileSketch sketch_;
    stats::Moments moments_;
};

/// Counts and distributions over all rounds of a run.
class RunTotals {
public:
    /// Takes one round in. `lateness_s`: how late the client sent each of its requests.
    void add(const RoundWindow& window, const WindowTotals& totals, const stats::Sample& lateness_s)
    {
        ++rounds;
        terms = totals.terms();
        start_s_ = std::min(start_s_.value_or(window.start_s), window.start_s);
        windows_s_ += window.duration_s;
        end_s_ = std::max(end_s_, window.start_s + window.duration_s);
        if (totals.last_end_s)
            last_end_s_ = std::max(last_end_s_.value_or(*totals.last_end_s), *totals.last_end_s);
        due += totals.due;
        sent += totals.sent;
        dispatched_ += window.wire_dispatched.value_or(totals.sent);
        retries += totals.retries;
        reconnects += totals.reconnects;
        for (std::size_t i = 0; i < by_status.size(); ++i)
            by_status[i] += totals.by_status[i];
        for (std::size_t i = 0; i < by_kind.size(); ++i)
            by_kind[i] += totals.by_kind[i];
        met_all += totals.met_all;
        if (window.client) {
            saturated_rounds += window.client->saturated;
            in_flight_max = std::max(in_flight_max, window.client->in_flight_max);
        }
        interrupted |=
            std::find(window.flags.begin(), window.flags.end(), "interrupted") != window.flags.end();
        latency_s.add(totals.latency_s);
        server_latency_s.add(totals.server_latency_s);
        ttft_s.add(totals.ttft_s);
        ttft_content_s.add(totals.ttft_content_s);
        tpot_ms.add(totals.tpot_values_ms);
        itl_ms.add(totals.itl_ms);
        input_tokens.add(totals.input_tokens);
        output_tokens.add(totals.output_tokens);
        reasoning_tokens.add(totals.reasoning_tokens);
        send_lag_s.add(lateness_s);
    }

    std::int64_t count(RequestStatus status) const { return by_status[static_cast<std::size_t>(status)]; }

    /// Requests that were sent and did not succeed, or were not sent.
    std::int64_t not_ok() const { return due - count(RequestStatus::ok); }

    /// Seconds from the first round's start to the last request's end, or to the last round's where none has
    /// ended.
    double duration_s() const { return std::max(0.0, last_end_s_.value_or(end_s_) - start_s_.value_or(0)); }

    /// Seconds from the run's start to the first round's start, and to the end of duration_s().
    double start_s() const noexcept { return start_s_.value_or(0); }
    double end_s() const { return start_s() + duration_s(); }

    /// `amount` per second of duration_s(); nothing for a run without a length.
    std::optional<double> per_second(double amount) const
    {
        return duration_s() > 0 ? std::optional(amount / duration_s()) : std::nullopt;
    }

    /// Requests written to the wire per second of the rounds, which the drains between them do not dilute.
    std::optional<double> achieved_rate() const
    {
        return windows_s_ > 0 ? std::optional(static_cast<double>(dispatched_) / windows_s_) : std::nullopt;
    }

    RoundTerms terms; ///< of the last round
    int rounds = 0, saturated_rounds = 0;
    bool interrupted = false;
    std::int64_t due = 0, sent = 0, retries = 0, reconnects = 0;
    std::array<std::int64_t, request_status_names.size()> by_status{};
    std::array<std::int64_t, error_kind_names.size()> by_kind{};
    std::int64_t met_all = 0; ///< requests that met every SLO
    std::int64_t in_flight_max = 0;
    Distribution latency_s, server_latency_s, ttft_s, ttft_content_s, tpot_ms, itl_ms;
    Distribution input_tokens, output_tokens, reasoning_tokens; ///< a request
    Distribution send_lag_s;

private:
    std::optional<double> start_s_;
    std::optional<double> last_end_s_;
    double end_s_ = 0;
    double windows_s_ = 0;
    std::int64_t dispatched_ = 0;
};

} // namespace slo::record

#endif
