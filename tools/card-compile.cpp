// SPDX-License-Identifier: MIT
// card-compile: from a workload card and a sidecar to the commands that measure it.

#include <slo/card/compile_run.hpp>
#include <slo/card/plan_options.hpp>
#include <slo/cli/main.hpp>
#include <slo/run/shell_command.hpp>

#include <cstring>

namespace {

using namespace slo;

Exit run_plan(const card::Plan& plan, double cooldown_s, cli::Streams& streams)
{
    io::StopSignal stop;
    const auto run = [&](const card::Argv& argv) {
        return run::run_shell_command(card::shell_command(argv), {}, card::longest_step_s, stop);
    };
    return card::run_steps(plan, cooldown_s,
                           {run, [&](double seconds) { return card::waited(stop, seconds); },
                            [&] { return stop.requested(); },
                            [&](const std::string& text) { streams.note(text); },
                            [&](const json::object& record) { streams.out.write(record); }});
}

// What cannot be compiled is an answer, not an accident.
template <class Options>
auto made_by(const Options& options, const cli::Streams& streams)
{
    decltype(std::optional(options.make())) made;
    try {
        made = options.make();
    } catch (const card::Unsupported& obstacle) {
        streams.note(obstacle.what());
    }
    for (const auto& note : made ? made->notes : std::vector<std::string>{})
        streams.note(note);
    return made;
}

Exit compile(const card::CompileOptions& options, cli::Streams& streams)
{
    const auto made = made_by(options, streams);
    if (made)
        streams.out.write(made->record);
    if (!made || made->plan.orchestrated)
        return Exit::negative;
    std::fputs(made->commands.c_str(), stderr);
    return options.run ? run_plan(made->plan, options.cooldown_s, streams) : Exit::ok;
}

Exit plan(const card::PlanOptions& options, cli::Streams& streams)
{
    const auto made = made_by(options, streams);
    if (!made)
        return Exit::negative;
    options.script ? streams.out.write_text(made->commands) : streams.out.write(made->record);
    std::fputs(options.script ? "" : made->commands.c_str(), stderr);
    return Exit::ok;
}

} // namespace

int main(int argc, char** argv)
{
    const auto describe = [](cli::OptionTable& table, auto& options) { options.describe(table); };
    const cli::Tool tool{"card-compile", "CARD --tool TOOL [OPTION]... | plan PLAN [OPTION]...",
                         "Makes the commands that measure a workload card, and runs them.", ""};
    using Plan = card::PlanOptions;
    if (argc > 1 && std::strcmp(argv[1], Plan::verb) == 0)
        return cli::run_verbs(
            tool, {cli::make_verb<Plan>(Plan::verb, Plan::synopsis, Plan::summary, describe, plan)}, argc,
            argv);
    return cli::run_tool<card::CompileOptions>(tool, describe, compile, argc, argv);
}
