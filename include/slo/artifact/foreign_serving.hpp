// SPDX-License-Identifier: MIT
// Result files of `vllm bench serve --save-result` and of `python -m sglang.bench_serving --output-file`.

#ifndef SLO_ARTIFACT_FOREIGN_SERVING_HPP
#define SLO_ARTIFACT_FOREIGN_SERVING_HPP

#include <slo/artifact/foreign_result.hpp>
#include <slo/base/json.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace slo::artifact {

namespace detail {

// mean_X, median_X or p50_X, p90_X, …, for the first of the names X that is there at all.
inline json::object flat_latency(const ForeignFields& fields, std::initializer_list<const char*> names)
{
    auto block = unknown_latency();
    for (const std::string name : names) {
        block["mean"] = or_null(fields.figure({"mean_" + name}));
        block["p50"] = or_null(fields.figure({"median_" + name, "p50_" + name}));
        for (const std::string p : {"p90", "p95", "p99"})
            block[p] = or_null(fields.figure({p + "_" + name}));
        if (is_known(block))
            break;
    }
    return block;
}

inline void copy_settings(const ForeignFields& fields, ForeignResult& result,
                          std::initializer_list<std::string_view> keys)
{
    for (const auto key : keys) {
        const auto* value = fields.value({key});
        if (value && value->is_string())
            result.settings[key] = json_text(printable(*string_at(fields.raw(), key), 200));
        else if (value && value->is_primitive())
            result.settings[key] = *value;
    }
}

// The numbers of an array; a null, which stands for a NaN, is -1: no time is.
inline std::vector<double> numbers_of(const ForeignFields& fields, std::string_view key)
{
    std::vector<double> numbers;
    if (const auto* array = array_at(fields.raw(), key)) {
        numbers.reserve(array->size());
        for (const auto& element : *array)
            numbers.push_back(element.is_null() ? -1 : fields.checked(element, std::string(key) + "[]"));
    }
    return numbers;
}

inline std::vector<double> gaps_of(const ForeignFields& fields, const json::array* itls, std::size_t request)
{
    std::vector<double> gaps;
    const auto* row = itls && request < itls->size() ? (*itls)[request].if_array() : nullptr;
    if (row) {
        for (const auto& gap : *row)
            gaps.push_back(fields.checked(gap, "itls[][]"));
    }
    return gaps;
}

inline bool has_error(const json::array* errors, std::size_t request)
{
    const auto* text = errors && request < errors->size() ? (*errors)[request].if_string() : nullptr;
    return text && !text->empty();
}

/// What the arrays of --save-detailed and --output-details say, request by request, in seconds. A request's
/// end is its first token and all gaps after it, which is how both clients take the time.
inline PerRequest per_request(const ForeignFields& fields, std::int64_t& sent, std::int64_t& failed)
{
    const auto ttfts = numbers_of(fields, "ttfts");
    const auto outputs = numbers_of(fields, "output_lens");
    const auto inputs = numbers_of(fields, "input_lens");
    const auto* itls = array_at(fields.raw(), "itls");
    const auto* errors = array_at(fields.raw(), "errors");
    PerRequest requests;
    sent = static_cast<std::int64_t>(ttfts.size());
    failed = 0;
    for (std::size_t i = 0; i < ttfts.size(); ++i) {
        const double output = i < outputs.size() ? outputs[i] : 0;
        if (has_error(errors, i) || ttfts[i] < 0 || (ttfts[i] == 0 && output == 0)) {
            ++failed;
            continue;
        }
        const auto gaps = gaps_of(fields, itls, i);
        double decode_ms = 0;
        for (const double gap : gaps) {
            decode_ms += gap * 1000;
            requests.itl_ms.push_back(gap * 1000);
        }
        requests.ttft_ms.push_back(ttfts[i] * 1000);
        if (itls)
            requests.e2e_ms.push_back(ttfts[i] * 1000 + decode_ms);
        if (itls && output > 1)
            requests.tpot_ms.push_back(decode_ms / (output - 1));
        if (i < outputs.size())
            requests.output_tokens.push_back(output);
        if (i < inputs.size())
            requests.input_tokens.push_back(inputs[i]);
    }
    return requests;
}

// The exact figures of a sample in place of those of the file, unless the two are not of the same requests.
inline void put_exact(ForeignMetrics& metrics, const ForeignResult& result, std::string_view key,
                      const std::vector<double>& values_ms)
{
    if (values_ms.empty())
        return;
    auto exact = latency_block(values_ms);
    const auto* told = object_at(result.metrics, key);
    const auto told_mean = number_at(*told, "mean");
    const double mean = *number_at(exact, "mean");
    if (told_mean && std::abs(mean - *told_mean) > 0.01 * *told_mean + 0.01) {
        metrics.note("metrics." + std::string(key) + ": the requests one by one have a mean of " +
                     format_fixed(mean, 3) + " ms, the summary says " + format_fixed(*told_mean, 3) +
                     ": the summary's figures are kept");
        return;
    }
    metrics.put_latency(key, std::move(exact), is_known(*told) ? "client" : "derived");
}

/// Takes in the arrays where there are any: percentiles that the summary lacks become known, and exact.
inline void take_requests(const ForeignFields& fields, ForeignMetrics& metrics, ForeignResult& result)
{
    const auto* ttfts = array_at(fields.raw(), "ttfts");
    const auto* outputs = array_at(fields.raw(), "output_lens");
    if (!ttfts || ttfts->empty())
        return;
    std::int64_t sent = 0, failed = 0;
    auto requests = per_request(fields, sent, failed);
    const auto completed = metrics.number("completed");
    const auto ok = static_cast<double>(sent - failed);
    if (!outputs || outputs->size() != ttfts->size() || (completed && *completed != ok)) {
        metrics.note("the lists of single requests are not those of the " +
                     (completed ? format_fixed(*completed, 0) : std::string("?")) +
                     " completed requests, but of " + format_fixed(ok, 0) + ": not used");
        return;
    }
    if (!metrics.number("failed"))
        metrics.put("failed", std::optional(failed), "derived");
    put_exact(metrics, result, "ttft_ms", requests.ttft_ms);
    put_exact(metrics, result, "tpot_ms", requests.tpot_ms);
    put_exact(metrics, result, "itl_ms", requests.itl_ms);
    put_exact(metrics, result, "e2e_ms", requests.e2e_ms);
    metrics.note("percentiles are exact, of " + format_fixed(ok, 0) + " single requests");
    result.requests = std::move(requests);
}

inline void put_counts(const ForeignFields& fields, ForeignMetrics& metrics)
{
    metrics.put("duration_s", fields.figure({"duration", "elapsed_time"}));
    metrics.put("completed", fields.count({"completed", "num_completed"}));
    metrics.put("failed", fields.count({"failed", "num_failed"}));
    metrics.put("request_throughput", fields.figure({"request_throughput"}));
    metrics.put("output_toks_per_s", fields.figure({"output_throughput", "output_token_throughput"}));
    metrics.put("total_toks_per_s", fields.figure({"total_token_throughput", "total_throughput"}));
    metrics.put("total_input_tokens", fields.count({"total_input_tokens"}));
    metrics.put("total_output_tokens", fields.count({"total_output_tokens"}));
    // max_concurrency is what was asked for; only this one was seen.
    if (const auto peak = fields.figure({"max_concurrent_requests"}))
        metrics.put("max_concurrent_requests", std::optional(static_cast<std::int64_t>(*peak)));
}

inline void put_extension(ForeignResult& result, std::string_view name, json::object block)
{
    if (block.empty())
        return;
    result.extensions[name] = std::move(block);
    result.origin["extensions." + std::string(name)] = "client";
}

inline void put_if(json::object& block, const char* key, const std::optional<double>& value)
{
    if (value)
        block[key] = *value;
}

} // namespace detail

