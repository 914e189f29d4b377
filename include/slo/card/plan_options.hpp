// SPDX-License-Identifier: MIT
// card-compile plan: what it is told, and what it does.

#ifndef SLO_CARD_PLAN_OPTIONS_HPP
#define SLO_CARD_PLAN_OPTIONS_HPP

#include <slo/base/error.hpp>
#include <slo/base/json.hpp>
#include <slo/base/spelling.hpp>
#include <slo/base/text.hpp>
#include <slo/card/compiled_plan.hpp>
#include <slo/card/plan_expand.hpp>
#include <slo/card/plan_file.hpp>
#include <slo/card/plan_record.hpp>
#include <slo/card/plan_script.hpp>
#include <slo/card/sidecar.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace slo::card {

/// The verb `plan`: phases of runs over cards become one list of steps.
struct PlanOptions {
    static constexpr const char* verb = "plan";
    static constexpr const char* synopsis = "PLAN [--sidecar FILE] [--phase ID]... [OPTION]...";
    static constexpr const char* summary = "Expands a plan over cards into the steps to run.";

    std::vector<std::string> files;
    std::string sidecar;
    std::string tool = "replay";
    std::vector<std::string> settings;
    std::vector<std::string> urls;
    std::optional<std::int64_t> repetitions;
    PlanTarget target;
    bool dry_run = false;
    bool script = false;

    template <class Table>
    void describe(Table& table)
    {
        table.section("What is expanded");
        table.add_repeatable("phase", target.phases, "ID",
                             "only this phase; may be repeated (all of the plan)");
        table.add_repeatable("set", settings, "NAME=VALUE", "a parameter of the plan; may be repeated");
        table.add("repetitions", repetitions, "COUNT", "instead of the plan's");
        table.section("For whom");
        table.add("sidecar", sidecar, "FILE", "the deployment, where the plan names none: for artifacts");
        table.add("tool", tool, "TOOL", "who sends the load, to all engines: replay, vllm or sglang");
        table.add_repeatable("url", urls, "ENGINE=URL", "where an engine of the plan is; may be repeated");
        table.add("model", target.model, "NAME",
                  "the model to ask for, instead of the engines' or the sidecar's");
        table.add("tokenizer", target.tokenizer, "HOW",
                  "who counts the tokens of prompts (the service); see route-build");
        table.add("seed", target.seed, "N", "of the first run; each run and repetition has another");
        table.section("What is made");
        table.add("output,o", target.folder, "DIR", "where the files of the runs go, a folder for each");
        table.flag("dry-run", dry_run, "show the commands on stderr, too, as a shell takes them");
        table.flag("script", script, "print a bash script that runs it all, in place of the record");
        table.positional(files);
    }

    /// What is printed, and what people are told. Throws Unsupported, UsageError, InputError, IoError.
    struct Made {
        json::object record;
        std::string commands; ///< for a shell; empty unless asked for
        std::vector<std::string> notes;
    };
    Made make() const
    {
        if (files.size() != 1)
            throw UsageError("PLAN", files.empty() ? "is missing" : "can be one only");
        constexpr std::int64_t most = 100;
        if (repetitions && (*repetitions < 1 || *repetitions > most))
            throw UsageError("--repetitions", "must be from 1 to 100");
        if (target.folder.empty())
            throw UsageError("--output", "must name a folder");
        auto where = target;
        where.tool = tool_named(tool);
        where.repetitions = repetitions;
        auto plan = load_plan(files.front(), settings);
        for (const auto& words : urls)
            set_url(plan, words);
        std::vector<json::object> sidecars;
        for (auto& engine : plan.engines) {
            if (engine.sidecar.empty())
                engine.sidecar = sidecar;
            sidecars.push_back(engine.sidecar.empty() ? json::object{} : load_sidecar(engine.sidecar).root());
        }
        const auto expanded = expand(plan, sidecars, where);
        Made made{to_record(plan, expanded, where), {}, expanded.notes};
        if (script || dry_run)
            made.commands = to_script(plan, expanded);
        constexpr std::int64_t few = 3;
        constexpr std::int64_t many = 5;
        if (const auto count = repetitions.value_or(plan.repetitions); count < few || count > many)
            made.notes.push_back("repetitions: " + std::to_string(count) + "; 3 to 5 are usual");
        return made;
    }

private:
    static void set_url(PlanFile& plan, const std::string& words)
    {
        const auto equals = words.find('=');
        std::vector<std::string> names;
        for (auto& engine : plan.engines) {
            names.push_back(engine.name);
            if (equals != std::string::npos && engine.name == words.substr(0, equals)) {
                engine.url = detail::engine_url(words.substr(equals + 1), "--url");
                return;
            }
        }
        const auto nearest = nearest_name(words.substr(0, equals), names);
        throw UsageError("--url", "'" + printable(words, 60) + "' is no ENGINE=URL of this plan" +
                                      (nearest ? "; did you mean " + *nearest + "?" : ""));
    }
};

} // namespace slo::card

#endif
