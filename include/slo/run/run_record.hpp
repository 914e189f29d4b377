// SPDX-License-Identifier: MIT
// The record of a run (sloutils.run/1): what was run, when, where.

#ifndef SLO_RUN_RUN_RECORD_HPP
#define SLO_RUN_RUN_RECORD_HPP

#include <slo/base/clock.hpp>
#include <slo/base/json.hpp>
#include <slo/base/secret_names.hpp>
#include <slo/base/shown_url.hpp>
#include <slo/base/version.hpp>
#include <slo/record/route_load.hpp>
#include <slo/record/run_info.hpp>
#include <slo/run/replay_options.hpp>
#include <slo/run/replay_plan.hpp>
#include <slo/stats/objective.hpp>

#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace slo::run {

namespace detail {

inline json::array objective_texts(const ReplayPlan& plan)
{
    json::array texts;
    for (const auto& objective : plan.objectives)
        texts.push_back(json_text(stats::to_text(objective)));
    return texts;
}

inline json::object load_config(const ReplayOptions& options, const ReplayPlan& plan)
{
    const auto& arrival = plan.arrival;
    const bool at_a_rate = plan.mode == ReplayMode::rounds || plan.mode == ReplayMode::continuous;
    const auto rate = [&](double qps) { return at_a_rate ? json::value(qps) : json::value(nullptr); };
    return {{"replay_mode", plan.mode == ReplayMode::closed ? "closed" : json_text(options.replay_mode)},
            {"continuous_qps_window", options.continuous_qps_window},
            {"target_qps", rate(arrival.qps)},
            {"arrival", at_a_rate ? json_text(stats::name_of(arrival.process)) : json::value(nullptr)},
            {"burstiness", or_null(options.burstiness)},
            {"ramp_to", or_null(options.ramp_to)},
            {"speed", or_null(options.speed)},
            {"concurrency", or_null(options.concurrency)},
            {"max_in_flight", or_null(options.max_in_flight)},
            {"loop_route", options.loop_route},
            {"round_duration_s", options.round_duration_s},
            {"round_drain_timeout_s", options.round_drain_timeout_s},
            {"max_rounds", or_null(options.max_rounds)},
            {"serialize_conversations", options.serialize_conversations},
            {"shard", text_or_null(options.shard)},
            {"start_at", or_null(options.start_at)},
            {"threads", options.threads},
            {"connect_timeout_s", options.connect_timeout_s},
            {"first_token_timeout_s", or_null(options.first_token_timeout_s)},
            {"request_timeout_s", options.request_timeout_s},
            {"retry_429", options.retry_429},
            {"abort_on_runaway", options.abort_on_runaway},
            {"until_decided", options.until_decided},
            {"no_connect_check", options.no_connect_check},
            {"e2e_slo_s", or_null(options.e2e_slo_s)},
            {"ttft_slo_ms", or_null(options.ttft_slo_ms)},
            {"tpot_slo_ms", or_null(options.tpot_slo_ms)},
            {"objectives", objective_texts(plan)}};
}

inline json::array headers_shown(const ReplayPlan& plan)
{
    json::array lines;
    for (const auto& line : plan.headers.shown())
        lines.push_back(json_text(line));
    return lines;
}

inline json::object service_config(const ReplayOptions& options, const ReplayPlan& plan)
{
    return {{"http2", options.http2},
            {"ca_file", text_or_null(options.tls.ca_file)},
            {"client_cert", text_or_null(options.tls.cert_file)},
            {"insecure", options.tls.insecure},
            {"trace_context", options.trace_context},
            {"headers", headers_shown(plan)}};
}

// What each figure of a round is, in the terms of the moments that a request record holds.
inline json::object definitions(record::LatencyBasis basis)
{
    const std::string from = basis == record::LatencyBasis::due ? "from due_s to " : "from sent_s to ";
    return {{"Latency", from + "end_s"},
            {"Server Latency", "from sent_s to end_s"},
            {"Sequencer Wait", "from due_s to sent_s"},
            {"TTFT", from + "first_token_s: the first event with text of any channel in any choice"},
            {"TTFT Content", from + "first_content_s: the first event with text of the content channel"},
            {"TPOT", "(last_token_s - first_token_s) / (output tokens - 1), a choice; none below two tokens"},
            {"ITL", "between events with text, a choice; where usage comes with them, divided by the tokens "
                    "that came (token_timing)"},
            {"Throughput", "output tokens / Server Latency, a request"},
            {"slo_attainment", "percent of all requests due, those that failed among them"}};
}

// What a text is called is all that tells of a secret; numbers of tokens are none.
inline json::object without_secrets(const json::object& object)
{
    json::object shown;
    for (const auto& member : object) {
        const auto& value = member.value();
        if (value.is_string() && names_a_secret({member.key().data(), member.key().size()}))
            shown[member.key()] = "***";
        else
            shown[member.key()] =
                value.is_object() ? json::value(without_secrets(value.get_object())) : value;
    }
    return shown;
}

inline json::object request_config(const ReplayOptions& options, const ReplayPlan& plan)
{
    const auto& sampling = options.sampling;
    return {{"api_base", shown_url(options.api_base)},
            {"model", options.model},
            {"use_chat", plan.request.endpoint == plan::Endpoint::chat},
            {"endpoint", json_text(plan::name_of(plan.request.endpoint))},
            {"stream", plan.request.stream},
            {"pass_body", options.pass_body},
            {"max_tokens", sampling.max_tokens},
            {"temperature", sampling.temperature},
            {"top_p", sampling.top_p},
            {"top_k", sampling.top_k},
            {"min_p", plan.request.send_min_p ? json::value(sampling.min_p) : json::value(nullptr)},
            {"disable_min_p", options.disable_min_p},
            {"frequency_penalty", sampling.frequency_penalty},
            {"presence_penalty", sampling.presence_penalty},
            {"repetition_penalty", sampling.repetition_penalty},
            {"prefer_log_body", options.prefer_log_body},
            {"forward_kv_evict", options.forward_kv_evict},
            {"extra_body", without_secrets(plan.request.extra_body)},
            {"omit_none_extra_body", options.omit_none_extra_body}};
}

inline json::value unit_of(const record::Route& route)
{
    if (route.unit_source == record::UnitSource::declared ||
        route.unit_source == record::UnitSource::magnitude)
        return json_text(record::name_of(route.unit));
    return nullptr;
}

} // namespace detail

