// SPDX-License-Identifier: MIT
// What the tools are told to judge: the limits of a card's slo.

#ifndef SLO_CARD_ARGV_JUDGED_HPP
#define SLO_CARD_ARGV_JUDGED_HPP

#include <slo/base/json.hpp>
#include <slo/card/argv_common.hpp>
#include <slo/card/card_view.hpp>
#include <slo/card/compiled_plan.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>

namespace slo::card {

/// The limits that vLLM's --goodput takes, and that word before them; nothing for SGLang, which has no such
/// option, and where the card has no such limit.
inline Argv goodput_argv(CardView& card, Tool tool)
{
    Argv argv;
    if (tool != Tool::vllm)
        return argv;
    for (const auto& [key, name] :
         {std::pair("slo.ttft_p99_ms", "ttft:"), {"slo.tpot_p99_ms", "tpot:"}, {"slo.e2e_p99_ms", "e2el:"}})
        if (const auto limit = card.number(key)) {
            argv.push_back(name + std::to_string(static_cast<std::int64_t>(*limit)));
            if (*limit != std::floor(*limit))
                card.lose(key, "--goodput is given whole milliseconds: " + argv.back());
        }
    if (!argv.empty())
        argv.insert(argv.begin(), "--goodput");
    return argv;
}

/// The options by which replay judges what a card's slo asks for.
inline Argv objective_argv(CardView& card, bool streaming)
{
    struct Limit {
        const char* key;
        const char* metric;
        bool is_of_tokens; ///< whole answers have none
    };
    constexpr Limit limits[] = {{"ttft_p50_ms", "ttft:p50", true}, {"ttft_p99_ms", "ttft:p99", true},
                                {"p99_ttft_ms", "ttft:p99", true}, {"tpot_p50_ms", "tpot:p50", true},
                                {"tpot_p99_ms", "tpot:p99", true}, {"e2e_p50_ms", "e2e:p50", false},
                                {"e2e_p90_ms", "e2e:p90", false},  {"e2e_p95_ms", "e2e:p95", false},
                                {"e2e_p99_ms", "e2e:p99", false}};
    Argv argv;
    for (const auto& [key, metric, is_of_tokens] : limits) {
        const auto path = std::string("slo.") + key;
        const auto* value = card.peek(path);
        const auto limit_ms = as_number(value).value_or(0);
        const auto objective = std::string(metric) + "<" + number_text(limit_ms) + "ms";
        if (limit_ms <= 0 || (is_of_tokens && !streaming) ||
            std::find(argv.begin(), argv.end(), objective) != argv.end())
            continue;
        card.get(path);
        append(argv, {"--objective", objective});
    }
    const auto* errors = card.peek("slo.error_rate_max");
    const auto error_rate = as_number(errors).value_or(0);
    if (error_rate > 0 && error_rate < 1) {
        card.get("slo.error_rate_max");
        constexpr double digits = 1e6;
        append(argv, {"--objective",
                      "success>=" + number_text(std::round((1 - error_rate) * 100 * digits) / digits) + "%"});
    }
    return argv;
}

} // namespace slo::card

#endif
