// SPDX-License-Identifier: MIT
// The engine's counters and histograms, under the names vLLM gives them, as Prometheus text.

#ifndef SLO_ENGINE_METRICS_HPP
#define SLO_ENGINE_METRICS_HPP

#include <slo/base/text.hpp>
#include <slo/engine/lengths.hpp>
#include <slo/engine/scheduler.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace slo::engine {

/// A cumulative histogram with fixed upper bounds, as Prometheus defines it (a bound belongs to its bucket).
class Histogram {
public:
    explicit Histogram(std::span<const double> bounds) : bounds_(bounds), counts_(bounds.size() + 1) {}

    void observe(double value)
    {
        const auto bucket = std::lower_bound(bounds_.begin(), bounds_.end(), value) - bounds_.begin();
        ++counts_[static_cast<std::size_t>(bucket)];
        sum_ += value;
    }

    /// Appends all samples of the histogram; `labels` is "a=\"b\",c=\"d\"".
    void render(std::string& out, std::string_view name, std::string_view labels) const
    {
        const auto sample = [&](std::string_view suffix, const std::string& more, const std::string& value) {
            out.append(name)
                .append(suffix)
                .append("{")
                .append(labels)
                .append(more)
                .append("} ")
                .append(value)
                .append("\n");
        };
        std::int64_t count = 0;
        for (std::size_t i = 0; i < counts_.size(); ++i) {
            count += counts_[i];
            const auto bound = i < bounds_.size() ? format_double(bounds_[i]) : "+Inf";
            sample("_bucket", ",le=\"" + bound + "\"", format_double(static_cast<double>(count)));
        }
        sample("_count", "", format_double(static_cast<double>(count)));
        sample("_sum", "", format_double(sum_));
    }

private:
    std::span<const double> bounds_;
    std::vector<std::int64_t> counts_;
    double sum_ = 0;
};

namespace detail {

inline constexpr std::array first_token_bounds{0.001, 0.005, 0.01, 0.02,  0.04,  0.06,  0.08, 0.1,
                                               0.25,  0.5,   0.75, 1.0,   2.5,   5.0,   7.5,  10.0,
                                               20.0,  40.0,  80.0, 160.0, 640.0, 2560.0};
inline constexpr std::array token_gap_bounds{0.01, 0.025, 0.05, 0.075, 0.1, 0.15, 0.2,  0.3,  0.4, 0.5,
                                             0.75, 1.0,   2.5,  5.0,   7.5, 10.0, 20.0, 40.0, 80.0};
inline constexpr std::array request_bounds{0.3,  0.5,   0.8,   1.0,   1.5,   2.0,    2.5,
                                           5.0,  10.0,  15.0,  20.0,  30.0,  40.0,   50.0,
                                           60.0, 120.0, 240.0, 480.0, 960.0, 1920.0, 7680.0};
inline constexpr std::array token_count_bounds{1.0,   2.0,   5.0,    10.0,   20.0,   50.0,    100.0,
                                               200.0, 500.0, 1000.0, 2000.0, 5000.0, 10000.0, 20000.0};

} // namespace detail

/// All metrics of one engine. Each sequence (choice) counts as a request of its own, as in vLLM.
class Metrics {
public:
    /// Takes in a step; its token events follow one by one through record_token().
    void record_step(const Step& step)
    {
        preemptions_ += step.preemptions;
        prefix_queries_ += step.prefix_queries;
        prefix_hits_ += step.prefix_hits;
        iteration_tokens_.observe(
            static_cast<double>(step.load.decoding_sequences + step.load.prefill_tokens));
    }

    /// Takes in a token that came out at `end_s`.
    void record_token(const TokenEvent& event, double end_s)
    {
        ++generation_tokens_;
        if (event.output_tokens == 1) {
            prompt_tokens_ += event.prompt_tokens;
            first_token_.observe(end_s - event.arrival_s);
        } else {
            token_gap_.observe(end_s - event.previous_token_s);
        }
    }

    /// Takes in the end of a sequence whose last token is `event`, which came out at `end_s`.
    void record_finish(const TokenEvent& event, double end_s, FinishReason reason)
    {
        ++finished_[static_cast<std::size_t>(reason)];
        latency_.observe(end_s - event.arrival_s);
        queue_.observe(event.scheduled_s - event.arrival_s);
        prefill_.observe(event.first_token_s - event.scheduled_s);
        decode_.observe(end_s - event.first_token_s);
        inference_.observe(end_s - event.scheduled_s);
        prompt_length_.observe(static_cast<double>(event.prompt_tokens));
        answer_length_.observe(static_cast<double>(event.output_tokens));
        if (event.output_tokens > 1)
            mean_gap_.observe((end_s - event.first_token_s) / static_cast<double>(event.output_tokens - 1));
    }

