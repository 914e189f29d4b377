// SPDX-License-Identifier: MIT
// What a result file of another client comes down to: the client's side of an envelope.

#ifndef SLO_ARTIFACT_FOREIGN_RESULT_HPP
#define SLO_ARTIFACT_FOREIGN_RESULT_HPP

#include <slo/artifact/blocks.hpp>
#include <slo/base/error.hpp>
#include <slo/base/json.hpp>
#include <slo/base/text.hpp>

#include <array>
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

/// Whose result file it is.
enum class ForeignTool { vllm, sglang, aiperf };

inline constexpr std::array<std::string_view, 3> foreign_tool_names{"vllm", "sglang", "aiperf"};

constexpr std::string_view name_of(ForeignTool tool) noexcept
{
    return foreign_tool_names[static_cast<std::size_t>(tool)];
}

/// The requests that succeeded, one by one; each list is empty where the file does not have it. Of `itl_ms`
/// there is a value for each gap between two tokens.
struct PerRequest {
    std::vector<double> ttft_ms, tpot_ms, itl_ms, e2e_ms;
    std::vector<double> input_tokens, output_tokens;
};

/// A result file as an envelope takes it in.
struct ForeignResult {
    std::string source_tool;  ///< as the envelope's source_tool.name
    std::string tool_version; ///< empty where the file does not tell
    json::object metrics;     ///< all keys of the envelope's block; null where the file does not tell
    json::object origin;      ///< of each that is not null: "client" or "derived"
    json::object extensions;  ///< speculative_decode, cache_stats
    json::object settings;    ///< what the file says of the load
    PerRequest requests;
    std::vector<std::string> notes;
};

/// Figures of a file, each looked up under the names that it may have. Null is absent.
class ForeignFields {
public:
    /// `name` is the file's, for messages; both must outlive the fields.
    ForeignFields(const json::object& raw, std::string_view name) : raw_(raw), name_(name) {}

    /// The first value that one of the keys has; nullptr where none has one.
    const json::value* value(std::initializer_list<std::string_view> keys) const
    {
        for (const auto key : keys) {
            const auto* found = find(raw_, key);
            if (found && !found->is_null())
                return found;
        }
        return nullptr;
    }

    /// The same as a number of at least 0. Throws InputError for anything else.
    std::optional<double> figure(std::initializer_list<std::string_view> keys) const
    {
        for (const auto key : keys) {
            if (const auto* found = value({key}))
                return checked(*found, key);
        }
        return std::nullopt;
    }

    /// The same as a whole number.
    std::optional<std::int64_t> count(std::initializer_list<std::string_view> keys) const
    {
        for (const auto key : keys) {
            if (!value({key}))
                continue;
            const auto whole = integer_at(raw_, key);
            if (!whole || *whole < 0)
                throw InputError(name_, std::string(key) + " is no count: " + shown(*value({key})));
            return whole;
        }
        return std::nullopt;
    }

    /// A number of at least 0 that stands at `place`. Throws InputError for anything else.
    double checked(const json::value& found, std::string_view place) const
    {
        const auto number = as_number(&found);
        if (!number || !std::isfinite(*number))
            throw InputError(name_, std::string(place) + " is no number: " + shown(found));
        if (*number < 0)
            throw InputError(name_, std::string(place) + " is below 0: " + shown(found));
        return *number;
    }

    const json::object& raw() const noexcept { return raw_; }
    std::string_view name() const noexcept { return name_; }

private:
    static std::string shown(const json::value& value) { return printable(to_json(value), 60); }

    const json::object& raw_;
    std::string_view name_;
};

/// Makes the metrics block: every value goes in with its origin, and the rest is null.
class ForeignMetrics {
public:
    ForeignMetrics(ForeignResult& result, const ForeignFields& fields) : result_(result), fields_(fields)
    {
        for (const char* key : {"duration_s", "completed", "failed", "error_rate"})
            result.metrics[key] = nullptr;
        for (const char* key : {"ttft_ms", "tpot_ms", "itl_ms", "e2e_ms"})
            result.metrics[key] = unknown_latency();
        for (const char* key : {"output_toks_per_s", "request_throughput", "total_toks_per_s",
                                "total_input_tokens", "total_output_tokens", "max_concurrent_requests"})
            result.metrics[key] = nullptr;
    }

    template <class T>
    void put(std::string_view key, const std::optional<T>& value, std::string_view origin = "client")
    {
        if (!value)
            return;
        result_.metrics[json::string_view(key.data(), key.size())] = *value;
        mark("metrics." + std::string(key), origin);
    }

    void put_latency(std::string_view key, json::object block, std::string_view origin = "client")
    {
        if (!is_known(block))
            return;
        result_.metrics[json::string_view(key.data(), key.size())] = std::move(block);
        mark("metrics." + std::string(key), origin);
    }

