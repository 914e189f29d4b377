// SPDX-License-Identifier: MIT
// The options of the verbs that work in virtual time.

#ifndef SLO_SIM_VIRTUAL_OPTIONS_HPP
#define SLO_SIM_VIRTUAL_OPTIONS_HPP

#include <slo/base/error.hpp>
#include <slo/base/json.hpp>
#include <slo/base/text.hpp>
#include <slo/engine/capacity.hpp>
#include <slo/engine/objective.hpp>
#include <slo/engine/profile.hpp>
#include <slo/sim/engine_options.hpp>
#include <slo/sim/virtual_rounds.hpp>
#include <slo/sim/workload.hpp>
#include <slo/stats/arrival.hpp>
#include <slo/stats/objective.hpp>

#include <cmath>
#include <optional>
#include <string>
#include <vector>

namespace slo::sim {

/// The options that say what is sent.
struct LoadOptions {
    EngineOptions engine;
    WorkloadOptions workload;
    std::string arrival = "constant";
    std::optional<double> burstiness;

    /// Adds the options to a table of the cli layer, which this layer does not know.
    template <class Table>
    void describe(Table& table)
    {
        table.section("Workload");
        table.add("route", workload.route, "FILE",
                  "requests, sent over and over in the order of their times");
        table.add("max-tokens", workload.max_tokens, "COUNT", "for requests that set none");
        table.add("choices", workload.choices, "COUNT", "answers to each request (n)");
        table.flag("use-chat", workload.use_chat, "make a prompt that is a text one user message");
        table.flag("ignore-eos", workload.ignore_eos,
                   "let answers run to max_tokens, whatever the engine's law");
        table.flag("serialize-conversations", workload.serialize_conversations,
                   "send a request when the one before it in its conversation has ended");
        table.add("arrival", arrival, "PROCESS", "due times: constant, poisson or gamma");
        table.add("arrivals", arrival, "PROCESS", "the same");
        table.add("burstiness", burstiness, "SHAPE", "of --arrival gamma: 1 is Poisson, less is burstier");
        engine.describe(table);
    }

    /// The arrival process at this rate. Throws UsageError.
    stats::Arrival process(double qps) const
    {
        const auto known = stats::process_of(arrival);
        if (!known || *known == stats::Process::ramp || *known == stats::Process::trace)
            throw UsageError("--arrival",
                             "'" + printable(arrival, 40) + "' is none of constant, poisson, gamma");
        if (burstiness && *known != stats::Process::gamma)
            throw UsageError("--burstiness", "needs --arrival gamma");
        stats::Arrival result;
        result.process = *known;
        result.qps = qps;
        result.burstiness = burstiness.value_or(1);
        result.seed = engine.seed;
        stats::check_arrival(result);
        return result;
    }
};

/// What engine-sim rounds is told.
struct RoundsOptions {
    LoadOptions load;
    RoundOptions rounds;
    std::optional<double> qps;
    std::vector<std::string> objectives;

    template <class Table>
    void describe(Table& table)
    {
        table.section("Rounds");
        table.add("qps", qps, "RATE", "requests a second (needed)");
        table.add("round-duration", rounds.round_duration_s, "SECONDS", "length of a reporting window");
        table.add("max-rounds", rounds.max_rounds, "COUNT", "windows");
        table.add("slo", rounds.e2e_slo_s, "SECONDS", "count the requests whose latency keeps it");
        table.add("ttft-slo-ms", rounds.ttft_slo_ms, "MS", "the same for the time to the first token");
        table.add("tpot-slo-ms", rounds.tpot_slo_ms, "MS", "the same for the time per output token");
        table.add_repeatable("objective", objectives, "OBJECTIVE",
                             "count who meets it, such as 'ttft:p99<0.8' or 'success>=99%'");
        load.describe(table);
    }

    /// Hands the records to `write(const json::object&)`. Throws Error.
    template <class Write>
    void run(Write&& write) const
    {
        if (!qps)
            throw UsageError("--qps", "is missing");
        auto options = rounds;
        if (!(*qps > 0 && *qps <= 1e6))
            throw UsageError("--qps", "must be above 0 and at most 1000000");
        options.arrival = load.process(*qps);
        for (const auto& text : objectives)
            options.objectives.push_back(stats::parse_objective(text));
        stats::check_distinct(options.objectives);
        options.seed = load.engine.seed;
        const auto profile = load.engine.resolve();
        run_virtual_rounds(profile, load_workload(load.workload, profile), options, write);
    }
};

namespace detail {

// More digits than these the search does not know.
inline json::value rate_or_null(const std::optional<double>& rate)
{
    return rate ? json::value(std::round(*rate * 1e4) / 1e4) : json::value(nullptr);
}

} // namespace detail

/// What engine-sim capacity is told.
struct CapacitySearchOptions {
    LoadOptions load;
    std::string objective;
    engine::CapacityOptions search;

    template <class Table>
    void describe(Table& table)
    {
        table.section("Capacity");
        table.add("slo", objective, "OBJECTIVE", "such as 'e2e:p50<6.5'; also ttft and tpot (needed)");
        table.add("objective", objective, "OBJECTIVE", "the same");
        table.add("batch-requests", search.batch_requests, "COUNT",
                  "requests in each of ten batches a rate is measured in");
        table.add("warm-up", search.warm_up_s, "SECONDS", "virtual time before the first batch");
        table.add("tolerance", search.tolerance, "SHARE", "fineness of the rates tried");
        load.describe(table);
    }

    /// The record of the answer. Throws Error.
    json::object run() const
    {
        if (objective.empty())
            throw UsageError("--slo", "is missing");
        auto options = search;
        options.objective = engine::parse_objective(objective);
        options.arrival = load.process(1);
        options.seed = load.engine.seed;
        if (options.batch_requests < 10 || options.batch_requests > 1000000)
            throw UsageError("--batch-requests", "must be from 10 to 1000000");
        if (!(options.warm_up_s >= 0 && options.warm_up_s <= 86400))
            throw UsageError("--warm-up", "must be from 0 to 86400");
        if (!(options.tolerance >= 1e-5 && options.tolerance <= 0.1))
            throw UsageError("--tolerance", "must be from 0.00001 to 0.1");
        const auto profile = load.engine.resolve();
        const auto workload = load_workload(load.workload, profile);
        const auto capacity = engine::find_capacity(profile, workload, options);
        return {{"schema", "sloutils.capacity/1"},
                {"objective", engine::to_text(options.objective)},
                {"qps", detail::rate_or_null(capacity.qps)},
                {"low", detail::rate_or_null(capacity.low)},
                {"high", detail::rate_or_null(capacity.high)},
                {"profile", profile.name},
                {"arrivals", load.arrival},
                {"seed", options.seed},
                {"rates_tried", capacity.rates_tried}};
    }
};

} // namespace slo::sim

#endif
