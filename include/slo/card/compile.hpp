// SPDX-License-Identifier: MIT
// From a card, a sidecar and a tool to command lines: a pure function.

#ifndef SLO_CARD_COMPILE_HPP
#define SLO_CARD_COMPILE_HPP

#include <slo/base/error.hpp>
#include <slo/base/json.hpp>
#include <slo/card/argv_common.hpp>
#include <slo/card/argv_judged.hpp>
#include <slo/card/argv_replay.hpp>
#include <slo/card/argv_vendor.hpp>
#include <slo/card/card.hpp>
#include <slo/card/card_view.hpp>
#include <slo/card/compiled_plan.hpp>
#include <slo/card/dataset_reader.hpp>
#include <slo/card/dataset_workload.hpp>
#include <slo/card/load_steps.hpp>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace slo::card {

namespace detail {

// Why a value of the card is not carried out, by how its key begins or ends.
struct LossReason {
    std::string_view key;
    std::string_view reason;
};

inline constexpr LossReason loss_reasons[] = {
    {"load.stop_condition", "no step ends early by it: look at the records of a step before the next"},
    {"load.saturation_signals", "the steps are fixed: bisect searches for a limit"},
    {"load.push_beyond_last", "the steps are fixed: name more levels, or let bisect search for the limit"},
    {"load.measurement_protocol", "is a text for people"},
    {"load.num_prompts", "the load lasts for a time, or counts its prompts by another key"},
    {"kv_architecture_arms", "says how the engine is started: run the card once for each arm"},
    {"topologies", "says how the engine is started: run the card once for each topology"},
    {"dataset.observed_distribution", "describes the trace; nothing is made of it"},
    {"dataset.hf_dataset", "nothing is downloaded: name a file with workload_overrides.trace.path"},
    {"dataset.filter", "the trace is taken as it is: filter the file before"},
    {"slo.quality_gate_required", "is judged of the results"},
    {"dataset.fallback.sample_size", "the client takes as many prompts of the trace as it sends"},
    {"dataset.fallback", "another source is named, or the lengths are those of the trace"},
    {"dataset.sample_size", "the client takes as many prompts of the trace as it sends"},
    {"dataset.input_tokens", "the lengths follow from other keys of the data set"},
    {"dataset.approx_prefix_reuse_ceiling", "is judged of the results"},
    {"prefix_pool.per_codebase_reuse_target", "is judged of the results"},
    {"prefix_pool.zipf_s", "the client uses all prefixes alike"},
    {"cross_check", "is judged of the results of several cards"},
    {"statistics", "a step runs once: a plan repeats it (card-compile plan)"},
    {"sentinel", "golden prompts are not mixed into the load"},
    {"api.multimodal_payload_shape", "the prompts are texts"},
    {"mix", "one card is compiled at a time"},
    {"cohost_ensemble", "one service is loaded at a time"}};

inline bool is_of_a_spread(std::string_view path)
{
    constexpr std::string_view figures[] = {".std_dev", ".min", ".max", ".p50", ".p90", ".max_cap"};
    return path.starts_with("dataset.") && !path.starts_with("dataset.observed") &&
           std::any_of(std::begin(figures), std::end(figures),
                       [path](std::string_view figure) { return path.ends_with(figure); });
}

inline std::string reason_of(std::string_view path, Tool tool)
{
    if (tool == Tool::vllm && is_of_a_spread(path))
        return "vLLM's client draws lengths evenly from N(1-R) to N(1+R), one R for prompts and answers: "
               "each "
               "is the mean";
    if (tool == Tool::sglang && is_of_a_spread(path))
        return "SGLang's client draws lengths evenly from R·N to N: each is the mean";
    for (const auto& [key, reason] : loss_reasons)
        if (path.starts_with(key))
            return std::string(reason);
    if (path.starts_with("slo."))
        return tool == Tool::sglang ? "sglang.bench_serving judges no limits (it has no --goodput)"
               : tool == Tool::vllm
                   ? "--goodput takes the p99 limits of ttft, tpot and e2e alone"
                   : "replay judges percentiles of ttft, tpot and e2e, and the share that succeeds";
    return std::string(name_of(tool)) + " has no option that says it";
}

// What would make an orchestrated card one that a tool can run.
inline std::string advice_for(const std::string& runner, Tool tool)
{
    if (tool != Tool::replay && (runner == "agentic_session_runner" || runner == "multiturn_session_runner" ||
                                 runner == "cold_start_probe"))
        return "take --tool replay, which runs it";
    if (runner == "fin_replay_runner")
        return "make the route out of your corpus (route-build quota), and set dataset to {type: "
               "trace-replay, "
               "source: custom, path: ROUTE} in the sidecar's override";
    if (runner == "power_efficiency_runner")
        return "find the ceiling first (bisect), and set load to {type: sweep, rates: [its fractions]} in "
               "the "
               "sidecar's override";
    if (runner == "cohost_runner" || runner == "burn_in_runner")
        return "compile the card of each service or share by itself, and run them together; or set dataset "
               "and load "
               "to a synthetic set at a constant rate in the sidecar's override";
    return "no tool here sends " + runner.substr(0, runner.find('_')) +
           "; set modality to text and dataset to a synthetic set in the sidecar's override";
}

inline Target filled_in(Target target, const json::object& sidecar)
{
    const auto* model = object_at(sidecar, "model");
    if (target.model.empty() && model)
        target.model = std::string(string_at(*model, "id").value_or(""));
    if (target.model.empty())
        throw InputError("model", "is not known: set model.id in the sidecar, or give --model");
    target.base_url = service_url(std::move(target.base_url));
    return target;
}

// Everything that the steps of a plan are made of.
class PlanBuilder {
public:
    PlanBuilder(CardView& card, Plan& plan, Target target, std::int64_t max_model_len)
        : card_(card), plan_(plan), target_(std::move(target)), max_model_len_(max_model_len),
          api_(read_api(card))
    {
    }

