// SPDX-License-Identifier: MIT
// What a replay is to do, checked before anything is opened or sent.

#ifndef SLO_RUN_REPLAY_PLAN_HPP
#define SLO_RUN_REPLAY_PLAN_HPP

#include <slo/base/error.hpp>
#include <slo/base/text.hpp>
#include <slo/plan/request_body.hpp>
#include <slo/plan/sampling.hpp>
#include <slo/plan/shard_filter.hpp>
#include <slo/record/timestamp.hpp>
#include <slo/run/output_files.hpp>
#include <slo/run/replay_options.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace slo::run {

/// The ways to space requests.
enum class ReplayMode {
    timestamp,  ///< as recorded
    rounds,     ///< at a rate; each round drains before the next begins
    continuous, ///< at a rate, without a pause; one drain at the end
    closed      ///< by a number of users, each of which sends when its last request has ended
};

/// A checked replay: everything that follows from the options alone.
struct ReplayPlan {
    ReplayMode mode = ReplayMode::timestamp;
    std::string input; ///< "-" is stdin
    std::optional<record::TsUnit> ts_unit;
    plan::SampleRange sample;
    plan::ShardFilter shard;
    plan::RequestConfig request;
    bool probe_min_p = false;
    double target_qps = 1;
    double round_duration_s = 60;
    double drain_timeout_s = 300;
    std::optional<int> max_rounds;
    bool serialize_conversations = false;
    std::size_t users = 0;            ///< of a closed loop
    std::size_t max_in_flight = 0;    ///< 0: no bound
    double first_token_timeout_s = 0; ///< 0: none
    bool loop_route = false;
    int threads = 1;
    std::optional<double> e2e_slo_s;
    std::optional<double> ttft_slo_ms;
    std::optional<double> tpot_slo_ms;
};

namespace detail {

inline void require(bool condition, const char* option, const char* reason)
{
    if (!condition)
        throw UsageError(option, reason);
}

inline void check_numbers(const ReplayOptions& options)
{
    require(options.target_qps.value_or(1) > 0, "--target-qps", "must be above 0");
    require(options.round_duration_s >= 1 && options.round_duration_s <= 10'000'000, "--round-duration",
            "must be from 1 to 10000000 seconds");
    require(options.round_drain_timeout_s >= 0 && options.round_drain_timeout_s <= 10'000'000,
            "--round-drain-timeout", "must be from 0 to 10000000 seconds");
    const int rounds = options.max_rounds.value_or(1);
    require(rounds >= 1 && rounds <= 1'000'000, "--max-rounds", "must be from 1 to 1000000");
    for (const auto& [value, name] : {std::pair(options.request_timeout_s, "--request-timeout"),
                                      std::pair(options.connect_timeout_s, "--connect-timeout")})
        require(value >= 0.001 && value <= 1'000'000, name, "must be from 0.001 to 1000000 seconds");
    require(options.e2e_slo_s.value_or(1) > 0, "--e2e-slo", "must be above 0");
    require(options.ttft_slo_ms.value_or(1) > 0, "--ttft-slo", "must be above 0");
    require(options.tpot_slo_ms.value_or(1) > 0, "--tpot-slo", "must be above 0");
}

inline std::string input_of(const ReplayOptions& options)
{
    require(options.files.size() + (options.input.empty() ? 0 : 1) <= 1, "ROUTE",
            "only one route can be replayed");
    return !options.input.empty() ? options.input : options.files.empty() ? "-" : options.files.front();
}

// No file may be written over by another.
inline void check_files(const ReplayOptions& options, const std::string& input)
{
    require(!is_same_file(options.json_output, options.requests_out), "--requests-out",
            "cannot be the file of --json-output");
    for (const auto& [path, name] :
         {std::pair(options.json_output, "--json-output"), std::pair(options.requests_out, "--requests-out")})
        require(!is_kept_file(path) || !is_same_file(path, input), name, "cannot be the route");
}

} // namespace detail

/// Checks the options, in the order in which the recorded client did where it checked at all. Throws
/// UsageError.
inline ReplayPlan make_plan(const ReplayOptions& options)
{
    using detail::require;
    ReplayPlan plan;
    plan.request.extra_body = plan::parse_extra_body(options.extra_body_json);
    require(options.replay_mode == "qps" || options.replay_mode == "timestamp", "--replay-mode",
            "must be timestamp or qps");
    require(!options.forward_kv_evict || options.use_chat, "--forward-kv-evict", "needs --use-chat");
    const bool constant_rate = options.replay_mode == "qps";
    require(!options.continuous_qps_window || constant_rate, "--continuous-qps-window",
            "needs --replay-mode qps");
    require(!options.continuous_qps_window || options.max_rounds, "--continuous-qps-window",
            "needs --max-rounds");
    plan.sample = plan::SampleRange(options.sample_range[0], options.sample_range[1]);
    require(!options.preselected_route || plan.sample.is_all(), "--preselected-route",
            "cannot stand with a --sample-range");
    if (!options.shard.empty())
        plan.shard = plan::ShardFilter::parse(options.shard);
    detail::check_numbers(options);
    plan.mode = options.continuous_qps_window ? ReplayMode::continuous
                : constant_rate               ? ReplayMode::rounds
                                              : ReplayMode::timestamp;
    plan.target_qps = options.target_qps.value_or(1);
    plan.round_duration_s = static_cast<double>(options.round_duration_s);
    require(plan.mode != ReplayMode::rounds || plan.target_qps * plan.round_duration_s >= 1 - 1e-9,
            "--target-qps", "gives less than one request in a round of --round-duration");
    if (!options.ts_unit.empty()) {
        plan.ts_unit = record::ts_unit_of(options.ts_unit);
        require(plan.ts_unit.has_value(), "--ts-unit", "must be s, ms, us or ns");
    }
    require(options.api_base.starts_with("http://") || options.api_base.starts_with("https://"), "--api-base",
            "must begin with http:// or https://");
    require(printable(options.api_base, 8192) == options.api_base, "--api-base", "is not one line of text");
    require(is_utf8(options.model), "--model", "is not UTF-8");
    plan.input = detail::input_of(options);
    detail::check_files(options, plan.input);
    plan.drain_timeout_s = static_cast<double>(options.round_drain_timeout_s);
    plan.max_rounds = options.max_rounds;
    plan.serialize_conversations = options.serialize_conversations;
    plan.users = static_cast<std::size_t>(options.concurrency.value_or(0));
    plan.max_in_flight = static_cast<std::size_t>(options.max_in_flight.value_or(0));
    plan.first_token_timeout_s = options.first_token_timeout_s.value_or(0);
    plan.loop_route = options.loop_route;
    plan.threads = options.threads;
    plan.probe_min_p = options.use_chat && !options.disable_min_p;
    plan.request.api_base = options.api_base;
    plan.request.model = options.model;
    plan.request.use_chat = options.use_chat;
    plan.request.sampling = options.sampling;
    plan.request.prefer_log_body = options.prefer_log_body;
    plan.request.send_min_p = plan.probe_min_p;
    plan.request.forward_kv_evict = options.forward_kv_evict;
    plan.request.omit_none_extra_body = options.omit_none_extra_body;
    plan.e2e_slo_s = options.e2e_slo_s;
    if (options.ttft_slo_ms)
        plan.ttft_slo_ms = static_cast<double>(*options.ttft_slo_ms);
    if (options.tpot_slo_ms)
        plan.tpot_slo_ms = static_cast<double>(*options.tpot_slo_ms);
    return plan;
}

} // namespace slo::run

#endif
