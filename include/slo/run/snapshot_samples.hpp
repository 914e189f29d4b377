// SPDX-License-Identifier: MIT
// Gauges of some servers at an interval, one record a scrape.

#ifndef SLO_RUN_SNAPSHOT_SAMPLES_HPP
#define SLO_RUN_SNAPSHOT_SAMPLES_HPP

#include <slo/base/clock.hpp>
#include <slo/base/error.hpp>
#include <slo/base/json.hpp>
#include <slo/net/scrape.hpp>
#include <slo/record/snapshot_header.hpp>
#include <slo/run/snapshot.hpp>
#include <slo/run/snapshot_target.hpp>
#include <slo/wire/prom_text.hpp>

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace slo::run {

/// Sampled unless other names are given: how full, how busy and how backed up an engine is, and its GPUs. A
/// "*" at the end stands for any rest.
inline constexpr std::array<std::string_view, 33> sampled_by_default{"vllm:num_requests_running",
                                                                     "vllm:num_requests_waiting",
                                                                     "vllm:num_requests_swapped",
                                                                     "vllm:kv_cache_usage_perc",
                                                                     "vllm:gpu_cache_usage_perc",
                                                                     "vllm:cpu_cache_usage_perc",
                                                                     "sglang:num_running_reqs",
                                                                     "sglang:num_queue_reqs",
                                                                     "sglang:token_usage",
                                                                     "sglang:gen_throughput",
                                                                     "sglang:num_used_tokens",
                                                                     "trtllm_kv_cache_utilization",
                                                                     "trtllm_num_requests_running",
                                                                     "trtllm_num_requests_waiting",
                                                                     "nv_trt_llm_request_metrics",
                                                                     "nv_trt_llm_kv_cache_block_metrics",
                                                                     "lmdeploy:num_requests_running",
                                                                     "lmdeploy:num_requests_waiting",
                                                                     "lmdeploy:gpu_cache_usage_perc",
                                                                     "llamacpp:requests_processing",
                                                                     "llamacpp:requests_deferred",
                                                                     "llamacpp:kv_cache_usage_ratio",
                                                                     "tgi_queue_size",
                                                                     "tgi_batch_current_size",
                                                                     "DCGM_FI_DEV_*",
                                                                     "DCGM_FI_PROF_GR_ENGINE_ACTIVE",
                                                                     "DCGM_FI_PROF_SM_ACTIVE",
                                                                     "DCGM_FI_PROF_SM_OCCUPANCY",
                                                                     "DCGM_FI_PROF_PIPE_TENSOR_ACTIVE",
                                                                     "DCGM_FI_PROF_DRAM_ACTIVE",
                                                                     "DCGM_FI_PROF_PCIE_*",
                                                                     "DCGM_FI_PROF_NVLINK_*",
                                                                     "nv_gpu_*"};

/// Which metrics are sampled.
class SampledMetrics {
public:
    /// `names` instead of those sampled by default; empty: the latter.
    explicit SampledMetrics(std::vector<std::string> names) : names_(std::move(names))
    {
        if (names_.empty())
            names_.assign(sampled_by_default.begin(), sampled_by_default.end());
    }

    bool contains(std::string_view metric) const noexcept
    {
        return std::any_of(names_.begin(), names_.end(), [metric](std::string_view name) {
            return name.ends_with('*') ? metric.starts_with(name.substr(0, name.size() - 1)) : metric == name;
        });
    }

private:
    std::vector<std::string> names_;
};

/// The name of a series as the text format writes it: name{label="value",…}.
inline std::string series_key(const wire::PromSample& sample)
{
    std::string key(sample.name);
    char before = '{';
    for (const auto& label : sample.labels) {
        key += std::exchange(before, ',');
        key += label.name;
        key += "=\"";
        for (const char c : label.value) {
            if (c == '\n')
                key += "\\n";
            else if (c == '"' || c == '\\')
                (key += '\\') += c;
            else
                key += c;
        }
        key += '"';
    }
    return before == ',' ? key + "}" : key;
}

/// One sloutils.snapshot/1 record: `values` by series, null for what is not finite; with an `error`, and no
/// values, when the scrape failed.
inline json::object sample_record(const SnapshotTarget& target, const net::Scrape& scrape,
                                  const SampledMetrics& metrics)
{
    constexpr std::size_t max_values = 4096; // as a bound for a record, whatever a server exposes
    struct Sink {
        const SampledMetrics& metrics;
        json::object values;
        std::size_t left_out = 0;
        void sample(const wire::PromSample& sample)
        {
            if (!metrics.contains(sample.name))
                return;
            if (values.size() >= max_values)
                ++left_out;
            else
                values[series_key(sample)] =
                    std::isfinite(sample.value) ? json::value(sample.value) : nullptr;
        }
    } sink{metrics, {}, 0};
    if (scrape.error.empty())
        wire::parse_prom(scrape.body, sink);
    json::object record{{"schema", "sloutils.snapshot/1"},
                        {"time", record::iso8601_utc_ms(scrape.time_s)},
                        {"source", source_of(target)},
                        {"duration_s", std::round(scrape.duration_s * 1e6) / 1e6},
                        {"values", std::move(sink.values)}};
    if (sink.left_out > 0)
        record["values_left_out"] = sink.left_out;
    if (!scrape.error.empty())
        record["error"] = scrape.error;
    return record;
}

/// How often, and until when; with both ends, whichever comes first.
struct SamplingPlan {
    double every_s = 1;                 ///< counted from the first scrape
    std::optional<std::uint64_t> count; ///< moments, each one record a target
    int eof_fd = -1;                    ///< a descriptor at whose end of file no further sample is begun
};

/// What became of the sampling.
struct SamplingResult {
    std::uint64_t taken = 0;   ///< records with values
    std::uint64_t failed = 0;  ///< records with an error
    std::uint64_t skipped = 0; ///< moments that passed while an earlier scrape was still under way
    bool interrupted = false;
    std::string last_error;
};

namespace detail {

enum class Wait { due, end_of_file, stopped };

// Until `at_ns`, or until something ends the sampling. What comes in at `eof_fd` is thrown away.
inline Wait wait_for_moment(std::int64_t at_ns, int stop_fd, int eof_fd)
{
    for (;;) {
        const auto left_ms = (at_ns - monotonic_ns() + 999'999) / 1'000'000;
        pollfd watched[2] = {{stop_fd, POLLIN, 0}, {eof_fd, POLLIN, 0}};
        ::poll(watched, 2, static_cast<int>(std::clamp<std::int64_t>(left_ms, 0, 3'600'000)));
        if (watched[0].revents != 0)
            return Wait::stopped;
        char block[4096];
        if (watched[1].revents != 0 && ::read(eof_fd, block, sizeof block) <= 0)
            return Wait::end_of_file;
        if (monotonic_ns() >= at_ns)
            return Wait::due;
    }
}

} // namespace detail

/// Scrapes all targets at an interval and hands each record to `write`. A failed scrape is a record too. A
/// moment that comes while a scrape is under way is skipped.
template <class Write>
SamplingResult sample_at_interval(net::Scraper& scraper, const std::vector<SnapshotTarget>& targets,
                                  const SampledMetrics& metrics, const SamplingPlan& plan, int stop_fd,
                                  Write&& write)
{
    SamplingResult result;
    const auto interval_ns = std::max<std::int64_t>(to_ns(plan.every_s), 1'000'000);
    auto due_ns = monotonic_ns();
    for (std::uint64_t moment = 0; !plan.count || moment < *plan.count; ++moment) {
        const auto why =
            moment == 0 ? detail::Wait::due : detail::wait_for_moment(due_ns, stop_fd, plan.eof_fd);
        result.interrupted = why == detail::Wait::stopped;
        if (why != detail::Wait::due)
            break;
        const auto scrapes = scrape_all(scraper, targets, {}, stop_fd);
        for (std::size_t i = 0; i < targets.size(); ++i) {
            const auto& scrape = scrapes[i];
            result.interrupted = result.interrupted || scrape.cancelled;
            if (scrape.cancelled)
                continue;
            ++(scrape.error.empty() ? result.taken : result.failed);
            if (!scrape.error.empty())
                result.last_error = source_of(targets[i]) + ": " + scrape.error;
            write(sample_record(targets[i], scrape, metrics));
        }
        if (result.interrupted || (plan.count && moment + 1 == *plan.count))
            break;
        due_ns += interval_ns;
        const auto late_ns = monotonic_ns() - due_ns;
        if (late_ns > 0) {
            const auto missed = late_ns / interval_ns + 1;
            result.skipped += static_cast<std::uint64_t>(missed);
            due_ns += missed * interval_ns;
        }
    }
    return result;
}

} // namespace slo::run

#endif
