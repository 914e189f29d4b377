// SPDX-License-Identifier: MIT
// The hit rate of a prefix cache from what an engine's log says, where there are no counters.

#ifndef SLO_PLAN_LOG_HIT_RATE_HPP
#define SLO_PLAN_LOG_HIT_RATE_HPP

#include <slo/base/json.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace slo::plan {

/// What a log came to.
struct LogHitRate {
    std::optional<double> hit_rate;    ///< 0 to 1
    std::optional<std::uint64_t> hits; ///< tokens; only where the engine logs tokens
    std::optional<std::uint64_t> queries;
    std::string pattern;                       ///< the wording that matched; empty: none
    std::size_t lines = 0;                     ///< of that wording
    std::string basis;                         ///< how the rate was formed
    std::map<std::string, double> layers;      ///< rates of other caches: external, multimodal, cpu
    std::map<std::string, std::size_t> unused; ///< lines of wordings that were not used
    std::string reason;                        ///< why there is no rate
};

/// The same as members of a record.
inline json::object to_json_object(const LogHitRate& rate)
{
    json::object record{{"hit_rate", or_null(rate.hit_rate)},
                        {"hits", or_null(rate.hits)},
                        {"queries", or_null(rate.queries)},
                        {"pattern", rate.pattern.empty() ? json::value(nullptr) : json::value(rate.pattern)},
                        {"lines", rate.lines}};
    if (!rate.basis.empty())
        record["basis"] = rate.basis;
    if (!rate.layers.empty()) {
        json::object layers;
        for (const auto& [name, value] : rate.layers)
            layers[name] = value;
        record["layers"] = std::move(layers);
    }
    if (!rate.unused.empty()) {
        json::object unused;
        for (const auto& [name, lines] : rate.unused)
            unused[name] = lines;
        record["unused_patterns"] = std::move(unused);
    }
    if (!rate.reason.empty())
        record["reason"] = rate.reason;
    return record;
}

/// Collects what lines of a log say. Tokens are summed, so their rate is that of the whole log. A rate that
/// the engine prints covers a window of its own (vLLM: its latest 1000 requests): the latest counts, and
/// where there are several engines the mean of their latest ones, unweighted. Tokens go before rates.
class LogHitRateMeter {
public:
    static constexpr std::size_t max_engines = 4096;

    /// `cached` of `prompt` tokens were found in the cache.
    void tokens(std::string_view pattern, std::uint64_t cached, std::uint64_t prompt)
    {
        auto& sums = sums_[std::string(pattern)];
        ++sums.lines;
        sums.cached += cached;
        sums.prompt += prompt;
    }

    /// An engine's own rate, 0 to 1.
    void rate(std::string_view pattern, std::string_view layer, std::string_view engine, double hit_rate)
    {
        auto& found = rates_[std::string(pattern)];
        if (layer == "local")
            ++found.lines;
        auto& engines = found.layers[std::string(layer)];
        if (const auto known = engines.find(engine); known != engines.end())
            known->second = hit_rate;
        else if (engines.size() < max_engines)
            engines.emplace(engine, hit_rate);
    }

    /// The rate, or why there is none.
    LogHitRate result() const
    {
        LogHitRate result;
        const auto* sums = most_lines(sums_);
        const auto* rates = most_lines(rates_);
        for (const auto& [pattern, found] : sums_)
            result.unused[pattern] = found.lines;
        for (const auto& [pattern, found] : rates_)
            result.unused[pattern] = found.lines;
        if (sums)
            use_sums(*sums, result);
        else if (rates)
            use_rates(*rates, result);
        else
            result.reason = "no line of the log tells of a prefix cache";
        result.unused.erase(result.pattern);
        return result;
    }

private:
    struct Sums {
        std::size_t lines = 0;
        std::uint64_t cached = 0;
        std::uint64_t prompt = 0;
    };
    using Engines = std::map<std::string, double, std::less<>>; // the latest rate of each
    struct Rates {
        std::size_t lines = 0;
        std::map<std::string, Engines> layers;
    };

    template <class Found>
    static const std::pair<const std::string, Found>* most_lines(const std::map<std::string, Found>& all)
    {
        const std::pair<const std::string, Found>* best = nullptr;
        for (const auto& entry : all) {
            if (!best || entry.second.lines > best->second.lines)
                best = &entry;
        }
        return best;
    }

    static void use_sums(const std::pair<const std::string, Sums>& found, LogHitRate& result)
    {
        const auto& [pattern, sums] = found;
        result.pattern = pattern;
        result.lines = sums.lines;
        result.hits = sums.cached;
        result.queries = sums.prompt;
        result.basis = "tokens of all lines";
        if (sums.prompt > 0)
            result.hit_rate = static_cast<double>(sums.cached) / static_cast<double>(sums.prompt);
        else
            result.reason = "the log tells of no prompt tokens";
    }

    static void use_rates(const std::pair<const std::string, Rates>& found, LogHitRate& result)
    {
        const auto& [pattern, rates] = found;
        result.pattern = pattern;
        result.lines = rates.lines;
        for (const auto& [layer, engines] : rates.layers) {
            double sum = 0;
            for (const auto& [engine, rate] : engines)
                sum += rate;
            const auto mean = sum / static_cast<double>(engines.size());
            if (layer != "local") {
                result.layers[layer] = mean;
                continue;
            }
            result.hit_rate = mean;
            result.basis = engines.size() == 1
                               ? "latest line, over the engine's own window"
                               : "mean of the latest lines of " + std::to_string(engines.size()) + " engines";
        }
        if (!result.hit_rate)
            result.reason = "the log tells of other caches only";
    }

    std::map<std::string, Sums> sums_;
    std::map<std::string, Rates> rates_;
};

} // namespace slo::plan

#endif
