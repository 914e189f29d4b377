// SPDX-License-Identifier: MIT
// Reading run records (sloutils.run/1) for what they say of the rounds.

#ifndef SLO_RECORD_RUN_READ_HPP
#define SLO_RECORD_RUN_READ_HPP

#include <slo/base/error.hpp>
#include <slo/base/json.hpp>
#include <slo/base/text.hpp>
#include <slo/record/round_window.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace slo::record {

/// The load of a run, as its rounds have it.
struct RunLoad {
    double round_duration_s = 60;
    bool drains = false;             ///< each round before the next begins, at a moment that is not known
    std::optional<double> first_qps; ///< the rate asked for at the start, and at the end; none was: absent
    std::optional<double> last_qps;
    std::optional<std::int64_t> max_rounds;
    std::optional<std::int64_t> concurrency; ///< of a closed loop
    std::string shard;                       ///< "I/N"; empty for a whole run
    LatencyBasis basis = LatencyBasis::due;

    /// The mean rate asked for in a round, from 1.
    std::optional<double> target_qps(int round) const
    {
        if (!first_qps || !last_qps || *first_qps == *last_qps)
            return first_qps;
        if (!max_rounds)
            return std::nullopt;
        const double share = (round - 0.5) / static_cast<double>(*max_rounds);
        return *first_qps + share * (*last_qps - *first_qps);
    }
};

/// The record that closes the log of a run which ended early.
struct RunStop {
    std::string by;             ///< a flag of rounds: "interrupted", "decided", …
    std::optional<double> at_s; ///< since the run's start
};

/// The load in the leading record of a request log. Throws InputError, whose subject is the member that is
/// not what replay writes.
inline RunLoad read_run_load(const json::object& record)
{
    const auto* config = object_at(record, "config");
    if (!config)
        throw InputError("config", "is missing from the run record");
    const auto above_0 = [&](const char* name, double most) -> std::optional<double> {
        const auto* value = find(*config, name);
        if (!value || value->is_null())
            return std::nullopt;
        const auto number = number_at(*config, name);
        if (!number || !(*number > 0 && *number <= most))
            throw InputError(name, "is no sound configuration");
        return number;
    };
    RunLoad load;
    const auto round_s = above_0("round_duration_s", 1e7);
    if (!round_s)
        throw InputError("round_duration_s", "is missing from the run record");
    load.round_duration_s = *round_s;
    const auto* continuous = find(*config, "continuous_qps_window");
    load.drains = string_at(*config, "replay_mode") == "qps" &&
                  !(continuous && continuous->is_bool() && continuous->get_bool());
    load.first_qps = above_0("target_qps", 1e9);
    load.last_qps = above_0("ramp_to", 1e9);
    const auto count = [&](const char* name) -> std::optional<std::int64_t> {
        const auto number = above_0(name, 1e6);
        return number ? std::optional(static_cast<std::int64_t>(*number)) : std::nullopt;
    };
    load.max_rounds = count("max_rounds");
    load.concurrency = count("concurrency");
    load.shard = printable(string_at(*config, "shard").value_or(""), 32);
    load.basis =
        latency_basis(string_at(record, "latency_basis").value_or("due")).value_or(LatencyBasis::due);
    return load;
}

/// The early end in a closing record, or nothing where the record is another. Throws InputError.
inline std::optional<RunStop> read_run_stop(const json::object& record)
{
    const auto by = string_at(record, "stopped");
    if (!by)
        return std::nullopt;
    RunStop stop{printable(*by, 32), number_at(record, "stopped_s")};
    if (stop.at_s && !(*stop.at_s >= 0 && *stop.at_s <= 1e9))
        throw InputError("stopped_s", "is no moment of a run, in seconds");
    return stop;
}

} // namespace slo::record

#endif
