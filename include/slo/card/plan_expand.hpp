// SPDX-License-Identifier: MIT
// A plan over cards becomes one list of steps, in which each engine is started once.

#ifndef SLO_CARD_PLAN_EXPAND_HPP
#define SLO_CARD_PLAN_EXPAND_HPP

#include <slo/base/error.hpp>
#include <slo/base/json.hpp>
#include <slo/card/compile.hpp>
#include <slo/card/compiled_plan.hpp>
#include <slo/card/plan_file.hpp>
#include <slo/card/plan_units.hpp>
#include <slo/card/planned_step.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace slo::card {

namespace detail {

// A run's plan, and where the metrics around each of its steps go.
struct CompiledRun {
    Plan plan;
    std::vector<std::string> before;
    std::vector<std::string> after;
};

class PlanExpander {
public:
    PlanExpander(const PlanFile& plan, const std::vector<json::object>& sidecars, const PlanTarget& target)
        : plan_(plan), sidecars_(sidecars), target_(target)
    {
    }

    ExpandedPlan expand()
    {
        for (const auto& phase : plan_.phases)
            if (target_.wants(phase.id))
                result_.phases.push_back(phase.id);
        for (const auto& unit : plan_units(plan_, target_))
            add(unit);
        for (const auto& step : result_.steps)
            result_.known_s += step.pause_s;
        return std::move(result_);
    }

private:
    void add(const PlanUnit& unit)
    {
        const auto repetitions = target_.repetitions.value_or(plan_.repetitions);
        std::vector<std::vector<CompiledRun>> compiled; // by run, then by repetition
        for (std::size_t i = 0; i < unit.runs.size(); ++i) {
            compiled.emplace_back();
            for (std::int64_t r = 1; r <= repetitions; ++r)
                compiled.back().push_back(compile_run(unit, i, r));
            tell(*unit.runs[i], compiled.back().front().plan);
        }
        const auto steps = compiled.front().front().plan.steps.size();
        for (const auto& run : compiled)
            if (unit.runs.size() > 1 && run.front().plan.steps.size() != 1)
                throw Error(unit.runs.front()->label, "runs that go at once are of one step each");
        auto starts = to_start(unit);
        for (std::size_t s = 0; s < steps; ++s) {
            for (std::int64_t r = 1; r <= repetitions; ++r) {
                std::optional<double> longest = 0;
                for (std::size_t i = 0; i < unit.runs.size(); ++i) {
                    auto step = planned(unit, i, r, compiled[i][static_cast<std::size_t>(r - 1)], s);
                    if (i == 0) {
                        step.pause_s = result_.steps.empty() ? 0 : r > 1 ? plan_.gap_s : plan_.cooldown_s;
                        step.starts = std::exchange(starts, {});
                    }
                    result_.is_bound |= !step.load_s;
                    longest = std::max(longest.value_or(0), step.load_s.value_or(0));
                    result_.steps.push_back(std::move(step));
                }
                result_.known_s += *longest;
            }
        }
    }

    // An engine that runs at a URL takes the place of the one before it there.
    std::vector<std::size_t> to_start(const PlanUnit& unit)
    {
        std::vector<std::size_t> starts;
        for (const auto engine : unit.engines()) {
            auto& at_url = running_[plan_.engines[engine].url];
            if (at_url != engine || unit.runs.front()->fresh)
                starts.push_back(engine);
            at_url = engine;
        }
        return starts;
    }

    std::string folder_of(const PlanRun& run) const
    {
        return (std::filesystem::path(target_.folder) / run.label).string();
    }

    CompiledRun compile_run(const PlanUnit& unit, std::size_t i, std::int64_t repetition) const
    {
        constexpr std::int64_t between_repetitions = 100;
        const auto& run = *unit.runs[i];
        const auto& engine = plan_.engines[run.engine];
        Target target;
        target.base_url = engine.url;
        target.model = target_.model.empty() ? engine.model : target_.model;
        target.tokenizer = target_.tokenizer;
        // Those that go at once have prompts of their own, too.
        target.seed = unit.seed + (repetition - 1) * between_repetitions +
                      static_cast<std::int64_t>(i) * between_repetitions / 2;
        target.prefix = folder_of(run) + "/r" + std::to_string(repetition) + "-";
        CompiledRun compiled;
        auto& plan = compiled.plan;
        try {
            plan = compile(run.card, sidecars_.empty() ? json::object{} : sidecars_.at(run.engine),
                           target_.tool, target);
        } catch (const Unsupported& error) {
            throw Unsupported(error.code(), run.label, error.what());
        }
        if (plan.orchestrated)
            throw Unsupported("orchestrated", run.label,
                              "needs " + plan.orchestrator + (plan.advice.empty() ? "" : ": " + plan.advice));
        StepNames names(target.prefix);
        for (const auto& step : plan.steps) {
            names.begin(step.label);
            compiled.before.push_back(names.file("before", "prom"));
            compiled.after.push_back(names.file("after", "prom"));
        }
        return compiled;
    }

