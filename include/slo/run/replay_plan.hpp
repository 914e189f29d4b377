// SPDX-License-Identifier: MIT
// What a replay is to do, checked before anything is opened or sent.

#ifndef SLO_RUN_REPLAY_PLAN_HPP
#define SLO_RUN_REPLAY_PLAN_HPP

#include <slo/base/error.hpp>
#include <slo/base/text.hpp>
#include <slo/net/transport.hpp>
#include <slo/plan/extra_headers.hpp>
#include <slo/plan/request_body.hpp>
#include <slo/plan/sampling.hpp>
#include <slo/plan/shard_filter.hpp>
#include <slo/record/round_window.hpp>
#include <slo/record/run_summary.hpp>
#include <slo/record/timestamp.hpp>
#include <slo/run/replay_checks.hpp>
#include <slo/run/replay_options.hpp>
#include <slo/stats/arrival.hpp>
#include <slo/stats/objective.hpp>

#include <array>
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
    stats::Arrival arrival; ///< the seed of a random process is the run's
    double round_duration_s = 60;
    double drain_timeout_s = 300;
    std::optional<int> max_rounds;
    bool serialize_conversations = false;
    std::size_t users = 0;            ///< of a closed loop
    std::size_t max_in_flight = 0;    ///< 0: no bound
    double first_token_timeout_s = 0; ///< 0: none
    double request_timeout_s = 600;
    bool retry_429 = false;
    bool loop_route = false;
    int threads = 1;
    plan::ExtraHeaders headers;
    bool trace_context = false;
    net::TransportKind transport = net::TransportKind::automatic;
    std::optional<double> e2e_slo_s;
    std::optional<double> ttft_slo_ms;
    std::optional<double> tpot_slo_ms;
    std::vector<stats::Objective> objectives;
    record::LatencyBasis basis = record::LatencyBasis::due;
    bool abort_on_runaway = false;
    std::optional<record::SummaryFormat> summary;
};

