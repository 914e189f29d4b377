// SPDX-License-Identifier: MIT
// engine-sim: an inference engine that is all physics and no model, behind HTTP or in virtual time.

#include <slo/cli/main.hpp>
#include <slo/sim/engine_options.hpp>
#include <slo/sim/serve_options.hpp>

namespace {

using namespace slo;

template <class Options>
void describe(cli::OptionTable& table, Options& options)
{
    options.describe(table);
}

Exit serve(const sim::ServeOptions& o, cli::Streams& streams)
{
    o.serve([](const std::string& line) { std::fprintf(stderr, "engine-sim: %s\n", line.c_str()); });
    (void)streams;
    return Exit::ok;
}

Exit profile(const sim::EngineOptions& o, cli::Streams& streams)
{
    streams.out.write(engine::to_record(o.resolve()));
    return Exit::ok;
}

} // namespace

int main(int argc, char** argv)
{
    return slo::cli::run_verbs(
        {"engine-sim", "VERB [OPTION]...", "A simulated inference engine with the physics of continuous batching.", ""},
        {slo::cli::make_verb<slo::sim::ServeOptions>("serve", "[OPTION]...", "Serves the OpenAI API on one thread.",
                                                     describe, serve),
         slo::cli::make_verb<slo::sim::EngineOptions>("profile", "[OPTION]...", "Prints an engine's profile as JSON.",
                                                      describe, profile)},
        argc, argv);
}
