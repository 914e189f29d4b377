// SPDX-License-Identifier: MIT
// run-validate: what may be claimed from the artifact of a run.

#include <slo/artifact/validity_options.hpp>
#include <slo/cli/main.hpp>
#include <slo/io/atomic_file.hpp>
#include <slo/io/remove_on_signal.hpp>

#include <optional>

namespace {

using namespace slo;
using Options = artifact::ValidityOptions;

void describe(cli::OptionTable& table, Options& options)
{
    options.describe(table);
}

void write_back(const std::string& file, const std::string& text, io::RemoveOnSignal& signals)
{
    std::optional<io::AtomicFile> place;
    signals.watch([&] { return std::string_view(place.emplace(file).partial_path()); });
    place->write(text);
    place->commit();
}

Exit run(const Options& options, cli::Streams& streams)
{
    if (options.list_rules) {
        streams.out.write_text(artifact::list_validity_rules());
        return Exit::ok;
    }
    if (options.files == std::vector<std::string>{"-"} && cli::stdin_is_terminal())
        throw UsageError("no ARTIFACT given, and stdin is a terminal");
    auto gate = options.gate();
    const auto artifacts = options.artifacts();
    gate.runs = artifact::runs_of(artifacts);
    io::RemoveOnSignal signals;
    auto status = Exit::ok;
    for (std::size_t i = 0; i < artifacts.size(); ++i) {
        const auto& given = artifacts[i];
        const auto validity = artifact::judge(given, gate);
        if (options.in_place)
            write_back(options.files[i], artifact::with_validity(given, validity), signals);
        streams.out.write(artifact::to_record(validity, given.name()));
        if (!options.quiet)
            for (const auto& line : artifact::lines_of(validity))
                streams.note(given.name() + ": " + line);
        if (!validity.met)
            status = Exit::negative;
    }
    return status;
}

} // namespace

int main(int argc, char** argv)
{
    return cli::run_tool(
        {"run-validate", "[OPTION]... [ARTIFACT]...",
         "Says what may be claimed from artifacts: status 0 where the claim is met, 1 where it is not.", ""},
        describe, run, argc, argv);
}
