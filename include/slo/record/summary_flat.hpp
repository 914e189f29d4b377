// SPDX-License-Identifier: MIT
// The summaries of a run that are one flat object: those of vLLM and SGLang.

#ifndef SLO_RECORD_SUMMARY_FLAT_HPP
#define SLO_RECORD_SUMMARY_FLAT_HPP

#include <slo/base/clock.hpp>
#include <slo/base/json.hpp>
#include <slo/record/request.hpp>
#include <slo/record/run_info.hpp>
#include <slo/record/run_totals.hpp>

#include <array>
#include <cstdint>
#include <optional>
#include <string>

namespace slo::record {

namespace detail {

// mean_, median_, std_ and the percentiles of one metric, in milliseconds.
template <class Percentiles>
void add_flat_metric(json::object& summary, const std::string& name, const Distribution& metric, double to_ms,
                     const Percentiles& percentiles)
{
    summary["mean_" + name] = times(metric.moments().mean(), to_ms);
    summary["median_" + name] = times(metric.quantile(0.5), to_ms);
    summary["std_" + name] = times(metric.moments().deviation(), to_ms);
    for (const int percentile : percentiles)
        summary["p" + std::to_string(percentile) + "_" + name] =
            times(metric.quantile(percentile / 100.0), to_ms);
}

inline void add_token_rates(json::object& summary, const RunTotals& totals, const char* total_name)
{
    const double input = totals.input_tokens.moments().sum();
    const double output = totals.output_tokens.moments().sum();
    summary["total_input_tokens"] = whole(input);
    summary["total_output_tokens"] = whole(output);
    summary["request_throughput"] =
        or_null(totals.per_second(static_cast<double>(totals.count(RequestStatus::ok))));
    summary["output_throughput"] = or_null(totals.per_second(output));
    summary[total_name] = or_null(totals.per_second(input + output));
}

// "20260131-080000" of a moment, UTC.
inline std::string compact_date(double epoch_s)
{
    std::string date;
    for (const char c : iso8601_utc(epoch_s)) {
        if (c >= '0' && c <= '9')
            date += c;
        else if (c == 'T')
            date += '-';
    }
    return date;
}

} // namespace detail

/// The result file of `vllm bench serve --save-result`, without its lists of single requests. What cannot be
/// known is null.
inline json::object vllm_summary(const RunInfo& info, const RunTotals& totals)
{
    constexpr std::array<int, 4> percentiles{50, 90, 95, 99};
    json::object summary{{"date", detail::compact_date(info.start_epoch_s)},
                         {"endpoint_type", info.backend},
                         {"backend", info.backend},
                         {"label", text_or_null(info.label)},
                         {"model_id", info.model},
                         {"tokenizer_id", nullptr},
                         {"num_prompts", totals.due},
                         {"request_rate", or_null(info.request_rate)},
                         {"burstiness", or_null(info.burstiness)},
                         {"max_concurrency", or_null(info.max_concurrency)},
                         {"duration", totals.duration_s()},
                         {"completed", totals.count(RequestStatus::ok)},
                         {"failed", totals.not_ok()}};
    detail::add_token_rates(summary, totals, "total_token_throughput");
    const bool has_slo = totals.terms.e2e_slo_s || totals.terms.ttft_slo_ms || totals.terms.tpot_slo_ms;
    summary["request_goodput"] =
        has_slo ? or_null(totals.per_second(static_cast<double>(totals.met_all))) : json::value(nullptr);
    summary["max_concurrent_requests"] = totals.in_flight_max;
    detail::add_flat_metric(summary, "ttft_ms", totals.ttft_s, 1000, percentiles);
    detail::add_flat_metric(summary, "tpot_ms", totals.tpot_ms, 1, percentiles);
    detail::add_flat_metric(summary, "itl_ms", totals.itl_ms, 1, percentiles);
    detail::add_flat_metric(summary, "e2el_ms", totals.latency_s, 1000, percentiles);
    return summary;
}

/// The line that SGLang's bench_serving appends to its file. What cannot be known is null.
inline json::object sglang_summary(const RunInfo& info, const RunTotals& totals)
{
    json::object summary{{"tag", text_or_null(info.label)},
                         {"backend", info.backend},
                         {"dataset_name", text_or_null(info.dataset)},
                         {"request_rate", or_null(info.request_rate)},
                         {"max_concurrency", or_null(info.max_concurrency)},
                         {"duration", totals.duration_s()},
                         {"completed", totals.count(RequestStatus::ok)}};
    detail::add_token_rates(summary, totals, "total_throughput");
    summary["total_output_tokens_retokenized"] = nullptr;
    summary["input_throughput"] = or_null(totals.per_second(totals.input_tokens.moments().sum()));
    detail::add_flat_metric(summary, "e2e_latency_ms", totals.latency_s, 1000, std::array{90, 99});
    detail::add_flat_metric(summary, "ttft_ms", totals.ttft_s, 1000, std::array{99});
    detail::add_flat_metric(summary, "tpot_ms", totals.tpot_ms, 1, std::array{99});
    detail::add_flat_metric(summary, "itl_ms", totals.itl_ms, 1, std::array{95, 99});
    summary["max_itl_ms"] = or_null(totals.itl_ms.moments().max());
    // Requests in flight, on average (Little's law).
    summary["concurrency"] = or_null(totals.per_second(totals.latency_s.moments().sum()));
    summary["accept_length"] = nullptr;
    return summary;
}

} // namespace slo::record

#endif