    void build(const Dataset& set, const Load& load)
    {
        const bool replay = plan_.tool == Tool::replay;
        judged_ = replay ? objective_argv(card_, api_.streaming) : goodput_argv(card_, plan_.tool);
        StepNames names(target_.prefix);
        // Each step has a seed of its own: the prompts of the one before are in the engine's cache.
        auto seed = target_.seed;
        for (const auto& workload : set.workloads)
            for (const auto& one : load.steps) {
                auto label = workload.label.empty() ? one.label : workload.label + "_" + one.label;
                names.begin(label);
                auto step = make({workload, one, target_, api_, names, seed++, max_model_len_});
                step.label = std::move(label);
                step.context_len = workload.context_len;
                step.mode = one.mode;
                plan_.steps.push_back(std::move(step));
            }
        if (replay)
            note_trace(set);
        else
            lose_for_vendor(card_, plan_.tool, api_, set, load);
        const auto notes = replay ? std::vector<std::string>{} : vendor_notes(plan_.tool, set, load);
        plan_.notes.insert(plan_.notes.end(), notes.begin(), notes.end());
        keep_first_of_each(plan_.notes);
    }

private:
    // Each workload says the same of the same load.
    static void keep_first_of_each(std::vector<std::string>& notes)
    {
        std::set<std::string> seen;
        std::erase_if(notes, [&seen](const std::string& note) { return !seen.insert(note).second; });
    }

    Step make(const StepContext& context)
    {
        if (plan_.tool == Tool::replay) {
            auto step = replay_step(context, plan_.notes);
            append(step.argv, judged_);
            return step;
        }
        Step step;
        step.argv = vendor_argv(plan_.tool, context, judged_);
        step.concurrency = context.load.concurrency;
        step.request_rate = context.load.rate;
        step.num_prompts = context.load.prompts;
        step.duration_s = context.load.duration_s;
        step.outputs = {context.names.file("result", plan_.tool == Tool::vllm ? "json" : "jsonl")};
        return step;
    }

    void note_trace(const Dataset& set)
    {
        if (set.workloads.front().kind == Workload::Kind::trace && plan_.steps.size() > 1)
            plan_.notes.emplace_back(
                "all steps take from one trace, so that a step may find prompts of an earlier one "
                "in the prefix cache: reset it in between");
    }

    CardView& card_;
    Plan& plan_;
    Target target_;
    std::int64_t max_model_len_;
    Api api_;
    Argv judged_;
};

} // namespace detail

/// Command lines for a card under a sidecar (its mapping; empty: none). The same arguments give the same
/// plan. Where no command line can run it the plan is `orchestrated`, without steps. Throws Unsupported,
/// InputError, UsageError.
inline Plan compile(const Card& card, const json::object& sidecar, Tool tool, const Target& target)
{
    auto merged = merge_card(card, sidecar);
    Plan plan;
    plan.tool = tool;
    plan.notes = std::move(merged.notes);
    CardView view(std::move(merged.root));
    plan.catalog_id = view.text("catalog_id").value_or("unknown");
    plan.modality = view.text("modality").value_or("text");
    if (const auto* slo = object_at(view.root(), "slo"))
        plan.slo_targets = *slo;
    auto set = read_dataset(view, tool);
    plan.dataset_summary = std::move(set.summary);
    plan.orchestrator = set.orchestrator;
    Load load;
    if (plan.orchestrator.empty()) {
        load = read_load(view, tool);
        plan.orchestrator = load.orchestrator;
    }
    plan.orchestrated = !plan.orchestrator.empty();
    if (plan.orchestrated) {
        plan.advice = detail::advice_for(plan.orchestrator, tool);
        return plan;
    }
    const auto* model = object_at(sidecar, "model");
    const auto max_model_len = model ? integer_at(*model, "max_model_len").value_or(0) : 0;
    detail::PlanBuilder(view, plan, detail::filled_in(target, sidecar), max_model_len).build(set, load);
    plan.not_expressed =
        view.not_expressed([tool](std::string_view path) { return detail::reason_of(path, tool); });
    return plan;
}

} // namespace slo::card

#endif
