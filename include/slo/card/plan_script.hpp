// SPDX-License-Identifier: MIT
// An expanded plan as a script that runs it.

#ifndef SLO_CARD_PLAN_SCRIPT_HPP
#define SLO_CARD_PLAN_SCRIPT_HPP

#include <slo/base/json.hpp>
#include <slo/base/text.hpp>
#include <slo/card/card_view.hpp>
#include <slo/card/compile_run.hpp>
#include <slo/card/compiled_plan.hpp>
#include <slo/card/plan_file.hpp>
#include <slo/card/plan_record.hpp>
#include <slo/card/planned_step.hpp>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace slo::card {

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
                (steps.size() == 1 ? " step, " : " steps, ") +
                wall_time_text(expanded_.known_s, expanded_.is_bound) +
                " without starting engines, building routes, warm-ups and the last answers.\nset -eu\n";
        make_folders();
        for (std::size_t first = 0; first < steps.size();) {
            auto end = first + 1;
            while (end < steps.size() && steps[end].at_once)
                ++end;
            add(first, end);
            first = end;
        }
        if (has_artifacts_)
            text_ += "\nexit \"$without_artifact\"\n";
        return std::move(text_);
    }

private:
    // Records would be appended to those of another run: better told before hours have passed than after.
    // Each run's folder gets its card, which its artifacts are built with.
    void make_folders()
    {
        std::vector<std::string> runs;
        std::string folders;
        std::string cards;
        bool has_artifacts = false;
        for (const auto& step : expanded_.steps) {
            has_artifacts |= !step.artifact.empty();
            if (std::find(runs.begin(), runs.end(), step.run) != runs.end())
                continue;
            runs.push_back(step.run);
            folders += " \\\n  " + shell_quoted(step.folder);
            cards += "cat >" + shell_quoted(step.folder + "/card.json") + " <<'CARD'\n" +
                     to_json(card_of(step.run)) + "\nCARD\n";
        }
        text_ += "for folder in" + folders + "; do\n" +
                 "  [[ ! -e $folder ]] || { echo \"$folder is there already\" >&2; exit 3; }\n"
                 "  mkdir -p \"$folder\"\ndone\n" +
                 cards + (has_artifacts ? "without_artifact=0\n" : "");
        has_artifacts_ = has_artifacts;
    }

    json::object card_of(const std::string& label) const
    {
        for (const auto& phase : plan_.phases)
            for (const auto& run : phase.runs)
                if (run.label == label)
                    return run.card.root;
        return {};
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
        } else {
            text_ += "together=()\n";
            for (auto i = first; i < end; ++i)
                text_ += "(\n" + measured(steps[i]) + ") & together+=($!)\n";
            text_ += "for each in \"${together[@]}\"; do wait \"$each\"; done\n";
        }
        for (auto i = first; i < end; ++i)
            if (!steps[i].artifact.empty())
                join(steps[i].artifact);
    }

    // What was measured is kept where no artifact can be made of it.
    void join(const Argv& artifact)
    {
        const auto folder = std::filesystem::path(artifact.back()).parent_path().string();
        text_ +=
            "mkdir -p " + shell_quoted(folder) + "\n" + shell_line(artifact) + " || without_artifact=1\n";
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
    bool has_artifacts_ = false;
};

} // namespace detail

/// The plan as a bash script, nothing secret in it: it asks for engines to be started, waits for their
/// health, and ends at the first command that fails, or before the first where a folder is there already. Its
/// status is 1 where no artifact could be made of something.
inline std::string to_script(const PlanFile& plan, const ExpandedPlan& expanded)
{
    return detail::PlanScript(plan, expanded).make();
}

} // namespace slo::card

#endif