/// The leading record of a request log, with the full configuration, but without secrets. `ts_unit` is null
/// where the timestamps needed none or none was found.
inline json::object run_record(const ReplayOptions& options, const ReplayPlan& plan,
                               const record::Route& route, std::uint64_t seed, double start_epoch_s)
{
    constexpr std::array<std::string_view, 4> unit_sources{"declared", "magnitude", "stamps", "unknown"};
    char host[256] = {};
    ::gethostname(host, sizeof host - 1);
    json::object config{{"route", plan.input},
                        {"ts_unit", detail::unit_of(route)},
                        {"skip_bad", options.skip_bad},
                        {"sample_range", {options.sample_range[0], options.sample_range[1]}},
                        {"preselected_route", options.preselected_route}};
    for (auto& part : {detail::service_config(options, plan), detail::request_config(options, plan),
                       detail::load_config(options, plan)}) {
        for (const auto& [name, value] : part)
            config[name] = value;
    }
    config["json_output"] = text_or_null(options.json_output);
    config["requests_out"] = text_or_null(options.requests_out);
    config["detailed_logs"] = text_or_null(options.detailed_logs);
    config["schedule_out"] = text_or_null(options.schedule_out);
    config["prom_textfile"] = text_or_null(options.prom_textfile);
    return {{"schema", "sloutils.run/1"},
            {"tool", "replay"},
            {"version", version},
            {"host", json_text(host)},
            {"start", iso8601_utc(start_epoch_s)},
            {"start_epoch_s", start_epoch_s},
            {"seed", seed},
            {"rows", route.rows.size()},
            {"rows_left_out", route.left_out},
            {"bad_rows", route.bad_rows},
            {"ts_unit_source", json_text(unit_sources[static_cast<std::size_t>(route.unit_source)])},
            {"latency_basis", json_text(record::name_of(plan.basis))},
            {"definitions", detail::definitions(plan.basis)},
            {"config", std::move(config)}};
}

/// The same in what the summary of a run has to say of it.
inline record::RunInfo run_info(const ReplayPlan& plan, double start_epoch_s)
{
    record::RunInfo info;
    info.start_epoch_s = start_epoch_s;
    info.backend = plan.request.endpoint == plan::Endpoint::chat        ? "openai-chat"
                   : plan.request.endpoint == plan::Endpoint::responses ? "openai-responses"
                                                                        : "openai";
    info.model = plan.request.model;
    info.dataset = plan.input;
    if (plan.mode == ReplayMode::rounds || plan.mode == ReplayMode::continuous)
        info.request_rate = plan.arrival.qps;
    if (stats::is_random(plan.arrival.process))
        info.burstiness = plan.arrival.burstiness;
    if (plan.users > 0 || plan.max_in_flight > 0)
        info.max_concurrency = static_cast<std::int64_t>(plan.users + plan.max_in_flight);
    return info;
}

} // namespace slo::run

#endif
