// SPDX-License-Identifier: MIT
// rounds-analyze: from the round records of one run to a verdict.

#include <slo/cli/main.hpp>
#include <slo/io/end_on_signal.hpp>
#include <slo/plan/verdict.hpp>

namespace {
using namespace slo;

struct Options {
    plan::VerdictOptions verdict = plan::verdict_options_from_environment();
    std::vector<std::string> json;
    std::vector<std::string> files;
    std::string slo = "6.5";
    std::string shard_merge = "auto";
    bool verbose = false;
};

void describe(cli::OptionTable& table, Options& o)
{
    auto& v = o.verdict;
    table.positional(o.files);
    table.section("Input");
    table.add_list("json", o.json, "FILE", "round records, one file a shard of the run (default: stdin)");
    table.add("shard-merge", o.shard_merge, "HOW", "merge shards by sketch, mean, or auto");
    table.section("Rule");
    table.add("total-rounds,n", v.total_rounds, "COUNT", "rounds a full run has");
    table.add("tail-window,t", v.tail_window, "COUNT", "rounds at the end that decide; 0: all");
    table.add("slo,s", o.slo, "SECONDS", "what the mean p50 latency must stay below");
    table.flag("auto-steady", v.auto_steady, "decide by the steady window at the end, where there is one");
    table.add("steady-tolerance", v.steady_tolerance, "FRACTION",
              "how far a steady p50 may be off the median");
    table.add("steady-min-window", v.steady_min_window, "COUNT", "rounds a steady window has at least");
    table.section("Gates");
    table.add("min-success", v.min_success_pct, "PERCENT",
              "success rate below which the verdict is FAIL; 0: none");
    table.flag("ignore-client", v.ignore_client, "judge also what the load generator spoilt");
    table.add("confidence", v.confidence_level, "LEVEL", "of the interval of the deciding mean, 0 to 1");
    table.flag("verbose,v", o.verbose, "one line for people on stderr even where it is no terminal");
}

Exit run(const Options& o, cli::Streams& streams)
{
    auto options = o.verdict;
    options.slo_s = plan::parse_slo(o.slo);
    options.shard_merge = plan::parse_shard_merge(o.shard_merge);
    plan::check(options);
    auto paths = o.json;
    paths.insert(paths.end(), o.files.begin(), o.files.end());
    if (paths.empty())
        paths.emplace_back("-");
    if (paths == std::vector<std::string>{"-"} && cli::stdin_is_terminal())
        throw UsageError("no file given, and stdin is a terminal");
    io::EndOnSignal signal;
    record::Verdict verdict;
    try {
        verdict = plan::judge(record::read_round_files(paths, [&](int fd) { signal.watch(fd); }), options);
    } catch (const Error& error) {
        streams.out.write(record::to_record(record::error_verdict(error.what())));
        throw;
    }
    if (signal.signalled())
        plan::withhold(verdict, "interrupted before the end of the input");
    streams.out.write(record::to_record(verdict));
    if (o.verbose || ::isatty(STDERR_FILENO) == 1)
        streams.note(plan::sentence(verdict));
    return record::exit_of(verdict.status);
}

} // namespace

int main(int argc, char** argv)
{
    return slo::cli::run_tool<Options>({"rounds-analyze", "[OPTION]... [FILE]...",
                                        "Says whether the rounds of one request rate keep a latency SLO.",
                                        ""},
                                       describe, run, argc, argv);
}
