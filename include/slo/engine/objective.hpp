// SPDX-License-Identifier: MIT
// A latency objective, "e2e:p50<6.5".

#ifndef SLO_ENGINE_OBJECTIVE_HPP
#define SLO_ENGINE_OBJECTIVE_HPP

#include <slo/base/error.hpp>
#include <slo/base/text.hpp>
#include <slo/engine/simulate.hpp>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

namespace slo::engine {

/// That a percentile of a latency stay below a limit.
struct Objective {
    enum class Metric {
        e2e,  ///< due to the last token, seconds
        ttft, ///< due to the first token of any choice, seconds
        tpot, ///< mean time between the tokens of a choice, seconds
    };
    Metric metric = Metric::e2e;
    double percentile = 50; ///< 0 to 100
    double limit_s = 0;
};

/// Reads "METRIC:pNN<SECONDS", METRIC one of e2e, ttft, tpot; blanks around the parts are allowed. Throws
/// UsageError.
inline Objective parse_objective(std::string_view text)
{
    const auto bad = [&](std::string_view reason) {
        return UsageError("objective '" + printable(text, 60) + "'", reason);
    };
    const auto colon = text.find(':');
    const auto less = text.find('<');
    if (colon == std::string_view::npos || less == std::string_view::npos || less < colon)
        throw bad("is not of the form e2e:p50<6.5");
    const auto name = trim(text.substr(0, colon));
    const auto rank = trim(text.substr(colon + 1, less - colon - 1));
    Objective objective;
    if (name == "e2e")
        objective.metric = Objective::Metric::e2e;
    else if (name == "ttft")
        objective.metric = Objective::Metric::ttft;
    else if (name == "tpot")
        objective.metric = Objective::Metric::tpot;
    else
        throw bad("the metric must be e2e, ttft or tpot");
    const auto percentile = rank.starts_with('p') ? parse_double(rank.substr(1)) : std::nullopt;
    if (!percentile || *percentile <= 0 || *percentile >= 100)
        throw bad("the percentile must be above p0 and below p100");
    const auto limit = parse_double(trim(text.substr(less + 1)));
    if (!limit || *limit <= 0)
        throw bad("the limit must be a number of seconds above 0");
    objective.percentile = *percentile;
    objective.limit_s = *limit;
    return objective;
}

/// The canonical text of an objective.
inline std::string to_text(const Objective& objective)
{
    const auto plain = [](double value) {
        auto text = format_double(value);
        return text.ends_with(".0") ? text.substr(0, text.size() - 2) : text;
    };
    const char* name = objective.metric == Objective::Metric::e2e    ? "e2e"
                       : objective.metric == Objective::Metric::ttft ? "ttft"
                                                                     : "tpot";
    return std::string(name) + ":p" + plain(objective.percentile) + "<" + plain(objective.limit_s);
}

/// The value that the objective's metric has for one request, in seconds; nothing where it has none (tpot of
/// answers of one token). For several choices it is the worst.
inline std::optional<double> measure(const Objective& objective, const Outcome& outcome)
{
    if (objective.metric == Objective::Metric::e2e)
        return outcome.end_s - outcome.due_s;
    if (objective.metric == Objective::Metric::ttft)
        return outcome.first_token_s - outcome.due_s;
    std::optional<double> worst;
    for (const auto& choice : outcome.choices) {
        if (choice.tokens > 1)
            worst = std::max(worst.value_or(0), (choice.last_token_s - choice.first_token_s) /
                                                    static_cast<double>(choice.tokens - 1));
    }
    return worst;
}

} // namespace slo::engine

#endif