    /// Counts a sequence that its client gave up.
    void record_abort() { ++finished_[static_cast<std::size_t>(FinishReason::abort)]; }

    /// The whole as Prometheus text 0.0.4. `model` stands in the label model_name.
    std::string render(const Scheduler& scheduler, std::string_view model) const
    {
        const std::string labels = "engine=\"0\",model_name=\"" + escaped(model) + "\"";
        std::string out;
        const auto family = [&](std::string_view name, std::string_view type, std::string_view help) {
            out.append("# HELP ").append(name).append(" ").append(help).append("\n# TYPE ");
            out.append(name).append(" ").append(type).append("\n");
        };
        const auto single = [&](std::string_view name, std::string_view type, std::string_view help,
                                double value) {
            family(name, type, help);
            out.append(name).append("{").append(labels).append("} ");
            out.append(format_double(value)).append("\n");
        };
        const auto counter = [&](std::string_view name, std::string_view help, std::int64_t value) {
            single(name, "counter", help, static_cast<double>(value));
        };
        const auto histogram = [&](std::string_view name, std::string_view help, const Histogram& values) {
            family(name, "histogram", help);
            values.render(out, name, labels);
        };
        single("vllm:num_requests_running", "gauge", "Sequences in the running batch.",
               static_cast<double>(scheduler.running()));
        single("vllm:num_requests_waiting", "gauge", "Sequences waiting in line.",
               static_cast<double>(scheduler.waiting()));
        single("vllm:kv_cache_usage_perc", "gauge", "Share of KV blocks in use, 1 is all.",
               scheduler.cache().usage());
        counter("vllm:prefix_cache_queries_total", "Prompt tokens looked up in the prefix cache.",
                prefix_queries_);
        counter("vllm:prefix_cache_hits_total", "Prompt tokens found in the prefix cache.", prefix_hits_);
        counter("vllm:num_preemptions_total", "Sequences preempted.", preemptions_);
        counter("vllm:prompt_tokens_total", "Prompt tokens processed.", prompt_tokens_);
        counter("vllm:generation_tokens_total", "Tokens generated.", generation_tokens_);
        family("vllm:request_success_total", "counter", "Sequences ended, by reason.");
        for (const auto reason : {FinishReason::stop, FinishReason::length, FinishReason::abort}) {
            out.append("vllm:request_success_total{")
                .append(labels)
                .append(",finished_reason=\"")
                .append(name_of(reason));
            out.append("\"} ")
                .append(format_double(static_cast<double>(finished_[static_cast<std::size_t>(reason)])))
                .append("\n");
        }
        histogram("vllm:iteration_tokens_total", "Tokens computed a step.", iteration_tokens_);
        histogram("vllm:time_to_first_token_seconds", "From arrival to the first token.", first_token_);
        histogram("vllm:inter_token_latency_seconds", "Between tokens of a sequence.", token_gap_);
        histogram("vllm:request_time_per_output_token_seconds", "Mean time between the tokens of a sequence.",
                  mean_gap_);
        histogram("vllm:e2e_request_latency_seconds", "From arrival to the last token.", latency_);
        histogram("vllm:request_queue_time_seconds", "From arrival to the first step.", queue_);
        histogram("vllm:request_prefill_time_seconds", "From the first step to the first token.", prefill_);
        histogram("vllm:request_decode_time_seconds", "From the first token to the last.", decode_);
        histogram("vllm:request_inference_time_seconds", "From the first step to the last token.",
                  inference_);
        histogram("vllm:request_prompt_tokens", "Prompt tokens of a sequence.", prompt_length_);
        histogram("vllm:request_generation_tokens", "Tokens generated of a sequence.", answer_length_);
        return out;
    }

private:
    static std::string escaped(std::string_view label)
    {
        std::string text;
        for (const char c : label) {
            if (c == '\\' || c == '"')
                text += '\\';
            c == '\n' ? text += "\\n" : text += c;
        }
        return text;
    }

    std::int64_t prompt_tokens_ = 0, generation_tokens_ = 0, preemptions_ = 0, prefix_queries_ = 0,
                 prefix_hits_ = 0;
    std::array<std::int64_t, 3> finished_{};
    Histogram first_token_{detail::first_token_bounds}, token_gap_{detail::token_gap_bounds},
        mean_gap_{detail::token_gap_bounds};
    Histogram latency_{detail::request_bounds}, queue_{detail::request_bounds},
        prefill_{detail::request_bounds};
    Histogram decode_{detail::request_bounds}, inference_{detail::request_bounds};
    Histogram prompt_length_{detail::token_count_bounds}, answer_length_{detail::token_count_bounds};
    Histogram iteration_tokens_{detail::token_count_bounds};
};

} // namespace slo::engine

#endif
