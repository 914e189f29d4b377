// SPDX-License-Identifier: MIT
// replay: sends the requests of a route at their due times and prints a record for each round.

#include "replay_options.hpp"

#include <slo/cli/main.hpp>
#include <slo/cli/progress.hpp>
#include <slo/net/library_version.hpp>
#include <slo/run/hidden_arguments.hpp>
#include <slo/run/replay.hpp>

namespace {

using namespace slo;

Exit run_replay(const run::ReplayOptions& options, cli::Streams& streams)
{
    if (options.input.empty() && options.files.empty() && cli::stdin_is_terminal())
        throw UsageError("a route is missing");
    cli::Progress progress("replay", options.progress, options.quiet);
    run::ReplayReport report;
    report.note = [&](const std::string& text) {
        progress.clear();
        if (!options.quiet)
            streams.note(text);
    };
    report.progress = [&](const run::ReplayProgress& now) {
        if (progress.due())
            progress.update(now.fraction(), now.text());
    };
    return run::Replay(options, streams.out, report).run();
}

} // namespace

int main(int argc, char** argv)
{
    const run::HiddenArguments arguments(argc, argv, {"--api-key", "--header", "-H"});
    return cli::run_tool<run::ReplayOptions>(
        {"replay", "[OPTION]... [ROUTE]",
         "Sends the requests of a route at their due times and prints a record for each round.",
         net::library_version()},
        describe_replay, run_replay, argc, arguments.argv());
}
