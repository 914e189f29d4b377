// SPDX-License-Identifier: MIT
// An expanded plan as a record.

#ifndef SLO_CARD_PLAN_RECORD_HPP
#define SLO_CARD_PLAN_RECORD_HPP

#include <slo/base/json.hpp>
#include <slo/base/shown_command.hpp>
#include <slo/base/text.hpp>
#include <slo/card/compiled_plan.hpp>
#include <slo/card/plan_expand.hpp>
#include <slo/card/plan_file.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace slo::card {

/// "1:02:30", hours, minutes and seconds; ">= " before it where it is but a bound.
inline std::string wall_time_text(double seconds, bool is_bound)
{
    constexpr std::int64_t minute = 60;
    const auto whole = static_cast<std::int64_t>(std::ceil(seconds));
    return fmt::format("{}{}:{:02}:{:02}", is_bound ? ">= " : "", whole / minute / minute,
                       whole / minute % minute, whole % minute);
}

namespace detail {

inline json::object engine_record(const PlanEngine& engine)
{
    return {{"name", engine.name},
            {"framework", engine.framework},
            {"base_url", engine.url},
            {"model", text_or_null(engine.model)},
            {"flags", argv_json(shown_command(engine.flags))},
            {"note", text_or_null(engine.note)},
            {"sidecar", text_or_null(engine.sidecar)}};
}

inline json::object step_record(const PlanFile& plan, const PlannedStep& planned)
{
    json::array starts;
    for (const auto engine : planned.starts)
        starts.push_back(json_text(plan.engines[engine].name));
    const auto commands = [](const std::vector<Argv>& list) {
        json::array array;
        for (const auto& argv : list)
            array.push_back(argv_json(argv));
        return array;
    };
    json::object record{{"run", planned.run},
                        {"phase", planned.phase},
                        {"catalog_id", planned.catalog_id},
                        {"repetition", planned.repetition},
                        {"engine", plan.engines[planned.engine].name},
                        {"starts", std::move(starts)},
                        {"pause_s", planned.pause_s},
                        {"at_once", planned.at_once},
                        {"folder", planned.folder},
                        {"load_s", or_null(planned.load_s)},
                        {"before", commands(planned.before)},
                        {"after", commands(planned.after)},
                        {"artifact", planned.artifact.empty() ? json::value() : argv_json(planned.artifact)}};
    for (const auto& member : to_record(planned.step))
        record[member.key()] = member.value();
    return record;
}

} // namespace detail

/// A sloutils.plan/1 record of the kind "phases": the steps in the order in which they are to be run, the
/// engines they need, the time they take, and what is not expressed of which run.
inline json::object to_record(const PlanFile& plan, const ExpandedPlan& expanded, const PlanTarget& target)
{
    json::array engines;
    for (const auto& engine : plan.engines)
        for (const auto& step : expanded.steps)
            if (plan.engines[step.engine].name == engine.name) {
                engines.push_back(detail::engine_record(engine));
                break;
            }
    json::array phases;
    for (const auto& phase : plan.phases)
        for (const auto& id : expanded.phases)
            if (phase.id == id)
                phases.push_back(json::object{{"id", id},
                                              {"title", text_or_null(phase.title)},
                                              {"decide", text_or_null(phase.decide)}});
    json::array steps;
    for (const auto& step : expanded.steps)
        steps.push_back(detail::step_record(plan, step));
    json::object cards;
    for (const auto& phase : plan.phases)
        for (const auto& run : phase.runs)
            if (std::find(expanded.phases.begin(), expanded.phases.end(), phase.id) != expanded.phases.end())
                cards[run.label] = run.card.root;
    json::array losses;
    for (const auto& [run, loss] : expanded.not_expressed)
        losses.push_back(
            json::object{{"run", run}, {"key", loss.key}, {"value", loss.value}, {"reason", loss.reason}});
    json::object wall{
        {"known_s", expanded.known_s},
        {"is_bound", expanded.is_bound},
        {"text", wall_time_text(expanded.known_s, expanded.is_bound)},
        {"not_counted", {"starting engines", "building routes", "warm-ups", "the last answers"}}};
    json::object record;
    record["schema"] = json_text(plan_schema);
    record["kind"] = "phases";
    record["plan"] = plan.id;
    record["description"] = text_or_null(plan.description);
    record["tool"] = json_text(name_of(target.tool));
    record["phases"] = std::move(phases);
    record["parameters"] = plan.parameters;
    record["repetitions"] = target.repetitions.value_or(plan.repetitions);
    record["warmup_requests"] = plan.warmup_requests;
    record["cooldown_s"] = plan.cooldown_s;
    record["gap_s"] = plan.gap_s;
    record["wall_time"] = std::move(wall);
    record["engines"] = std::move(engines);
    record["cards"] = std::move(cards);
    record["steps"] = std::move(steps);
    record["not_expressed"] = std::move(losses);
    record["notes"] = detail::argv_json(expanded.notes);
    return record;
}

} // namespace slo::card

#endif
