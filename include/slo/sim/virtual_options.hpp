// SPDX-License-Identifier: MIT
// The options of the verbs that work in virtual time.

#ifndef SLO_SIM_VIRTUAL_OPTIONS_HPP
#define SLO_SIM_VIRTUAL_OPTIONS_HPP

#include <slo/base/error.hpp>
#include <slo/base/json.hpp>
#include <slo/base/text.hpp>
#include <slo/engine/capacity.hpp>
#include <slo/engine/profile.hpp>
#include <slo/sim/engine_options.hpp>
#include <slo/sim/virtual_rounds.hpp>
#include <slo/sim/workload.hpp>
#include <slo/stats/arrival.hpp>
#include <slo/stats/objective.hpp>

#include <cmath>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
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
    std::vector<std::string> objectives;
    std::vector<std::string> slos; ///< the same
    std::size_t requests = 30000;
    std::string precision;
    engine::CapacityOptions search;

    template <class Table>
    void describe(Table& table)
    {
        table.section("Capacity");
        table.add_repeatable("objective", objectives, "OBJECTIVE",
                             "such as 'e2e:p50<6.5' or 'success>=99%' (needed)");
        table.add_repeatable("slo", slos, "OBJECTIVE", "the same");
        table.add("requests", requests, "COUNT", "counted in each run at one rate");
        table.add("precision", precision, "SHARE", "go on until the interval is narrower, such as 0.5%");
        table.add("warm-up", search.rate.warm_up_s, "SECONDS", "virtual time before they are counted");
        table.add("tolerance", search.tolerance, "SHARE", "fineness where the share jumps");
        table.add("ceiling", search.ceiling_qps, "RATE", "highest rate that is tried");
        load.describe(table);
    }

    /// The record of the answer. Throws Error.
    json::object run() const
    {
        const auto options = checked();
        const auto profile = load.engine.resolve();
        const auto workload = load_workload(load.workload, profile);
        return to_record(options, profile, engine::find_capacity(profile, workload, options));
    }

private:
    engine::CapacityOptions checked() const
    {
        if (objectives.empty() && slos.empty())
            throw UsageError("--objective", "is missing");
        auto options = search;
        for (const auto* texts : {&objectives, &slos})
            for (const auto& text : *texts)
                options.rate.objectives.push_back(stats::parse_objective(text));
        stats::check_distinct(options.rate.objectives);
        options.rate.arrival = load.process(1);
        options.rate.seed = load.engine.seed;
        options.rate.requests = requests;
        options.precision = precision.empty() ? 0 : share_of(precision);
        if (requests < 250 || requests > 100'000'000)
            throw UsageError("--requests", "must be from 250 to 100000000");
        if (!(options.rate.warm_up_s >= 0 && options.rate.warm_up_s <= 86400))
            throw UsageError("--warm-up", "must be from 0 to 86400");
        if (!(options.tolerance >= 1e-5 && options.tolerance <= 0.1))
            throw UsageError("--tolerance", "must be from 0.00001 to 0.1");
        if (!(options.ceiling_qps >= 0.01 && options.ceiling_qps <= 1e6))
            throw UsageError("--ceiling", "must be from 0.01 to 1000000");
        return options;
    }

    // "0.5%" or "0.005".
    static double share_of(std::string_view text)
    {
        const bool percent = text.ends_with('%');
        const auto number = parse_double(percent ? text.substr(0, text.size() - 1) : text);
        const double share = number.value_or(0) / (percent ? 100 : 1);
        if (!(share >= 1e-4 && share <= 1))
            throw UsageError("--precision", "must be from 0.01% to 100%");
        return share;
    }

    json::object to_record(const engine::CapacityOptions& options, const engine::Profile& profile,
                           const engine::Capacity& capacity) const
    {
        json::array texts;
        for (const auto& objective : options.rate.objectives)
            texts.push_back(json_text(stats::to_text(objective)));
        json::object record{{"schema", "sloutils.capacity/1"},
                            {"objective", texts.size() == 1 ? texts.front() : json::value(nullptr)},
                            {"objectives", texts},
                            {"qps", detail::rate_or_null(capacity.qps)},
                            {"low", detail::rate_or_null(capacity.low)},
                            {"high", detail::rate_or_null(capacity.high)},
                            {"by", text_or_null(capacity.by)},
                            {"reason", text_or_null(capacity.reason)}};
        if (capacity.again_qps)
            record["again_qps"] = detail::rate_or_null(capacity.again_qps);
        record["profile"] = profile.name;
        record["arrivals"] = load.arrival;
        record["burstiness"] = or_null(load.burstiness);
        record["seed"] = options.rate.seed;
        record["requests"] = options.rate.requests;
        record["rates_tried"] = capacity.rates_tried;
        return record;
    }
};

} // namespace slo::sim

#endif
