// SPDX-License-Identifier: MIT
// A plan over cards becomes one list of steps, in which each engine is started once.

#ifndef SLO_CARD_PLAN_EXPAND_HPP
#define SLO_CARD_PLAN_EXPAND_HPP

#include <slo/base/error.hpp>
#include <slo/base/json.hpp>
#include <slo/base/spelling.hpp>
#include <slo/base/text.hpp>
#include <slo/card/compile.hpp>
#include <slo/card/compiled_plan.hpp>
#include <slo/card/plan_file.hpp>
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

// Runs that go at once are one unit; units of the same engines are neighbours.
struct PlanUnit {
    std::vector<const PlanRun*> runs;
    std::string phase;
    std::int64_t seed = 0;

    std::vector<std::size_t> engines() const
    {
        std::vector<std::size_t> list;
        for (const auto* run : runs)
            if (std::find(list.begin(), list.end(), run->engine) == list.end())
                list.push_back(run->engine);
        return list;
    }
};

class PlanExpander {
public:
    PlanExpander(const PlanFile& plan, const json::object& sidecar, const PlanTarget& target)
        : plan_(plan), sidecar_(sidecar), target_(target)
    {
    }

    ExpandedPlan expand()
    {
        for (const auto& unit : grouped(units()))
            add(unit);
        for (const auto& step : result_.steps)
            result_.known_s += step.pause_s;
        return std::move(result_);
    }

private:
    bool is_wanted(const std::string& id) const
    {
        return target_.phases.empty() ||
               std::find(target_.phases.begin(), target_.phases.end(), id) != target_.phases.end();
    }

    void check_phases() const
    {
        std::vector<std::string> ids;
        for (const auto& phase : plan_.phases)
            ids.push_back(phase.id);
        for (const auto& id : target_.phases) {
            if (std::find(ids.begin(), ids.end(), id) != ids.end())
                continue;
            std::string all;
            for (const auto& known : ids)
                all += (all.empty() ? "" : ", ") + known;
            const auto nearest = nearest_name(id, ids);
            throw UsageError("--phase", "'" + printable(id, 40) + "' is none of " + printable(all, 200) +
                                            (nearest ? "; did you mean " + *nearest + "?" : ""));
        }
    }

    // Seeds belong to places in the plan: the same whatever is selected; alike for runs that answer one
    // question on different engines, and never twice on one, whose prefix cache would know the prompts.
    std::vector<PlanUnit> units()
    {
        check_phases();
        constexpr std::int64_t between_phases = 2'000'000;
        constexpr std::int64_t between_runs = 10'000;
        std::vector<PlanUnit> units;
        for (std::size_t p = 0; p < plan_.phases.size(); ++p) {
            const auto& phase = plan_.phases[p];
            if (!is_wanted(phase.id))
                continue;
            result_.phases.push_back(phase.id);
            std::map<std::size_t, std::int64_t> runs_of_engine;
            for (const auto& run : phase.runs) {
                if (run.at_once) {
                    units.back().runs.push_back(&run);
                    continue;
                }
                const auto place = runs_of_engine[run.engine]++;
                units.push_back(
                    {{&run},
                     phase.id,
                     target_.seed + static_cast<std::int64_t>(p) * between_phases + place * between_runs});
            }
        }
        return units;
    }

    // By framework, then by engine, each in the order in which the plan first names it.
    std::vector<PlanUnit> grouped(std::vector<PlanUnit> units) const
    {
        std::map<std::string, std::size_t> frameworks;
        std::map<std::vector<std::size_t>, std::size_t> engines;
        std::vector<std::pair<std::pair<std::size_t, std::size_t>, PlanUnit>> keyed;
        for (auto& unit : units) {
            const auto& framework = plan_.engines[unit.runs.front()->engine].framework;
            const auto first = frameworks.emplace(framework, frameworks.size()).first->second;
            const auto second = engines.emplace(unit.engines(), engines.size()).first->second;
            keyed.push_back({{first, second}, std::move(unit)});
        }
        std::stable_sort(keyed.begin(), keyed.end(),
                         [](const auto& a, const auto& b) { return a.first < b.first; });
        units.clear();
        for (auto& [key, unit] : keyed)
            units.push_back(std::move(unit));
        return units;
    }

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
            plan = compile(run.card, sidecar_, target_.tool, target);
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
        const auto rate = as_number(&step.request_rate);
        if (step.duration_s)
            planned.load_s = step.duration_s;
        else if (rate && *rate > 0 && step.num_prompts)
            planned.load_s = static_cast<double>(*step.num_prompts) / *rate;
        planned.step = std::move(step);
        return planned;
    }

    const PlanFile& plan_;
    const json::object& sidecar_;
    const PlanTarget& target_;
    std::map<std::string, std::optional<std::size_t>> running_; // engine by URL
    ExpandedPlan result_;
};

} // namespace detail

/// All steps of the phases wanted, repetitions and all: grouped by framework and engine, in the order of the
/// plan within. The same arguments give the same list. Throws Unsupported, with the run's label, UsageError
/// for an unknown phase, InputError.
inline ExpandedPlan expand(const PlanFile& plan, const json::object& sidecar, const PlanTarget& target)
{
    return detail::PlanExpander(plan, sidecar, target).expand();
}

} // namespace slo::card

#endif
