// SPDX-License-Identifier: MIT
// What card-compile is told, and what it does with a plan: showing its commands, running them.

#ifndef SLO_CARD_COMPILE_RUN_HPP
#define SLO_CARD_COMPILE_RUN_HPP

#include <slo/base/error.hpp>
#include <slo/base/json.hpp>
#include <slo/base/shown_command.hpp>
#include <slo/base/text.hpp>
#include <slo/card/card.hpp>
#include <slo/card/compile.hpp>
#include <slo/card/compiled_plan.hpp>
#include <slo/card/sidecar.hpp>
#include <slo/io/signals.hpp>

#include <poll.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace slo::card {

/// A word as a shell reads it back.
inline std::string shell_quoted(std::string_view word)
{
    constexpr std::string_view plain =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:=,@%+";
    if (!word.empty() && word.find_first_not_of(plain) == std::string_view::npos)
        return std::string(word);
    std::string quoted = "'";
    for (const char c : word)
        quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return quoted + "'";
}

/// A command for a shell.
inline std::string shell_command(const Argv& argv)
{
    std::string line;
    for (const auto& word : argv)
        line += (line.empty() ? "" : " ") + shell_quoted(word);
    return line;
}

/// The same for people, with nothing secret in it.
inline std::string shell_line(const Argv& argv)
{
    return shell_command(shown_command(argv));
}

/// All commands of a plan, a comment with its label before each step.
inline std::string dry_run_text(const Plan& plan)
{
    std::string text;
    for (const auto& step : plan.steps) {
        text += "# " + printable(step.label) + "\n";
        for (const auto& argv : step.prepare)
            text += shell_line(argv) + "\n";
        text += shell_line(step.argv) + "\n";
    }
    return text;
}

/// No command of a step may take longer: a week, in seconds.
inline constexpr double longest_step_s = 604'800;

/// What running a plan needs of the system.
struct StepRunner {
    /// Runs a command and says how it went wrong; empty: it ended with status 0.
    std::function<std::string(const Argv&)> run;
    /// Waits so many seconds; false: it was interrupted.
    std::function<bool(double seconds)> wait;
    std::function<bool()> interrupted;
    std::function<void(const std::string&)> note; ///< a line for people
    std::function<void(const json::object&)> record;
};

/// Waits; false: a signal came before so many seconds were over.
inline bool waited(io::StopSignal& stop, double seconds)
{
    pollfd event{stop.fd(), POLLIN, 0};
    constexpr double ms_in_s = 1000;
    ::poll(&event, 1, static_cast<int>(seconds * ms_in_s));
    return !stop.requested();
}

/// Throws Error where a file that the plan writes is there already: records would be appended to those of
/// another run.
inline void check_outputs(const Plan& plan)
{
    for (const auto& step : plan.steps)
        for (const auto& output : step.outputs)
            if (std::filesystem::exists(output))
                throw Error(output, "is there already: name another folder with -o, or remove it");
}

/// Runs the steps in order, `cooldown_s` apart, and records the end of each; the first that fails ends the
/// run. ok: all ran; negative: one failed; undecided: interrupted.
inline Exit run_steps(const Plan& plan, double cooldown_s, const StepRunner& runner)
{
    for (std::size_t i = 0; i < plan.steps.size(); ++i) {
        const auto& step = plan.steps[i];
        if (i > 0 && cooldown_s > 0) {
            runner.note("cooling down for " + format_double(cooldown_s) + " s");
            if (!runner.wait(cooldown_s))
                return Exit::undecided;
        }
        auto commands = step.prepare;
        commands.push_back(step.argv);
        std::string failure;
        for (const auto& argv : commands) {
            runner.note(printable(step.label, 80) + ": " + shell_line(argv));
            failure = runner.run(argv);
            if (runner.interrupted())
                failure = "interrupted";
            if (!failure.empty()) {
                failure = argv.front() + ": " + failure;
                break;
            }
        }
        runner.record({{"schema", "sloutils.step/1"},
                       {"label", step.label},
                       {"status", failure.empty()        ? "ok"
                                  : runner.interrupted() ? "interrupted"
                                                         : "failed"},
                       {"reason", text_or_null(failure)},
                       {"outputs", detail::argv_json(step.outputs)}});
        if (runner.interrupted())
            return Exit::undecided;
        if (!failure.empty()) {
            runner.note("step " + printable(step.label, 80) + ": " + failure);
            return Exit::negative;
        }
    }
    return Exit::ok;
}

/// The options of card-compile.
struct CompileOptions {
    std::vector<std::string> files;
    std::string sidecar;
    std::string tool = "replay";
    Target target;
    bool dry_run = false;
    bool run = false;
    std::string folder;
    double cooldown_s = 60;

    template <class Table>
    void describe(Table& table)
    {
        table.section("What is compiled");
        table.add("sidecar", sidecar, "FILE", "the deployment: its model, and its changes to the card");
        table.add("tool", tool, "TOOL", "who sends the load: replay, vllm or sglang");
        table.add("base-url", target.base_url, "URL", "the service");
        table.add("model", target.model, "NAME", "the model to ask for, instead of the sidecar's model.id");
        table.add("tokenizer", target.tokenizer, "HOW",
                  "who counts the tokens of prompts (the service); see route-build");
        table.add("seed", target.seed, "N", "of the first step; each step has another");
        table.section("What is done");
        table.add("output,o", folder, "DIR", "where the files of the steps go (the current folder)");
        table.flag("dry-run", dry_run, "show the commands on stderr, as a shell takes them");
        table.flag("run", run, "run the steps, one after the other");
        table.add("cooldown", cooldown_s, "SECONDS", "between two steps");
        table.positional(files);
    }

    /// A compiled card, and what is printed of it.
    struct Made {
        Plan plan;
        json::object record;
        std::string commands; ///< as a shell takes them; empty unless asked for
        std::vector<std::string> notes;
    };

    /// Compiles, and makes the folder where the plan is to be run. Throws Unsupported, UsageError,
    /// InputError, IoError.
    Made make() const
    {
        auto plan = compiled();
        if (run && !plan.orchestrated) {
            check_outputs(plan);
            std::error_code error;
            if (!folder.empty())
                std::filesystem::create_directories(folder, error);
            if (error)
                throw IoError(folder, error.value());
        }
        Made made{plan, to_record(plan), dry_run ? dry_run_text(plan) : "", plan.notes};
        if (plan.orchestrated)
            made.notes.push_back(plan.catalog_id + ": no command line of " + std::string(name_of(plan.tool)) +
                                 " runs it (" + plan.orchestrator + "): " + plan.advice);
        return made;
    }

private:
    Plan compiled() const
    {
        if (files.size() != 1)
            throw UsageError("CARD", files.empty() ? "is missing" : "can be one only");
        if (dry_run && run)
            throw UsageError("--run", "cannot stand with --dry-run");
        if (!(cooldown_s >= 0 && cooldown_s <= longest_step_s))
            throw UsageError("--cooldown", "must be from 0 to 604800 seconds");
        const auto compiled_for = tool_named(tool);
        auto where = target;
        if (!folder.empty())
            where.prefix = (std::filesystem::path(folder) / "").string() + target.prefix;
        const auto given = sidecar.empty() ? json::object{} : load_sidecar(sidecar).root();
        return card::compile(load_card(files.front()), given, compiled_for, where);
    }
};

} // namespace slo::card

#endif