    void tell(const PlanRun& run, const Plan& plan)
    {
        for (const auto& loss : plan.not_expressed)
            result_.not_expressed.push_back({run.label, loss});
        for (const auto& note : plan.notes)
            result_.notes.push_back(run.label + ": " + note);
    }

    PlannedStep planned(const PlanUnit& unit, std::size_t i, std::int64_t repetition, CompiledRun& compiled,
                        std::size_t s) const
    {
        const auto& run = *unit.runs[i];
        auto& step = compiled.plan.steps[s];
        PlannedStep planned;
        planned.run = run.label;
        planned.phase = unit.phase;
        planned.catalog_id = compiled.plan.catalog_id;
        planned.engine = run.engine;
        planned.repetition = repetition;
        planned.at_once = i > 0;
        planned.folder = folder_of(run);
        const auto snap = [&](const std::string& file) {
            return Argv{"prom-snap", "--url", plan_.engines[run.engine].url + "/metrics", "--retry", "2",
                        "-o",        file};
        };
        if (run.capture) {
            planned.before.push_back(snap(compiled.before[s]));
            planned.after.push_back(snap(compiled.after[s]));
        }
        planned.artifact = artifact_of(planned, step, compiled.plan.steps.size() > 1);
        const auto rate = as_number(&step.request_rate);
        if (step.duration_s)
            planned.load_s = step.duration_s;
        else if (rate && *rate > 0 && step.num_prompts)
            planned.load_s = static_cast<double>(*step.num_prompts) / *rate;
        planned.step = std::move(step);
        return planned;
    }

    static std::string value_behind(const Argv& command, std::string_view option)
    {
        const auto at = std::find(command.begin(), command.end(), option);
        return *std::next(at);
    }

    // Repetitions lie together, apart from all else, so that their folder is a configuration to compare.
    Argv artifact_of(const PlannedStep& planned, const Step& step, bool has_others) const
    {
        const auto& engine = plan_.engines[planned.engine];
        if (engine.sidecar.empty())
            return {};
        Argv argv{"envelope-build", "--sidecar", engine.sidecar, "--card", planned.folder + "/card.json",
                  "--label",        engine.name};
        for (const auto& command : step.prepare)
            if (command.front() == "replay")
                append(argv, {"--warmup", value_behind(command, "--json-output")});
        if (target_.tool == Tool::replay)
            append(argv, {"--rounds", step.outputs.at(0), "--requests", step.outputs.at(1)});
        else
            append(argv, {"--" + std::string(name_of(target_.tool)) + "-result", step.outputs.at(0)});
        if (!planned.before.empty())
            append(argv,
                   {"--before", planned.before.front().back(), "--after", planned.after.front().back()});
        StepNames names(planned.run);
        names.begin(step.label);
        const auto own = names.file("", ""); // "RUN-LABEL.", fit for a file system
        const auto folder = std::filesystem::path(target_.folder) / "artifacts" /
                            (has_others ? own.substr(0, own.size() - 1) : planned.run);
        append(argv, {"-o", (folder / ("r" + std::to_string(planned.repetition) + ".json")).string()});
        return argv;
    }

    const PlanFile& plan_;
    const std::vector<json::object>& sidecars_;
    const PlanTarget& target_;
    std::map<std::string, std::optional<std::size_t>> running_; // engine by URL
    ExpandedPlan result_;
};

} // namespace detail

/// All steps of the phases wanted, repetitions and all: grouped by framework and engine, in the order of the
/// plan within. `sidecars`: what the deployment is, for each engine; empty: nobody says. The same arguments
/// give the same list. Throws Unsupported, with the run's label, UsageError for an unknown phase, InputError.
inline ExpandedPlan expand(const PlanFile& plan, const std::vector<json::object>& sidecars,
                           const PlanTarget& target)
{
    return detail::PlanExpander(plan, sidecars, target).expand();
}

} // namespace slo::card

#endif
