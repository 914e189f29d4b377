// SPDX-License-Identifier: MIT
// A whole load test in virtual time: arrivals into the scheduler, outcomes out of it, nobody waits.

#ifndef SLO_ENGINE_SIMULATE_HPP
#define SLO_ENGINE_SIMULATE_HPP

#include <slo/base/error.hpp>
#include <slo/base/text.hpp>
#include <slo/engine/due_times.hpp>
#include <slo/engine/lengths.hpp>
#include <slo/engine/profile.hpp>
#include <slo/engine/prompt.hpp>
#include <slo/engine/scheduler.hpp>
#include <slo/stats/arrival.hpp>
#include <slo/stats/schedule.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace slo::engine {

/// One request of a workload, sent anew in each pass.
struct WorkRequest {
    std::shared_ptr<const Prompt> prompt;
    OutputLimits limits;
    int choices = 1;
    std::string conversation; ///< requests of one conversation and pass wait for each other; empty: for none
};

/// One choice of a request, as it came out.
struct ChoiceOutcome {
    std::int64_t tokens = 0;
    std::int64_t chars = 0; ///< Unicode code points
    double first_token_s = 0;
    double last_token_s = 0;
    FinishReason reason = FinishReason::length;
};

/// What became of one request. Times are virtual seconds since the load's start.
struct Outcome {
    std::size_t serial = 0; ///< 0-based, in the order of due times
    std::size_t row = 0;    ///< which request of the workload it is
    double due_s = 0;
    double sent_s = 0; ///< later than due when an earlier request of the conversation was still running
    double first_token_s = 0;
    double end_s = 0;
    std::int64_t prompt_tokens = 0;
    std::int64_t cached_tokens = 0; ///< of the first choice
    std::vector<ChoiceOutcome> choices;
    std::vector<double> gaps_s; ///< between tokens of a choice, when asked for
    bool refused = false;       ///< at once, with an error

    std::int64_t output_tokens() const noexcept
    {
        std::int64_t sum = 0;
        for (const auto& choice : choices)
            sum += choice.tokens;
        return sum;
    }
};

/// The load and how to watch it.
struct SimulationOptions {
    stats::Arrival arrival;
    std::uint64_t seed = 1; ///< of the lengths and words of answers
    std::size_t max_requests = SIZE_MAX;
    double duration_s = 1e300; ///< requests due later are not sent
    /// The due times of a whole run instead of `arrival` and the two limits.
    std::optional<stats::Schedule> schedule;
    bool keep_gaps = false;
};

/// Sends the requests of `rows`, over and over, until one of the limits is reached, and lets the engine
/// finish them all.
class Simulation {
public:
    /// `rows` must outlive the simulation. Throws Error when there are none or one does not fit the engine.
    Simulation(const Profile& profile, std::span<const WorkRequest> rows, const SimulationOptions& options)
        : profile_(profile), rows_(rows), options_(options), scheduler_(profile.step, profile.limits),
          due_times_(options.arrival)
    {
        if (options_.schedule)
            options_.max_requests = options_.schedule->size();
        if (rows.empty())
            throw Error("the workload has no requests");
        due();
    }

    /// Runs to the end; `done` is called for each request as it ends, in the order of ends, save that what is
    /// refused during a step comes before what ends with it.
    void run(std::function<void(const Outcome&)> done)
    {
        done_ = std::move(done);
        double now_s = 0;
        for (;;) {
            arrive_until(now_s);
            const auto start_s = scheduler_.next_start_s(now_s);
            if (!start_s && !next_due_s_)
                return;
            if (!start_s || *start_s > now_s) {
                now_s = start_s && next_due_s_ ? std::min(*start_s, *next_due_s_)
                        : start_s              ? *start_s
                                               : *next_due_s_;
                continue;
            }
            const auto& step = scheduler_.step(now_s);
            now_s = step.end_s;
            // Before the step's ends are known: what was due during it found its conversation still busy.
            arrive_until(now_s);
            for (const auto& event : step.events)
                take(event, now_s);
        }
    }

private:
    struct Flight {
        Outcome outcome;
        std::size_t open = 0;
    };

    // A request that waits for the one before it in its conversation.
    struct Held {
        std::size_t serial;
        double due_s;
    };

    void due()
    {
        next_due_s_.reset();
        if (serial_ >= options_.max_requests)
            return;
        const double due_s = options_.schedule ? options_.schedule->due_s(serial_) : due_times_.next_s();
        if (due_s < options_.duration_s)
            next_due_s_ = due_s;
    }

    void arrive_until(double now_s)
    {
        for (; next_due_s_ && *next_due_s_ <= now_s; due())
            arrive(*next_due_s_);
    }

