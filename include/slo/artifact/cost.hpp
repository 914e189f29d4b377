// SPDX-License-Identifier: MIT
// What the tokens cost, from the price and the measured rate.

#ifndef SLO_ARTIFACT_COST_HPP
#define SLO_ARTIFACT_COST_HPP

#include <slo/artifact/blocks.hpp>
#include <slo/base/error.hpp>
#include <slo/base/json.hpp>
#include <slo/base/text.hpp>

#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace slo::artifact {

namespace detail {

/// Figures of a sidecar, null being absent.
class CostFields {
public:
    CostFields(const json::object* object, std::string section, std::string_view where)
        : object_(object), section_(std::move(section)), where_(where)
    {
    }

    std::optional<double> number(std::string_view key, double low, double high) const
    {
        const auto* value = object_ ? find(*object_, key) : nullptr;
        if (!value || value->is_null())
            return std::nullopt;
        const auto found = as_number(value);
        if (!found || !(*found >= low && *found <= high))
            throw InputError(where_, section_ + "." + std::string(key) + " is no number from " +
                                         format_double(low) + " to " + format_double(high) + ": " +
                                         printable(to_json(*value), 60));
        return found;
    }

    json::value text(std::string_view key, std::string_view fallback) const
    {
        const auto found = object_ ? string_at(*object_, key) : std::nullopt;
        return json_text(found.value_or(fallback));
    }

private:
    const json::object* object_;
    std::string section_;
    std::string_view where_;
};

// What a task costs by the tokens that one takes, and what with the people who do those that fail.
inline void add_task_costs(json::object& block, const json::object& intelligence, double per_million,
                           std::string_view where)
{
    const CostFields fields(&intelligence, "intelligence", where);
    const CostFields tokens(object_at(intelligence, "tokens_per_task"), "intelligence.tokens_per_task",
                            where);
    const auto pass_rate = fields.number("pass_rate", 0, 1);
    const double output = tokens.number("output", 0, 1e12).value_or(0);
    const double human = fields.number("human_intervention_cost", 0, 1e9).value_or(25);
    const double input = tokens.number("input", 0, 1e12).value_or(0);
    const double cached = tokens.number("cached_input_ratio", 0, 1).value_or(0);
    if (!pass_rate || output == 0)
        return;
    // An input token is taken as three tenths of an output token, a cached one as nothing.
    constexpr double input_share = 0.3;
    const double task = output / 1e6 * per_million + input * (1 - cached) / 1e6 * per_million * input_share;
    block["cost_per_task"] = rounded(task, 6);
    block["cost_per_success"] = *pass_rate > 0 ? json::value(rounded(task / *pass_rate, 6)) : nullptr;
    block["true_cost_with_human_fallback"] = rounded(task + (1 - *pass_rate) * human, 2);
    block["pass_rate"] = *pass_rate;
    block["eval_source"] = fields.text("eval_source", "unknown");
}

} // namespace detail

/// The block `cost` of a sidecar (its `cost` and `intelligence`) at the measured rate of output tokens: the
/// price of a million of them at the utilization that is aimed at, by default 0.7. No block where the sidecar
/// names no price, or nothing was generated. Throws InputError for a figure that cannot be: a utilization
/// outside of (0, 1], a price below 0, a text; `where` names the sidecar.
inline SideBlock cost_block(const json::object& sidecar, const json::object& metrics, std::string_view where)
{
    SideBlock result;
    const auto* section = object_at(sidecar, "cost");
    if (!section)
        return result;
    const detail::CostFields cost(section, "cost", where);
    const auto price = cost.number("spot_price_per_hr", 0, 1e9);
    const double utilization = cost.number("utilization_target", 0, 1).value_or(0.7);
    if (utilization == 0)
        throw InputError(where, "cost.utilization_target is 0: no token would ever be sold");
    if (!price) {
        result.notes.push_back("cost: the sidecar names no cost.spot_price_per_hr");
        return result;
    }
    const auto rate = number_at(metrics, "output_toks_per_s");
    if (!rate || *rate <= 0) {
        result.notes.push_back("cost: no rate of output tokens was measured");
        return result;
    }
    const double per_million = *price / (*rate * 3600 * utilization) * 1e6;
    json::object block{{"cost_per_m_output_tokens", rounded(per_million, 4)},
                       {"instance_type", cost.text("instance_type", "unknown")},
                       {"spot_price_per_hr", *price},
                       {"utilization_target", utilization}};
    if (const auto* intelligence = object_at(sidecar, "intelligence"))
        detail::add_task_costs(block, *intelligence, per_million, where);
    result.value = std::move(block);
    return result;
}

} // namespace slo::artifact

#endif
