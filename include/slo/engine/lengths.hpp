// SPDX-License-Identifier: MIT
// How many tokens an answer has, and why it ends there.

#ifndef SLO_ENGINE_LENGTHS_HPP
#define SLO_ENGINE_LENGTHS_HPP

#include <slo/base/random.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string_view>

namespace slo::engine {

/// Why a sequence ends.
enum class FinishReason { length, stop, abort };

/// The name a reason has in answers and metrics.
constexpr std::string_view name_of(FinishReason reason) noexcept
{
    return reason == FinishReason::length ? "length" : reason == FinishReason::stop ? "stop" : "abort";
}

/// What a request says about the length of its answers.
struct OutputLimits {
    std::optional<std::int64_t> max_tokens;
    std::int64_t min_tokens = 0;
    bool ignore_eos = false; ///< never stop before max_tokens
};

/// Where one sequence will end.
struct OutputPlan {
    std::int64_t tokens = 1;
    FinishReason reason = FinishReason::length;
};

/// The law by which the engine "decides" to stop.
struct LengthLaw {
    enum class Kind {
        limit,     ///< always goes on to max_tokens; `median_tokens` where a request sets none
        fixed,     ///< stops after median_tokens
        lognormal, ///< stops after a lognormal number of tokens with this median and sigma
    };
    Kind kind = Kind::limit;
    double median_tokens = 64;
    double sigma = 0; ///< standard deviation of the logarithm
};

/// Plans one answer: at least one token and at most `room_tokens` (what the context has left, at least 1);
/// wholly determined by its arguments.
inline OutputPlan plan_output(const LengthLaw& law, const OutputLimits& limits, std::int64_t room_tokens,
                              std::uint64_t seed)
{
    const auto median = std::max<std::int64_t>(1, std::llround(law.median_tokens));
    const bool to_the_limit = limits.ignore_eos || law.kind == LengthLaw::Kind::limit;
    const auto unset = law.kind == LengthLaw::Kind::limit ? median : room_tokens;
    const auto most = std::clamp<std::int64_t>(limits.max_tokens.value_or(unset), 1, room_tokens);
    if (to_the_limit)
        return {most, FinishReason::length};
    auto natural = median;
    if (law.kind == LengthLaw::Kind::lognormal) {
        const double drawn = Random(seed).lognormal(std::log(law.median_tokens), law.sigma);
        natural = std::llround(std::clamp(drawn, 1.0, 1e9));
    }
    natural = std::max(natural, limits.min_tokens);
    if (natural >= most)
        return {most, FinishReason::length};
    return {natural, FinishReason::stop};
}

} // namespace slo::engine

#endif