    std::optional<double> number(std::string_view key) const { return number_at(result_.metrics, key); }

    void note(std::string text) { result_.notes.push_back(std::move(text)); }

    /// Closes the block: rates that follow from counts, and every doubt about the figures as a note. Throws
    /// InputError where no request was counted at all: nothing was measured.
    void finish(std::string_view how_to_get_latencies)
    {
        if (!number("completed"))
            throw InputError(fields_.name(), "has no count of completed requests: an empty result "
                                             "is no measurement");
        if (*number("completed") == 0)
            forget_latencies("no request was completed");
        derive_rates();
        for (const char* key : {"ttft_ms", "tpot_ms", "itl_ms", "e2e_ms"})
            check_latency(key);
        for (const char* key : {"duration_s", "failed", "output_toks_per_s"}) {
            if (!number(key))
                note("metrics." + std::string(key) + ": the file does not tell");
        }
        for (const char* key : {"ttft_ms", "tpot_ms", "e2e_ms"}) {
            const auto& block = *object_at(result_.metrics, key);
            if (!number_at(block, "p50") || !number_at(block, "p99"))
                note("metrics." + std::string(key) + ": p50 and p99 are not both in the file" +
                     std::string(how_to_get_latencies));
        }
    }

private:
    void mark(const std::string& path, std::string_view origin) { result_.origin[path] = json_text(origin); }

    void forget(const char* key)
    {
        result_.metrics[key] = unknown_latency();
        result_.origin.erase("metrics." + std::string(key));
    }

    void forget_latencies(const std::string& why)
    {
        for (const char* key : {"ttft_ms", "tpot_ms", "itl_ms", "e2e_ms"}) {
            if (is_known(*object_at(result_.metrics, key)))
                forget(key);
        }
        note("metrics: " + why + ", so that no latency was measured");
    }

    void derive_rates()
    {
        const auto completed = *number("completed");
        if (const auto failed = number("failed"); failed && completed + *failed > 0)
            put("error_rate", std::optional(*failed / (completed + *failed)), "derived");
        const auto duration_s = number("duration_s");
        if (!duration_s || *duration_s == 0)
            return;
        const auto derive = [&](std::string_view key, std::optional<double> amount) {
            if (amount && !number(key))
                put(key, std::optional(*amount / *duration_s), "derived");
        };
        const auto input = number("total_input_tokens");
        const auto output = number("total_output_tokens");
        derive("request_throughput", completed);
        derive("output_toks_per_s", output);
        derive("total_toks_per_s", input && output ? std::optional(*input + *output) : std::nullopt);
        const double rate = number("request_throughput").value_or(0);
        if (std::abs(rate * *duration_s - completed) > 0.02 * completed + 1)
            note("metrics.request_throughput: " + format_fixed(rate, 3) + " requests/s for " +
                 format_fixed(*duration_s, 3) + " s are not the " + format_fixed(completed, 0) +
                 " that were completed: figures of two runs?");
    }

    // Where nothing was timed the clients write 0 for every figure; a smaller percentile is never larger.
    void check_latency(const char* key)
    {
        const auto& block = *object_at(result_.metrics, key);
        bool any = false;
        double last = 0;
        for (const auto figure : latency_figures) {
            const auto value = number_at(block, figure);
            any |= value.value_or(0) > 0;
            if (!value || figure == "mean")
                continue;
            if (*value < last)
                note("metrics." + std::string(key) + "." + std::string(figure) +
                     ": smaller than a lower percentile");
            last = *value;
        }
        if (!any && is_known(block)) {
            forget(key);
            note("metrics." + std::string(key) +
                 ": every figure is 0, which is what the client writes where "
                 "it has timed nothing; taken as unknown");
        }
    }

    ForeignResult& result_;
    const ForeignFields& fields_;
};

/// For files that do not say how many requests were sent: what is not completed of `sent` has failed, as far
/// as the card's word goes for what was sent; its origin says so.
inline void take_requests_sent(ForeignResult& result, std::int64_t sent)
{
    const auto completed = integer_at(result.metrics, "completed");
    if (!completed || integer_at(result.metrics, "failed"))
        return;
    if (*completed > sent) {
        result.notes.push_back("metrics.failed: " + std::to_string(*completed) +
                               " requests were completed, and no more than " + std::to_string(sent) +
                               " were to be sent");
        return;
    }
    result.metrics["failed"] = sent - *completed;
    result.origin["metrics.failed"] = "card";
    if (sent > 0) {
        result.metrics["error_rate"] = static_cast<double>(sent - *completed) / static_cast<double>(sent);
        result.origin["metrics.error_rate"] = "card";
    }
    result.notes.push_back("metrics.failed: the file does not tell; taken as the card's " +
                           std::to_string(sent) + " requests less the completed");
    std::erase(result.notes, "metrics.failed: the file does not tell");
}

} // namespace slo::artifact

#endif
