// SPDX-License-Identifier: MIT
// engine-sim: an inference engine that is all physics and no model, behind HTTP or in virtual time.

#include <slo/cli/main.hpp>
#include <slo/sim/engine_options.hpp>
#include <slo/sim/serve_options.hpp>
#include <slo/sim/virtual_options.hpp>

#include <string>

using namespace slo;

namespace {

template <class Options>
void describe(cli::OptionTable& table, Options& options)
{
    options.describe(table);
}

Exit serve(const sim::ServeOptions& o, cli::Streams&)
{
    const cli::Streams streams("engine-sim");
    o.serve([&](const std::string& line) { streams.note(line); });
    return Exit::ok;
}

void refuse_terminal(const sim::LoadOptions& load)
{
    if (load.workload.route == "-" && cli::stdin_is_terminal())
        throw UsageError("no --route given, and stdin is a terminal");
}

Exit rounds(const sim::RoundsOptions& o, cli::Streams& streams)
{
    refuse_terminal(o.load);
    try {
        o.run([&](const json::object& record) { streams.out.write(record); });
    } catch (const ClosedPipe&) {
        // Its reader has seen enough rounds to decide.
    }
    return Exit::ok;
}

Exit capacity(const sim::CapacitySearchOptions& o, cli::Streams& streams)
{
    refuse_terminal(o.load);
    const auto record = o.run();
    streams.out.write(record);
    return record.at("qps").is_null() ? Exit::negative : Exit::ok;
}

Exit profile(const sim::EngineOptions& o, cli::Streams& streams)
{
    streams.out.write(engine::to_record(o.resolve()));
    return Exit::ok;
}

} // namespace

int main(int argc, char** argv)
{
    using cli::make_verb;
    return cli::run_verbs(
        {"engine-sim", "VERB [OPTION]...",
         "A simulated inference engine with the physics of continuous batching.", ""},
        {make_verb<sim::ServeOptions>("serve", "[OPTION]...", "Serves the OpenAI API.", describe, serve),
         make_verb<sim::RoundsOptions>("rounds", "--qps RATE [OPTION]...",
                                       "Prints round records of a load test in virtual time.", describe,
                                       rounds),
         make_verb<sim::CapacitySearchOptions>("capacity", "--objective OBJECTIVE... [OPTION]...",
                                               "Prints the largest rate that keeps objectives.", describe,
                                               capacity),
         make_verb<sim::EngineOptions>("profile", "[OPTION]...", "Prints a profile as JSON.", describe,
                                       profile)},
        argc, argv);
}