namespace detail {

inline std::string input_of(const ReplayOptions& options)
{
    require(options.files.size() + (options.input.empty() ? 0 : 1) <= 1, "ROUTE",
            "only one route can be replayed");
    return !options.input.empty() ? options.input : options.files.empty() ? "-" : options.files.front();
}

inline plan::Endpoint endpoint_of(const ReplayOptions& options)
{
    if (options.endpoint.empty())
        return options.use_chat ? plan::Endpoint::chat : plan::Endpoint::completions;
    const auto endpoint = plan::endpoint_named(options.endpoint);
    require(endpoint.has_value(), "--endpoint", "must be chat, completions or responses");
    require(!options.use_chat || *endpoint == plan::Endpoint::chat, "--endpoint",
            "cannot stand with --use-chat");
    return *endpoint;
}

inline std::vector<stats::Objective> objectives_of(const ReplayOptions& options)
{
    std::vector<stats::Objective> objectives;
    for (const auto& text : options.objectives) {
        objectives.push_back(stats::parse_objective(text));
        for (const auto& limit : objectives.back().limits)
            require(!options.no_stream || limit.metric == stats::LatencyMetric::e2e, "--objective",
                    "cannot stand with --no-stream: whole answers have no token times");
    }
    stats::check_distinct(objectives);
    return objectives;
}

// What the options say about the times at which requests fall due.
inline stats::Arrival arrival_of(const ReplayOptions& options, ReplayMode mode)
{
    using stats::Process;
    stats::Arrival arrival;
    const bool at_a_rate = mode == ReplayMode::rounds || mode == ReplayMode::continuous;
    require(options.arrival.empty() || at_a_rate, "--arrival", "needs --replay-mode qps");
    if (!options.arrival.empty()) {
        const auto process = stats::process_of(options.arrival);
        require(process && *process != Process::trace, "--arrival",
                "must be constant, poisson, gamma or ramp");
        arrival.process = *process;
    }
    if (mode == ReplayMode::timestamp)
        arrival.process = Process::trace;
    arrival.qps = options.target_qps.value_or(1);
    arrival.end_qps = options.ramp_to.value_or(arrival.qps);
    arrival.burstiness = options.burstiness.value_or(1);
    arrival.speed = options.speed.value_or(1);
    require(!options.burstiness || arrival.process == Process::gamma, "--burstiness",
            "needs --arrival gamma");
    require(options.ramp_to.has_value() == (arrival.process == Process::ramp), "--ramp-to",
            "goes with --arrival ramp");
    require(!options.speed || arrival.process == Process::trace, "--speed", "needs --replay-mode timestamp");
    require(options.shard.empty() || options.seed || !stats::is_random(arrival.process), "--seed",
            "is needed: all shards of a random arrival process must have the same");
    require(arrival.process != Process::ramp || options.max_rounds, "--arrival", "ramp needs --max-rounds");
    stats::check_arrival(arrival);
    return arrival;
}

inline net::TransportKind transport_of(const std::string& name)
{
    require(name == "auto" || name == "curl" || name == "plain", "--transport",
            "must be auto, curl or plain");
    return name == "curl"    ? net::TransportKind::curl
           : name == "plain" ? net::TransportKind::plain
                             : net::TransportKind::automatic;
}

// What the lanes of a process share, or the processes of a run.
inline void check_parts(const ReplayOptions& options, const ReplayPlan& plan)
{
    require(options.concurrency.value_or(options.threads) >= options.threads, "--threads",
            "cannot be more than --concurrency");
    require(options.max_in_flight.value_or(options.threads) >= options.threads, "--threads",
            "cannot be more than --max-in-flight");
    require(plan.shard.is_all() || plan.mode != ReplayMode::rounds, "--shard",
            "needs --continuous-qps-window: rounds that drain begin at other moments in each shard");
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
    plan.request.endpoint = detail::endpoint_of(options);
    const bool is_chat = plan.request.endpoint == plan::Endpoint::chat;
    require(!options.forward_kv_evict || is_chat, "--forward-kv-evict", "needs --use-chat");
    const bool constant_rate = options.replay_mode == "qps";
    require(!options.continuous_qps_window || constant_rate || options.concurrency, "--continuous-qps-window",
            "needs --replay-mode qps");
    require(!options.continuous_qps_window || options.max_rounds, "--continuous-qps-window",
            "needs --max-rounds");
    plan.sample = plan::SampleRange(options.sample_range[0], options.sample_range[1]);
    require(!options.preselected_route || plan.sample.is_all(), "--preselected-route",
            "cannot stand with a --sample-range");
    if (!options.shard.empty())
        plan.shard = plan::ShardFilter::parse(options.shard);
    detail::check_numbers(options);
    plan.mode = options.concurrency             ? ReplayMode::closed
                : options.continuous_qps_window ? ReplayMode::continuous
                : constant_rate                 ? ReplayMode::rounds
                                                : ReplayMode::timestamp;
    if (options.concurrency)
        detail::check_closed_loop(options);
    detail::check_parts(options, plan);
    plan.arrival = detail::arrival_of(options, plan.mode);
    plan.round_duration_s = static_cast<double>(options.round_duration_s);
    require(plan.mode != ReplayMode::rounds || plan.arrival.process != stats::Process::constant ||
                plan.arrival.qps * plan.round_duration_s >= 1 - 1e-9,
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
    if (options.until_decided)
        detail::check_until_decided(options);
    plan.drain_timeout_s = static_cast<double>(options.round_drain_timeout_s);
    plan.max_rounds = options.max_rounds;
    plan.serialize_conversations = options.serialize_conversations;
    plan.users = static_cast<std::size_t>(options.concurrency.value_or(0));
    plan.max_in_flight = static_cast<std::size_t>(options.max_in_flight.value_or(0));
    plan.first_token_timeout_s = options.first_token_timeout_s.value_or(0);
    require(!options.loop_route || options.max_rounds, "--loop-route", "needs --max-rounds");
    plan.loop_route = options.loop_route;
    plan.request_timeout_s = options.request_timeout_s;
    plan.retry_429 = options.retry_429;
    plan.threads = options.threads;
    plan.headers = plan::ExtraHeaders(options.headers);
    plan.trace_context = options.trace_context;
    plan.abort_on_runaway = options.abort_on_runaway;
    plan.summary = record::summary_format(options.summary_format);
    require(plan.summary || options.summary_format.empty(), "--as",
            "must be vllm, sglang, aiperf or guidellm");
    plan.transport = detail::transport_of(options.transport);
    require(!options.start_at || (*options.start_at > 0 && *options.start_at < 1e11), "--start-at",
            "must be seconds since 1970");
    require(options.schedule_out.empty() || plan.mode != ReplayMode::closed, "--schedule-out",
            "cannot stand with --concurrency: a closed loop has no schedule");
    plan.probe_min_p = is_chat && !options.disable_min_p;
    plan.request.api_base = options.api_base;
    plan.request.model = options.model;
    if (options.no_stream)
        detail::check_whole_answers(options);
    plan.request.stream = !options.no_stream;
    plan.request.pass_body = options.pass_body;
    plan.request.sampling = options.sampling;
    plan.request.prefer_log_body = options.prefer_log_body;
    plan.request.send_min_p = plan.probe_min_p;
    plan.request.forward_kv_evict = options.forward_kv_evict;
    plan.request.omit_none_extra_body = options.omit_none_extra_body;
    plan.objectives = detail::objectives_of(options);
    plan.e2e_slo_s = options.e2e_slo_s;
    const auto basis = record::latency_basis(options.latency_basis);
    require(basis.has_value(), "--latency-basis", "must be due or send");
    plan.basis = *basis;
    if (options.ttft_slo_ms)
        plan.ttft_slo_ms = static_cast<double>(*options.ttft_slo_ms);
    if (options.tpot_slo_ms)
        plan.tpot_slo_ms = static_cast<double>(*options.tpot_slo_ms);
    return plan;
}

} // namespace slo::run

#endif
