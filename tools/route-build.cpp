// SPDX-License-Identifier: MIT
// route-build: workloads from what people have, reproducibly.

#include <slo/cli/main.hpp>
#include <slo/workload/anonymize.hpp>
#include <slo/workload/boundary.hpp>
#include <slo/workload/build.hpp>
#include <slo/workload/head_seconds.hpp>
#include <slo/workload/import.hpp>
#include <slo/workload/multi_turn.hpp>
#include <slo/workload/prefix_repetition.hpp>
#include <slo/workload/quota.hpp>
#include <slo/workload/random.hpp>
#include <slo/workload/repeat.hpp>
#include <slo/workload/sample.hpp>
#include <slo/workload/shared_prefix.hpp>
#include <slo/workload/shuffle.hpp>

using namespace slo;

namespace {

template <class Options>
void describe(cli::OptionTable& table, Options& options)
{
    options.describe(table);
    options.build.describe(table);
}

template <class Options>
Exit build(const Options& options, cli::Streams& streams)
{
    if constexpr (requires { options.files; }) {
        if (options.files == std::vector<std::string>{"-"} && cli::stdin_is_terminal())
            throw UsageError("no FILE given, and stdin is a terminal");
    }
    workload::Build build(Options::verb, options.build, [&](const std::string& text) { streams.note(text); });
    options.run(build);
    build.finish(workload::record_options(options));
    return Exit::ok;
}

template <class Options>
cli::Verb verb()
{
    return cli::make_verb<Options>(Options::verb, Options::synopsis, Options::summary, describe, build);
}

} // namespace

int main(int argc, char** argv)
{
    return cli::run_verbs({"route-build", "VERB [OPTION]... [FILE]...",
                           "Builds the routes that a load test replays, reproducibly.", ""},
                          {
                              verb<workload::QuotaOptions>(),
                              verb<workload::BoundaryOptions>(),
                              verb<workload::ImportOptions>(),
                              verb<workload::RepeatOptions>(),
                              verb<workload::SampleOptions>(),
                              verb<workload::ShuffleOptions>(),
                              verb<workload::HeadSecondsOptions>(),
                              verb<workload::RandomOptions>(),
                              verb<workload::SharedPrefixOptions>(),
                              verb<workload::PrefixRepetitionOptions>(),
                              verb<workload::MultiTurnOptions>(),
                              verb<workload::AnonymizeOptions>(),
                          },
                          argc, argv);
}
