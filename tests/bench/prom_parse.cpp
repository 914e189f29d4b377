// SPDX-License-Identifier: MIT
// How fast a text of metrics is read: prom_parse MEBIBYTES REPEATS. Makes a text of that size in the form of
// vLLM's (histograms of several engines, HELP and TYPE lines), then reads it REPEATS times with a sink that
// adds up the values, and a third as often into a snapshot. Prints the median and the best MB/s of each.

#include <slo/base/clock.hpp>
#include <slo/base/random.hpp>
#include <slo/base/text.hpp>
#include <slo/record/snapshot.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

namespace {

using namespace slo;

constexpr std::array<std::string_view, 22> bounds{
    "0.001", "0.005", "0.01", "0.02", "0.04", "0.06", "0.08", "0.1",  "0.25",  "0.5",   "0.75",
    "1.0",   "2.5",   "5.0",  "7.5",  "10.0", "20.0", "40.0", "80.0", "160.0", "640.0", "+Inf"};

constexpr std::array<std::string_view, 6> histograms{
    "vllm:time_to_first_token_seconds",  "vllm:time_per_output_token_seconds",
    "vllm:e2e_request_latency_seconds",  "vllm:request_queue_time_seconds",
    "vllm:request_prefill_time_seconds", "vllm:request_decode_time_seconds"};

constexpr std::array<std::string_view, 8> counters{"vllm:prefix_cache_queries_total",
                                                   "vllm:prefix_cache_hits_total",
                                                   "vllm:external_prefix_cache_queries_total",
                                                   "vllm:prompt_tokens_total",
                                                   "vllm:generation_tokens_total",
                                                   "vllm:num_preemptions_total",
                                                   "vllm:request_success_total",
                                                   "vllm:spec_decode_num_draft_tokens_total"};

// One scrape's worth, of engine number `engine`.
void append_engine(std::string& text, std::size_t engine, Random& random)
{
    const auto labels =
        "engine=\"" + std::to_string(engine) + "\",model_name=\"meta-llama/Llama-3.1-8B-Instruct\"";
    const auto count = [&] { return static_cast<double>(random.bits() % 50'000'000); };
    for (const auto name : counters) {
        text.append("# HELP ").append(name).append(
            " Number of things of this kind since the server started.\n# TYPE ");
        text.append(name).append(" counter\n").append(name).append("{" + labels + "} ");
        text += format_double(count()) + "\n";
        text.append(name.substr(0, name.size() - 6))
            .append("_created{" + labels + "} 1.7868937131983685e+09\n");
    }
    for (const auto name : histograms) {
        text.append("# HELP ").append(name).append(
            " Histogram of a part of a request's time in seconds.\n# TYPE ");
        text.append(name).append(" histogram\n");
        for (const auto bound : bounds) {
            text.append(name).append("_bucket{" + labels + ",le=\"").append(bound).append("\"} ");
            text += format_double(count()) + "\n";
        }
        text.append(name).append("_count{" + labels + "} ").append(format_double(count())).append("\n");
        text.append(name).append("_sum{" + labels + "} ").append(format_double(count() / 977)).append("\n");
    }
}

struct Sum {
    double value = 0;
    std::size_t label_bytes = 0;

    void sample(const wire::PromSample& sample)
    {
        value += sample.value;
        for (const auto& label : sample.labels)
            label_bytes += label.value.size();
    }
};

template <class Read>
void measure(const char* what, std::size_t bytes, int repeats, Read read)
{
    std::vector<double> rates;
    for (int i = 0; i < repeats; ++i) {
        const auto start_ns = process_cpu_ns();
        read();
        rates.push_back(static_cast<double>(bytes) / 1e6 / to_seconds(process_cpu_ns() - start_ns));
    }
    std::sort(rates.begin(), rates.end());
    std::printf("%s: %.0f MB/s of CPU time (median of %d), best %.0f\n", what, rates[rates.size() / 2],
                repeats, rates.back());
}

} // namespace

int main(int argc, char** argv)
{
    const auto mebibytes = argc > 1 ? parse_integer<std::size_t>(argv[1]).value_or(16) : 16;
    const auto repeats = argc > 2 ? parse_integer<int>(argv[2]).value_or(9) : 9;
    Random random(1);
    std::string text;
    for (std::size_t engine = 0; text.size() < mebibytes << 20; ++engine)
        append_engine(text, engine, random);
    std::size_t samples = 0;
    measure("parse", text.size(), repeats, [&] {
        Sum sum;
        const auto report = wire::parse_prom(text, sum);
        samples = report.malformed_lines == 0 && sum.label_bytes > 0 ? report.samples : 0;
    });
    measure("parse into a snapshot", text.size(), std::max(1, repeats / 3),
            [&] { samples = samples == record::parse_snapshot(text, "bench").series.size() ? samples : 0; });
    std::printf("%zu bytes, %zu samples\n", text.size(), samples);
    return samples > 0 ? 0 : 1;
}