/// A result of `vllm bench serve`, with the arrays of --save-detailed where it has them. Its acceptance rate
/// is in percent, the envelope's a share. Throws InputError.
inline ForeignResult vllm_result(const json::object& raw, std::string_view name)
{
    ForeignResult result;
    result.source_tool = "vllm-bench-serve";
    const ForeignFields fields(raw, name);
    ForeignMetrics metrics(result, fields);
    detail::put_counts(fields, metrics);
    if (const auto sent = fields.count({"num_prompts"}); sent && !metrics.number("failed")) {
        if (const auto completed = metrics.number("completed"); completed && *completed <= double(*sent))
            metrics.put("failed", std::optional(*sent - std::int64_t(*completed)), "derived");
    }
    metrics.put_latency("ttft_ms", detail::flat_latency(fields, {"ttft_ms"}));
    metrics.put_latency("tpot_ms", detail::flat_latency(fields, {"tpot_ms"}));
    metrics.put_latency("itl_ms", detail::flat_latency(fields, {"itl_ms"}));
    metrics.put_latency("e2e_ms", detail::flat_latency(fields, {"e2el_ms", "e2e_latency_ms"}));
    detail::take_requests(fields, metrics, result);

    json::object speculative;
    const auto drafted = fields.figure({"spec_decode_draft_tokens"});
    const auto accepted = fields.figure({"spec_decode_accepted_tokens"});
    auto percent = fields.figure({"spec_decode_acceptance_rate"});
    if (drafted && accepted && *drafted > 0)
        percent = *accepted / *drafted * 100;
    if (percent && *percent > 100) {
        metrics.note("spec_decode_acceptance_rate: " + format_double(*percent) + " % cannot be");
        percent.reset();
    }
    detail::put_if(speculative, "acceptance_rate", percent ? std::optional(*percent / 100) : percent);
    detail::put_if(speculative, "tokens_per_step", fields.figure({"spec_decode_acceptance_length"}));
    detail::put_if(speculative, "draft_tokens", drafted);
    detail::put_if(speculative, "accepted_tokens", accepted);
    detail::put_extension(result, "speculative_decode", std::move(speculative));
    json::object goodput;
    detail::put_if(goodput, "request_goodput", fields.figure({"request_goodput"}));
    detail::put_extension(result, "goodput", std::move(goodput));

    detail::copy_settings(fields, result,
                          {"date", "backend", "endpoint_type", "label", "model_id", "tokenizer_id",
                           "num_prompts", "request_rate", "burstiness", "max_concurrency"});
    metrics.finish(" (vllm bench serve --percentile-metrics ttft,tpot,itl,e2el --metric-percentiles "
                   "50,90,95,99, or --save-detailed)");
    return result;
}

