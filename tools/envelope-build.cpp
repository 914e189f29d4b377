// SPDX-License-Identifier: MIT
// envelope-build: from the files of one run to an artifact that says what ran, on what, and what came of it.

#include <slo/artifact/envelope_build.hpp>
#include <slo/artifact/envelope_output.hpp>
#include <slo/cli/main.hpp>

namespace {

using namespace slo;

void describe(cli::OptionTable& table, artifact::EnvelopeOptions& options)
{
    options.describe(table);
}

Exit build(const artifact::EnvelopeOptions& options, cli::Streams& streams)
{
    const auto stamp = artifact::stamp_of_environment();
    artifact::EnvelopeBuild work(options);
    const auto envelope = work.run(stamp.created_s, stamp.random_digits);
    const auto path = artifact::place_of(envelope, options);
    if (path == "-") {
        streams.out.write(envelope);
        return Exit::ok;
    }
    artifact::write_artifact(envelope, path);
    if (path != options.output) // its name was made up here
        streams.out.write_text(path + "\n");
    return Exit::ok;
}

} // namespace

int main(int argc, char** argv)
{
    return slo::cli::run_tool<artifact::EnvelopeOptions>(
        {"envelope-build", "--sidecar FILE --card FILE [OPTION]...",
         "Joins the records of one benchmark run into one artifact.", ""},
        describe, build, argc, argv);
}
