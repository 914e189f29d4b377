// SPDX-License-Identifier: MIT
// card-compile: from a workload card and a sidecar to the commands that measure it.

#include <slo/card/compile_run.hpp>
#include <slo/cli/main.hpp>
#include <slo/sys/process.hpp>

#include <poll.h>

#include <cstring>

namespace {

using namespace slo;

// Runs a command, its output on our stderr, and says how it went wrong.
std::string run_one(const card::Argv& argv, io::StopSignal& stop)
{
    using Cause = sys::CommandEnd::Cause;
    sys::CommandWatch watch;
    watch.stop = &stop;
    watch.on_output = [](std::string_view bytes) { std::fwrite(bytes.data(), 1, bytes.size(), stderr); };
    const auto end = sys::run_command({argv, {}}, watch);
    if (end.cause == Cause::exited)
        return end.code == 0 ? "" : "ended with status " + std::to_string(end.code);
    return end.cause == Cause::signalled ? std::string("killed by a signal: ") + ::strsignal(end.code)
                                         : "interrupted";
}

Exit run_plan(const card::Plan& plan, double cooldown_s, cli::Streams& streams)
{
    io::StopSignal stop;
    card::StepRunner runner;
    runner.run = [&](const card::Argv& argv) { return run_one(argv, stop); };
    runner.wait = [&](double seconds) {
        pollfd event{stop.fd(), POLLIN, 0};
        ::poll(&event, 1, static_cast<int>(seconds * 1000));
        return !stop.requested();
    };
    runner.interrupted = [&] { return stop.requested(); };
    runner.note = [&](const std::string& text) { streams.note(text); };
    runner.record = [&](const json::object& record) { streams.out.write(record); };
    return card::run_steps(plan, cooldown_s, runner);
}

void describe(cli::OptionTable& table, card::CompileOptions& options)
{
    options.describe(table);
}

Exit compile(const card::CompileOptions& options, cli::Streams& streams)
{
    card::Plan plan;
    try {
        plan = options.compile();
    } catch (const card::Unsupported& obstacle) {
        streams.note(obstacle.what());
        return Exit::negative;
    }
    streams.out.write(card::to_record(plan));
    for (const auto& note : plan.notes)
        streams.note(note);
    if (plan.orchestrated) {
        streams.note(plan.catalog_id + ": no command line of " + std::string(name_of(plan.tool)) +
                     " runs it (" + plan.orchestrator + "): " + plan.advice);
        return Exit::negative;
    }
    if (options.dry_run)
        std::fputs(card::dry_run_text(plan).c_str(), stderr);
    return options.run ? run_plan(plan, options.cooldown_s, streams) : Exit::ok;
}

} // namespace

int main(int argc, char** argv)
{
    return cli::run_tool<card::CompileOptions>(
        {"card-compile", "CARD --tool TOOL [OPTION]...",
         "Makes the commands that measure a workload card, and runs them.", ""},
        describe, compile, argc, argv);
}