/// One line of a file of `sglang.bench_serving`, with the arrays of --output-details where it has them. A gap
/// between tokens never stands for a time per output token. Throws InputError.
inline ForeignResult sglang_result(const json::object& raw, std::string_view name)
{
    ForeignResult result;
    result.source_tool = "sglang-bench-serving";
    const ForeignFields fields(raw, name);
    ForeignMetrics metrics(result, fields);
    detail::put_counts(fields, metrics);
    metrics.put_latency("ttft_ms", detail::flat_latency(fields, {"ttft_ms"}));
    metrics.put_latency("tpot_ms", detail::flat_latency(fields, {"tpot_ms"}));
    metrics.put_latency("itl_ms", detail::flat_latency(fields, {"itl_ms"}));
    metrics.put_latency("e2e_ms", detail::flat_latency(fields, {"e2e_latency_ms", "latency_ms"}));
    detail::take_requests(fields, metrics, result);

    const auto share = [&](const char* key) {
        const auto value = fields.figure({key});
        if (!value || *value <= 1)
            return value;
        metrics.note(std::string(key) + ": " + format_double(*value) + " is no share of 1");
        return std::optional<double>();
    };
    json::object speculative;
    detail::put_if(speculative, "acceptance_rate", share("spec_decode_acceptance_rate"));
    detail::put_if(speculative, "tokens_per_step",
                   fields.figure({"accept_length", "spec_decode_tokens_per_step"}));
    detail::put_extension(result, "speculative_decode", std::move(speculative));
    json::object cache;
    detail::put_if(cache, "prefix_cache_hit_rate", share("cache_hit_rate"));
    detail::put_extension(result, "cache_stats", std::move(cache));

    detail::copy_settings(fields, result,
                          {"backend", "dataset_name", "request_rate", "max_concurrency",
                           "sharegpt_output_len", "random_input_len", "random_output_len",
                           "random_range_ratio"});
    metrics.finish(" (sglang.bench_serving --output-details gives every percentile)");
    return result;
}

} // namespace slo::artifact

#endif
