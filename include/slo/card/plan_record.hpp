// SPDX-License-Identifier: MIT
// An expanded plan as a record, and as a script that runs it.

#ifndef SLO_CARD_PLAN_RECORD_HPP
#define SLO_CARD_PLAN_RECORD_HPP

#include <slo/base/json.hpp>
#include <slo/base/shown_command.hpp>
#include <slo/base/text.hpp>
#include <slo/card/card_view.hpp>
#include <slo/card/compile_run.hpp>
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
            {"note", text_or_null(engine.note)}};
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
                        {"after", commands(planned.after)}};
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
    record["steps"] = std::move(steps);
    record["not_expressed"] = std::move(losses);
    record["notes"] = detail::argv_json(expanded.notes);
    return record;
}

namespace detail {

inline std::string lines_of(const std::vector<Argv>& commands)
{
    std::string lines;
    for (const auto& argv : commands)
        lines += shell_line(argv) + "\n";
    return lines;
}

class PlanScript {
public:
    PlanScript(const PlanFile& plan, const ExpandedPlan& expanded) : plan_(plan), expanded_(expanded) {}

    std::string make()
    {
        const auto& steps = expanded_.steps;
        text_ = "#!/bin/bash\n# Plan " + printable(plan_.id) + ": " + std::to_string(steps.size()) +
                " steps, " + wall_time_text(expanded_.known_s, expanded_.is_bound) +
                " without starting engines, building routes, warm-ups and the last answers.\nset -eu\n";
        make_folders();
        for (std::size_t first = 0; first < steps.size();) {
            auto end = first + 1;
            while (end < steps.size() && steps[end].at_once)
                ++end;
            add(first, end);
            first = end;
        }
        return std::move(text_);
    }

private:
    // Records would be appended to those of another run: better told before hours have passed than after.
    void make_folders()
    {
        std::vector<std::string> folders;
        for (const auto& step : expanded_.steps)
            if (std::find(folders.begin(), folders.end(), step.folder) == folders.end())
                folders.push_back(step.folder);
        text_ += "for folder in";
        for (const auto& folder : folders)
            text_ += " \\\n  " + shell_quoted(folder);
        text_ += "; do\n  [[ ! -e $folder ]] || { echo \"$folder is there already\" >&2; exit 3; }\n"
                 "  mkdir -p \"$folder\"\ndone\n";
    }

    // Those that go at once are made ready one after the other, so that they begin together.
    void add(std::size_t first, std::size_t end)
    {
        const auto& steps = expanded_.steps;
        text_ += "\n";
        for (auto i = first; i < end; ++i)
            text_ += "# " + steps[i].run + ", " + printable(steps[i].step.label) + ", repetition " +
                     std::to_string(steps[i].repetition) + "\n";
        if (steps[first].pause_s > 0)
            text_ += "sleep " + number_text(steps[first].pause_s) + "\n";
        for (const auto engine : steps[first].starts)
            start(plan_.engines[engine]);
        for (auto i = first; i < end; ++i)
            text_ += lines_of(steps[i].step.prepare);
        if (end - first == 1) {
            text_ += measured(steps[first]);
            return;
        }
        text_ += "together=()\n";
        for (auto i = first; i < end; ++i)
            text_ += "(\n" + measured(steps[i]) + ") & together+=($!)\n";
        text_ += "for each in \"${together[@]}\"; do wait \"$each\"; done\n";
    }

    static std::string measured(const PlannedStep& step)
    {
        return lines_of(step.before) + shell_line(step.step.argv) + "\n" + lines_of(step.after);
    }

    // Who starts it knows how; the script waits for that, and for its health.
    void start(const PlanEngine& engine)
    {
        auto what = "Start " + engine.name + " at " + engine.url;
        if (!engine.flags.empty())
            what += " with " + shell_line(engine.flags);
        if (!engine.note.empty())
            what += " (" + engine.note + ")";
        text_ += "printf '%s' " + shell_quoted(printable(what, 1000) + "; Enter when it is started: ") +
                 " >&2\nread -r _\nuntil curl -fsS --max-time 10 -o /dev/null " +
                 shell_quoted(engine.url + "/health") + "; do sleep 2; done\n";
    }

    const PlanFile& plan_;
    const ExpandedPlan& expanded_;
    std::string text_;
};

} // namespace detail

/// The plan as a bash script, nothing secret in it: it asks for engines to be started, waits for their
/// health, and ends at the first command that fails, or before the first where a folder is there already.
inline std::string to_script(const PlanFile& plan, const ExpandedPlan& expanded)
{
    return detail::PlanScript(plan, expanded).make();
}

} // namespace slo::card

#endif
