// SPDX-License-Identifier: MIT
// rounds-analyze: from the round records of one run to a verdict.

#include <slo/cli/main.hpp>
#include <slo/io/end_on_signal.hpp>
#include <slo/run/analysis.hpp>

namespace {

using namespace slo;

void describe(cli::OptionTable& table, run::AnalysisOptions& options)
{
    options.describe(table);
}

Exit analyze(const run::AnalysisOptions& options, cli::Streams& streams)
{
    const bool by_objectives = !options.objectives.empty();
    if (by_objectives)
        run::certain_options(options);
    else
        run::classic_options(options);
    if (options.paths() == std::vector<std::string>{"-"} && cli::stdin_is_terminal())
        throw UsageError("no file given, and stdin is a terminal");
    io::EndOnSignal signal;
    record::Verdict verdict;
    try {
        verdict = by_objectives ? run::analyze_by_objectives(options, signal)
                                : run::analyze_classically(options, signal);
    } catch (const Error& error) {
        streams.out.write(record::to_record(record::error_verdict(error.what())));
        throw;
    }
    streams.out.write(record::to_record(verdict));
    if (options.verbose || ::isatty(STDERR_FILENO) == 1)
        streams.note(by_objectives ? plan::certain_sentence(verdict) : plan::sentence(verdict));
    return record::exit_of(verdict.status);
}

} // namespace

int main(int argc, char** argv)
{
    return slo::cli::run_tool<run::AnalysisOptions>(
        {"rounds-analyze", "[OPTION]... [FILE]...",
         "Says whether the rounds of one request rate keep a latency SLO.", ""},
        describe, analyze, argc, argv);
}