    void arrive(double due_s)
    {
        const auto serial = serial_++;
        const auto key = conversation_of(serial);
        if (!key.empty()) {
            const auto [entry, idle] = conversations_.try_emplace(key);
            if (!idle) {
                entry->second.push_back({serial, due_s});
                return;
            }
        }
        if (!send(serial, due_s, due_s))
            continue_conversation(key, due_s);
    }

    std::string conversation_of(std::size_t serial) const
    {
        const auto& name = rows_[serial % rows_.size()].conversation;
        return name.empty() ? name : name + '\n' + std::to_string(serial / rows_.size());
    }

    // False when the engine refuses the request, which then has ended.
    bool send(std::size_t serial, double due_s, double sent_s)
    {
        const auto row = serial % rows_.size();
        const auto& request = rows_[row];
        if (profile_.fail_above_running && in_flight_ >= *profile_.fail_above_running) {
            refuse(serial, due_s, sent_s);
            return false;
        }
        ++in_flight_;
        if (vacant_.empty()) {
            vacant_.push_back(flights_.size());
            flights_.emplace_back();
        }
        const auto slot = vacant_.back();
        vacant_.pop_back();
        auto& flight = flights_[slot];
        flight.outcome = {};
        flight.outcome.serial = serial;
        flight.outcome.row = row;
        flight.outcome.due_s = due_s;
        flight.outcome.sent_s = sent_s;
        flight.outcome.prompt_tokens = request.prompt->tokens();
        flight.open = static_cast<std::size_t>(request.choices);
        flight.outcome.choices.resize(flight.open);
        const auto room = profile_.limits.max_model_len - request.prompt->tokens();
        std::int64_t planned = 0;
        for (std::size_t i = 0; i < flight.open; ++i) {
            const auto seed = mix64(options_.seed + (serial << 20)) + i;
            const auto output =
                plan_output(profile_.output, request.limits, std::max<std::int64_t>(room, 1), seed);
            scheduler_.add({request.prompt, output, seed, slot << 8 | i}, sent_s);
            planned += output.tokens;
        }
        if (options_.keep_gaps)
            flight.outcome.gaps_s.reserve(static_cast<std::size_t>(planned));
        return true;
    }

    void refuse(std::size_t serial, double due_s, double sent_s)
    {
        Outcome outcome;
        outcome.serial = serial;
        outcome.row = serial % rows_.size();
        outcome.due_s = due_s;
        outcome.sent_s = outcome.end_s = sent_s;
        outcome.refused = true;
        done_(outcome);
    }

    void take(const TokenEvent& event, double now_s)
    {
        const auto slot = event.tag >> 8;
        auto& outcome = flights_[slot].outcome;
        auto& choice = outcome.choices[event.tag & 0xFF];
        if (event.output_tokens == 1) {
            choice.first_token_s = now_s;
            if (outcome.first_token_s == 0)
                outcome.first_token_s = now_s;
            if ((event.tag & 0xFF) == 0)
                outcome.cached_tokens = event.cached_tokens;
        } else if (options_.keep_gaps) {
            outcome.gaps_s.push_back(now_s - event.previous_token_s);
        }
        choice.tokens = event.output_tokens;
        if (options_.keep_gaps)
            choice.chars += word_chars_[event.word];
        if (!event.finished)
            return;
        choice.last_token_s = now_s;
        choice.reason = event.reason;
        if (--flights_[slot].open > 0)
            return;
        outcome.end_s = now_s;
        --in_flight_;
        done_(outcome);
        const auto serial = outcome.serial;
        vacant_.push_back(slot);
        continue_conversation(conversation_of(serial), now_s);
    }

    void continue_conversation(const std::string& key, double now_s)
    {
        if (key.empty())
            return;
        const auto found = conversations_.find(key);
        while (!found->second.empty()) {
            const auto next = found->second.front();
            found->second.pop_front();
            if (send(next.serial, next.due_s, now_s))
                return;
        }
        conversations_.erase(found);
    }

    static std::array<std::int64_t, answer_words.size()> count_word_chars()
    {
        std::array<std::int64_t, answer_words.size()> chars{};
        for (std::size_t i = 0; i < chars.size(); ++i)
            chars[i] = static_cast<std::int64_t>(count_code_points(answer_words[i]));
        return chars;
    }

    Profile profile_;
    const std::array<std::int64_t, answer_words.size()> word_chars_ = count_word_chars();
    std::span<const WorkRequest> rows_;
    SimulationOptions options_;
    Scheduler scheduler_;
    std::function<void(const Outcome&)> done_;
    std::int64_t in_flight_ = 0; // requests
    DueTimes due_times_;
    std::optional<double> next_due_s_;
    std::size_t serial_ = 0;
    std::vector<Flight> flights_;
    std::vector<std::size_t> vacant_;
    std::unordered_map<std::string, std::deque<Held>> conversations_;
};

} // namespace slo::engine

#endif
