// SPDX-License-Identifier: MIT
// What of a plan is run, in which order, and with which seeds.

#ifndef SLO_CARD_PLAN_UNITS_HPP
#define SLO_CARD_PLAN_UNITS_HPP

#include <slo/base/error.hpp>
#include <slo/base/spelling.hpp>
#include <slo/base/text.hpp>
#include <slo/card/plan_file.hpp>
#include <slo/card/planned_step.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace slo::card {

/// A run, with those that go at once with it.
struct PlanUnit {
    std::vector<const PlanRun*> runs;
    std::string phase;
    std::int64_t seed = 0;

    /// Those it needs, in order.
    std::vector<std::size_t> engines() const
    {
        std::vector<std::size_t> list;
        for (const auto* run : runs)
            if (std::find(list.begin(), list.end(), run->engine) == list.end())
                list.push_back(run->engine);
        return list;
    }
};

namespace detail {

inline void check_phases(const PlanFile& plan, const PlanTarget& target)
{
    std::vector<std::string> ids;
    for (const auto& phase : plan.phases)
        ids.push_back(phase.id);
    for (const auto& id : target.phases) {
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

// By framework, then by engine, each in the order in which the plan first names it.
inline std::vector<PlanUnit> grouped(const PlanFile& plan, std::vector<PlanUnit> units)
{
    std::map<std::string, std::size_t> frameworks;
    std::map<std::vector<std::size_t>, std::size_t> engines;
    std::vector<std::pair<std::pair<std::size_t, std::size_t>, PlanUnit>> keyed;
    for (auto& unit : units) {
        const auto& framework = plan.engines[unit.runs.front()->engine].framework;
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

} // namespace detail

/// What is to be run, in order. Seeds belong to places in the plan: the same whatever is selected; alike for
/// runs that answer one question on different engines, and never twice on one, whose prefix cache would know
/// the prompts. Throws UsageError, with the nearest, for a phase that the plan does not have.
inline std::vector<PlanUnit> plan_units(const PlanFile& plan, const PlanTarget& target)
{
    detail::check_phases(plan, target);
    constexpr std::int64_t between_phases = 2'000'000;
    constexpr std::int64_t between_runs = 10'000;
    std::vector<PlanUnit> units;
    for (std::size_t p = 0; p < plan.phases.size(); ++p) {
        const auto& phase = plan.phases[p];
        if (!target.wants(phase.id))
            continue;
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
                 target.seed + static_cast<std::int64_t>(p) * between_phases + place * between_runs});
        }
    }
    return detail::grouped(plan, std::move(units));
}

} // namespace slo::card

#endif
