// SPDX-License-Identifier: MIT
// Round records of a load test that takes no time.

#ifndef SLO_SIM_VIRTUAL_ROUNDS_HPP
#define SLO_SIM_VIRTUAL_ROUNDS_HPP

#include <slo/base/error.hpp>
#include <slo/base/json.hpp>
#include <slo/engine/profile.hpp>
#include <slo/engine/simulate.hpp>
#include <slo/record/request.hpp>
#include <slo/record/round_summary.hpp>
#include <slo/stats/objective.hpp>
#include <slo/stats/schedule.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace slo::sim {

/// The rounds of a run, as replay in its continuous mode makes them.
struct RoundOptions {
    stats::Arrival arrival; ///< constant, poisson or gamma
    double round_duration_s = 30;
    int max_rounds = 8;
    std::uint64_t seed = 1; ///< of the lengths and words of answers
    std::optional<double> e2e_slo_s;
    std::optional<double> ttft_slo_ms;
    std::optional<double> tpot_slo_ms;
    std::vector<stats::Objective> objectives; ///< of which the requests that meet them are counted
};

/// The request record of an outcome.
inline record::Request to_request(const engine::Outcome& outcome, int round)
{
    record::Request request;
    request.id = "sim-" + std::to_string(outcome.serial + 1);
    request.round = round;
    request.due_s = outcome.due_s;
    request.sent_s = outcome.sent_s;
    if (outcome.refused) {
        request.end_s = outcome.end_s;
        request.status = record::RequestStatus::failed;
        request.http = 503;
        request.error_kind = record::ErrorKind::http_5xx;
        request.error = "HTTP 503: " + std::string(engine::refusal_message);
        return request;
    }
    request.first_token_s = request.first_content_s = outcome.first_token_s;
    request.last_token_s = request.end_s = outcome.end_s;
    request.status = record::RequestStatus::ok;
    request.http = 200;
    request.input_tokens = outcome.prompt_tokens;
    request.output_tokens = outcome.output_tokens();
    request.cached_tokens = outcome.cached_tokens;
    for (std::size_t i = 0; i < outcome.choices.size(); ++i) {
        const auto& choice = outcome.choices[i];
        request.choices.push_back({static_cast<int>(i), std::string(engine::name_of(choice.reason)),
                                   choice.tokens, choice.chars, choice.first_token_s, choice.last_token_s});
        request.content_chars += choice.chars;
    }
    request.token_timing = record::TokenTiming::event;
    request.itl_ms.reserve(outcome.gaps_s.size());
    for (const double gap_s : outcome.gaps_s)
        request.itl_ms.push_back(gap_s * 1e3);
    return request;
}

namespace detail {

// Requests end in another order than they are due.
class RoundCollector {
public:
    RoundCollector(const engine::Profile& profile, const RoundOptions& options,
                   const stats::Schedule& schedule)
        : model_(profile.model), options_(options), schedule_(schedule),
          dispatched_(static_cast<std::size_t>(options.max_rounds)), completed_(dispatched_.size()),
          rounds_(dispatched_.size())
    {
    }

    void add(const engine::Outcome& outcome)
    {
        const auto round = static_cast<std::size_t>(schedule_.window_of(outcome.serial));
        rounds_[round].push_back(to_request(outcome, static_cast<int>(round) + 1));
        count(dispatched_, outcome.sent_s);
        count(completed_, outcome.end_s);
    }

    /// Hands the records of the rounds that are over at `now_s`, and whose requests have all ended, to
    /// `write`, each once and in order.
    template <class Write>
    void write_ended(double now_s, Write&& write)
    {
        while (next_ < rounds_.size() && rounds_[next_].size() == due_in(next_) &&
               now_s >= static_cast<double>(next_ + 1) * options_.round_duration_s) {
            write(summarize(next_));
            rounds_[next_++] = {};
        }
    }

private:
    std::size_t due_in(std::size_t round) const
    {
        const auto window = static_cast<int>(round);
        return schedule_.first_of(window + 1) - schedule_.first_of(window);
    }

    json::object summarize(std::size_t round)
    {
        record::RoundWindow window;
        window.number = static_cast<int>(round) + 1;
        window.start_s = static_cast<double>(round) * options_.round_duration_s;
        window.duration_s = options_.round_duration_s;
        window.target_qps = schedule_.target_qps(static_cast<int>(round));
        window.model = model_;
        window.e2e_slo_s = options_.e2e_slo_s;
        window.ttft_slo_ms = options_.ttft_slo_ms;
        window.tpot_slo_ms = options_.tpot_slo_ms;
        window.objectives = options_.objectives;
        window.wire_dispatched = dispatched_[round];
        window.completed = completed_[round];
        std::sort(rounds_[round].begin(), rounds_[round].end(),
                  [](const auto& a, const auto& b) { return a.due_s < b.due_s; });
        return record::summarize_round(window, rounds_[round]);
    }

    std::size_t round_of(double time_s) const
    {
        return static_cast<std::size_t>(std::floor(time_s / options_.round_duration_s));
    }

    void count(std::vector<std::int64_t>& counts, double time_s) const
    {
        if (const auto round = round_of(time_s); round < counts.size())
            ++counts[round];
    }

    std::string model_;
    RoundOptions options_;
    const stats::Schedule& schedule_;
    std::vector<std::int64_t> dispatched_;
    std::vector<std::int64_t> completed_;
    std::vector<std::vector<record::Request>> rounds_;
    std::size_t next_ = 0; ///< round to be written
};

} // namespace detail

/// Runs all rounds and hands their records to `write(const json::object&)`, in order, each as soon as it is
/// over; what `write` throws ends the run. The rows are sent over and over as far as the rounds need them.
/// Throws UsageError for options that make no sense, and Error as Simulation does.
template <class Write>
void run_virtual_rounds(const engine::Profile& profile, std::span<const engine::WorkRequest> rows,
                        const RoundOptions& options, Write&& write)
{
    if (!(options.round_duration_s > 0 && options.round_duration_s <= 1e6))
        throw UsageError("--round-duration", "must be above 0 and at most 1000000");
    if (options.max_rounds < 1 || options.max_rounds > 100000)
        throw UsageError("--max-rounds", "must be from 1 to 100000");
    engine::SimulationOptions load;
    load.arrival = options.arrival;
    load.seed = options.seed;
    load.keep_gaps = true;
    load.schedule = stats::Schedule::make(options.arrival, options.round_duration_s, options.max_rounds);
    detail::RoundCollector rounds(profile, options, *load.schedule);
    engine::Simulation(profile, rows, load).run([&](const engine::Outcome& outcome) {
        rounds.add(outcome);
        rounds.write_ended(outcome.end_s, write);
    });
    rounds.write_ended(std::numeric_limits<double>::infinity(), write);
}

} // namespace slo::sim

#endif
