// SPDX-License-Identifier: MIT
// What a card becomes: command lines, one after the other, and what they leave out.

#ifndef SLO_CARD_COMPILED_PLAN_HPP
#define SLO_CARD_COMPILED_PLAN_HPP

#include <slo/base/error.hpp>
#include <slo/base/json.hpp>
#include <slo/base/spelling.hpp>
#include <slo/base/text.hpp>
#include <slo/card/card_view.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace slo::card {

inline constexpr std::string_view plan_schema = "sloutils.plan/1";

/// Who sends the load.
enum class Tool { replay, vllm, sglang };

inline constexpr std::array<std::string_view, 3> tool_names{"replay", "vllm", "sglang"};

constexpr std::string_view name_of(Tool tool) noexcept
{
    return tool_names[static_cast<std::size_t>(tool)];
}

/// Throws UsageError, with the nearest name.
inline Tool tool_named(std::string_view name)
{
    for (std::size_t i = 0; i < tool_names.size(); ++i)
        if (tool_names[i] == name)
            return static_cast<Tool>(i);
    const auto nearest = nearest_name(name, tool_names);
    throw UsageError("--tool", "'" + printable(name, 40) + "' is none of replay, vllm, sglang" +
                                   (nearest ? "; did you mean " + *nearest + "?" : ""));
}

/// The card asks for what no step can be made of; what() says what to change.
class Unsupported : public Error {
public:
    Unsupported(std::string code, std::string_view subject, std::string_view reason)
        : Error(subject, reason), code_(std::move(code))
    {
    }

    /// The kind of obstacle: "unregistered_dataset_type".
    const std::string& code() const noexcept { return code_; }

private:
    std::string code_;
};

using Argv = std::vector<std::string>;

/// One run of the tool.
struct Step {
    std::string label;
    Argv argv;
    std::vector<Argv> prepare; ///< to be run before it, in this order
    std::optional<std::int64_t> concurrency;
    json::value request_rate; ///< per second, as the card writes it; null: as fast as it goes
    std::optional<std::int64_t> num_prompts;
    std::optional<double> duration_s;
    json::value context_len; ///< tokens; null: the card has but one
    std::string mode;
    std::vector<std::string> outputs; ///< files that it leaves, in the folder it runs in
};

/// What a plan is compiled for.
struct Target {
    std::string base_url = "http://127.0.0.1:8000"; ///< with or without /v1
    std::string model;                              ///< empty: the sidecar's model.id
    std::string tokenizer;                          ///< of route-build; empty: the service counts
    std::int64_t seed = 1;                          ///< of the first step; each has one of its own
    std::string prefix;                             ///< before the name of every file
};

/// A compiled card.
struct Plan {
    bool orchestrated = false; ///< no step: more than one tool's command line is needed
    std::string catalog_id;
    Tool tool = Tool::replay;
    std::string modality;
    std::vector<Step> steps;
    std::string orchestrator; ///< what would have to run it
    std::string advice;       ///< what to change so that it can be compiled
    json::object dataset_summary;
    json::object slo_targets;
    std::vector<NotExpressed> not_expressed;
    std::vector<std::string> notes;

    std::string kind() const { return orchestrated ? "orchestrated" : "vendor"; }
};

namespace detail {

inline json::array argv_json(const Argv& argv)
{
    json::array words;
    for (const auto& word : argv)
        words.push_back(json_text(word));
    return words;
}

} // namespace detail

/// A step of a sloutils.plan/1 record.
inline json::object to_record(const Step& step)
{
    json::array prepare;
    for (const auto& argv : step.prepare)
        prepare.push_back(detail::argv_json(argv));
    json::object record;
    record["label"] = step.label;
    record["argv"] = detail::argv_json(step.argv);
    record["concurrency"] = or_null(step.concurrency);
    record["request_rate"] = step.request_rate;
    record["num_prompts"] = or_null(step.num_prompts);
    record["duration_s"] = or_null(step.duration_s);
    record["context_len"] = step.context_len;
    record["mode"] = text_or_null(step.mode);
    record["prepare"] = std::move(prepare);
    record["outputs"] = detail::argv_json(step.outputs);
    return record;
}

/// The list that says what a plan leaves out.
inline json::array to_record(const std::vector<NotExpressed>& list)
{
    json::array record;
    for (const auto& [key, value, reason] : list)
        record.push_back(json::object{{"key", key}, {"value", value}, {"reason", reason}});
    return record;
}

/// A sloutils.plan/1 record.
inline json::object to_record(const Plan& plan)
{
    json::array steps;
    for (const auto& step : plan.steps)
        steps.push_back(to_record(step));
    json::object record;
    record["schema"] = json_text(plan_schema);
    record["kind"] = plan.kind();
    record["catalog_id"] = plan.catalog_id;
    record["tool"] = json_text(name_of(plan.tool));
    record["modality"] = plan.modality;
    record["steps"] = std::move(steps);
    record["orchestrator"] = text_or_null(plan.orchestrator);
    if (plan.orchestrated)
        record["advice"] = text_or_null(plan.advice);
    record["dataset_summary"] = plan.dataset_summary;
    record["slo_targets"] = plan.slo_targets;
    record["not_expressed"] = to_record(plan.not_expressed);
    record["notes"] = detail::argv_json(plan.notes);
    return record;
}

} // namespace slo::card

#endif
