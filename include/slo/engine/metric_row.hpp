// SPDX-License-Identifier: MIT
// One series of an engine's metrics, and the values that it may have.

#ifndef SLO_ENGINE_METRIC_ROW_HPP
#define SLO_ENGINE_METRIC_ROW_HPP

#include <slo/engine/metrics.hpp>
#include <slo/engine/scheduler.hpp>

#include <cstddef>
#include <string_view>

namespace slo::engine {

/// What metrics are computed from.
struct MetricsSource {
    const Metrics& metrics;
    const Scheduler& scheduler;
};

/// One series of an engine: a gauge or counter with its value, or a histogram. Series of one family follow
/// each other.
struct MetricRow {
    std::string_view name;
    std::string_view type;
    std::string_view help;
    double (*value)(const MetricsSource&) = nullptr;
    Histogram Metrics::*histogram = nullptr;
    std::string_view labels = {};
};

namespace metric {

using Source = const MetricsSource&;

template <auto Member>
double count(Source s)
{
    return static_cast<double>(s.metrics.*Member);
}
template <FinishReason Reason>
double finished(Source s)
{
    return static_cast<double>(s.metrics.finished[static_cast<std::size_t>(Reason)]);
}
template <FinishReason Reason>
double requests(Source s)
{
    return static_cast<double>(s.metrics.requests[static_cast<std::size_t>(Reason)]);
}
template <auto Member>
double sum(Source s)
{
    return (s.metrics.*Member).sum();
}
inline double ratio(double part, double whole)
{
    return whole > 0 ? part / whole : 0;
}

inline double zero(Source)
{
    return 0;
}
inline double running(Source s)
{
    return static_cast<double>(s.scheduler.running());
}
inline double waiting(Source s)
{
    return static_cast<double>(s.scheduler.waiting());
}
inline double cache_usage(Source s)
{
    return s.scheduler.cache().usage();
}
inline double cache_tokens(Source s)
{
    return static_cast<double>(s.scheduler.cache().total() * block_tokens);
}
inline double used_tokens(Source s)
{
    return cache_usage(s) * cache_tokens(s);
}
inline double tokens_of_a_block(Source)
{
    return static_cast<double>(block_tokens);
}
inline double computed_tokens(Source s)
{
    return static_cast<double>(s.metrics.prompt_tokens - s.metrics.cached_tokens);
}
inline double hit_rate(Source s)
{
    return ratio(count<&Metrics::prefix_hits>(s), count<&Metrics::prefix_queries>(s));
}
inline double block_hit_rate(Source s)
{
    const auto reused = count<&Metrics::reused_blocks>(s);
    return ratio(reused, reused + count<&Metrics::missed_blocks>(s));
}
inline double all_finished(Source s)
{
    return finished<FinishReason::stop>(s) + finished<FinishReason::length>(s);
}
inline double all_requests(Source s)
{
    return requests<FinishReason::stop>(s) + requests<FinishReason::length>(s);
}
inline double with_warm_ups(Source s)
{
    return all_finished(s) + count<&Metrics::warm_ups>(s);
}
inline double prompts_with_warm_ups(Source s)
{
    return sum<&Metrics::prompt_length>(s) + count<&Metrics::warm_up_tokens>(s);
}
inline double cached_with_warm_ups(Source s)
{
    return count<&Metrics::finished_cached_tokens>(s) + count<&Metrics::warm_up_cached_tokens>(s);
}
inline double prompt_rate(Source s)
{
    return ratio(computed_tokens(s), sum<&Metrics::prefill>(s));
}
inline double answer_rate(Source s)
{
    return ratio(count<&Metrics::generation_tokens>(s), sum<&Metrics::decode>(s));
}
inline double busy_slots(Source s)
{
    return ratio(count<&Metrics::decoded_sequences>(s), count<&Metrics::steps>(s));
}

constexpr MetricRow gauge(std::string_view name, std::string_view help, double (*value)(Source),
                          std::string_view labels = {})
{
    return {name, "gauge", help, value, nullptr, labels};
}
constexpr MetricRow counter(std::string_view name, std::string_view help, double (*value)(Source),
                            std::string_view labels = {})
{
    return {name, "counter", help, value, nullptr, labels};
}
constexpr MetricRow histogram(std::string_view name, std::string_view help, Histogram Metrics::*values)
{
    return {name, "histogram", help, nullptr, values, {}};
}

} // namespace metric

} // namespace slo::engine

#endif
